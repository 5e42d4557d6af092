"""Where a task's randomness comes from: a key, which the fleet or a user gives it."""

from typing import Any, Protocol, runtime_checkable

from .._arrays import Array, Namespace
from .._checks import check_whole, plain


@runtime_checkable
class SampleKey(Protocol):
    """What `Task.draw` draws with."""

    @property
    def xp(self) -> Namespace:
        """The array namespace of what is drawn."""
        ...

    def uniform(self, shape: tuple[int, ...]) -> Array:
        """Numbers in [0, 1) that no other call gives."""
        ...

    def fix(self, x: Array) -> Array:
        """`x`, which the compiler must not compute again for its targets."""
        ...


class NumpyKey:
    """A key for NumPy: what a seed draws, one call after another.

    Args:
        seed: the seed of NumPy's generator.

    Examples:
        >>> from arithmax.tasks import NumpyKey, SingleModule
        >>> task = SingleModule("mul")
        >>> x, t = task.draw("extrapolation", task.replica(0), NumpyKey(0), 1000)
        >>> x.shape, bool((t == x[:1] * x[1:]).all())
        ((2, 1000), True)
    """

    def __init__(self, seed: int = 0) -> None:
        import numpy as np

        check_whole("seed", plain(seed), 0)
        self._generator = np.random.default_rng(seed)

    @property
    def xp(self) -> Any:
        """NumPy."""
        import numpy as np

        return np

    def uniform(self, shape: tuple[int, ...]) -> Array:
        """Numbers in [0, 1), other ones at each call."""
        return self._generator.uniform(size=shape)

    def fix(self, x: Array) -> Array:
        """`x` as it is: NumPy computes nothing twice."""
        return x
