"""Baselines: a linear layer, and a dense layer with an activation."""

from dataclasses import dataclass
from typing import ClassVar

from .._arrays import Array, Namespace, Params, align, contract, namespace
from .._network import Draws
from .._parameters import (
    Constant,
    Parameter,
    Uniform,
    glorot_uniform,
    kaiming_uniform,
    matrix,
)
from ._activations import ACTIVATIONS, Activation, leaky_relu
from ._operations import REALS, TERNARY, Exactness
from ._penalties import Shape, sparsity_penalty
from ._symbolic import number, rows, weighted_sum
from ._unit import Inputs, Outputs, Unit


@dataclass(frozen=True)
class Linear(Unit):
    r"""The linear layer, as a baseline.

    $$ y = W x + b $$

    $W$ is `W` and $b$ is `b`, absent with `bias=False`. `W` starts Glorot-uniform, `b`
    at zero. With `regulariser="squared"` the mean of $w^2 (1 - |w|)^2$ draws the
    weights towards −1, 0 and 1 (the note that proposed it prints the sum: divide its
    strength by the number of weights); `regulariser="linear"` is the NAU's.

    **Fails** by fitting weights that are right on the training range only: nothing
    holds them at −1, 0 or 1 unless a penalty does.

    Args:
        bias: whether there is a `b`.
        regulariser: `None`, `"linear"` or `"squared"`.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import Linear
        >>> params = {"W": np.array([[1.0, -1.0]]), "b": np.array([0.5])}
        >>> Linear().apply(params, np.array([1000.0, 1.0]))
        array([999.5])

    Reference:
        The penalty is eq. 6 of "Gradient-based optimization of multiplication from
        learned input subsets" (NALU project note, April 2019).
    """

    title: ClassVar[str] = "Linear"
    bias: bool = True
    regulariser: Shape = None

    @property
    def sparse(self) -> bool:
        return self.regulariser is not None

    def penalty(self, params: Params) -> Array:
        return sparsity_penalty(self.regulariser, params["W"])

    @property
    def exact(self) -> dict:
        return {"sum": Exactness(TERNARY, REALS)}

    @property
    def linear_parameters(self) -> tuple[str, ...]:
        return ("W", "b") if self.bias else ("W",)

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        w = glorot_uniform(in_features, out_features)
        both = affine(in_features, out_features, w)
        return both if self.bias else {"W": both["W"]}

    def compute(
        self,
        params: Params,
        x: Inputs,
        *,
        training: bool = False,
        noise: Draws | None = None,
        xp: Namespace = None,
    ) -> Outputs:
        y = contract(params["W"], x, xp or namespace(x))
        return y + align(params["b"], y) if self.bias else y

    def weights(self, params: Params) -> Params:
        return {"W": params["W"]}

    def encode(self, w, path="sum") -> Params:
        xp = namespace(w)
        return {"W": w, "b": xp.zeros_like(w[:, 0])} if self.bias else {"W": w}

    def expression(self, params, symbols):
        sums = [weighted_sum(row, symbols) for row in rows(params["W"])]
        if not self.bias:
            return sums
        return [s + number(b) for s, b in zip(sums, rows(params["b"]), strict=True)]


def affine(in_features: int, out_features: int, w: Uniform) -> dict[str, Parameter]:
    """A matrix drawn from `w`, and a bias of zero."""
    return {
        "W": matrix(in_features, out_features, w),
        "b": Parameter((out_features,), Constant(0.0)),
    }


@dataclass(frozen=True)
class Dense(Unit):
    r"""The dense layer with an activation function, as a baseline.

    $$ y = \varphi(W x + b) $$

    $\varphi$ is `activation`, $W$ is `W` and $b$ is `b`. `prelu` has a learned slope
    `a`, which starts at ¼. `W` starts as the NAU/NMU paper's baselines do:
    Glorot-uniform for functions that saturate (tanh with gain 5/3), He-uniform for
    rectifiers, and uniform with variance 1/in for SELU; `b` starts at zero. The
    shrinking functions move or cut at ½; `threshold` passes what exceeds 1.

    **Fails** outside the training range, always: no weights make it add or multiply, so
    it states no operations and `discretise` raises.

    Args:
        activation: the name of the activation function.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import Dense
        >>> params = {"W": np.array([[1.0, -2.0]]), "b": np.array([0.5])}
        >>> Dense("relu").apply(params, np.array([[3.0, 1.0], [1.0, 3.0]]))
        array([[1.5],
               [0. ]])

    Reference:
        The activations are those of the identity experiment of A. Trask et al., "Neural
        Arithmetic Logic Units", NeurIPS 2018, figure 1.
    """

    title: ClassVar[str] = "Dense"
    activation: Activation = "relu"

    @property
    def exact(self) -> dict:
        return {}

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        if self.activation == "selu":
            w = kaiming_uniform(in_features, gain=1.0)
        elif self.activation in ("sigmoid", "softsign", "hardtanh", "tanhshrink"):
            w = glorot_uniform(in_features, out_features)
        elif self.activation == "tanh":
            w = glorot_uniform(in_features, out_features, gain=5 / 3)
        else:
            w = kaiming_uniform(in_features)
        parameters = affine(in_features, out_features, w)
        if self.activation == "prelu":
            parameters["a"] = Parameter((1,), Constant(0.25))
        return parameters

    def compute(
        self,
        params: Params,
        x: Inputs,
        *,
        training: bool = False,
        noise: Draws | None = None,
        xp: Namespace = None,
    ) -> Outputs:
        xp = xp or namespace(x)
        y = contract(params["W"], x, xp)
        y = y + align(params["b"], y)
        if self.activation == "prelu":
            return leaky_relu(y, xp, align(params["a"], y))
        return ACTIVATIONS[self.activation](y, xp)

    def weights(self, params: Params) -> Params:
        return {"W": params["W"]}

    def encode(self, w, path="sum") -> Params:
        return self.discretise({"W": w})  # which raises

    def expression(self, params, symbols):
        raise ValueError(f"{self} computes no arithmetic, and has no formula.")
