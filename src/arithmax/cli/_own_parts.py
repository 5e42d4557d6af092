"""Networks, tasks and optimisers of one's own, as `FILE.py:NAME` on a command line."""

import inspect
from typing import Any

from .._checks import choose
from .._network import Network
from .._own_code import instance, own_file, thing_named
from ..tasks import Task
from ..training import OPTIMISERS, Optimiser, from_optax, is_transformation


def own_network(text: str) -> Network:
    """The network that `FILE.py:NAME` names: a class without arguments, or made."""
    found = thing_named(text, "network", lambda v: _is(v, Network))
    return instance(text, "network", found.value, Network)


def own_task(text: str) -> Task:
    """The task that `FILE.py:NAME` names; its values are the defaults of options."""
    found = thing_named(text, "task", lambda v: _is(v, Task))
    return instance(text, "task", found.value, Task)


def given_optimiser(text: str) -> Optimiser:
    """An optimiser by its name, or of one's own: `FILE.py:NAME`.

    A file may have a transformation of optax, a function that returns one, or an
    `Optimiser` of this package: a class or an instance.
    """
    if own_file(text) is None:
        return OPTIMISERS[choose("optimiser", text, OPTIMISERS)]()
    name, value, module = thing_named(text, "optimiser", _may_optimise)
    if _is(value, Optimiser):
        return instance(text, "optimiser", value, Optimiser)
    try:
        return from_optax(value, name, module)()
    except TypeError as error:
        raise TypeError(f"`optimiser` (={text}) cannot be used: {error}") from error


def _may_optimise(value: Any) -> bool:
    is_function = inspect.isfunction(value)
    return is_function or is_transformation(value) or _is(value, Optimiser)


def _is(value: Any, kind: type) -> bool:
    if isinstance(value, type):
        return issubclass(value, kind)
    return isinstance(value, kind)
