"""What a task is: where samples come from, and when it counts as solved.

This file is read by the command line and loads no array library.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from .._arrays import Array, Params
from .._checks import Bounds, check_number, check_options, choose, shown
from .._identity import describe
from .._network import Network
from ._keys import SampleKey

Split = Literal["training", "interpolation", "extrapolation"]
# A whole number, or a tuple of them; each network knows which it takes.
Sizes: TypeAlias = Any
EPSILON = (1e-30, 1)  # the square of a smaller one is no number


class Task(ABC):
    """A source of samples to learn from, and of others to be right on.

    A task is a frozen dataclass. What it must give is `in_features`, `out_features` and
    `draw`; all else has a default. What differs between replicas comes out of `replica`
    as numbers, so that tasks of one `structure` are trained by one program.

    Examples:
        >>> from dataclasses import dataclass
        >>> from arithmax.tasks import NumpyKey, Task
        >>> @dataclass(frozen=True)
        ... class Doubled(Task):
        ...     in_features = 1
        ...     out_features = 1
        ...
        ...     def draw(self, split, replica, key, size):
        ...         x = key.fix(key.uniform((1, size)))
        ...         return x, 2 * x
        >>> x, t = Doubled().draw("training", {}, NumpyKey(0), 5)
        >>> x.shape, t.shape
        ((1, 5), (1, 5))
    """

    title: ClassVar[str] = ""
    """What pages and tables call the task; the name of its class if empty."""
    solved_when: ClassVar[str] = ""
    """When a run is solved, for the help of commands, if it is not by `epsilon`."""
    bounds: ClassVar[Mapping[str, Bounds]] = {}
    """The least and the greatest number that a field may be."""

    def __new__(cls, *args: Any, **options: Any) -> "Task":
        if not is_dataclass(cls) or not cls.__dataclass_params__.frozen:  # type: ignore[attr-defined]  # of every dataclass
            raise TypeError(
                f"`task` (={cls.__name__}) must be a frozen dataclass, since its "
                "fields name its runs: write `@dataclass(frozen=True)` above it."
            )
        if missing := sorted(cls.__abstractmethods__):
            raise TypeError(
                f"`{cls.__name__}` has no {', '.join(f'`{m}`' for m in missing)}: "
                "write a class that has, since every task needs it."
            )
        check_options(cls, options)
        return super().__new__(cls)

    @property
    @abstractmethod
    def in_features(self) -> Sizes:
        """How many inputs there are, or the shape of one input, such as (28, 28)."""

    @property
    @abstractmethod
    def out_features(self) -> int:
        """How many outputs there are."""

    @abstractmethod
    def draw(
        self, split: Split, replica: Mapping[str, Any], key: SampleKey, size: int
    ) -> tuple[Array, Array]:
        """Samples of one of the splits.

        Args:
            split: "training", "interpolation" (held out) or "extrapolation".
            replica: the numbers of one replica, with the arrays that all share.
            key: what to draw with.
            size: how many samples. A finite split gives all it has if it is asked for
                as many or more.

        Returns:
            Inputs [in, size] and targets [out, size].
        """

    def replica(self, seed: int) -> dict[str, Any]:
        """The numbers of one replica, as NumPy arrays or whole numbers."""
        return {}

    def shared(self) -> dict[str, Any]:
        """The arrays that all replicas of one program share, such as a table."""
        return {}

    def further(
        self, network: Network, params: Params, arrays: Mapping[str, Any]
    ) -> dict[str, Array]:
        """What else is measured of a network: numbers by name.

        They are columns of its curves; its row has those of its best step.

        Args:
            network: what is trained.
            params: its parameters.
            arrays: the numbers of the replica, with the arrays that all share.
        """
        return {}

    def rows(self, split: Split) -> int | None:
        """How many samples a split has; None if there are always more."""
        return None

    @property
    def structure(self) -> tuple:
        """What a compiled program depends on: all but the numbers of a replica."""
        named = fields(self)  # type: ignore[arg-type]  # tasks are dataclasses
        return type(self), *(getattr(self, f.name) for f in named)

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations of `arithmax.units` that a network must represent."""
        return ()

    @property
    def input_shape(self) -> tuple[int, ...]:
        """The shape of one input."""
        sizes = self.in_features
        return sizes if isinstance(sizes, tuple) else (sizes,)

    def check_network(self, network: Network) -> None:
        """Refuse a network whose outputs are not what is asked for."""
        return None

    def setting_of(self, split: Split) -> str:
        """The setting that decides how large a split's numbers are, for messages."""
        return f"`{split}` (={shown(getattr(self, split, self))})"

    def largest(self, split: Split) -> float:
        """The greatest magnitude of inputs and targets; 0 where it is not known."""
        return 0.0

    def threshold(self, epsilon: float = 1e-5, rule: str = "exact") -> float:
        """The extrapolation error below which the task counts as solved."""
        raise ValueError(
            f"`threshold` (=0) must be given: {type(self).__name__} has no rule for "
            f"`epsilon` (={epsilon}). Give the protocol a flat `threshold`, such as "
            "1e-5."
        )

    def limits(self) -> dict[str, float]:
        """The errors that the literature asks for, by name.

        A run's row has the first step at which it was below each.
        """
        limits = {"flat_1e5": 1e-5}
        for name, epsilon in (("eps_1e4", 1e-4), ("eps_1e5", 1e-5)):
            try:
                limits[name] = self.threshold(epsilon, "authors")
            except ValueError:  # there is none, or none on such ranges
                continue
        return limits

    def __str__(self) -> str:
        return describe(self)


def check_rule(epsilon: float, rule: str) -> None:
    """What every task's `threshold` is asked for."""
    check_number("epsilon", epsilon, *EPSILON)
    choose("rule", rule, ("exact", "authors"))
