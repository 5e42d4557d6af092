"""What the layers of PyTorch and Equinox share: one class for each unit."""

import dataclasses
import difflib
import inspect
import re
from typing import Any, NamedTuple, TypeGuard, TypeVar

from ._arrays import Params
from ._checks import shown
from ._network import Network
from .networks import Stack
from .units import UNITS, Unit, plain_name, unit_name

C = TypeVar("C")


def unit_class(name: str, module: str) -> type[Unit]:
    """The unit that a name in a module means, which may be spelt as its paper does."""
    try:
        return UNITS[unit_name("name", name)]
    except ValueError:
        near = _nearest_class(name)
        hint = f" Did you mean {near!r}?" if near else ""
        raise AttributeError(
            f"module {module!r} has no attribute {name!r}.{hint}"
        ) from None


class LayerFamily:
    """The layers of a framework: a class for each unit, made when it is asked for.

    Args:
        layer: the class of its layers.
        extras: the keyword arguments of `layer` that are not for the unit.
        module: the module in which the classes are found.
    """

    def __init__(self, layer: Any, extras: tuple[str, ...], module: str) -> None:
        self.layer, self.extras, self.module = layer, extras, module
        self._classes: dict[type[Unit], Any] = {}

    def named(self, name: str) -> Any:
        """The layer of a unit, by the unit's name, as its paper may spell it."""
        unit = unit_class(name, self.module)
        if unit not in self._classes:
            made = layer_class(unit, self.layer, self.extras, self.module)
            self._classes[unit] = made
        return self._classes[unit]

    def of(
        self, network: Network, in_features: Any, out_features: int, **options: Any
    ) -> Any:
        """The layer of a network, of the class that bears its name if it is a unit."""
        if type(network) not in UNITS.values():
            return self.layer(network, in_features, out_features, **options)
        cls = self.named(type(network).__name__)
        return cls(in_features, out_features, **vars(network), **options)


def layer_class(
    unit_class: type[Unit], layer: Any, extras: tuple[str, ...], module: str
) -> type:
    """The subclass of `layer` for a unit.

    It takes the sizes first, then, by name, the options of the unit and the `extras`
    of the framework.

    Args:
        unit_class: the class of the unit.
        layer: the class of layers.
        extras: the keyword arguments of `layer` that are not for the unit.
        module: the module in which the class is found.
    """

    def __init__(self: Any, in_features: int, out_features: int, **options: Any):
        own = {extra: options.pop(extra) for extra in extras if extra in options}
        layer.__init__(self, unit_class(**options), in_features, out_features, **own)

    class_name = unit_class.__name__
    __init__.__qualname__ = f"{class_name}.__init__"
    __init__.__signature__ = signature(unit_class, layer, extras)  # type: ignore[attr-defined]  # as inspect documents
    body = {
        "__init__": __init__,
        "__doc__": layer_doc(unit_class, layer, module, extras),
        "__module__": module,
        "__qualname__": class_name,
    }
    return type(layer)(class_name, (layer,), body)


def _nearest_class(name: str) -> str | None:
    """The layer whose name is most like another."""
    names = {plain_name(n): n for n in layer_names()}
    close = difflib.get_close_matches(plain_name(name), names, n=1)
    return names[close[0]] if close else None


def layer_doc(
    unit_class: type[Unit], layer: Any, module: str, extras: tuple[str, ...]
) -> str:
    """The documentation of a layer: that of its unit, its sizes, and how to call it."""
    parts = sections(inspect.cleandoc(unit_class.__doc__ or ""))
    own = sections(inspect.cleandoc(layer.__doc__ or ""))["Args"]
    sizes = {n: t for n, t in arguments(own).items() if n.endswith("_features")}
    last = {n: t for n, t in arguments(own).items() if n in extras}
    listed = "".join({**sizes, **arguments(parts.get("Args", "")), **last}.values())
    key = ", key=jax.random.key(0)" if "key" in extras else ""
    imports = f"jax, {module}" if key else f"torch, {module}"
    ones, shape = ("jax.numpy", "(5, 1)") if key else ("torch", "torch.Size([5, 1])")
    noise = ", key=jax.random.key(1)" if key else ""
    example = f"""    >>> import {imports}
    >>> layer = {module}.{unit_class.__name__}(3, 1{key})
    >>> layer({ones}.ones((5, 3)){noise}).shape
    {shape}
"""
    texts = [parts[""], f"Args:\n{listed}", f"Examples:\n{example}"]
    if "Reference" in parts:
        texts.append(f"Reference:\n{parts['Reference']}")
    return "\n\n".join(text.strip("\n") for text in texts) + "\n"


def sections(doc: str) -> dict[str, str]:
    """The sections of a docstring by their headings; what comes first has none."""
    pieces = re.split(r"^(Args|Examples|Reference|Returns):\n", doc, flags=re.M)
    return {"": pieces[0], **dict(zip(pieces[1::2], pieces[2::2], strict=True))}


def arguments(text: str) -> dict[str, str]:
    """The arguments of a docstring's section, each with its lines."""
    found = re.findall(r"^( {4}(\w+):.*\n(?: {8,}.*\n)*)", text + "\n", flags=re.M)
    return {name: lines for lines, name in found}


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


class Readable(NamedTuple):
    """A part of a tree of layers: a network, its parameters, how many outputs."""

    network: Network
    params: Params
    out_features: int


def in_a_row(parts: list[Readable]) -> Readable:
    """Parts one after the other as one; parameters are named as a stack names them."""
    if not parts:
        raise ValueError("`net` must have a layer in it, such as an NMU.")
    if len(parts) == 1:
        return parts[0]
    hidden = tuple(part.out_features for part in parts[:-1])
    params = {
        f"{i}.{name}": value
        for i, part in enumerate(parts)
        for name, value in part.params.items()
    }
    stack = Stack(tuple(part.network for part in parts), hidden)
    return Readable(stack, params, parts[-1].out_features)


def calls_as(part: Any, base: type[C], call: str) -> TypeGuard[C]:
    """Whether something is of a class, and computes what that class does.

    A subclass with a `forward` of its own may compute anything.
    """
    if not isinstance(part, base):
        return False
    lines = type(part).__mro__
    return not any(call in vars(cls) for cls in lines[: lines.index(base)])


def unreadable(part: Any, linear: str) -> str:
    """What to say of a part of a network that has no formula."""
    return (
        f"`net` has a {type(part).__name__} in it, which has no formula. It must be a "
        f"layer of arithmax, `{linear}`, or a `Sequential` of these: read that part of "
        "your network."
    )
