"""Tasks: where numbers come from, what the target is, and when it counts as solved."""

from ..units._checks import choose
from ._domains import per_input as per_input
from ._examples import examples as examples
from ._functions import Functions as Functions
from ._subsets import Operands as Operands
from ._subsets import SingleModule as SingleModule
from ._subsets import Subsets as Subsets
from ._task import Task as Task
from ._task import quantile_numbers as quantile_numbers

TASKS: dict[str, type[Task]] = {
    "subsets": Subsets,
    "single-module": SingleModule,
    "operands": Operands,
    "functions": Functions,
}
"""The tasks by the names that the command line uses."""


def task(name: str, **options: object) -> Task:
    """The task of that name, with its options."""
    return TASKS[choose("name", name, TASKS)](**options)
