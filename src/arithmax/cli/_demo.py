"""`arithmax demo`: a minute of training, shown while it runs."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..training import bar_columns
from ._show import filled, percent, show, table
from ._studies import command, write_page

ADVICE = (
    "Rates depend on the range as much as on the unit: `arithmax leaderboard` shows "
    "them on nine ranges, and `arithmax studies` lists what else there is."
)
FOUND = (
    "A NAU before an NMU, and an MLP, were trained on samples of another function for "
    "inputs in {where}. What was read out of the weights of NAU and NMU ({said}):"
)


def demo(seeds: int = 25, steps: int = 50_000, out: Path = Path("runs")) -> int:
    """Train seven units on + − × ÷ with many seeds, and show how often each succeeds.

    Each is trained on [1, 2) and on [10, 20), and tested beyond; about a minute on two
    processor cores. A formula that a small network found comes last, beside an MLP.

    Args:
        seeds: how many seeds each.
        steps: how many steps each.
        out: a folder for the results and the page.
    """
    done, extra = _trained(seeds, steps, out)
    if done.interrupted:
        print("Interrupted. Run the same command again to go on.", file=sys.stderr)
        return 130
    _print_formula(extra, done.evaluations[0].results)
    print(filled(ADVICE))
    print(f"Wrote {write_page(done.evaluations, out / 'report.html').resolve()}")
    return 0


def _trained(seeds: int, steps: int, out: Path) -> tuple[Any, Sequence[Any]]:
    """The study and what is shown after it, as one fleet, with a bar from the start."""
    from rich.console import Group
    from rich.live import Live
    from rich.progress import Progress

    bar = Progress(*bar_columns())
    loading = bar.add_task("loading", total=None, rate="JAX and the rest")
    with Live(bar, refresh_per_second=8) as live:
        from ..results import Results
        from ..studies._evaluate import find
        from ..studies._registry import study
        from ..studies._run import reproduce
        from ._showcase import showcase_cells

        shown, rows = study("demo"), []

        def watch(new: list[dict[str, Any]]) -> None:
            bar.update(loading, visible=False)
            rows.extend(new)
            live.update(Group(rates(shown, find(shown, Results(rows)), seeds), bar))

        watch([])
        extra = showcase_cells(steps)
        options = {"seeds": seeds, "steps": steps, "command": command()}
        options |= {"progress": bar, "watch": watch, "beside": extra}
        done = reproduce(["demo"], out=out, **options)
        live.update(rates(shown, done.evaluations[0].arm_runs, seeds))
    return done, extra


def rates(study: Any, arm_runs: Sequence[Any], seeds: int) -> Any:
    """Success rates of all arms: units and ranges down, operations across."""
    known = {
        tuple(f.arm.labels.values()): percent(f.summary.success)
        for f in arm_runs
        if f.summary
    }
    arms = [tuple(arm.labels.values()) for arm in study.arms]
    operations = list(dict.fromkeys(operation for _, operation, _ in arms))
    lines = [
        [unit, where] + [_cell((unit, sign, where), known, arms) for sign in operations]
        for unit, where in dict.fromkeys((unit, where) for unit, _, where in arms)
    ]
    above = ["", *(line[0] for line in lines[:-1])]
    for line, unit in zip(lines, above, strict=True):
        line[0] = "" if line[0] == unit else line[0]
    title = f"Solved, of {seeds} seeds, with 95 % intervals"
    return table(title, ["unit", "trained on", *operations], lines, keys=2)


def _cell(arm: tuple, known: Mapping[tuple, str], arms: Sequence[tuple]) -> str:
    """The rate of an arm; dots as long as it is trained."""
    return known.get(arm, "…") if arm in arms else ""


def _print_formula(trained: Sequence[Any], results: Any) -> None:
    """What a network found, and how far it and an MLP are off."""
    from .._extras import remedy
    from ._showcase import MLP, TASK, showcase

    try:
        found = showcase(trained, results)
    except ImportError as error:
        print(filled(f"A formula would stand here: {remedy(error) or error}"))
        return
    reading = found.reading
    print()
    if not reading.verified:
        print(filled(f"No formula was found in so few steps: {reading}."))
        return
    print(filled(FOUND.format(where=_range(TASK.interpolation), said=reading.verdict)))
    print(f"\n    y = {reading.formula}")
    rows = [
        [_range(where), *(f"{100 * error:.2g}%" for error in errors)]
        for where, errors in found.errors.items()
    ]
    names = ["inputs in", "formula", f"MLP with {MLP.hidden[0]} hidden units"]
    show(table("Mean error, as a share of the right answer", names, rows))
    print()


def _range(ends: Any) -> str:
    low, high = ends
    return f"[{low:g}, {high:g})"
