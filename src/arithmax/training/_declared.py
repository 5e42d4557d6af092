"""How a setting enters a run: as a number of each replica, as structure, or outside.

A part of a protocol is a frozen dataclass. Each of its fields is declared once, where
it is written:

- `traced`: a number that may differ between the replicas of one compiled program;
- `compiled`: a choice that the program is compiled for;
- `outside`: what is read before or after the program, never in it.

Everything else follows from that: `structure` is what a program depends on, `numbers`
what a replica brings, and `bind` puts those numbers into the place of the fields. A
field without a declaration counts as compiled.

This file is read by the command line and loads no array library.
"""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from .._checks import (
    WORD,
    check_count,
    check_fields,
    check_hashable,
    check_options,
    is_finite,
    shown,
)
from .._identity import describe

if TYPE_CHECKING:
    from .._network import Network
    from ..tasks import Task
    from ._protocol import Protocol

T = TypeVar("T")
COUNT = (1, WORD)
FROM_ZERO = (0, WORD)


def traced(default: Any, bounds: tuple[float | None, float | None] = (0, None)) -> Any:
    """A number that may differ between replicas of one program."""
    return field(default=default, metadata={"use": "traced", "bounds": bounds})


def compiled(
    default: Any, bounds: tuple[float | None, float | None] | None = None
) -> Any:
    """A choice that a program is compiled for."""
    return _declared("compiled", default, bounds)


def outside(
    default: Any, bounds: tuple[float | None, float | None] | None = None
) -> Any:
    """A setting that is read outside of the compiled program."""
    return _declared("outside", default, bounds)


def _declared(use: str, default: Any, bounds: Any) -> Any:
    metadata = {"use": use} | ({"bounds": bounds} if bounds else {})
    if default is MISSING:
        return field(metadata=metadata)
    return field(default=default, metadata=metadata)


def use_of(declared: Field) -> str:
    """How a field enters a run."""
    return declared.metadata.get("use", "compiled")


@dataclass(frozen=True)
class Part:
    """A choice of a protocol with its own options: a frozen dataclass.

    A subclass declares its fields with `traced`, `compiled` or `outside`. What it asks
    of its values is for `check`, of the other parts for `check_protocol`, and of a
    network and a task for `check_cell`: all of them raise before anything is trained.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__repr__ = Part.__repr__  # so that dataclasses writes no longer one

    def __repr__(self) -> str:
        return describe(self)

    def __new__(cls, *args: Any, **options: Any) -> "Part":
        _check_class(cls)
        check_options(cls, options)
        check_count(cls, args)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Every field must hold what its annotation and its bounds allow."""
        named = ((f.name, f.metadata.get("bounds")) for f in fields(self))
        check_fields(self, {name: bounds for name, bounds in named if bounds})
        for f in fields(self):
            _check_use(f, getattr(self, f.name))

    def check_protocol(self, protocol: "Protocol") -> None:
        """The other parts of a protocol must suit this one."""

    def check_cell(self, network: "Network", task: "Task") -> None:
        """A network and a task must suit this part."""


def _check_class(cls: type) -> None:
    """A part must have all its methods, and be a dataclass if it has fields."""
    if missing := sorted(getattr(cls, "__abstractmethods__", ())):
        kinds = next(filter(None, ([*_kinds(base)] for base in cls.__mro__[:-2])), [])
        raise TypeError(
            f"`{cls.__name__}` has no {', '.join(f'`{m}`' for m in missing)}: write a "
            f"class that has, or use one of {', '.join(k.__name__ for k in kinds)}."
        )
    for name, value in vars(cls).items():
        if isinstance(value, Field):
            raise TypeError(
                f"`{cls.__name__}` (with `{name}`) must be a frozen dataclass: write "
                "`@dataclass(frozen=True)` above it."
            )


def _kinds(cls: type) -> Iterator[type]:
    """The package's subclasses of a part that can be made."""
    for kind in cls.__subclasses__():
        abstract = getattr(kind, "__abstractmethods__", ())
        if not abstract and kind.__module__.startswith("arithmax."):
            yield kind
        yield from _kinds(kind)


def _check_use(declared: Field, value: Any) -> None:
    """A traced field must be a number, and any other one can tell programs apart."""
    name = declared.name
    if use_of(declared) == "traced":
        if value is not None and not is_finite(value):
            raise TypeError(
                f"`{name}` (={shown(value)}) is declared `traced` and must be a finite "
                "number. Declare it `compiled`."
            )
        return
    check_hashable(name, value)


def numbers(thing: Any) -> dict[str, float]:
    """The traced numbers of a protocol or a part, by their paths."""
    return {path: value for path, use, value in _leaves(thing) if use == "traced"}


def structure(thing: Any) -> tuple:
    """What a compiled program depends on: classes and compiled fields."""
    return tuple(
        (path, value) for path, use, value in _leaves(thing) if use == "compiled"
    )


def bind(thing: T, values: Mapping[str, Any], path: str = "") -> T:
    """A protocol or part whose traced fields are the given values.

    Args:
        thing: the protocol or part.
        values: what to put in place of its traced numbers, by the paths of `numbers`.
        path: where the thing stands in a larger one.
    """
    if isinstance(thing, tuple):
        return tuple(bind(v, values, f"{path}{i}.") for i, v in enumerate(thing))  # type: ignore[return-value]  # of the same kind
    if not is_dataclass(thing):
        return thing
    # Traced values are no numbers that `__post_init__` could check.
    bound = object.__new__(type(thing))
    for f in fields(thing):
        here = f"{path}{f.name}"
        value = getattr(thing, f.name)
        vars(bound)[f.name] = (
            values[here] if here in values else bind(value, values, f"{here}.")
        )
    return bound


def _leaves(thing: Any, path: str = "") -> Iterator[tuple[str, str, Any]]:
    """Every field of a thing, however deep: its path, use and value."""
    yield path + "class", "compiled", type(thing)
    for f in fields(thing):
        value, use = getattr(thing, f.name), use_of(f)
        if isinstance(value, tuple) and any(is_dataclass(v) for v in value):
            yield f"{path}{f.name}", "compiled", len(value)
            for i, part in enumerate(value):
                yield from _leaves(part, f"{path}{f.name}.{i}.")
        elif is_dataclass(value) and use != "outside":
            yield from _leaves(value, f"{path}{f.name}.")
        elif use == "traced" and value is None:
            yield f"{path}{f.name}", "compiled", None
        else:
            yield f"{path}{f.name}", use, value
