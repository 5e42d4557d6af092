"""`arithmax discover FILE --target COLUMN`: from a table to a formula."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import tyro

from .._checks import WORD, check_number, check_whole
from ._discovery_files import write_discovery
from ._discovery_sure import json_of_sure, sure_of_table
from ._discovery_text import as_json, print_discovery
from ._given_table import GivenTable, given_table
from ._show import print_json
from ._studies import command

LEVEL = 0.95  # of intervals
FOUND, NOT_FOUND, INTERRUPTED = 0, 1, 130
File = Annotated[
    Path,
    tyro.conf.Positional,
    tyro.conf.arg(
        metavar="FILE",
        help="The table: a CSV file whose first line names the columns, or Parquet.",
    ),
]
Columns = Annotated[tuple[str, ...], tyro.conf.arg(metavar="COLUMN ...")]
Units = Annotated[tuple[str, ...], tyro.conf.arg(metavar="COLUMN=UNIT ...")]


def discover(
    file: File,
    /,
    target: str,
    features: Columns = (),
    units: Units = (),
    hold_out: str | None = None,
    seed: int = 0,
    candidates: int | None = None,
    max_seconds: float | None = None,
    uncertainty: bool = False,
    uncertainty_level: float | None = None,
    delimiter: str = ",",
    out: Path | None = None,
    json: bool = False,
    quiet: bool = False,
) -> int:
    """Find the formula of a column, and verify it on rows that it has not seen.

    Exit status: 0 if a formula was verified, 1 if none was found (the best one is
    shown even so), 2 if the table cannot be used, 130 if interrupted.

    Args:
        target: the column to be explained.
        features: the columns to explain it with; all others if not given.
        units: the unit of every column and of the target, such as `v=m/s`; `v=1` has
            none. Formulas that are right in their dimensions are then tried first.
        hold_out: rows outside, as a condition such as "x > 5 and y <= 2", or `auto` for
            the outermost tenth. They fit nothing and decide nothing: the error on them
            is measured.
        seed: what random numbers are made of; the same seed finds the same formula.
        candidates: how many candidates are judged at most.
        max_seconds: when to stop even so; where a search stopped is told.
        uncertainty: show how sure the formula is: an interval for each constant, the
            probability that each column matters, and the evidence of its rivals.
        uncertainty_level: the share of the posterior inside intervals; 0.95 if not
            given.
        delimiter: what stands between two values of a CSV file.
        out: a new folder for a self-contained page, and for the formula as JSON, as a
            Python module and in LaTeX.
        json: print JSON for scripts.
        quiet: show no progress.
    """
    check_whole("seed", seed, 0, WORD)
    level = _level(uncertainty, uncertainty_level)
    given = given_table(file, target, features, hold_out, units, delimiter)
    search = _search(candidates, max_seconds, given)
    folder = None if out is None else _new_folder(out)
    found, interrupted = _searched(given, seed, search, show=not (quiet or json))
    told = _account(found, given, seed)
    sure = None if level is None else sure_of_table(told, given.x, given.y, level)
    # Files come first: whoever reads what is printed may close the pipe.
    lines = [] if folder is None else write_discovery(folder, told, command(), sure)
    if json:
        print_json(as_json(told, hold_out, seed) | json_of_sure(sure), indent=2)
    else:
        print_discovery(told, sure)
    for line in lines:
        print(line, file=sys.stderr if json else sys.stdout)
    if interrupted:
        return INTERRUPTED
    return FOUND if found.best.verified else NOT_FOUND


def _level(uncertainty: bool, level: float | None) -> float | None:
    """The level of intervals; None if none are asked for."""
    if level is None:
        return LEVEL if uncertainty else None
    if not uncertainty:
        raise ValueError(
            f"`uncertainty_level` (={level}) must come with `--uncertainty`, which "
            "asks for intervals."
        )
    if not 0 < check_number("uncertainty_level", level, None) < 1:
        raise ValueError(
            f"`uncertainty_level` (={level}) must lie between 0 and 1, such as {LEVEL}."
        )
    return float(level)


def _search(candidates: int | None, max_seconds: float | None, given: GivenTable):
    from ..discover import Search

    options: dict[str, Any] = {}
    if candidates is not None:
        check_whole("candidates", candidates, 1)
        options["candidates"] = candidates
    if max_seconds is not None:
        options["max_seconds"] = check_number("max_seconds", max_seconds)
    if given.units is not None:
        options["units"] = given.units
    return Search(**options)


def _account(found: Any, given: GivenTable, seed: int) -> Any:
    from ..discover import account

    return account(
        found,
        given.x,
        given.y,
        target=given.target,
        outside=given.outside,
        condition=given.condition,
        seed=seed,
    )


def _searched(
    given: GivenTable, seed: int, search: Any, show: bool
) -> tuple[Any, bool]:
    """What was found, and whether somebody interrupted the search."""
    from ..discover import Discovery
    from ..discover import discover as run

    reached: list[Any] = []

    def watch(stage: str, at: int, stages: int, count: int, best: Any) -> None:
        reached[:] = [best] if best is not None else []
        advance(stage, at, stages, count, best)

    options = {"names": given.names, "seed": seed, "search": search}
    with _progress(show) as advance:
        try:
            found = run(
                given.x, given.y, outside=given.outside, progress=watch, **options
            )
            return found, False
        except KeyboardInterrupt:
            if not reached:
                raise
    best = reached[0]
    return Discovery(best, (best,), (), "it was interrupted"), True


@contextmanager
def _progress(show: bool) -> Iterator[Callable[..., None]]:
    """A line that says which stage runs, and what the best formula is."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True)
    if not show or not console.is_terminal:
        yield lambda *state: None
        return
    columns = TextColumn("{task.fields[stage]}"), BarColumn(20)
    counted = TextColumn("{task.fields[candidates]} candidates")
    best_one = TextColumn("{task.fields[best]}", markup=False)
    with Progress(*columns, counted, best_one, console=console, transient=True) as bar:
        task = bar.add_task("", total=1, stage="", candidates=0, best="")

        def advance(stage: str, at: int, stages: int, count: int, best: Any) -> None:
            text = "" if best is None else f"{100 * best.held_out_error:.2g} % off"
            state = {"stage": stage, "candidates": count, "best": text}
            bar.update(task, completed=at, total=stages, **state)

        yield advance


def _new_folder(out: Path) -> Path:
    """A folder that holds nothing yet: results are never overwritten in silence."""
    from .._files import folder_of, writable

    folder = folder_of("out", out)
    if folder.is_dir() and any(folder.iterdir()):
        raise FileExistsError(
            f"`out` (={out}) is there already and holds files. Name a new folder, or "
            "remove that one."
        )
    return writable("out", out)
