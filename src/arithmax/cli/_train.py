"""`arithmax train TASK`: many seeds of one setting, or of a grid of them."""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from .._json import dumps
from ..training import Cell
from ._comparisons import figure_text, median_text
from ._order import HELP, Arguments, Order, ended, seeds_of
from ._order import order as order
from ._show import first_line, percent, show, table
from ._task_options import tasks_by_name
from ._where import engine_options

MEASURED = ("interpolation", "extrapolation")
COLUMNS = 5  # of what a task measures besides: more do not fit into 80 characters
EXAMPLE = "arithmax train single-module --unit nmu --operation mul"


def train(arguments: list[str]) -> int:
    """Train as the arguments after `train` say, print a summary; 130 if interrupted."""
    if not arguments or arguments[0] in HELP:
        print(overview(), file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    if arguments[0].startswith("-"):
        raise ValueError(_misplaced(arguments))
    reading = Arguments(arguments[0], arguments[1:])
    if reading.first.sweep and not reading.wants_help:
        from ._sweep import train_swept

        return train_swept(reading)
    return _trained(reading.order())


def overview() -> str:
    """All tasks, each with a sentence."""
    named = tasks_by_name()
    wide = max(map(len, named))
    lines = [f"  {name:{wide}}  {first_line(cls)}" for name, cls in named.items()]
    return "\n".join(
        [
            "usage: arithmax train TASK [OPTIONS]",
            "",
            "Train a unit on a task with many seeds, as its authors did if no other",
            "settings are given. The tasks are",
            "",
            *lines,
            "",
            "or one of your own, such as `my_task.py:MyTask`.",
            "",
            "`arithmax train TASK --help` shows the options of a task and the settings",
            f"that will be used. An example: `{EXAMPLE}`.",
        ]
    )


def _misplaced(arguments: list[str]) -> str:
    """What to say where the task does not come first."""
    words = [word for argument in arguments for word in argument.split("=", 1)]
    place = words.index("--task") + 1 if "--task" in words else len(words)
    first = f"`task` (={words[place]!r})" if place < len(words) else "`task`"
    names = ", ".join(tasks_by_name())
    return (
        f"{first} must be the first argument, without `--task`, as in `{EXAMPLE}`. It "
        f"is one of {names}."
    )


def _trained(order: Order) -> int:
    from ..training import train_cells

    run = order.run
    cell = Cell(order.network, order.task, order.protocol, seeds_of(run))
    results = train_cells(
        [cell],
        out=run.out,
        progress=not run.quiet and not run.json,
        **engine_options(run.cluster, run.cluster_device, run.kernel),
    )
    errors = median_errors(results.rows)
    if run.json:
        summaries = [asdict(s) | {"errors": errors} for s in results.summaries()]
        print(dumps(summaries, indent=2))
    else:
        show(summary_table(results, f"{order.network} on {order.task}"))
        if len(errors) > len(MEASURED):
            show(errors_table(errors))
    return ended(results, run)


def summary_table(results: Any, title: str) -> Any:
    """Rates, steps and sparsity of each cell."""
    rows = []
    for s in results.summaries():
        rows.append(
            [
                f"{s.solved} of {s.total}",
                percent(s.success),
                percent(s.rounded) if s.rounded else "—",
                median_text(s),
                figure_text(s.solved_at) if s.solved_at else "—",
                figure_text(s.sparsity) if s.sparsity else "—",
            ]
        )
    columns = ["solved", "success", "rounded", "median step", "mean step"]
    return table(title, [*columns, "sparsity error"], rows)


def median_errors(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """What was measured of runs at their best steps: the median of the seeds."""
    from ..training import further_names

    names = (*MEASURED, *further_names(rows[0])) if rows else ()
    return {name: median(_sortable(row[name]) for row in rows) for name in names}


def _sortable(error: float) -> float:
    """An error, infinite where it is not a number: of a run that diverged."""
    return math.inf if math.isnan(error) else error


def errors_table(errors: Mapping[str, float]) -> Any:
    """The error on held-out rows, and some of what the task measures besides."""
    _, _, *further = errors
    kind = further[0].rpartition("_")[0]
    alike = [name for name in further if name.rpartition("_")[0] == kind]
    last = min(COLUMNS, len(alike)) - 1
    spread = [alike[i * (len(alike) - 1) // max(last, 1)] for i in range(last + 1)]
    columns = ["held out", *(name.replace("_", " ") for name in spread)]
    values = [figure_text(errors[name]) for name in ("interpolation", *spread)]
    return table("Errors at the best step, median of the seeds", columns, [values])
