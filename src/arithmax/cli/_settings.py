"""The parts of a protocol as options: kinds by name, then the fields of each."""

import dataclasses
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_type_hints

import tyro

from .._checks import choose
from ..training import (
    COMPOSITIONS,
    LOSSES,
    OPTIMISERS,
    PENALTIES,
    RESTARTS,
    SCHEDULES,
    TRANSFORMS,
    Protocol,
)
from ._show import field_docs, first_line

REGISTRIES: dict[str, Mapping[str, type]] = {
    "optimiser": OPTIMISERS,
    "loss": LOSSES,
    "composition": COMPOSITIONS,
    "schedule": SCHEDULES,
    "restart": RESTARTS,
}
OPTIONAL = ("schedule", "restart")  # which a protocol may lack
LISTS: dict[str, Mapping[str, type]] = {
    "penalties": PENALTIES,
    "transforms": TRANSFORMS,
}
OWN = " Or `my_optimiser.py:NAME`: a transformation of optax, or what returns one."
NONE = "none"  # no schedule, no restart, no penalties, no transforms


def kinds() -> type:
    """A dataclass for the kinds of parts alone, of which none need be given."""
    single = [(name, str | None, None) for name in REGISTRIES]
    several = [(name, tuple[str, ...], ()) for name in LISTS]
    return dataclasses.make_dataclass("Kinds", [*single, *several], frozen=True)


def with_kinds(
    protocol: Protocol, given: Any, own: Mapping[str, Any] | None = None
) -> Protocol:
    """A protocol with other kinds of parts.

    A part of a kind that the protocol has already stays as it is there; another has the
    defaults of its class, and a new optimiser the settings that it asks for.

    Args:
        protocol: the protocol.
        given: the names of the kinds, as an instance of `kinds()`.
        own: parts from files, by the words that name them.
    """
    changes: dict[str, Any] = {}
    for name, registry in REGISTRIES.items():
        word = getattr(given, name)
        if own and word in own:
            changes[name] = own[word]
        elif word is not None:
            words = [NONE, *registry] if name in OPTIONAL else registry
            choose(name, word, words)
            known = [getattr(protocol, name)]
            changes[name] = None if word == NONE else _part(registry[word], known)
    for name, registry in LISTS.items():
        if words := getattr(given, name):
            changes[name] = _parts(name, words, registry, getattr(protocol, name))
    if type(new := changes.get("optimiser")) is not type(protocol.optimiser) and new:
        changes |= new.asks
    return protocol.updated(**changes)


def _parts(
    name: str, words: tuple[str, ...], registry: Mapping[str, type], known: tuple
) -> tuple:
    if words == (NONE,):
        return ()
    if NONE in words:
        raise ValueError(
            f"`{name}` (={words!r}) must be {NONE!r} alone, or without it."
        )
    left = list(known)
    return tuple(_part(registry[choose(name, word, registry)], left) for word in words)


def _part(cls: type, known: list) -> Any:
    """The known part of a class, which is used up, or one with its defaults."""
    for part in known:
        if type(part) is cls:
            known.remove(part)
            return part
    return cls()


Field = tuple[str, Any, Any]  # a name, an annotation and a default


def options_of_protocol(
    protocol: Protocol, own: Mapping[str, Any] | None = None
) -> tuple[type, list[Field]]:
    """The options of a protocol, with its values as defaults.

    Args:
        protocol: the protocol.
        own: parts from files, by the words that name them.

    Returns:
        A dataclass of the settings that are no parts and of the kinds of parts, and
        fields for the options of the parts.
    """
    hints, docs = get_type_hints(Protocol), field_docs(Protocol)
    plain: list[Field] = []
    nested: list[Field] = []
    for name, text in docs.items():
        value = getattr(protocol, name)
        if name in REGISTRIES or name in LISTS:
            kind, default = _kind(name, value, own or {})
            also = OWN if name == "optimiser" else ""
            plain.append((name, _described(kind, text + also), default))
        elif not dataclasses.is_dataclass(value):
            plain.append((name, _described(hints[name], text), value))
        nested += _nested(name, value)
    return dataclasses.make_dataclass("Settings", plain, frozen=True), nested


def _kind(name: str, value: Any, own: Mapping[str, Any]) -> tuple[Any, Any]:
    """What an option for the kind of a part takes, and its default."""
    if words := [word for word, part in own.items() if part is value]:
        return str, words[0]
    registry = REGISTRIES.get(name) or LISTS[name]
    parts = value if isinstance(value, tuple) else (value,)
    names = tuple(_name(part, registry) for part in parts)
    may_lack = name in LISTS or name in OPTIONAL
    words = dict.fromkeys([*[NONE] * may_lack, *registry, *names])
    choice = Literal[tuple(words)]
    if name in REGISTRIES:
        return choice, names[0]
    return tuple[choice, ...], names or (NONE,)


def _name(part: Any, registry: Mapping[str, type]) -> str:
    """The name of a part's class; a recipe may use one that has none."""
    if part is None:
        return NONE
    names = [name for name, cls in registry.items() if cls is type(part)]
    return names[0] if names else type(part).__name__


def _nested(name: str, value: Any) -> list[Field]:
    """A field for the options of a part, or of a tuple of parts, if there are any."""
    if isinstance(value, tuple) and any(map(dataclasses.is_dataclass, value)):
        kinds = [_described(type(part), first_line(type(part))) for part in value]
        return [(name, tuple[tuple(kinds)], value)]
    if dataclasses.is_dataclass(value) and dataclasses.fields(value):
        return [(name, type(value), value)]
    return []


def _described(kind: Any, text: str) -> Any:
    return Annotated[kind, tyro.conf.arg(help=" ".join(text.split()))]


def updated(protocol: Protocol, plain: Any, nested: Mapping[str, Any]) -> Protocol:
    """The protocol with the options as they were given.

    Args:
        protocol: the protocol that `settings` had.
        plain: the instance of its dataclass.
        nested: the values of its fields for parts.
    """
    words = (*REGISTRIES, *LISTS)
    changes = {n: v for n, v in vars(plain).items() if n not in words}
    return dataclasses.replace(protocol, **changes, **nested)
