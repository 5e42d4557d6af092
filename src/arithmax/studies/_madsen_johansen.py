"""Neural Arithmetic Units (ICLR 2020): its models, runs and published figures.

The figures are in `madsen-johansen.json`, with their source.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from ..protocol import Cell, published
from ..statistics import success_rate
from ..tasks import Subsets
from ..units import (
    NAC,
    NALU,
    NAU,
    NMU,
    Dense,
    GatedNAUNMU,
    Linear,
    MultiplicativeNAC,
    Unit,
)
from ._study import Published

PAPER = "A. Madsen and A. R. Johansen, Neural Arithmetic Units, ICLR 2020"
MODELS: dict[str, Unit] = {
    "NAC•,NMU": MultiplicativeNAC(weight_map="clipped"),
    "NAC•,σ": MultiplicativeNAC(weight_map="sigmoid"),
    "NAC•": MultiplicativeNAC(),
    "NAC+": NAC(),
    "Gated NAU/NMU": GatedNAUNMU(),
    "Linear": Linear(),
    "NALU": NALU(),
    "NAU": NAU(),
    "NMU": NMU(),
    "ReLU": Dense("relu"),
    "ReLU6": Dense("relu6"),
}
RESOLUTION = 1e-4  # below it a figure's sparsity error cannot be read back
HALVED = (
    "the printed figure doubled: the authors' fit leaves out a factor of two, see "
    "How success is measured"
)


@cache
def data(name: str) -> list[dict[str, Any]]:
    """The published figures of one table."""
    file = resources.files("arithmax.studies") / "madsen-johansen.json"
    return json.loads(file.read_text(encoding="utf-8"))[name]


def entry(name: str, **labels: Any) -> dict[str, Any] | None:
    """The published row with these labels, if there is one."""
    rows = data(name)
    return next((r for r in rows if all(r[k] == v for k, v in labels.items())), None)


def figures(
    row: dict[str, Any] | None,
    *,
    drawn: bool = False,
    reasons: Mapping[str, str] | None = None,
    note: str = "",
) -> dict[str, Published]:
    """A published row as figures.

    Args:
        row: the row, if there is one.
        drawn: whether it was read back from a plot.
        reasons: why ours differ, by measure.
        note: what has to be known about the success rate.
    """
    if row is None:
        return {}
    why = reasons or {}
    rate = success_rate(row["solved"], row["runs"])
    found = {
        "success": Published(
            rate.value, rate.low, rate.high, note, why.get("success", "")
        )
    }
    if "median" in row:
        found["median"] = Published(row["median"])
    for name in ("solved_at", "sparsity"):
        value, low, high = row.get(name, (None,) * 3)
        if value is None or (drawn and name == "sparsity" and value < RESOLUTION):
            continue
        reason = why.get(name, "")
        if drawn and name == "sparsity":
            found[name] = Published(2 * value, 2 * low, 2 * high, HALVED, reason)
        else:
            found[name] = Published(value, low, high, recomputed(row, name), reason)
    return found


def recomputed(row: dict[str, Any], name: str) -> str:
    """What the paper prints, where its fit is not that of its own rows."""
    printed = row.get("printed", {}).get(name)
    if printed is None or abs(printed[0] / row[name][0] - 1) < 0.05:
        return ""
    value, low, high = printed
    return (
        f"recomputed from the authors' {row['runs']} runs; the paper prints "
        f"{value:.3g} [{low:.3g}, {high:.3g}]"
    )


def cell(unit: Unit, task: Subsets, seeds: int, **changes: Any) -> Cell:
    """The authors' run of a unit on a task."""
    network, protocol = published(unit, task, **changes)
    return Cell(network, task, protocol, tuple(range(seeds)))


def arithmetic(operation: str, **options: Any) -> Subsets:
    """The arithmetic dataset with an operation."""
    return Subsets(**{"operation": operation, **options})


SYMBOLS = {
    "mul": "×",
    "add": "+",
    "sub": "−",
    "div": "÷",
    "sqrt": "√",
    "square": "z²",
}
