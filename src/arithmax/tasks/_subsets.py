"""Tasks that combine sums of subsets of their inputs by one operation.

The arithmetic dataset, the single module task and the operands task are one family: a
few sums s₁ … s_K of inputs, each a row of a matrix of zeros and ones, and an operation.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from typing import Any, ClassVar

from .._checks import WORD, Bounds
from ._distributions import DistributionName
from ._input_distribution import Numbers
from ._sums import SubsetTask
from ._targets import OPERATION_NAMES, Operation
from ._task import check_rule
from ._thresholds import Blocks, single_module_threshold, subsets_threshold


@cache
def first_draw(seed: int, count: int) -> int:
    """The first `randint(0, count)` of NumPy's legacy generator, as published."""
    import numpy as np

    return int(np.random.RandomState(seed).randint(0, count))


@cache
def drawn_rows(
    seed: int, count: int, shares: tuple[float, ...]
) -> tuple[tuple[int, ...], ...]:
    """Of `count` inputs those that a seed draws into each sum, the others ignored."""
    import numpy as np

    u = np.random.RandomState(seed).uniform(size=count)
    chosen = np.searchsorted(np.cumsum(shares), u, side="right")
    return tuple(
        tuple(np.flatnonzero(chosen == k).tolist()) for k in range(len(shares))
    )


@dataclass(frozen=True)
class Subsets(SubsetTask):
    """The arithmetic dataset: two overlapping subsets are summed, then combined.

    y = (Σ a) ∘ (Σ b), where a and b are contiguous subsets of the inputs at an offset
    that each seed draws once. With `powers` p and q it is (Σ a)ᵖ (Σ b)^q instead. With
    `shares` each seed draws every input into one of the sums or none.
    """

    title: ClassVar[str] = "Arithmetic dataset"
    operation: Operation = "mul"
    """The operation between the sums."""
    input_size: int = 100
    """How many inputs there are."""
    subset_ratio: float = 0.25
    """The size of a subset, as a fraction of the inputs."""
    overlap_ratio: float = 0.5
    """By how much of its size a subset overlaps the one before it."""
    subsets: int = 2
    """How many subsets there are."""
    simple: bool = False
    """Four inputs, y = (x₁ + x₂ + x₃ + x₄) ∘ (x₁ + x₂)."""
    interpolation: Numbers = (1.0, 2.0)
    """The range to train on."""
    extrapolation: Numbers = (2.0, 6.0)
    """The range to be right on."""
    distribution: DistributionName = "uniform"
    """How inputs are distributed."""
    powers: tuple[float, ...] = ()
    """The power of each sum in a product that replaces the operation, if any."""
    shares: tuple[float, ...] = ()
    """Of each sum, how likely an input belongs to it; none has contiguous subsets."""

    bounds: ClassVar[Mapping[str, Bounds]] = {
        "input_size": (1, WORD),
        "subsets": (1, WORD),
        "subset_ratio": (0, 1),
        "overlap_ratio": (0, 1),
    }

    def check_sizes(self) -> None:
        if self.powers and len(self.powers) != self.sums:
            raise ValueError(
                f"`powers` (={self.powers}) must hold one number for each of the "
                f"{self.sums} sums, or none."
            )
        if self.shares and (
            self.simple
            or len(self.shares) != self.sums
            or min(self.shares) * self.input_size < 0.5
            or sum(self.shares) > 1
        ):
            raise ValueError(
                f"`shares` (={self.shares}) must hold a number for each of the "
                f"{self.sums} sums, together at most 1 and each so large that some of "
                f"`input_size` (={self.input_size}) belong to it, or none; `simple` "
                "has none."
            )
        if not self.simple and not self.shares:
            size, overlap = self.sizes
            if size < 1 or self.used > self.input_size:
                raise ValueError(
                    f"`input_size` (={self.input_size}) is too small for `subsets` "
                    f"(={self.subsets}) of {size} inputs that overlap by {overlap}."
                )

    @property
    def in_features(self) -> int:
        return 4 if self.simple else self.input_size

    @property
    def sums(self) -> int:
        return 2 if self.simple else self.subsets

    @property
    def summands(self) -> int:
        if self.simple or self.shares:
            return self.in_features
        return self.sizes[0]

    @property
    def sizes(self) -> tuple[int, int]:
        """The size of a subset and of an overlap."""
        size = int(self.subset_ratio * self.input_size)
        return size, int(self.overlap_ratio * size)

    @property
    def used(self) -> int:
        """How many inputs the subsets span."""
        size, overlap = self.sizes
        return self.subsets * size - (self.subsets - 1) * overlap

    def places(self, seed: int) -> list[list[int]]:
        if self.simple:
            return [[0, 1, 2, 3], [0, 1]]
        if self.shares:
            return list(map(list, drawn_rows(seed, self.input_size, self.shares)))
        size, overlap = self.sizes
        offset = first_draw(seed, self.input_size - self.used + 1)
        starts = [offset + k * (size - overlap) for k in range(self.subsets)]
        return [list(range(start, start + size)) for start in starts]

    def threshold(self, epsilon: float = 1e-5, rule: str = "exact") -> float:
        check_rule(epsilon, rule)
        if self.simple:
            blocks = Blocks.of(self.places(0), 4)
        elif self.shares:  # with as many inputs in each sum as are expected
            ends = [round(s * self.input_size) for s in accumulate((0, *self.shares))]
            rows = [list(range(*pair)) for pair in pairwise(ends)]
            blocks = Blocks.of(rows, self.input_size)
        else:
            size, overlap = self.sizes
            extra = 1 if rule == "authors" else 0  # R's ranges include their ends
            rows = [
                list(range(k * (size - overlap), k * (size - overlap) + size + extra))
                for k in range(self.subsets)
            ]
            blocks = Blocks.of(rows, max(self.input_size, rows[-1][-1] + 1))
        (inputs,) = self.given("extrapolation")
        asked = self.powers or self.operation
        return subsets_threshold(asked, blocks, inputs, epsilon)


