"""`arithmax train TASK`: many seeds of one setting, or of a grid of them."""

import sys
from typing import Any

from ..training import Cell
from ._comparisons import figure_text, median_text
from ._order import HELP, Arguments, Order, ended, seeds_of
from ._order import order as order
from ._show import first_line, percent, show, table
from ._task_options import tasks_by_name

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
    from ..results import to_json
    from ..training import train_cells

    run = order.run
    cell = Cell(order.network, order.task, order.protocol, seeds_of(run))
    results = train_cells([cell], out=run.out, progress=not run.quiet and not run.json)
    if run.json:
        print(to_json(results.summaries()))
    else:
        show(summary_table(results, f"{order.network} on {order.task}"))
    return ended(results, run)


def summary_table(results: Any, title: str) -> Any:
    """Rates, steps and sparsity of each cell."""
    rows = []
    for s in results.summaries():
        rows.append(
            [
                f"{s.solved} of {s.total}",
                percent(s.success),
                median_text(s),
                figure_text(s.solved_at) if s.solved_at else "—",
                figure_text(s.sparsity) if s.sparsity else "—",
            ]
        )
    columns = ["solved", "success", "median step", "mean step", "sparsity error"]
    return table(title, columns, rows)
