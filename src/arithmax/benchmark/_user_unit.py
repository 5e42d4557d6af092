"""A unit of one's own, from a Python file."""

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from .._identity import code_of, describe, digest, source_hash
from .._own_code import AGAIN, file_and_name, sentence, thing_named
from ..tasks import SingleModule
from ..training import Optimiser, Protocol, published
from ..units import OPERATIONS, Parameter, Unit

ARITHMETIC = ("add", "sub", "mul", "div")
# How long a run is and how it is judged are the benchmark's.
FIXED = ("steps", "measuring", "criterion")


@dataclass(frozen=True)
class UserUnit:
    """A unit, what it is called, and what tells this version of it from others."""

    unit: Unit
    name: str
    digest: str
    optimiser: Optimiser | None = None  # in place of the one that its recipe has
    one_recipe: bool = False  # instead of its own recipe, `Protocol.recipe()`

    @property
    def operations(self) -> tuple[str, ...]:
        """Which of + − × ÷ it can represent."""
        return tuple(op for op in ARITHMETIC if op in self.unit.operations)

    def recipe(self, task: SingleModule) -> dict[str, Any]:
        """The settings that the unit brings: its `recipe`, a dictionary or a method."""
        if self.one_recipe:
            return self._of_one_recipe(task)
        given: Any = getattr(self.unit, "recipe", {})
        settings: Any = given(task) if callable(given) else given
        if not isinstance(settings, Mapping):
            raise ValueError(
                f"`recipe` of {self.name} gives {settings!r}, but must be a dictionary "
                "of settings, or a method that makes one for a task."
            )
        known = [f.name for f in fields(Protocol)]
        for name in (path.partition("__")[0] for path in settings):
            if name in FIXED or name not in known:
                free = ", ".join(n for n in known if n not in FIXED)
                raise ValueError(
                    f"`recipe` of {self.name} sets {name!r}, which is "
                    + ("the benchmark's own" if name in FIXED else "no setting")
                    + f". It may set {free}."
                )
        chosen = {} if self.optimiser is None else {"optimiser": self.optimiser}
        kept = {n: v for n, v in settings.items() if not chosen or _is_other(n)}
        return {**kept, **chosen}

    def _of_one_recipe(self, task: SingleModule) -> dict[str, Any]:
        """The settings of `Protocol.recipe()` that are not the benchmark's own."""
        _, authors = published(self.unit, task)
        protocol = Protocol.recipe(authors.steps, measuring=authors.measuring)
        return {
            f.name: getattr(protocol, f.name)
            for f in fields(protocol)
            if f.name not in FIXED
        }

    def by_one_recipe(self) -> "UserUnit":
        """The unit trained by `Protocol.recipe()`, which makes its runs others."""
        known = digest(self.digest, describe(Protocol.recipe()))
        return replace(self, one_recipe=True, digest=known)

    def trained_by(self, optimiser: Optimiser) -> "UserUnit":
        """The unit with an optimiser of one's own, which makes its runs others."""
        known = digest(self.digest, describe(optimiser), code_of(optimiser))
        return replace(self, optimiser=optimiser, digest=known)


def _is_other(name: str) -> bool:
    """Whether a setting is none of the optimiser's."""
    return name.partition("__")[0] != "optimiser"


def user_unit(text: str) -> UserUnit:
    """The unit that `FILE.py:NAME` names, checked.

    Args:
        text: a Python file and the name in it of a class without arguments or of an
            instance; the name may be left out where the file has one unit only.
    """
    value = thing_named(text, "unit", _is_unit).value
    file = Path(file_and_name(text)[0])
    with _speaking(text):
        made = _made(text, value)
        check(made, text)
        title = getattr(made, "title", type(made).__name__)
        return UserUnit(made, str(title), digest(source_hash(file), made, __version__))


@contextmanager
def _speaking(text: str) -> Iterator[None]:
    """Whatever a unit of one's own raises, or makes others raise, as a sentence."""
    try:
        yield
    except Exception as error:
        if str(error).startswith("`unit`"):
            raise
        message = sentence(error) or f"{type(error).__name__}: {error}. {AGAIN}"
        raise ValueError(f"`unit` (={text}) fails: {message}") from error


def _is_unit(value: Any) -> bool:
    return isinstance(value, Unit) or (
        inspect.isclass(value) and issubclass(value, Unit)
    )


def _made(text: str, value: Any) -> Unit:
    """An instance, frozen and with what the contract asks for."""
    if inspect.isclass(value) and issubclass(value, Unit):
        try:
            value = value()
        except TypeError as error:
            raise ValueError(
                f"`unit` (={text}) cannot be made without arguments: {error}. Give its "
                "fields defaults and write its abstract methods, or name an instance."
            ) from None
    if not isinstance(value, Unit):
        raise ValueError(
            f"`unit` (={text}) is {value!r}, but must be an `arithmax.units.Unit`: a "
            "class without arguments, or an instance."
        )
    try:
        hash(value)
    except TypeError:
        raise ValueError(
            f"`unit` (={text}) must be a frozen dataclass: write `@dataclass("
            "frozen=True)` above its class."
        ) from None
    return value


def check(unit: Unit, text: str) -> None:
    """It must represent an operation, and its solutions must be right."""
    able = [op for op in ARITHMETIC if op in unit.operations]
    if not able:
        raise ValueError(
            f"`unit` (={text}) represents none of {', '.join(ARITHMETIC)} by its "
            "`exact`, so that there is nothing to find."
        )
    x = np.array([[2.0, 5.0, 3.0], [3.0, 2.0, 7.0]])  # in the domain of every unit
    for name in able:
        params = unit.solution(name)
        _check_parts(unit, params, text)
        y = np.asarray(unit.compute(params, x))
        right = OPERATIONS[name].function(*x)
        if y.shape != (1, 3) or not np.allclose(y[0], right, rtol=1e-4):
            raise ValueError(
                f"`unit` (={text}) states that it computes {name!r}, but at its "
                f"`encode`d weights `compute` gives {y.tolist()} for the inputs "
                f"{x.tolist()}, where {right.tolist()} is right (features come first)."
            )


def _check_parts(unit: Unit, params: dict[str, Any], text: str) -> None:
    """What else is called while it is trained: errors are better found before."""
    declared = unit.parameters(2, 1)
    if not all(isinstance(p, Parameter) for p in declared.values()):
        raise ValueError(
            f"`unit` (={text}) must declare `parameters` such as `matrix(in_features, "
            f"out_features, Uniform(-1, 1))`, not {declared!r}."
        )
    unit.penalty(params), unit.weights(params)
    projected: Any = unit.project(params)
    if not isinstance(projected, Mapping) or set(projected) != set(params):
        raise ValueError(
            f"`unit` (={text}) must return all its parameters from `project`, "
            f"{', '.join(params)}, but returns {projected!r}."
        )
