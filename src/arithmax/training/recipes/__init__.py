"""The authors' networks and settings for their units, paper by paper.

A recipe is a function of a unit, or a network, and a task; it is registered for the
classes that its paper trained. `published` asks the last one that is registered for
both.

This file is read by the command line and loads no array library.
"""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeAlias

from ..._checks import shown
from ..._identity import describe
from ..._network import Network
from ...tasks import Task
from .._limits import check_kind
from .._protocol import Protocol

Recipe: TypeAlias = Callable[[Any, Any], tuple[Network, Protocol]]
_RECIPES: list[tuple[tuple[type, ...], tuple[type, ...], Recipe]] = []


def recipe(
    units: type | tuple[type, ...], tasks: type | tuple[type, ...]
) -> Callable[[Recipe], Recipe]:
    """Register a function as the recipe for some units on some tasks.

    Args:
        units: classes of units, or of networks, which are left as they are.
        tasks: classes of tasks.

    Examples:
        >>> from arithmax import NMU, published
        >>> from arithmax.tasks import Dataset
        >>> from arithmax.training import Adam, Protocol, recipe
        >>> @recipe(NMU, Dataset)
        ... def slowly(unit, task):
        ...     return unit, Protocol(optimiser=Adam(1e-4))
        >>> rows = [[float(n)] for n in range(20)]
        >>> published(NMU(), Dataset.from_arrays(rows, rows))[1]
        Protocol(optimiser=Adam(learning_rate=0.0001))
    """

    classes = _classes("units", units, Network), _classes("tasks", tasks, Task)

    def register(function: Recipe) -> Recipe:
        _RECIPES.append((*classes, function))
        return function

    return register


def _classes(argument: str, given: Any, kind: type) -> tuple[type, ...]:
    """One class or several, all of a kind."""
    listed = given if isinstance(given, tuple) else (given,)
    if not listed or not all(
        isinstance(c, type) and issubclass(c, kind) for c in listed
    ):
        raise TypeError(
            f"`{argument}` (={shown(given)}) must be a class of `{kind.__name__}`, or "
            "a tuple of them."
        )
    return listed


def recipe_for(unit: Network, task: Task) -> Recipe | None:
    """The recipe for a unit on a task, if a paper has one."""
    for units, tasks, function in reversed(_RECIPES):
        if isinstance(unit, units) and isinstance(task, tasks):
            return function
    return None


def published(unit: Network, task: Task, **changes: Any) -> tuple[Network, Protocol]:
    """The authors' network and settings for a unit on a task.

    Args:
        unit: the unit, or a network, which is left as it is.
        task: the task.
        changes: settings that are to be others, as `Protocol.updated` takes them.

    Returns:
        The network and the protocol.

    Examples:
        >>> from arithmax import NMU, published
        >>> from arithmax.tasks import Subsets
        >>> network, protocol = published(NMU(), Subsets())
        >>> network.hidden
        (2,)
        >>> protocol.penalties
        (UnitPenalty(strength=10.0, start=1000000, end=2000000),)
    """
    check_kind("unit", unit, Network, "NMU()")
    check_kind("task", task, Task, "SingleModule()")
    function = recipe_for(unit, task)
    if function is None:
        raise ValueError(
            f"`task` (={describe(task)}) has no published recipe for {describe(unit)}. "
            "Give a `protocol`, such as `Protocol(10_000, optimiser=Adam(1e-2))`, or "
            "register one with `arithmax.training.recipe`."
        )
    network, protocol = function(unit, task)
    return network, protocol.updated(**changes)


# A paper that refines the recipes of another imports it, and is thus asked first.
for _paper in iter_modules(__path__):
    import_module(f".{_paper.name}", __name__)
