"""What tasks ask for: functions of inputs and operations between sums, each once.

They are written in the array API: the fleet traces them in JAX, and a threshold is
simulated with them in NumPy. This file is read by the command line and loads no array
library.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from .._arrays import Array, Namespace, is_jax

Operation = Literal["add", "sub", "mul", "div", "square", "sqrt"]
OPERATION_NAMES: tuple[str, ...] = get_args(Operation)
"""The operations between sums; the place of each is its number in a replica."""


@dataclass(frozen=True)
class TargetFunction:
    """A function of one or two inputs."""

    arity: int
    """How many inputs it takes."""
    compute: Callable[[Array, Array, Namespace], Array]
    """Its value at x and y; one of arity 1 ignores y."""


FUNCTIONS: dict[str, TargetFunction] = {
    "identity": TargetFunction(1, lambda x, y, xp: x),
    "square": TargetFunction(1, lambda x, y, xp: x * x),
    "sqrt": TargetFunction(1, lambda x, y, xp: xp.sqrt(x)),
    "reciprocal": TargetFunction(1, lambda x, y, xp: 1 / x),
    "exp": TargetFunction(1, lambda x, y, xp: xp.exp(x)),
    "log": TargetFunction(1, lambda x, y, xp: xp.log(x)),
    "sin": TargetFunction(1, lambda x, y, xp: xp.sin(x)),
    "add": TargetFunction(2, lambda x, y, xp: x + y),
    "sub": TargetFunction(2, lambda x, y, xp: x - y),
    "mul": TargetFunction(2, lambda x, y, xp: x * y),
    "div": TargetFunction(2, lambda x, y, xp: x / y),
}
"""The functions by name, in the order in which they are listed to users."""


class Sums:
    """Sums [K, batch], the first of which is combined with all others."""

    def __init__(self, values: Array) -> None:
        self.first = values[0]
        self._others = [values[k] for k in range(1, values.shape[0])]

    @cached_property
    def added(self) -> Any:
        """The sum of the others, 0 without any."""
        total = 0.0
        for value in self._others:
            total = total + value
        return total

    @cached_property
    def multiplied(self) -> Any:
        """The product of the others, 1 without any."""
        total = 1.0
        for value in self._others:
            total = total * value
        return total


OPERATORS: dict[str, Callable[[Sums, Namespace], Array]] = {
    "add": lambda sums, xp: sums.first + sums.added,
    "sub": lambda sums, xp: sums.first - sums.added,
    "mul": lambda sums, xp: sums.first * sums.multiplied,
    "div": lambda sums, xp: sums.first / sums.multiplied,
    "square": lambda sums, xp: sums.first * sums.first,
    "sqrt": lambda sums, xp: xp.sqrt(sums.first),
}
"""The operations of `OPERATION_NAMES`."""


def combined(operation: str, values: Array, xp: Namespace) -> Array:
    """The operation between sums [K, batch]: one number per sample."""
    return OPERATORS[operation](Sums(values), xp)


def chosen(number: Any, values: Array, xp: Namespace) -> Array:
    """The operation of that number; in JAX all are computed, since it is traced."""
    if not is_jax(xp):
        return combined(OPERATION_NAMES[int(number)], values, xp)
    sums = Sums(values)
    results = [OPERATORS[name](sums, xp) for name in OPERATION_NAMES]
    answer = results[0]
    for i, result in enumerate(results[1:], start=1):
        answer = xp.where(number == i, result, answer)
    return answer


def powers_of(values: Array, powers: Array, xp: Namespace) -> Array:
    """The product of powers of sums [K, batch], as [1, batch]."""
    return xp.prod(values ** powers[:, None], axis=0, keepdims=True)
