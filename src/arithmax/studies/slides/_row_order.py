"""Steps that the NAU/NMU paper read from rows out of order, and why means differ.

`benchmarks/row_order.py` simulates it and writes `row-order.json`.
"""

from collections.abc import Sequence
from typing import Any

from ...statistics import Interval, Range
from .._published import figures_file, row_with


def simulated(name: str) -> list[dict[str, Any]]:
    """What `benchmarks/row_order.py` found: of `table`, `gate` or a figure."""
    return figures_file("slides", "row-order")[name]


def simulated_cell(name: str, **labels: Any) -> dict[str, Any]:
    """What was found of the cell with these labels."""
    row = row_with(simulated(name), **labels)
    assert row is not None, (name, labels)
    return row


def figure(stored: Sequence[Any]) -> Interval | Range:
    """A mean as the file has it: with its interval, if it has one."""
    value, low, high = stored
    return Range(value, value, value) if low is None else Interval(value, low, high)


def in_steps(mean: float, *ends: float) -> str:
    """A mean step as sentences have it, to three digits, with its interval if given.

    Examples:
        >>> from arithmax.studies.slides._row_order import in_steps
        >>> in_steps(17_658.3, 17_390.0, 17_930.0)
        '17,700 [17,400, 17,900]'
    """
    value, *around = (f"{float(f'{v:.3g}'):,.0f}" for v in (mean, *ends))
    return f"{value} [{', '.join(around)}]" if around else value


SHUFFLED = (
    "the authors' script reads steps from rows out of order, and its fit then moves "
    "the mean (see How success is measured). {steps} treated so have means from "
    "{least} to {most}, depending on which runs were stopped early, which is "
    "not published; {verdict}"
)


def shuffled(printed: float, row: dict[str, Any], true: float, what: str) -> str:
    """Why a printed mean is not that of its runs, and how much of it is explained.

    Nothing is said where the simulation moves no steps.

    Args:
        printed: the mean.
        row: what was simulated.
        true: the mean of the steps that were put in.
        what: the name of these steps.
    """
    least, _, most = row["simulated"]
    if most < 1.05 * true:
        return ""
    verdict = "the printed mean is among these"
    if printed > most:
        share = (most - true) / (printed - true)
        verdict = f"up to {share:.0%} of the difference, the rest is not explained"
    elif printed < least:
        verdict = "the printed mean is less"
    ends = {"least": in_steps(least), "most": in_steps(most)}
    return SHUFFLED.format(steps=what, verdict=verdict, **ends)
