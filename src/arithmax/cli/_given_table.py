"""The table that `arithmax discover` is given: its columns, checked, and its rows."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..tasks import as_inputs, as_targets, check_column, columns_of, outermost
from ._condition import rows_of

AUTOMATIC = "auto"
SHARE = 0.1  # of the rows: held out by `--hold-out auto`
OUTERMOST = "the outermost tenth of the rows"
FEWEST = 5  # rows: of fewer none would be held out
# What `arithmax.tasks` calls otherwise.
RENAMED = {"`path`": "`file`", "`inputs`": "`features`"}
OF_TARGET = {
    "list other columns in `inputs`": "name another `target`",
    "List other columns in `inputs`": "Name another `target`",
}


@dataclass(frozen=True, eq=False)
class GivenTable:
    """The rows that a search sees, and those outside.

    Args:
        x: the columns [row, column] of the rows that are searched.
        y: their targets.
        names: the names of the columns.
        target: the name of the target.
        outside: columns and targets of the rows that only measure an error.
        condition: which rows these are, in words.
        units: a unit for each column and the target, if they are given.
    """

    x: Any
    y: Any
    names: tuple[str, ...]
    target: str
    outside: tuple[Any, Any] | None = None
    condition: str = ""
    units: tuple[str, ...] | None = None


def given_table(
    file: Path,
    target: str,
    features: Sequence[str] = (),
    hold_out: str | None = None,
    units: Sequence[str] = (),
    delimiter: str = ",",
) -> GivenTable:
    """The table in a file, or an error that says what is wrong with it."""
    with _renamed():
        columns = columns_of(file, delimiter)
        names = _features(columns.names, target, features)
        x, y = _numbers(columns, names, target)
        far = _outside(hold_out, columns, x)
    _check_rows(file, target, ~far, x, y)
    return GivenTable(
        x[~far],
        y[~far],
        names,
        target,
        (x[far], y[far]) if far.any() else None,
        OUTERMOST if hold_out == AUTOMATIC else hold_out or "",
        _units(units, (*names, target)),
    )


@contextmanager
def _renamed(names: Mapping[str, str] = RENAMED) -> Iterator[None]:
    """Errors with the names that the options of the command have."""
    try:
        yield
    except (ValueError, TypeError, OSError) as error:
        text = str(error)
        for name, option in names.items():
            text = text.replace(name, option)
        raise type(error)(text) from None


def _features(
    columns: list[str], target: str, features: Sequence[str]
) -> tuple[str, ...]:
    check_column("target", target, columns)
    for name in features:
        check_column("features", name, columns)
        if name == target:
            raise ValueError(f"`features` (with {name!r}) must not hold the `target`.")
        if list(features).count(name) > 1:
            raise ValueError(f"`features` (with {name!r} again) must name it once.")
    chosen = tuple(features) or tuple(name for name in columns if name != target)
    if not chosen:
        raise ValueError(
            f"`features` (=()) must name a column, but {target!r} is the only one that "
            "there is. Give a file with more columns."
        )
    return chosen


def _numbers(columns: Any, names: tuple[str, ...], target: str) -> tuple[Any, Any]:
    import numpy as np

    with _renamed(OF_TARGET):
        y = columns.numbers(target)[:, None]
    inputs = np.stack([columns.numbers(name) for name in names], 1)
    x = as_inputs(inputs, "path", names)
    return x, as_targets(y, len(x), "path", (target,))[:, 0]


def _outside(hold_out: str | None, columns: Any, x: Any) -> Any:
    import numpy as np

    if hold_out is None:
        return np.zeros(len(x), bool)
    if hold_out == AUTOMATIC:
        return outermost(x, SHARE)
    far = rows_of(hold_out, columns)
    if not far.any() or far.all():
        many = "all rows" if far.all() else "no row"
        raise ValueError(
            f"`hold_out` (={hold_out!r}) is true of {many} of {len(x)}. Some rows must "
            "be left to find a formula on, and some kept outside: change the condition."
        )
    return far


def _check_rows(file: Path, target: str, inside: Any, x: Any, y: Any) -> None:
    """There must be enough rows, and something to explain in them."""
    rows, width = int(inside.sum()), x.shape[1]
    kept = f" ({len(y) - rows} are held out)" if rows < len(y) else ""
    if rows < FEWEST:
        raise ValueError(
            f"`file` (={file}) has {rows} row{'s' * (rows != 1)} to find a formula on"
            f"{kept}. Give at least {FEWEST}, so that one can be held out."
        )
    if width >= rows:
        raise ValueError(
            f"`features` ({width} columns) must be fewer than the rows, but `file` "
            f"(={file}) has {rows}{kept}. List fewer columns, or give more rows."
        )
    seen = y[inside]
    if seen.max() == seen.min():
        raise ValueError(
            f"`target` (={target!r}) is {seen[0]:g} in all {rows} rows{kept}: there is "
            "nothing to explain. Name another column, or give other rows."
        )


def _units(given: Sequence[str], names: tuple[str, ...]) -> tuple[str, ...] | None:
    """NAME=UNIT for every column and the target, in their order."""
    if not given:
        return None
    units: dict[str, str] = {}
    for text in given:
        name, equals, unit = (word.strip() for word in text.partition("="))
        if not equals or not unit:
            raise ValueError(
                f"`units` (={text!r}) must be NAME=UNIT, such as v=m/s; what has no "
                "unit is NAME=1."
            )
        check_column("units", name, list(names))
        if name in units:
            raise ValueError(f"`units` (with {name!r} again) must give each unit once.")
        units[name] = unit
    for name in names:
        if name not in units:
            raise ValueError(
                f"`units` (={' '.join(given)!r}) must have a unit for {name!r}, too: "
                f"add {name}=UNIT, or {name}=1 if it has none."
            )
    return tuple(units[name] for name in names)
