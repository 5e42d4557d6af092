"""A network in other units of measurement, with a coefficient."""

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from .._arrays import Array, Namespace, Params, align, constants, namespace
from .._checks import is_finite, plain, shown
from .._hazards import Hazard
from .._inputs import check_plain
from .._network import Draws, Network, Noise
from .._parameters import Constant, Parameter
from ..units._operations import Domain
from ..units._symbolic import Expression, Symbols, number, rows
from ._recurrence import check_once

Scale: TypeAlias = float | tuple[float, ...]
COEFFICIENT = "coefficient"  # the name of the parameter


@dataclass(frozen=True)
class Scaled(Network):
    r"""A network whose inputs and outputs are scaled by constants.

    $$ y = c \cdot s_y \cdot f(x / s_x) $$

    $f$ is `network`, $s_x$ is `inputs`, $s_y$ is `outputs`, and $c$ is the parameter
    `coefficient`, one for each output, which is trained and starts at 1. No unit has a
    constant factor, and inputs of scale 10⁻³ or 10⁴ start too far from their solution;
    scaled they start near 1, and the constants are a part of the formula.

    Args:
        network: the network or unit.
        inputs: what inputs are divided by: a number, or one for each input.
        outputs: what outputs are multiplied by: a number, or one for each output.

    Examples:
        >>> import numpy as np, sympy
        >>> from arithmax import NMU, Scaled
        >>> net = Scaled(NMU(), inputs=(0.001, 1e4), outputs=10.0)
        >>> params = {"W": np.array([[1.0, 1.0]]), "coefficient": np.array([0.5])}
        >>> net.apply(params, np.array([0.002, 3e4]))        # 0.5 · 10 · 2 · 3
        array([30.])
        >>> net.expression(params, sympy.symbols("a b"))
        [a*b/2]
    """

    title: ClassVar[str] = "Scaled"
    network: Network
    inputs: Scale = 1.0
    outputs: Scale = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.network, Network):
            raise TypeError(
                f"`network` (={shown(self.network)}) must be a network or a unit, such "
                "as `NMU()`."
            )
        if isinstance(self.network, Scaled):
            raise ValueError(
                f"`network` (={shown(self.network)}) is scaled already. Multiply its "
                "constants by yours."
            )
        check_once("network", self.network)
        for name in ("inputs", "outputs"):
            vars(self)[name] = check_scale(name, vars(self)[name])
        if isinstance(self.inputs, tuple) and self.network.input_axes != 1:
            raise ValueError(
                f"`inputs` (={shown(self.inputs)}) must be one number for a network "
                f"whose inputs have {self.network.input_axes} axes."
            )

    @classmethod
    def of(cls, network: Network, x: Any, y: Any) -> "Scaled":
        """A network scaled by data: by the mean magnitude of each column.

        Args:
            network: the network or unit.
            x: the inputs `[samples, in]`.
            y: the outputs `[samples, out]`, or `[samples]` if there is one.

        Returns:
            The scaled network. A column of zeros is left as it is.

        Examples:
            >>> import numpy as np
            >>> from arithmax import NMU, Scaled
            >>> x = np.array([[0.001, 2e4], [0.003, -2e4]])
            >>> Scaled.of(NMU(), x, x[:, 0] * x[:, 1])
            Scaled(network=NMU(regulariser='linear'), inputs=(0.002, 20000.0),
                   outputs=40.0)
        """
        return cls(network, inputs=_magnitudes("x", x), outputs=_magnitudes("y", y))

    @property
    def input_axes(self) -> int:
        return self.network.input_axes

    @property
    def free_axes(self) -> int:
        return self.network.free_axes

    @property
    def smallest(self) -> tuple[Any, int]:
        in_features, out_features = self.network.smallest
        return (
            len(self.inputs) if isinstance(self.inputs, tuple) else in_features,
            len(self.outputs) if isinstance(self.outputs, tuple) else out_features,
        )

    def parameters(self, in_features: Any, out_features: int) -> dict[str, Parameter]:
        _check_length("inputs", self.inputs, in_features)
        _check_length("outputs", self.outputs, out_features)
        declared = self.network.parameters(in_features, out_features)
        if COEFFICIENT in declared:
            raise ValueError(
                f"`network` (={shown(self.network)}) has a parameter "
                f"{COEFFICIENT!r}, as `Scaled` has. Give it another name."
            )
        return declared | {COEFFICIENT: Parameter((out_features,), Constant(1.0))}

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
        y, inputs = self.network.observe(
            _inner(params), self._shrunk(x, xp), training=training, noise=noise, xp=xp
        )
        coefficient = params[COEFFICIENT]
        factor = coefficient * _factors("outputs", self.outputs, coefficient, xp)
        return align(factor, y) * y, inputs

    def _shrunk(self, x: Array, xp: Namespace) -> Array:
        """The inputs that the network has, features first."""
        scale = _factors("inputs", self.inputs, x, xp)
        return x / (align(scale, x) if isinstance(self.inputs, tuple) else scale)

    def penalty(self, params: Params) -> Any:
        return self.network.penalty(_inner(params))

    def project(self, params: Params) -> Params:
        return self._around(self.network.project(_inner(params)), params)

    def weights(self, params: Params) -> Params:
        return self.network.weights(_inner(params))

    def sparsity_error(self, params: Params) -> Any:
        return self.network.sparsity_error(_inner(params))

    def noise(self, in_features: Any) -> tuple[Noise, ...]:
        return self.network.noise(in_features)

    @property
    def linear_parameters(self) -> tuple[str, ...]:
        """The network's, or else the coefficient: outputs are products of the two."""
        return self.network.linear_parameters or (COEFFICIENT,)

    @property
    def last(self) -> Network:
        return self.network.last

    @property
    def sparse(self) -> bool:
        return self.network.sparse

    @property
    def operations(self) -> dict[str, Domain]:
        return self.network.operations

    def features(self, params: Params) -> tuple[Any, int] | None:
        return self.network.features(_inner(params))

    def hazards(self, params: Params, x: Any, xp: Namespace) -> dict[Hazard, Any]:
        return self.network.hazards(_inner(params), self._shrunk(x, xp), xp)

    def discretise(self, params: Params) -> Params:
        """The network's nearest exact parameters; the coefficient stays."""
        return self._around(self.network.discretise(_inner(params)), params)

    def expression(self, params: Params, symbols: Symbols) -> list[Expression]:
        scales = _each(self.inputs, len(symbols))
        shrunk = [_divided(s, scale) for s, scale in zip(symbols, scales, strict=True)]
        values = self.network.expression(_inner(params), shrunk)
        factors = zip(
            rows(params[COEFFICIENT]), _each(self.outputs, len(values)), strict=True
        )
        return [number(c * s) * v for (c, s), v in zip(factors, values, strict=True)]

    def _around(self, inner: Params, params: Params) -> Params:
        return inner | {COEFFICIENT: params[COEFFICIENT]}


