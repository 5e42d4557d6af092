"""A table as training needs it: checked, split into rows, with its scales."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._checks import shown
from ..tasks import as_inputs, as_targets

FEWEST = 10  # rows
SOME = 1000  # rows that second-order steps look at, at most
ALIKE = 10.0  # columns whose sizes are within this factor share one scale


@dataclass(frozen=True)
class Split:
    """Inputs [row, ...], targets [row, output], and which rows train.

    Args:
        x: the inputs.
        y: the targets.
        names: the names of the columns; none if an input is more than a list.
        trained: the numbers of the rows that train.
        held: those of the rows that are held out.
    """

    x: np.ndarray
    y: np.ndarray
    names: tuple[str, ...]
    trained: np.ndarray
    held: np.ndarray

    @classmethod
    def of(cls, x: Any, y: Any, names: Any, hold_out: float, seed: int) -> "Split":
        """A table that was given, split at random.

        Args:
            x: inputs [row, ...]: an array of any framework, or a table of pandas.
            y: targets [row] or [row, output].
            names: the names of the columns; None for those of the table, or x1, x2, …
            hold_out: the share of rows that are held out.
            seed: of the split.
        """
        named = getattr(x, "columns", None) if names is None else names
        inputs = np.asarray(as_inputs(_plain(x), "x"), np.float64)
        targets = np.asarray(as_targets(_plain(y), len(inputs), "y"), np.float64)
        if len(inputs) < FEWEST:
            raise ValueError(
                f"`x` (of shape {inputs.shape}) must have at least {FEWEST} rows, "
                "some of which are held out."
            )
        for i, column in enumerate(targets.T):
            if np.ptp(column) == 0:
                raise ValueError(
                    f"`y` (={column[0]} on all rows of output {i}) must vary, or there "
                    "is nothing to learn."
                )
        order = np.random.default_rng(seed).permutation(len(inputs))
        count = min(max(round(hold_out * len(inputs)), 2), len(inputs) // 2)
        held, trained = np.sort(order[:count]), np.sort(order[count:])
        return cls(inputs, targets, _names(named, inputs), trained, held)

    @cached_property
    def spread(self) -> np.ndarray:
        """The standard deviation of each output: errors are measured in it."""
        return self.y.std(0)

    @property
    def some(self) -> np.ndarray:
        """The numbers of the rows that train, or of some if they are many."""
        if len(self.trained) <= SOME:
            return self.trained
        chosen = np.random.default_rng(len(self.trained))
        return np.sort(chosen.choice(self.trained, SOME, replace=False))

    @property
    def input_scale(self) -> Any:
        """What inputs are divided by: alike for columns of like size.

        Columns of the same kind stay comparable, so that a sum of them has whole
        weights; those of another size have a scale of their own.
        """
        if self.x.ndim != 2:
            return 1.0
        sizes = np.abs(self.x).mean(0)
        order = np.argsort(sizes)
        scales, first = np.ones(len(sizes)), 0
        for i in range(1, len(order) + 1):
            if i == len(order) or sizes[order[i]] > ALIKE * sizes[order[first]]:
                group = order[first:i]
                if sizes[group].all():
                    scales[group] = np.exp(np.log(sizes[group]).mean())
                first = i
        return scales.tolist()

    @property
    def output_scale(self) -> list[float]:
        """What outputs are multiplied by: the mean magnitude of each."""
        return np.abs(self.y).mean(0).tolist()

    def error(self, values: np.ndarray, rows: np.ndarray) -> float:
        """The root of the mean squared error over the spread, on some rows."""
        with np.errstate(all="ignore"):
            squares = ((values - self.y[rows]) / self.spread) ** 2
            return float(np.sqrt(squares.mean()))


def _plain(value: Any) -> Any:
    return value.detach().cpu().double().numpy() if hasattr(value, "detach") else value


def _names(named: Any, x: np.ndarray) -> tuple[str, ...]:
    if x.ndim != 2:
        return ()
    if named is None:
        return tuple(f"x{i + 1}" for i in range(x.shape[1]))
    made = () if isinstance(named, str) else tuple(map(str, named))
    if len(made) != x.shape[1] or len(set(made)) < len(made):
        raise ValueError(
            f"`names` (={shown(named)}) must be {x.shape[1]} different strings, one "
            "for each column of `x`."
        )
    return made