@dataclass(frozen=True)
class SingleModule(SubsetTask):
    """The single module task: y = x₁ ∘ x₂, perhaps among inputs to be ignored.

    With more than two inputs the operands are neighbours at an offset that each seed
    draws once.
    """

    title: ClassVar[str] = "Single module task"
    operation: Operation = "mul"
    """The operation between the operands."""
    input_size: int = 2
    """How many inputs there are."""
    interpolation: Any = (1.0, 2.0)
    """The range to train on, for all inputs or for each."""
    extrapolation: Any = (2.0, 6.0)
    """The range to be right on, for all inputs or for each."""
    distribution: DistributionName = "uniform"
    """How inputs are distributed."""

    bounds: ClassVar[Mapping[str, Bounds]] = {"input_size": (2, WORD)}

    @property
    def in_features(self) -> int:
        return self.input_size

    @property
    def sums(self) -> int:
        return 2

    @property
    def partial_functions(self) -> dict[str, slice | None]:
        # The operands are the first two inputs, or any two.
        first = slice(0, 1) if self.input_size == 2 else None
        return {"sqrt": first} if self.operation == "sqrt" else {}

    def places(self, seed: int) -> list[list[int]]:
        offset = first_draw(seed, self.input_size - 1) if self.input_size > 2 else 0
        return [[offset], [offset + 1]]

    def threshold(self, epsilon: float = 1e-4, rule: str = "exact") -> float:
        check_rule(epsilon, rule)
        given = self.given("extrapolation")
        inputs = given if len(given) == self.input_size else given * self.input_size
        return single_module_threshold(self.operation, inputs, epsilon)


@dataclass(frozen=True)
class Operands(SubsetTask):
    """All inputs combined: x₁ + x₂ + …, x₁ − x₂ − …, x₁ · x₂ · …, x₁ / x₂ / ….

    `signs` replaces the operation by a sum with these signs; square and square root are
    those of the first input.
    """

    title: ClassVar[str] = "Operands"
    operation: Operation = "add"
    """The operation between the operands."""
    operands: int = 2
    """How many inputs there are."""
    signs: tuple[int, ...] = ()
    """The sign of each input, if they are to be summed: 1 or −1."""
    interpolation: Numbers = (20.0, 40.0)
    """The range to train on."""
    extrapolation: Numbers = (0.0, 60.0)
    """The range to be right on."""
    distribution: DistributionName = "uniform"
    """How inputs are distributed."""

    bounds: ClassVar[Mapping[str, Bounds]] = {"operands": (1, WORD)}

    def check_sizes(self) -> None:
        wrong = set(self.signs) - {1, -1}
        if self.signs and (len(self.signs) != self.operands or wrong):
            raise ValueError(
                f"`signs` (={self.signs}) must hold {self.operands} numbers, each 1 or "
                "-1, or none."
            )

    @property
    def in_features(self) -> int:
        return self.operands

    @property
    def sums(self) -> int:
        return self.operands

    def places(self, seed: int) -> list[list[int]]:
        return [[i] for i in range(self.operands)]

    def choices(self, seed: int) -> dict[str, Any]:
        import numpy as np

        numbers = SubsetTask.choices(self, seed)
        if self.signs:
            numbers["masks"] = np.diag(np.asarray(self.signs, dtype=float))
            numbers["operation"] = OPERATION_NAMES.index("add")
        return numbers

    def threshold(self, epsilon: float = 1e-5, rule: str = "exact") -> float:
        check_rule(epsilon, rule)
        operation = "add" if self.signs else self.operation
        blocks = Blocks.of(self.places(0), self.operands)
        (inputs,) = self.given("extrapolation")
        return subsets_threshold(operation, blocks, inputs, epsilon)
