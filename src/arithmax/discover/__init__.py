"""From a table of numbers to a formula."""

from ._formula import Formula as Formula
from ._judge import Judge as Judge
from ._ladder import LADDER as LADDER
from ._nodes import Function as Function
from ._nodes import Node as Node
from ._nodes import Product as Product
from ._nodes import Sum as Sum
from ._nodes import Variable as Variable
from ._nodes import monomial as monomial
from ._numbers import Number as Number
from ._search import Search as Search
from ._search import discover as discover
from ._stage import Stage as Stage
from ._table import Table as Table
from ._verdict import Attempt as Attempt
from ._verdict import Candidate as Candidate
from ._verdict import Discovery as Discovery
from ._verdict import Verdict as Verdict
