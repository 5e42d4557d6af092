"""What the layers of PyTorch and Equinox share: one class for each unit."""

import dataclasses
import inspect
from typing import Any

from ._checks import choose, shown
from ._network import Network
from .units import UNITS, Unit


def layer_class(name: str, layer: Any, extras: tuple[str, ...]) -> type:
    """The subclass of `layer` for the unit class `name` of the registry.

    It takes the sizes first, then, by name, the options of the unit and the `extras`
    of the framework.
    """
    classes = {cls.__name__: cls for cls in UNITS.values()}
    try:
        unit_class = classes[choose("name", name, classes)]
    except ValueError as error:
        raise AttributeError(f"module {layer.__module__!r}: {error}") from None

    def __init__(self: Any, in_features: int, out_features: int, **options: Any):
        own = {extra: options.pop(extra) for extra in extras if extra in options}
        layer.__init__(self, unit_class(**options), in_features, out_features, **own)

    __init__.__qualname__ = f"{name}.__init__"
    __init__.__signature__ = signature(unit_class, layer, extras)  # type: ignore[attr-defined]  # as inspect documents
    body = {
        "__init__": __init__,
        "__doc__": f"`arithmax.units.{name}` as a layer; see there.",
        "__module__": layer.__module__,
        "__qualname__": name,
    }
    return type(layer)(name, (layer,), body)


def signature(
    unit_class: type[Unit], layer: Any, extras: tuple[str, ...]
) -> inspect.Signature:
    """Sizes, the unit's options and the framework's, for `help` and editors."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    names = ("self", "in_features", "out_features")
    first = [
        inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in names
    ]
    options = [
        inspect.Parameter(field.name, keyword, default=field.default)
        for field in dataclasses.fields(unit_class)  # type: ignore[arg-type]  # units are dataclasses
    ]
    own = inspect.signature(layer.__init__).parameters
    last = [own[extra] for extra in extras]
    return inspect.Signature([*first, *options, *last])


def layer_names() -> list[str]:
    """The names of all layers."""
    return [cls.__name__ for cls in UNITS.values()]


def check_unit(unit: Any) -> None:
    """`unit` must be an instance of a unit, or of another network."""
    if not isinstance(unit, Network):
        raise TypeError(
            f"`unit` (={shown(unit)}) must be a unit or a network, such as `NMU()`."
        )


def describe(unit: Network, in_features: Any, out_features: int) -> str:
    """Sizes and options, for the `repr` of a layer."""
    options = repr(unit)[len(type(unit).__name__) + 1 : -1]
    sizes = f"in_features={in_features}, out_features={out_features}"
    return f"{sizes}, {options}" if options else sizes
