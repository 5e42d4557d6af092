"""Any transformation of optax as the optimiser of a protocol.

A transformation is a pair of functions, which say nothing of themselves. What a run is
called must tell it from others: the class that is made here has the name of what was
given, and its numbers as fields. A part of the name of a run is the source of the
module that has it under this name; of all else the functions, with what they hold.

This file is read by the command line and loads no array library.
"""

import inspect
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, make_dataclass
from typing import Any

from .._checks import shown
from .._held import held
from .._identity import HELD, digest
from ._declared import compiled, traced
from ._optimiser import Optimiser, updated_by

RATE = "learning_rate"
USUAL = 1e-3  # the learning rate of a function that has no default for it


@dataclass(frozen=True)
class Transformed(Optimiser):
    """An optimiser that is a whole transformation of gradients, with its own rate."""

    @abstractmethod
    def transformation(self) -> Any:
        """The transformation of optax, which gives what is added to parameters."""

    def start(self, params):
        return self.transformation().init(params)

    def step(self, objective, params, state, transform):
        import jax

        change = self.transformation()
        updates, state, loss = updated_by(change, objective, params, state, transform)
        moved = jax.tree.map(lambda p, u: p + u.astype(p.dtype), params, updates)
        return moved, state, loss


def from_optax(given: Any, name: str = "", module: str = "") -> type[Transformed]:
    """A class of optimisers out of a transformation, or of a function that makes one.

    Args:
        given: a `GradientTransformation`, or a function whose numbers, words and
            switches become options of the class; `learning_rate` is a number of each
            replica, unless its default is a schedule; the others are compiled.
        name: what the class is called; that of the function if empty.
        module: the module that has it under this name, whose source then belongs to
            the name of a run; that of the function if empty.

    Returns:
        The class; an instance of it is the `optimiser` of a protocol.

    Examples:
        >>> import optax
        >>> from arithmax import Protocol
        >>> from arithmax.training import from_optax
        >>> Lion = from_optax(optax.lion)
        >>> Protocol(optimiser=Lion(learning_rate=1e-4, b1=0.95)).optimiser
        lion(learning_rate=0.0001, b1=0.95)
    """
    make = given if not is_transformation(given) else None
    if make is not None and not callable(make):
        raise TypeError(
            f"`given` (={shown(given)}) must be a transformation of optax, such as "
            "`optax.lion(1e-3)`, or a function that returns one."
        )
    name = name or getattr(make, "__name__", "")
    if not name:
        raise ValueError(
            "`name` (='') must be given with a transformation, which has none itself."
        )
    options = [] if make is None else [*_options(make, name)]
    module = module or getattr(make, "__module__", __name__)
    namespace: dict[str, Any] = {
        "transformation": lambda self: given if make is None else _built(make, self)
    }
    if getattr(sys.modules.get(module), name, None) is not given:
        namespace[HELD] = _hash(given, name)
    made = make_dataclass(
        name, options, bases=(Transformed,), namespace=namespace, frozen=True
    )
    made.__module__ = module
    made.__doc__ = inspect.getdoc(make) if make is not None else None
    made.__doc__ = made.__doc__ or f"The transformation {name}."
    return made


def _hash(given: Any, name: str) -> str:
    """What tells this from all others of the same name."""
    parts = (given.init, given.update) if is_transformation(given) else given
    try:
        return digest(*held(parts))
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"`given` ({name}) cannot be told from others of that name: {error}. Give "
            "a function of a module that makes it, or FILE.py:NAME on the command line."
        ) from None


def is_transformation(given: Any) -> bool:
    """Whether this is a pair of functions as optax has them."""
    return all(callable(getattr(given, name, None)) for name in ("init", "update"))


def _options(make: Callable[..., Any], name: str) -> Iterator[tuple[str, type, Any]]:
    """The arguments of a function that can be named and written, as fields."""
    for argument in inspect.signature(make).parameters.values():
        default = argument.default
        if argument.kind in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD):
            continue
        if hasattr(Transformed, argument.name):
            raise TypeError(
                f"`{argument.name}` of {name} must have another name, for that is what "
                "a part of every optimiser is called: write a function that calls "
                f"{name} with it."
            )
        if argument.name == RATE and default is argument.empty:
            yield RATE, float, traced(USUAL)
        elif argument.name == RATE and type(default) in (int, float):
            yield RATE, float, traced(float(default))
        elif argument.name == RATE:
            continue  # a schedule is left to the function
        elif type(default) in (bool, int, float, str):
            bounds = (None, None) if isinstance(default, int | float) else None
            yield argument.name, type(default), compiled(default, bounds)
        elif default is argument.empty:
            raise TypeError(
                f"`{argument.name}` of {name} must have a default, as all but "
                f"`{RATE}`: write a function that calls {name} with it."
            )


def _built(make: Callable[..., Any], self: Transformed) -> Any:
    return make(**{f.name: getattr(self, f.name) for f in fields(self)})
