"""An operation between sums of inputs: what it is, where it is defined, how large."""

import math
from collections.abc import Mapping
from typing import Any

from .._arrays import Array, contract, namespace
from ._domains import power
from ._formula import FormulaTask
from ._targets import OPERATION_NAMES, Operation, chosen, powers_of

# What a unit must represent to raise a sum to a power.
NEEDED = {-1.0: "div", 0.5: "sqrt", 2.0: "square"}


class SubsetTask(FormulaTask):
    """What the tasks of `_subsets` share."""

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
    def sums(self) -> int:
        """How many sums there are."""
        raise NotImplementedError

    @property
    def summands(self) -> int:
        """How many inputs a sum is over, at most."""
        return 1

    def places(self, seed: int) -> list[list[int]]:
        """The inputs that each sum is over."""
        raise NotImplementedError

    @property
    def structure(self) -> tuple:
        name = "powers" if self.powers else "subsets"
        return (name, self.in_features, self.sums, self.kind)

    @property
    def partial_functions(self) -> dict[str, slice | None]:
        if not self.powers:
            return {"sqrt": None} if self.operation == "sqrt" else {}
        return {f"power {p:g}": None for p in self.powers if p != int(p)}

    def largest_target(self, greatest: float) -> float:
        total = self.summands * greatest
        if self.powers:
            return math.prod(power(total, p) for p in self.powers if p > 0)
        if self.operation in ("mul", "square"):
            return power(total, self.sums if self.operation == "mul" else 2)
        return total if self.operation in ("div", "sqrt") else self.sums * total

    def choices(self, seed: int) -> dict[str, Any]:
        import numpy as np

        places = self.places(seed)
        masks = np.zeros((len(places), self.in_features))
        for mask, row in zip(masks, places, strict=True):
            mask[row] = 1.0
        numbers = {"masks": masks, "operation": OPERATION_NAMES.index(self.operation)}
        return numbers | ({"powers": np.array(self.powers)} if self.powers else {})

    def target(self, replica: Mapping[str, Any], x: Array) -> Array:
        xp = namespace(x)
        sums = contract(replica["masks"], x, xp)
        if "powers" in replica:
            return powers_of(sums, replica["powers"], xp)
        return chosen(replica["operation"], sums, xp)[None]
