"""Tasks: where numbers come from, what the target is, and when it counts as solved."""

from .._checks import choose
from ._columns import Columns as Columns
from ._columns import check_column as check_column
from ._columns import columns_of as columns_of
from ._dataset import Dataset as Dataset
from ._digits import Digits as Digits
from ._digits import normalised_pixels as normalised_pixels
from ._distributions import input_distribution as input_distribution
from ._formula import FormulaTask as FormulaTask
from ._functions import Functions as Functions
from ._input_distribution import InputDistribution as InputDistribution
from ._keys import NumpyKey as NumpyKey
from ._keys import SampleKey as SampleKey
from ._mnist import Images as Images
from ._mnist import mnist as mnist
from ._splits import outermost as outermost
from ._starts import Starts as Starts
from ._subsets import Operands as Operands
from ._subsets import SingleModule as SingleModule
from ._subsets import Subsets as Subsets
from ._table import as_inputs as as_inputs
from ._table import as_targets as as_targets
from ._task import Task as Task

TASKS: dict[str, type[Task]] = {
    "subsets": Subsets,
    "single-module": SingleModule,
    "operands": Operands,
    "functions": Functions,
    "digits": Digits,
}
"""The tasks by the names that the command line uses."""


def task(name: str, **options: object) -> Task:
    """The task of that name, with its options."""
    return TASKS[choose("name", name, TASKS)](**options)
