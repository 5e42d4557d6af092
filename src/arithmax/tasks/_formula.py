"""Tasks whose inputs are drawn from ranges and whose target is a formula."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from .._arrays import Array
from .._checks import check_fields
from ._distributions import DISTRIBUTIONS, DistributionName
from ._domains import check_domain, check_ranges, floats, sets_of
from ._input_distribution import InputDistribution
from ._keys import SampleKey
from ._task import Split, Task

RANGES = ("interpolation", "extrapolation")
FEW = 16  # inputs for which all ranges share a program


class FormulaTask(Task):
    """A formula of inputs that are drawn afresh from a distribution.

    It is trained and validated on the range `interpolation`, and is to be right on
    `extrapolation`; both are numbers of the `distribution`, one set of them for all
    inputs or one for each.
    """

    distribution: DistributionName
    interpolation: Any
    extrapolation: Any

    def __post_init__(self) -> None:
        check_fields(self, self.bounds)
        self.check_sizes()
        for name in RANGES:
            numbers = getattr(self, name)
            check_ranges(name, numbers, self.distribution, self.in_features)
            vars(self)[name] = floats(numbers)  # (1, 2) is (1.0, 2.0) in a run's name
            for function, inputs in self.partial_functions.items():
                given = self.given(name)
                used = given if inputs is None or len(given) == 1 else given[inputs]
                check_domain(name, numbers, used, function)

    def check_sizes(self) -> None:
        """The sizes of the task must suit each other."""
        return  # many have but one

    @property
    @abstractmethod
    def in_features(self) -> int:
        """How many inputs there are."""

    @abstractmethod
    def target(self, replica: Mapping[str, Any], x: Array) -> Array:
        """The target [out, batch] of inputs [in, batch], in the array API."""

    @property
    def partial_functions(self) -> dict[str, slice | None]:
        """Functions that are not defined everywhere, and their inputs; None is all."""
        return {}

    @property
    def kind(self) -> tuple:
        """What of the inputs' distributions a compiled program depends on.

        That is the quantile function alone for few inputs, so that one program serves
        all ranges. Many inputs take most of a step's time: for these it is the cheapest
        function for each of `RANGES`, and whether all inputs share its numbers.
        """
        if self.in_features <= FEW:
            return (DISTRIBUTIONS[self.distribution].kind,)
        return tuple((self.form(name)[0], len(self.given(name))) for name in RANGES)

    def form(self, name: str) -> tuple[str, Callable[..., Array]]:
        """The quantile function of the inputs of one of `RANGES`, after its name."""
        cls = DISTRIBUTIONS[self.distribution]
        if self.in_features <= FEW:
            return cls.kind, cls.quantile
        return cls.form(self.given(name))

    def given(self, name: str) -> tuple[InputDistribution, ...]:
        """The distributions of one of `RANGES`, one or one for each input."""
        kind = DISTRIBUTIONS[self.distribution]
        sets = sets_of(getattr(self, name))
        return tuple(kind(tuple(map(float, values))) for values in sets)

    @cached_property
    def ranges(self) -> dict[str, Any]:
        """The numbers of both ranges; all replicas of a task share them."""
        import numpy as np

        ranges = {}
        for name in RANGES:
            sets = [inputs.numbers for inputs in self.given(name)]
            for_each = len(sets) == 1 and self.in_features <= FEW
            ranges[name] = np.array(sets * self.in_features if for_each else sets)
        return ranges

    def replica(self, seed: int) -> dict[str, Any]:
        return self.ranges | self.choices(seed)

    def choices(self, seed: int) -> dict[str, Any]:
        """What a seed chooses beside its samples, such as which inputs are summed."""
        return {}

    def drawn_inputs(
        self, split: Split, replica: Mapping[str, Any], key: SampleKey, size: int
    ) -> Array:
        """Inputs [in, size] of one of the splits."""
        name = "interpolation" if split == "training" else split
        u = key.uniform((self.in_features, size))
        _, quantile = self.form(name)
        return quantile(replica[name], u, key.xp)

    def draw(
        self, split: Split, replica: Mapping[str, Any], key: SampleKey, size: int
    ) -> tuple[Array, Array]:
        x = key.fix(self.drawn_inputs(split, replica, key, size))
        return x, self.target(replica, x)

    def largest(self, split: Split) -> float:
        name = "interpolation" if split == "training" else split
        greatest = max(distribution.magnitude for distribution in self.given(name))
        return max(greatest, self.largest_target(greatest))

    def largest_target(self, greatest: float) -> float:
        """The greatest magnitude of targets of inputs up to the `greatest`.

        Quotients have none where inputs come near zero, and are left out.
        """
        return 0.0
