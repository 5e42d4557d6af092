"""Networks one after the other are a network."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Any, ClassVar

from .._arrays import Array, Namespace, Params, namespace
from .._checks import plain, shown
from .._hazards import Hazard
from .._network import Draws, Network, Noise
from .._parameters import (
    Distribution,
    Parameter,
    check_distribution,
    check_shape,
    of_part,
    prefixed,
)
from ..units._operations import Domain
from ..units._symbolic import Expression, Symbols
from ._recurrence import check_once


@dataclass(frozen=True)
class Stack(Network):
    """Units, or other networks, one after the other, with hidden sizes between them.

    Parameters are named by the layer they belong to: `0.W` is the `W` of the first.

    Args:
        units: the layers, first to last.
        hidden: the sizes between them, one fewer than there are units.
        padded: sizes at least as large, to which the fleet fills up weights with zeros
            that stay zero, so that stacks of many hidden sizes are one program. What
            the stack computes is the same.
        starts: distributions from which parameters are drawn in place of those that
            the units declare, by name: `(("M_hat", Normal(-1.0, 0.1)),)` is for every
            layer, `"0.M_hat"` for the first.

    Examples:
        >>> import numpy as np
        >>> from arithmax import NAU, NMU, Stack
        >>> net = Stack((NAU(), NMU()), hidden=(2,))
        >>> first = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
        >>> params = {"0.W": first, "1.W": np.ones((1, 2))}
        >>> net.apply(params, np.array([10.0, 20.0, 30.0]))     # (10 + 20)(20 + 30)
        array([1500.])
    """

    title: ClassVar[str] = "Stack"
    units: tuple[Network, ...]
    hidden: tuple[int, ...] = ()
    padded: tuple[int, ...] = field(default=(), metadata={"identity": False})
    starts: tuple[tuple[str, Distribution], ...] = ()

    def __repr__(self) -> str:
        padded = f", padded={self.padded!r}" if self.padded else ""
        starts = f", starts={self.starts!r}" if self.starts else ""
        return f"Stack(units={self.units!r}, hidden={self.hidden!r}{padded}{starts})"

    def __post_init__(self) -> None:
        for name in ("units", "starts"):
            vars(self)[name] = plain(vars(self)[name])
        for name in ("hidden", "padded"):
            vars(self)[name] = check_shape(name, vars(self)[name])
        units, hidden = self.units, self.hidden
        several = isinstance(units, tuple) and len(units) > 0
        if not several or not all(isinstance(u, Network) for u in units):
            raise TypeError(
                f"`units` (={shown(units)}) must be a tuple of units, such as "
                "`(NMU(),)`."
            )
        for unit in units[:-1]:
            check_once("units", unit)
        if len(hidden) != len(units) - 1:
            raise ValueError(
                f"`hidden` (={hidden!r}) must have {len(units) - 1} sizes, one fewer "
                f"than there are `units`."
            )
        if self.padded and (
            len(self.padded) != len(hidden)
            or any(p < h for p, h in zip(self.padded, hidden, strict=True))
        ):
            raise ValueError(
                f"`padded` (={self.padded!r}) must have {len(hidden)} sizes, each at "
                f"least that of `hidden` (={hidden!r})."
            )
        if self.starts:
            self._check_starts()

    def _check_starts(self) -> None:
        """Every name in `starts` must be that of a parameter."""
        pairs = isinstance(self.starts, tuple) and all(
            isinstance(s, tuple) and len(s) == 2 for s in self.starts
        )
        if not pairs:
            raise TypeError(
                f"`starts` (={shown(self.starts)}) must hold pairs of a name and a "
                'distribution, such as `(("W", Normal(0.0, 1.0)),)`.'
            )
        declared = self._gather(unit.parameters(*unit.smallest) for unit in self.units)
        names = {*declared, *(name.rsplit(".", 1)[-1] for name in declared)}
        for name, distribution in self.starts:
            check_distribution("starts", distribution)
            if name not in names:
                raise ValueError(
                    f"`starts` (={self.starts!r}) has {name!r}, which is no parameter "
                    f"of the units: they have {', '.join(sorted(names))}."
                )

    @property
    def last(self) -> Network:
        return self.units[-1].last

    @property
    def wide(self) -> "Stack":
        """The stack of the padded sizes, which draws no starts of its own."""
        return Stack(self.units, self.padded) if self.padded else self

    @property
    def input_axes(self) -> int:
        return self.units[0].input_axes

    @property
    def free_axes(self) -> int:
        return self.units[0].free_axes

    @property
    def smallest(self) -> tuple[Any, int]:
        return self.units[0].smallest[0], self.units[-1].smallest[1]

    @property
    def operations(self) -> dict[str, Domain]:
        """What the units can together: the others pass the result of one on.

        Whether there is room for that in the hidden sizes is not looked at.
        """
        return {
            name: domain
            for unit in reversed(self.units)
            for name, domain in unit.operations.items()
        }

    @property
    def sparse(self) -> bool:
        return all(unit.sparse for unit in self.units)

    def noise(self, in_features: Any) -> tuple[Noise, ...]:
        sizes = (in_features, *self.hidden)
        pieces = (u.noise(n) for u, n in zip(self.units, sizes, strict=True))
        return tuple(chain.from_iterable(pieces))

    @property
    def linear_parameters(self) -> tuple[str, ...]:
        """Those of the last layer, whose outputs no other layer changes."""
        last = len(self.units) - 1
        return tuple(f"{last}.{name}" for name in self.units[-1].linear_parameters)

    def parameters(self, in_features: Any, out_features: int) -> dict[str, Parameter]:
        sizes = pairwise((in_features, *self.hidden, out_features))
        declared = self._gather(
            unit.parameters(*size) for unit, size in zip(self.units, sizes, strict=True)
        )
        for name, parameter in declared.items():
            for start, distribution in self.starts:
                if start in (name, name.rsplit(".", 1)[-1]):
                    declared[name] = replace(parameter, distribution=distribution)
        return declared

    def features(self, params: Params) -> tuple[Any, int] | None:
        sizes = [unit.features(own) for unit, own in self.layers(params)]
        if sizes[0] is None or sizes[-1] is None:
            return None
        return sizes[0][0], sizes[-1][1]

    def layers(self, params: Params) -> Iterator[tuple[Network, Params]]:
        """Each unit with its parameters."""
        for i, unit in enumerate(self.units):
            yield unit, of_part(str(i), params)

    def _gather(self, dictionaries) -> Params:
        gathered = {}
        for i, dictionary in enumerate(dictionaries):
            gathered |= prefixed(str(i), dictionary)
        return gathered

    def compute(
        self,
        params: Params,
        x: Any,
        *,
        training: bool = False,
        noise: Draws | None = None,
        xp: Namespace = None,
    ) -> Any:
        y, _ = self.observe(params, x, training=training, noise=noise, xp=xp)
        return y

    def observe(
        self,
        params: Params,
        x: Any,
        *,
        training: bool = False,
        noise: Draws | None = None,
        xp: Namespace = None,
    ) -> tuple[Any, Any]:
        xp = xp or namespace(x)
        inputs = x
        for unit, own in self.layers(params):
            mine, noise = _shared(unit, x, noise)
            x, inputs = unit.observe(own, x, training=training, noise=mine, xp=xp)
        return x, inputs

    def penalty(self, params: Params) -> Array:
        return sum(unit.penalty(own) for unit, own in self.layers(params))

    def project(self, params: Params) -> Params:
        return self._gather(unit.project(own) for unit, own in self.layers(params))

    def weights(self, params: Params) -> Params:
        return self._gather(unit.weights(own) for unit, own in self.layers(params))

    def encode(self, w: Array, path: str | Sequence[str]) -> Params:
        raise ValueError(
            "a Stack has no one weight matrix to encode. Encode that of each unit."
        )

    def hazards(self, params: Params, x: Any, xp: Namespace) -> dict[Hazard, Any]:
        unit, own = next(self.layers(params))
        return unit.hazards(own, x, xp)

    def discretise(self, params: Params) -> Params:
        return self._gather(unit.discretise(own) for unit, own in self.layers(params))

    def expression(self, params: Params, symbols: Symbols) -> list[Expression]:
        values = list(symbols)
        for unit, own in self.layers(params):
            values = unit.expression(own, values)
        return values


def _shared(
    unit: Network, x: Any, noise: Draws | None
) -> tuple[Draws | None, Draws | None]:
    """The pieces of noise that a layer with inputs `x` declares, and the rest."""
    if not noise:
        return None, noise
    axes = unit.input_axes
    used = len(unit.noise(x.shape[0] if axes == 1 else tuple(x.shape[:axes])))
    return noise[:used] or None, noise[used:]
