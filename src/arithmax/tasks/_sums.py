"""An operation between sums of inputs: what it is, where it is defined, how large."""

import math
from typing import Any, Literal, get_args

from ._domains import power
from ._task import Task

Operation = Literal["add", "sub", "mul", "div", "square", "sqrt"]
OPERATIONS = get_args(Operation)
# What a unit must represent to raise a sum to a power.
NEEDED = {-1.0: "div", 0.5: "sqrt", 2.0: "square"}


class SubsetTask(Task):
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
    def kind(self) -> str:
        """How inputs are drawn; truncation is a number."""
        return self.distribution.removeprefix("truncated-")

    @property
    def sums(self) -> int:
        """How many sums there are."""
        raise NotImplementedError

    @property
    def summands(self) -> int:
        """How many inputs a sum is over, at most."""
        return 1

    def rows(self, seed: int) -> list[list[int]]:
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
