"""What can be swept, by which names, and the values that a text gives.

A setting is named as `Protocol.updated` names it (`optimiser__learning_rate`), as its
option is written (`optimiser.learning-rate`), or by its last word where that is the
only one of its kind (`learning_rate`). Fields of the task and of the network count,
too, and `unit` is the unit.
"""

import dataclasses
import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .._checks import shown
from ._order import Order
from ._settings import LISTS, REGISTRIES
from ._units import value_of

UNIT = "unit"
EXAMPLE = "learning_rate=1e-3,1e-2"
COMMA = re.compile(r",(?![^(]*\))")  # outside of brackets


class Setting(NamedTuple):
    """Where a setting is, and what it is if nothing is swept."""

    group: str
    path: str
    value: Any

    def fitted(self, value: Any) -> Any:
        """A value as the setting has it: 1e4 steps are whole, one size is a tuple."""
        if isinstance(self.value, tuple) and not isinstance(value, tuple):
            return (value,)
        whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        if whole and isinstance(value, float) and value.is_integer():
            return int(value)
        return value


def swept_values(texts: Sequence[str]) -> dict[str, list[Any]]:
    """`name=value,value` as names and their values.

    Examples:
        >>> from arithmax.cli._swept import swept_values
        >>> swept_values(["learning_rate=1e-3,1e-2", "interpolation=(1,2),(2,4)"])
        {'learning_rate': [0.001, 0.01], 'interpolation': [(1, 2), (2, 4)]}
    """
    swept: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, rest = (word.strip() for word in text.partition("="))
        words = [word.strip() for word in COMMA.split(rest) if word.strip()]
        values = words if name == UNIT else [*map(value_of, words)]
        if not name or not equals or not values:
            raise ValueError(
                f"`sweep` (={text!r}) must be NAME=VALUE,VALUE, such as {EXAMPLE}."
            )
        if name in swept or len(set(map(repr, values))) < len(values):
            raise ValueError(
                f"`sweep` (={text!r}) must give each name and each value once."
            )
        swept[name] = values
    return swept


def swept_places(order: Order) -> list[Setting]:
    """All that can be swept of a network on a task under a protocol."""
    groups = {"protocol": order.protocol, "task": order.task, "network": order.network}
    return [
        Setting(group, path, value)
        for group, thing in groups.items()
        for path, value in _fields(thing)
        if path not in (*REGISTRIES, *LISTS)  # parts that are not there
    ]


def _fields(thing: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The settings of a dataclass and of its parts that are no parts themselves."""
    if isinstance(thing, tuple) and any(map(dataclasses.is_dataclass, thing)):
        for i, part in enumerate(thing):
            yield from _fields(part, f"{path}__{i}")
    elif dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        for f in dataclasses.fields(thing):
            if not f.init:  # it follows from others
                continue
            inner = f"{path}__{f.name}" if path else f.name
            yield from _fields(getattr(thing, f.name), inner)
    elif path:
        yield path, thing


def place_of(name: str, known: Sequence[Setting]) -> Setting:
    """The setting that a name means; an error lists what can be swept."""
    path = name.replace("-", "_").replace(".", "__")
    exact = [s for s in known if path in (s.path, f"{s.group}__{s.path}")]
    found = exact or [s for s in known if s.path.rpartition("__")[2] == path]
    if len(found) == 1:
        return found[0]
    if found:
        names = " or ".join(_full(s, known) for s in found)
        raise ValueError(f"`sweep` (={name}) may mean {names}: write one of them.")
    names = ["unit", *sorted(_short(s, known) for s in known)]
    raise ValueError(
        f"`sweep` (={shown(name)}) must name one of {', '.join(names)}."
        f"{_hint(path, names)}"
    )


def _hint(path: str, names: Sequence[str]) -> str:
    """The name whose initials were given, as lr, or else the nearest one."""
    short = [n for n in names if "".join(word[:1] for word in n.split("_")) == path]
    near = short or difflib.get_close_matches(path, names, n=1)
    return f" Did you mean {near[0]}?" if near else ""


def _full(setting: Setting, known: Sequence[Setting]) -> str:
    """The path; with its group where two groups have it."""
    same = [s for s in known if s.path == setting.path]
    return setting.path if len(same) == 1 else f"{setting.group}__{setting.path}"


def _short(setting: Setting, known: Sequence[Setting]) -> str:
    last = setting.path.rpartition("__")[2]
    alike = [s for s in known if s.path.rpartition("__")[2] == last]
    return last if len(alike) == 1 else _full(setting, known)
