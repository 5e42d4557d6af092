"""A table of the user's as a task: trained on, held out, and extrapolated to."""

from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from .._arrays import Array
from .._checks import WORD, check_whole, plain, shown
from ._columns import Columns, CsvColumns, ParquetColumns, check_column, existing
from ._keys import SampleKey
from ._splits import check_labels, from_words, labelled
from ._table import Table, as_inputs, as_targets, checked_names
from ._task import Sizes, Split, Task, check_rule

SHARE = 0.2  # of the rows: held out, and kept for extrapolation


@dataclass(frozen=True)
class Dataset(Task):
    """Rows of inputs and targets that a user has measured.

    Make one with `from_arrays`, `from_csv` or `from_parquet`. A batch as large as the
    training rows is all of them in order; a smaller one is drawn from them at random.
    Errors are measured on all held-out rows and on all rows for extrapolation, which
    are the held-out ones where there are no others. A run's name has a digest of the
    content and of the splits, and neither data nor a path.
    """

    title: ClassVar[str] = "A table of your own"
    table: InitVar[Table]
    input_names: tuple[str, ...] = field(init=False)
    """The inputs; none for those with a shape."""
    target_names: tuple[str, ...] = field(init=False)
    """The outputs."""
    training_rows: int = field(init=False)
    """How many rows are trained on."""
    held_out_rows: int = field(init=False)
    """How many rows choose the best step."""
    extrapolation_rows: int = field(init=False)
    """How many rows are outside; 0 takes the held-out ones."""
    content: str = field(init=False)
    """A digest of the rows and their splits."""

    def __post_init__(self, table: Table) -> None:
        if not isinstance(table, Table):
            raise TypeError(
                f"`table` (={shown(table)}) must be made by `Dataset.from_arrays`, "
                "`Dataset.from_csv` or `Dataset.from_parquet`."
            )
        counts = [int((table.labels == k).sum()) for k in range(3)]
        names = ("training_rows", "held_out_rows", "extrapolation_rows")
        vars(self).update(zip(names, counts, strict=True))
        vars(self).update(
            input_names=table.input_names,
            target_names=table.target_names,
            content=table.digest(),
            _splits=table.splits(),
        )

    @staticmethod
    def from_arrays(
        x: Any,
        y: Any,
        *,
        names: Sequence[str] | None = None,
        targets: Sequence[str] | None = None,
        held_out: Any = SHARE,
        extrapolation: Any = SHARE,
        seed: int = 0,
    ) -> "Dataset":
        """A table of arrays.

        Args:
            x: inputs [row, input]; inputs with a shape are [row, ...].
            y: targets [row] or [row, output].
            names: the names of the inputs; x1, x2, … if None.
            targets: the names of the outputs; y, or y1, y2, …, if None.
            held_out: which rows choose the best step: a share, drawn at random, or a
                mask, or row numbers.
            extrapolation: which rows the answer must be right on: a share, those
                farthest from the mean in standardised inputs, or a mask, or row
                numbers. None takes the held-out rows.
            seed: what held-out rows are drawn with.

        Returns:
            The task.

        Examples:
            >>> import numpy as np
            >>> from arithmax.tasks import Dataset
            >>> x = np.random.default_rng(0).uniform(1, 2, (50, 2))
            >>> task = Dataset.from_arrays(x, x[:, 0] * x[:, 1], names=("a", "b"))
            >>> task.training_rows, task.held_out_rows, task.extrapolation_rows
            (30, 10, 10)
        """
        inputs = as_inputs(x)
        outputs = as_targets(y, len(inputs))
        labels = labelled(inputs, held_out, extrapolation, _checked_seed(seed))
        input_names, target_names = checked_names(inputs, outputs, names, targets)
        return _dataset(inputs, outputs, labels, input_names, target_names)

    @staticmethod
    def from_csv(
        path: Path | str,
        target: str | Sequence[str],
        inputs: str | Sequence[str] | None = None,
        *,
        delimiter: str = ",",
        split: str | None = None,
        held_out: Any = SHARE,
        extrapolation: Any = SHARE,
        seed: int = 0,
    ) -> "Dataset":
        """A table in a CSV file, whose first line has the names of the columns.

        Args:
            path: the file, in UTF-8.
            target: the column, or columns, to be predicted.
            inputs: the columns to predict it from; all others if None.
            delimiter: what stands between two values.
            split: a column that says of each row whether it is "training", "held_out"
                or "extrapolation", in place of the rules below.
            held_out: as in `from_arrays`.
            extrapolation: as in `from_arrays`.
            seed: as in `from_arrays`.

        Returns:
            The task.
        """
        columns = CsvColumns(existing(path, "csv"), delimiter)
        rules = (held_out, extrapolation, seed)
        return _from_columns(columns, path, target, inputs, split, rules)

    @staticmethod
    def from_parquet(
        path: Path | str,
        target: str | Sequence[str],
        inputs: str | Sequence[str] | None = None,
        *,
        split: str | None = None,
        held_out: Any = SHARE,
        extrapolation: Any = SHARE,
        seed: int = 0,
    ) -> "Dataset":
        """A table in a Parquet file; its arguments are those of `from_csv`."""
        columns = ParquetColumns(existing(path, "parquet"))
        rules = (held_out, extrapolation, seed)
        return _from_columns(columns, path, target, inputs, split, rules)

    @property
    def in_features(self) -> Sizes:
        shape = self._of("training")[0].shape[:-1]
        return shape[0] if len(shape) == 1 else shape

    @property
    def out_features(self) -> int:
        return len(self.target_names)

    def _of(self, split: Split) -> tuple[Array, Array]:
        """All inputs [in, row] and targets [out, row] of a split."""
        return vars(self)["_splits"][split]

    def rows(self, split: Split) -> int:
        return self._of(split)[1].shape[-1]

    def shared(self) -> dict[str, Array]:
        names = vars(self)["_splits"]
        inputs = {f"{split}_x": self._of(split)[0] for split in names}
        return inputs | {f"{split}_t": self._of(split)[1] for split in names}

    def draw(
        self, split: Split, replica: Mapping[str, Any], key: SampleKey, size: int
    ) -> tuple[Array, Array]:
        arrays = replica if f"{split}_x" in replica else self.shared()
        x, t = arrays[f"{split}_x"], arrays[f"{split}_t"]
        count = self.rows(split)
        if split != "training" or size >= count:
            return key.fix(x), t
        xp = key.xp
        at = xp.floor(key.uniform((size,)) * count).astype("int32")
        at = xp.minimum(at, xp.full_like(at, count - 1))  # rounding may reach `count`
        return key.fix(xp.take(x, at, axis=-1)), xp.take(t, at, axis=-1)

    def largest(self, split: Split) -> float:
        return max(float(abs(array).max()) for array in self._of(split))

    def threshold(self, epsilon: float = 1e-5, rule: str = "exact") -> float:
        """The mean squared error of targets that are wrong by a factor 1 − ε."""
        check_rule(epsilon, rule)
        targets = self._of("extrapolation")[1]
        return epsilon**2 * float((targets**2).mean())