def _inner(params: Params) -> Params:
    """The parameters of the network that is scaled."""
    return {name: v for name, v in params.items() if name != COEFFICIENT}


def check_scale(name: str, value: Any) -> Scale:
    """A scale as Python's numbers, which must be finite and not zero."""
    made: Any = plain(value)
    several = isinstance(made, tuple) and len(made) > 0
    entries: tuple[Any, ...] = made if several else (made,)
    if not all(is_finite(v) and v != 0 for v in entries):
        raise ValueError(
            f"`{name}` (={shown(value)}) must be a number, or a tuple of numbers, that "
            "is finite and not 0."
        )
    return tuple(map(float, entries)) if several else float(entries[0])


def _check_length(name: str, scale: Scale, size: Any) -> None:
    """A scale must be one number, or one for each input or output."""
    if isinstance(scale, tuple) and len(scale) != size:
        raise ValueError(
            f"`{name}` (={shown(scale)}) must be a number, or hold one for each of the "
            f"{size} {name}."
        )


def _factors(name: str, scale: Scale, like: Array, xp: Namespace) -> Any:
    """A scale as a number, or as an array [features] in the format of another."""
    if not isinstance(scale, tuple):
        return scale
    _check_length(name, scale, like.shape[0])
    return constants(scale, like, xp)


def _each(scale: Scale, size: int) -> tuple[float, ...]:
    return scale if isinstance(scale, tuple) else (scale,) * size


def _divided(symbol: Any, scale: float) -> Expression:
    """`symbol / scale`, with a whole number wherever there is one."""
    reciprocal = number(1 / scale)
    if reciprocal.is_Rational and not number(scale).is_Rational:
        return reciprocal * symbol
    return symbol / number(scale)


def _magnitudes(name: str, values: Any) -> Scale:
    """The mean magnitude of each column of data, 1 for a column of zeros."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().double().numpy()
    check_plain(name, values)
    data = np.abs(np.asarray(values, np.float64))
    if data.ndim == 0 or data.size == 0 or not np.isfinite(data).all():
        raise ValueError(
            f"`{name}` (shape {data.shape}) must be samples of finite numbers, one row "
            "per sample. Drop rows that are NaN or infinite."
        )
    means = data.mean(0) if data.ndim == 1 else data.reshape(-1, data.shape[-1]).mean(0)
    return plain(np.where(means == 0, 1.0, means))
