"""Tasks that combine sums of subsets of their inputs by one operation.

The arithmetic dataset, the single module task and the operands task are one family: a
few sums s₁ … s_K of inputs, each a row of a matrix of zeros and ones, and an operation.
"""

from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from typing import Any, ClassVar, Literal, get_args

from ._task import Distribution, Numbers, Task
from ._thresholds import Blocks, single_module_threshold, subsets_threshold

Operation = Literal["add", "sub", "mul", "div", "square", "sqrt"]
OPERATIONS = get_args(Operation)
# What a unit must represent to raise a sum to a power.
NEEDED = {-1.0: "div", 0.5: "sqrt", 2.0: "square"}


class SubsetTask(Task):
    """What the tasks of this file share."""

    operation: Operation
    powers: tuple[float, ...] = ()  # a field of the tasks that can have them

    @property
    def out_features(self) -> int:
        return 1

    @property
    def operations(self) -> tuple[str, ...]:
        if not self.powers:
            return (self.operation,)
        return ("mul", *sorted({NEEDED[p] for p in self.powers if p in NEEDED}))

    @property
    def kind(self) -> str:
        """How inputs are drawn; truncation is a number."""
        return self.distribution.removeprefix("truncated-")

    def rows(self, seed: int) -> list[list[int]]:
        """The inputs that each sum is over."""
        raise NotImplementedError

    @property
    def structure(self) -> tuple:
        name = "powers" if self.powers else "subsets"
        return (name, self.in_features, len(self.rows(0)), self.kind)

    def replica(self, seed: int) -> dict[str, Any]:
        import numpy as np

        rows = self.rows(seed)
        masks = np.zeros((len(rows), self.in_features))
        for mask, row in zip(masks, rows, strict=True):
            mask[row] = 1.0
        numbers = {"masks": masks, "operation": OPERATIONS.index(self.operation)}
        return numbers | ({"powers": np.array(self.powers)} if self.powers else {})

    def target(self, replica: dict[str, Any], x: Any) -> Any:
        import jax.numpy as jnp

        from .._arrays import contract

        sums = contract(replica["masks"], x, jnp)
        if "powers" in replica:
            return jnp.prod(sums ** replica["powers"][:, None], axis=0, keepdims=True)
        first, rest = sums[0], [sums[k] for k in range(1, sums.shape[0])]
        added, multiplied = 0.0, 1.0
        for s in rest:
            added, multiplied = added + s, multiplied * s
        results = [
            first + added,
            first - added,
            first * multiplied,
            first / multiplied,
            first * first,
            jnp.sqrt(first),
        ]
        chosen = results[0]
        for i, result in enumerate(results[1:], start=1):
            chosen = jnp.where(replica["operation"] == i, result, chosen)
        return chosen[None]


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
    later: ClassVar[tuple[str, ...]] = ("powers", "shares")
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
    distribution: Distribution = "uniform"
    """How inputs are distributed."""
    powers: tuple[float, ...] = ()
    """The power of each sum in a product that replaces the operation, if any."""
    shares: tuple[float, ...] = ()
    """Of each sum, how likely an input belongs to it; none has contiguous subsets."""

    def __post_init__(self) -> None:
        sums = 2 if self.simple else self.subsets
        if self.powers and len(self.powers) != sums:
            raise ValueError(
                f"`powers` (={self.powers}) must hold one number for each of the "
                f"{sums} sums, or none."
            )
        if self.shares and (
            self.simple
            or len(self.shares) != sums
            or min(self.shares) <= 0
            or sum(self.shares) > 1
        ):
            raise ValueError(
                f"`shares` (={self.shares}) must hold a positive number for each of "
                f"the {sums} sums, together at most 1, or none; `simple` has none."
            )
        if not self.simple and not self.shares:
            size, overlap = self.sizes
            if size < 1 or self.subsets < 1 or self.used > self.input_size:
                raise ValueError(
                    f"`input_size` (={self.input_size}) is too small for `subsets` "
                    f"(={self.subsets}) of {size} inputs that overlap by {overlap}."
                )
        Task.__post_init__(self)

    @property
    def in_features(self) -> int:
        return 4 if self.simple else self.input_size

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

    def rows(self, seed: int) -> list[list[int]]:
        if self.simple:
            return [[0, 1, 2, 3], [0, 1]]
        if self.shares:
            return list(map(list, drawn_rows(seed, self.input_size, self.shares)))
        size, overlap = self.sizes
        offset = first_draw(seed, self.input_size - self.used + 1)
        starts = [offset + k * (size - overlap) for k in range(self.subsets)]
        return [list(range(start, start + size)) for start in starts]

    def threshold(self, epsilon: float = 1e-5, rule: str = "exact") -> float:
        if self.simple:
            blocks = Blocks.of(self.rows(0), 4)
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
        numbers = tuple(map(float, self.extrapolation))
        combined = self.powers or self.operation
        return subsets_threshold(combined, blocks, numbers, self.distribution, epsilon)


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
    distribution: Distribution = "uniform"
    """How inputs are distributed."""

    def __post_init__(self) -> None:
        if self.input_size < 2:
            raise ValueError(f"`input_size` (={self.input_size}) must be at least 2.")
        Task.__post_init__(self)

    @property
    def in_features(self) -> int:
        return self.input_size

    def rows(self, seed: int) -> list[list[int]]:
        offset = first_draw(seed, self.input_size - 1) if self.input_size > 2 else 0
        return [[offset], [offset + 1]]

    def threshold(self, epsilon: float = 1e-4, rule: str = "exact") -> float:
        return single_module_threshold(
            self.operation,
            self.extrapolation,
            self.input_size,
            self.distribution,
            epsilon,
        )


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
    distribution: Distribution = "uniform"
    """How inputs are distributed."""

    def __post_init__(self) -> None:
        if self.operands < 1:
            raise ValueError(f"`operands` (={self.operands}) must be at least 1.")
        wrong = set(self.signs) - {1, -1}
        if self.signs and (len(self.signs) != self.operands or wrong):
            raise ValueError(
                f"`signs` (={self.signs}) must hold {self.operands} numbers, each 1 or "
                "-1, or none."
            )
        Task.__post_init__(self)

    @property
    def in_features(self) -> int:
        return self.operands

    def rows(self, seed: int) -> list[list[int]]:
        return [[i] for i in range(self.operands)]

    def replica(self, seed: int) -> dict[str, Any]:
        import numpy as np

        numbers = SubsetTask.replica(self, seed)
        if self.signs:
            numbers["masks"] = np.diag(np.asarray(self.signs, dtype=float))
            numbers["operation"] = OPERATIONS.index("add")
        return numbers

    def threshold(self, epsilon: float = 1e-5, rule: str = "exact") -> float:
        operation = "add" if self.signs else self.operation
        blocks = Blocks.of(self.rows(0), self.operands)
        numbers = tuple(map(float, self.extrapolation))
        return subsets_threshold(operation, blocks, numbers, self.distribution, epsilon)
