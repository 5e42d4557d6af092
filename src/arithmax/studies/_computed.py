"""What a study computes, checked before any of it is stored."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np

from .._own_code import sentence
from ..statistics import Interval, Range
from ._evaluate import Trained
from ._study import Computed

FIGURES = "figures"  # the table of computed figures
KEPT = "What was trained is kept: correct it and run the same command again."


def computed_tables(trained: Trained) -> dict[str, Mapping[str, Sequence[Any]]]:
    """All tables of a study, its figures among them.

    A number in a table may be NaN. Figures that are NaN are not there.
    """
    name, compute = trained.study.name, trained.study.compute
    assert compute is not None
    try:
        computed = compute(trained)
    except Exception as error:
        message = sentence(error, KEPT)
        if message is None:
            raise
        raise ValueError(f"`compute` of the study {name!r} fails: {message}") from error
    try:
        return _checked(trained, computed)
    except ValueError as error:
        raise ValueError(f"`compute` of the study {name!r} {error} {KEPT}") from None


def _checked(trained: Trained, computed: Any) -> dict[str, Mapping[str, Sequence[Any]]]:
    if not isinstance(computed, Computed):
        raise ValueError(f"must return a `Computed`, not {computed!r}.")
    tables: dict[str, Any] = dict(computed.tables)
    for name, table in tables.items():
        _check_table(name, table)
    for plot in trained.study.plots:
        _check_plot(plot, tables)
    figures = {n: i for n, i in computed.figures.items() if _is_figure(n, i)}
    if figures:
        ends = zip(*(map(float, astuple(f)) for f in figures.values()), strict=True)
        titled = zip(("value", "low", "high"), map(list, ends), strict=True)
        ranged = [isinstance(figure, Range) for figure in figures.values()]
        tables[FIGURES] = {"name": list(figures), **dict(titled), "range": ranged}
        if computed.reduced:
            left_out = [str(computed.reduced.get(name, "")) for name in figures]
            tables[FIGURES]["reduced"] = left_out
    return tables


def _check_table(name: str, table: Any) -> None:
    place = f"gives the table {name!r}"
    if name == FIGURES:
        raise ValueError(f"{place}, which is the name of the figures. Choose another.")
    if not isinstance(table, Mapping) or not table:
        raise ValueError(f"{place} as {table!r}, which is no dictionary of columns.")
    for title, values in table.items():
        _check_column(f"{place}, whose column {title!r}", title, values)
    if len({str(title).lower() for title in table}) < len(table):
        raise ValueError(f"{place} with columns that differ in capital letters alone.")
    lengths = {title: len(values) for title, values in table.items()}
    if len(set(lengths.values())) > 1:
        each = ", ".join(f"{title!r} {n}" for title, n in lengths.items())
        raise ValueError(f"{place} with columns of unequal length: {each}.")


def _check_column(place: str, title: Any, values: Any) -> None:
    if not isinstance(title, str) or not title:
        raise ValueError(f"{place} must have a text as its name.")
    listed = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str)
    if not listed or getattr(values, "ndim", 1) != 1:
        raise ValueError(f"{place} is {values!r}, but must be a list of values.")
    for row, value in enumerate(values, start=1):
        known = str | bool | int | float | np.number | np.bool_ | None
        if not isinstance(value, known) or isinstance(value, np.complexfloating):
            raise ValueError(
                f"{place} holds {value!r} in row {row}, but may hold numbers, texts, "
                "True, False and None."
            )
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError(f"{place} holds a whole number over 64 bits in row {row}.")


def _check_plot(plot: Any, tables: Mapping[str, Mapping[str, Any]]) -> None:
    table = tables.get(getattr(plot, "table", ""))
    names = ("x", "y", "z", "by", "choice", "low", "high", "dashed")
    for name in names if table is not None else ():
        title = getattr(plot, name, "")
        if title and table is not None and title not in table:
            raise ValueError(
                f"gives the table {plot.table!r} without the column {title!r}, which "
                f"the plot {plot.caption!r} needs."
            )


def _is_figure(name: str, figure: Any) -> bool:
    """Whether it is there; what is no interval is refused."""
    ends = astuple(figure) if isinstance(figure, Interval | Range) else ()
    if not ends or not all(isinstance(e, int | float | np.number) for e in ends):
        raise ValueError(
            f"gives the figure {name!r} as {figure!r}, but must give an `Interval` of "
            "three numbers."
        )
    return not any(math.isnan(e) for e in ends)
