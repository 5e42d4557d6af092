"""Rows of the paper's tables and figures as published figures."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypedDict

from ...statistics import success_rate
from .._published import figures_file, row_with
from .._study import Published

RESOLUTION = 1e-4  # below it a figure's sparsity error cannot be read back
HALVED = (
    "the printed figure doubled: the authors' fit leaves out a factor of two, see "
    "How success is measured"
)


def published_rows(table: str) -> list[dict[str, Any]]:
    """The published rows of a table or figure."""
    return figures_file("slides", table)["rows"]


def entry(table: str, **labels: Any) -> dict[str, Any] | None:
    """The published row with these labels, if there is one."""
    return row_with(published_rows(table), **labels)


class Remark(TypedDict, total=False):
    """Fields of `Published`: what is said of a figure where ours differs."""

    reason: str
    tried: str


def figures(
    table: str, *, remarks: Mapping[str, Remark] | None = None, **labels: Any
) -> dict[str, Published]:
    """A published row as figures by measure; of no row, none.

    Args:
        table: the file of the table.
        remarks: why ours differ, or what was tried, by measure.
        labels: those of the row.
    """
    row = entry(table, **labels)
    if row is None:
        return {}
    why = remarks or {}
    rate = success_rate(row["solved"], row["runs"])
    published = {
        "success": Published(rate.value, rate.low, rate.high, **why.get("success", {}))
    }
    if "median" in row:
        published["median"] = Published(row["median"])
    for name in ("solved_at", "sparsity"):
        if row.get(name) and row[name][0] is not None:
            note = _recomputed(row, name)
            published[name] = Published(*row[name], note=note, **why.get(name, {}))
    return published


def drawn(
    table: str, *, remarks: Mapping[str, Remark] | None = None, **labels: Any
) -> dict[str, Published]:
    """The same of a row that was read back from a plot, whose sparsity is halved."""
    published = figures(table, remarks=remarks, **labels)
    small = published.get("sparsity")
    if small is not None and small.value < RESOLUTION:
        del published["sparsity"]
    return doubled(published)


def doubled(published: Mapping[str, Published]) -> dict[str, Published]:
    """Figures of a row whose sparsity error comes from the authors' fit, as it was."""
    halved = published.get("sparsity")
    if halved is None:
        return dict(published)
    assert halved.low is not None and halved.high is not None
    value, low, high = 2 * halved.value, 2 * halved.low, 2 * halved.high
    true = replace(halved, value=value, low=low, high=high, note=HALVED)
    return {**published, "sparsity": true}


def _recomputed(row: dict[str, Any], name: str) -> str:
    """What the paper prints, where its fit is not that of its rows."""
    printed = row.get("printed", {}).get(name)
    if printed is None or abs(printed[0] / row[name][0] - 1) < 0.05:
        return ""
    value, low, high = printed
    return (
        f"recomputed from the authors' {row['runs']} runs; the paper prints "
        f"{value:.3g} [{low:.3g}, {high:.3g}]"
    )
