"""`arithmax demo`: a minute of training, shown while it runs."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._show import percent, table
from ._studies import command, write_page


def demo(seeds: int = 25, steps: int = 50_000, out: Path = Path("runs")) -> int:
    """Train seven units on + − × ÷ with many seeds, and show how often each succeeds.

    Trained on [1, 2], tested on [2, 6]; about a minute on two processor cores.

    Args:
        seeds: how many seeds each.
        steps: how many steps each.
        out: a folder for the results and the page.
    """
    from rich.live import Live

    from ..results import Results
    from ..studies._evaluate import find
    from ..studies._registry import study
    from ..studies._run import reproduce as run

    shown = study("demo")
    rows: list[dict[str, Any]] = []
    with Live(rates(shown, [], seeds), refresh_per_second=4) as live:

        def watch(new: list[dict[str, Any]]) -> None:
            rows.extend(new)
            live.update(rates(shown, find(shown, Results(rows)), seeds))

        done = run(
            ["demo"], out=out, seeds=seeds, steps=steps, command=command(), watch=watch
        )
        live.update(rates(shown, done.evaluations[0].arm_runs, seeds))
    if done.interrupted:
        print("Interrupted. Run the same command again to go on.", file=sys.stderr)
        return 130
    print("Each unit is trained as its authors did; `arithmax studies` has the rest.")
    print(f"Wrote {write_page(done.evaluations, out / 'report.html').resolve()}")
    return 0


def rates(study: Any, arm_runs: Sequence[Any], seeds: int) -> Any:
    """Success rates of all arms: units down, operations across."""
    known = {
        tuple(f.arm.labels.values()): percent(f.summary.success)
        for f in arm_runs
        if f.summary
    }
    arms = [tuple(arm.labels.values()) for arm in study.arms]
    units, operations = (
        list(dict.fromkeys(names)) for names in zip(*arms, strict=True)
    )
    lines = [
        [unit]
        + [known.get((unit, o), "…" if (unit, o) in arms else "") for o in operations]
        for unit in units
    ]
    title = f"Solved, of {seeds} seeds, with 95 % intervals; [1, 2] → [2, 6]"
    return table(title, ["unit", *operations], lines)