def _checked_seed(seed: Any) -> int:
    seed = plain(seed)
    check_whole("seed", seed, 0, WORD)
    return seed


def _dataset(x: Array, y: Array, labels: Array, names: Any, targets: Any) -> Dataset:
    check_labels(labels)
    return Dataset(Table(x, y, labels, names, targets))


def _from_columns(
    columns: Columns, path: Any, target: Any, inputs: Any, split: Any, rules: tuple
) -> Dataset:
    """A table from columns of a file."""
    import numpy as np

    held_out, extrapolation, seed = rules
    if split is not None:
        check_column("split", split, columns.names)
        rules_given = (held_out, extrapolation)
        if not all(isinstance(r, float) and r == SHARE for r in rules_given):
            raise ValueError(
                f"`split` (={split!r}) must be alone: leave out `held_out` and "
                "`extrapolation`, or `split`."
            )
    targets = _listed("target", target, columns.names)
    others = [n for n in columns.names if n not in (*targets, split)]
    chosen = others if inputs is None else _listed("inputs", inputs, columns.names)
    for name in chosen:
        if name not in others:
            use = "the `split`" if name == split else "a `target`"
            raise ValueError(f"`inputs` (with {name!r}) must not hold {use}.")
    if not chosen:
        raise ValueError(
            f"`inputs` (=()) must name at least one column of `path` (={path})."
        )
    for name in targets:
        if name == split:
            raise ValueError(f"`target` (={name!r}) must not be the `split`.")
    x = as_inputs(np.stack([columns.numbers(n) for n in chosen], 1), "path", chosen)
    y = np.stack([columns.numbers(n) for n in targets], 1)
    y = as_targets(y, len(x), "path", targets)
    if split is not None:
        labels = from_words("split", split, columns.words(split))
    else:
        labels = labelled(x, held_out, extrapolation, _checked_seed(seed))
    return _dataset(x, y, labels, tuple(chosen), tuple(targets))


def _listed(argument: str, given: Any, names: list[str]) -> list[str]:
    """One column or several, each once."""
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list | tuple) or not listed:
        raise TypeError(
            f"`{argument}` (={shown(given)}) must be the name of a column, or a list "
            "of such names."
        )
    for name in listed:
        check_column(argument, name, names)
        if listed.count(name) > 1:
            raise ValueError(f"`{argument}` (with {name!r} again) must name it once.")
    return list(listed)
