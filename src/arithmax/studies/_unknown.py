"""A study of which only the folder is here: what the data alone allow.

Its file is not looked for, whatever the folder says: it might be somebody else's, and
to look at results is not to run code.
"""

from collections.abc import Mapping
from typing import Any

from ..results import Results
from ._evaluate import Evaluation
from ._record import Record
from ._study import Computed, Study, columns

LINES = 100  # of a table that are shown
CELL = ("network", "task", "protocol")
RUNS = "runs-of-unknown-studies"


def unknown(
    record: Record, tables: Mapping[str, Mapping[str, list[Any]]], others: Results
) -> Evaluation:
    """A study without its file: its tables, its history and the runs it may have.

    Args:
        record: what the folder remembers of it.
        tables: what was computed for it.
        others: the runs that no known study shows.
    """
    shown = {n: _first(t) for n, t in tables.items()}
    captions = {n: _caption(f"Computed: {n}", t) for n, t in tables.items()}
    if runs := _runs(others):
        shown[RUNS] = _first(runs)
        captions[RUNS] = _caption("Runs that no other study here shows", runs)
    study = Study(
        record.study,
        record.study,
        "a study that is not one of the package's",
        "",
        compute=_nothing,
        shown=captions,
    )
    computed = Computed(shown) if shown else None
    return Evaluation(study, [], computed, others, record.history, _remark(record))


def _nothing(trained: Any) -> Computed:
    return Computed()


def _remark(record: Record) -> str:
    begin = f"{record.study} is shown from its data alone: "
    if not record.file:
        return f"{begin}this version of arithmax does not know the study."
    return (
        f"{begin}its file, {record.file}, was not named. If you trust that file, "
        f"`arithmax report DIR --study {record.file}` shows all of the study."
    )


def _first(table: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    return {name: values[:LINES] for name, values in table.items()}


def _caption(title: str, table: Mapping[str, list[Any]]) -> str:
    rows = len(next(iter(table.values()), []))
    return (
        f"{title}: the first {LINES} of {rows:,} rows." if rows > LINES else f"{title}."
    )


def _runs(others: Results) -> Mapping[str, list[Any]]:
    """One line for each cell."""
    rows = [
        (*(s.cell[name] for name in CELL), s.solved, s.total, s.success)
        for s in others.summaries(CELL)
    ]
    return columns((*CELL, "solved", "runs", "success rate"), rows) if rows else {}
