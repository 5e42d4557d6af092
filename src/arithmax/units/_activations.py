"""Activation functions of the dense baseline, in NumPy, JAX and PyTorch alike."""

from collections.abc import Callable
from typing import Literal

from .._arrays import Array, Namespace, absolute, relu, sigmoid, sign

Activation = Literal[
    "relu",
    "relu6",
    "sigmoid",
    "tanh",
    "leaky_relu",
    "elu",
    "selu",
    "prelu",
    "swish",
    "softsign",
    "softplus",
    "hardtanh",
    "hardshrink",
    "softshrink",
    "tanhshrink",
    "threshold",
]

SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805
SHRINK = 0.5


def leaky_relu(x: Array, xp: Namespace, slope: float | Array = 0.01) -> Array:
    """x where positive, `slope` · x elsewhere."""
    return xp.where(x > 0, x, slope * x)


def saturated(x: Array, low: float, high: float, xp: Namespace) -> Array:
    """`x` limited to [low, high]; unlike a clipped weight's, its slope at them is 0."""
    return xp.where(x <= low, low, xp.where(x >= high, high, x))


def elu(x: Array, xp: Namespace) -> Array:
    """x where positive, exp(x) − 1 elsewhere."""
    # The inner `where` keeps exp from overflowing in the branch that is not taken.
    below = xp.expm1(xp.where(x > 0, xp.zeros_like(x), x))
    return xp.where(x > 0, x, below)


def selu(x: Array, xp: Namespace) -> Array:
    """The self-normalising exponential unit."""
    return SELU_SCALE * xp.where(x > 0, x, SELU_ALPHA * elu(x, xp))


def softshrink(x: Array, xp: Namespace) -> Array:
    """x moved by 1/2 towards zero."""
    return sign(x, xp) * relu(absolute(x, xp) - SHRINK, xp)


def hardshrink(x: Array, xp: Namespace) -> Array:
    """x where its magnitude exceeds 1/2, 0 elsewhere."""
    return xp.where(absolute(x, xp) <= SHRINK, xp.zeros_like(x), x)


# `prelu` has a learned slope and is applied by the unit itself.
ACTIVATIONS: dict[str, Callable[[Array, Namespace], Array]] = {
    "relu": relu,
    "relu6": lambda x, xp: saturated(x, 0.0, 6.0, xp),
    "sigmoid": sigmoid,
    "tanh": lambda x, xp: xp.tanh(x),
    "leaky_relu": leaky_relu,
    "elu": elu,
    "selu": selu,
    "swish": lambda x, xp: x * sigmoid(x, xp),
    "softsign": lambda x, xp: x / (1 + absolute(x, xp)),
    "softplus": lambda x, xp: xp.logaddexp(x, xp.zeros_like(x)),
    "hardtanh": lambda x, xp: saturated(x, -1.0, 1.0, xp),
    "hardshrink": hardshrink,
    "softshrink": softshrink,
    "tanhshrink": lambda x, xp: x - xp.tanh(x),
    "threshold": lambda x, xp: xp.where(x <= 1, xp.zeros_like(x), x),
}
