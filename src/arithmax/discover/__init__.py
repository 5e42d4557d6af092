"""A table of numbers -> a formula: stages that propose, one judge that decides."""

from ._formula import Formula as Formula
from ._identifiers import identifiers as identifiers
from ._nodes import Function as Function
from ._nodes import Node as Node
from ._nodes import Product as Product
from ._nodes import Sum as Sum
from ._nodes import Variable as Variable
from ._nodes import monomial as monomial
from ._numbers import Number as Number
from ._verdict import Candidate as Candidate
from ._verdict import Verdict as Verdict
