"""The Primer for Neural Arithmetic Logic Modules, and its authors' other papers.

The published figures are in the JSON files, each with its source and the criterion of
success that it was made with.
"""

from ._runs import RANGES as RANGES
from ._runs import SEEDS as SEEDS
from ._runs import can as can
from ._runs import labels as labels
from ._runs import task as task
from ._tables import tables as tables
