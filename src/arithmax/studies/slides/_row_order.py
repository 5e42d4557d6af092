"""Steps that the NAU/NMU paper read from rows out of order, and why means differ.

`benchmarks/row_order.py` simulates it and writes `row-order.json`.
"""

from collections.abc import Sequence
from typing import Any

from ...statistics import Interval, Range
from .._published import figures_file, row_with
from ._figures import Remark


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


def shuffled(
    printed: Sequence[float],
    row: dict[str, Any],
    true: float,
    what: str,
    more: str = "",
) -> Remark:
    """Why a printed mean is not that of its runs, or how much of it is explained.

    It is the `reason` if the simulation reaches the printed interval, and otherwise
    what was `tried`. Nothing is said where the simulation moves no steps.

    Args:
        printed: the mean and its interval.
        row: what was simulated.
        true: the mean of the steps that were put in.
        what: the name of these steps.
        more: what else is said.
    """
    least, _, most = row["simulated"]
    if most < 1.05 * true:
        return {}
    text = SHUFFLED.format(
        steps=what,
        verdict=_verdict(printed, least, most, true),
        least=in_steps(least),
        most=in_steps(most),
    )
    text += more
    _, low, high = printed
    return {"reason": text} if low <= most and least <= high else {"tried": text}


def _verdict(printed: Sequence[float], least: float, most: float, true: float) -> str:
    """Where a printed mean is, beside the simulated ones."""
    mean, low, high = printed
    if least <= mean <= most:
        return "the printed mean is among these"
    if low <= most and least <= high:
        return "the printed interval reaches into these"
    if mean < least:
        return "the printed mean is less"
    share = (most - true) / (mean - true)
    return f"up to {share:.0%} of the difference, the rest is not explained"
