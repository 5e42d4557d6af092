"""`arithmax benchmark` and `arithmax leaderboard`."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from .._checks import check_whole
from ._criterion import NAMES, Criterion
from ._own_parts import given_optimiser
from ._show import (
    filled,
    page_file,
    percent,
    print_json,
    print_notes,
    report_extra,
    show,
    table,
    write_text,
)
from ._where import Address, ClusterDevice, Kernel, engine_options

Given = Annotated[
    str,
    tyro.conf.Positional,
    tyro.conf.arg(metavar="FILE.py:NAME", help="The file of the unit, and its name."),
]
Runs = Annotated[
    Path | None,
    tyro.conf.Positional,
    tyro.conf.arg(
        metavar="[DIR]",
        help="The folder of the runs; if not given, the "
        "summary that comes with the package.",
    ),
]
Operation = Literal["add", "sub", "mul", "div"]


def benchmark(
    unit: Given,
    /,
    seeds: int | None = None,
    steps: int | None = None,
    operations: tuple[Operation, ...] = (),
    optimiser: str | None = None,
    recipe: bool = False,
    criterion: Criterion = "eps-1e-4",
    quick: bool = False,
    out: Path | None = None,
    page: Path | None = None,
    cluster: Address = None,
    cluster_device: ClusterDevice | None = None,
    kernel: Kernel = "on",
    json: bool = False,
    quiet: bool = False,
) -> int:
    """Run a unit of your own through the benchmark, and print its place.

    It is trained on the single module task (two inputs) and on the same task among ten
    inputs, for each of + − × ÷ that it can represent, and compared with the published
    units. Its optional `recipe` sets learning rate, penalty and the like.

    Args:
        unit: a Python file and the name in it of a unit: a class or an instance.
        seeds: how many seeds each cell has; 25 if not given.
        steps: how many steps each run has at most.
        operations: which operations; all that it can represent if not given.
        optimiser: an optimiser by name, or one of your own, `my_optimiser.py:NAME`: a
            transformation of optax or a function that returns one; the recipe's if not
            given.
        recipe: train by the one recipe, `Protocol.recipe()`, instead of the unit's own.
        criterion: when a run counts as solved in the tables; `rounded` asks whether the
            nearest discrete weights are exact. `--json` has all of them.
        quick: a first look: five seeds, and two inputs only.
        out: the folder of its runs; one for each version of the file if not given. The
            same command goes on where one stopped.
        page: a file for the leaderboard with the unit in it, as one HTML page.
        cluster: train on a cluster of Ray instead of this machine: `auto` for the one
            that this machine is in, or its address.
        cluster_device: what the cluster trains on; accelerators if it has any, if not
            given.
        kernel: whether a GPU trains by a kernel, where the network can be one.
        json: print JSON for scripts.
        quiet: show no progress bar.
    """
    from ..benchmark import QUICK, STUDIES, free_name, shipped, user_unit
    from ..benchmark import benchmark as run

    for name, count in (("seeds", seeds), ("steps", steps)):
        if count is not None:
            check_whole(name, count, 1)
    user, stored = user_unit(unit), shipped()
    user = replace(user, name=free_name(user.name, stored))
    if recipe and optimiser is not None:
        raise ValueError(
            f"`recipe` (=True) has an optimiser; leave out `optimiser` (={optimiser})."
        )
    if recipe:
        user = user.by_one_recipe()
    if optimiser is not None:
        user = user.trained_by(given_optimiser(optimiser))
    home = (
        out or Path("runs") / f"benchmark-{type(user.unit).__name__}-{user.digest[:8]}"
    )
    done = run(
        user,
        out=home,
        seeds=seeds or (QUICK if quick else None),
        steps=steps,
        operations=operations,
        studies=list(STUDIES)[:1] if quick else list(STUDIES),
        progress=not quiet and not json,
        **engine_options(cluster, cluster_device, kernel),
    )
    if json:
        print_json(places_as_json(done, stored))
    else:
        print_places(done, stored, NAMES[criterion])
    if page is not None:
        write_leaderboard(done.among(stored), page, user.name)
        print(f"Wrote {page}", file=sys.stderr)
    if done.interrupted:
        print(
            f"Interrupted. Run the same command again to go on: {home}.",
            file=sys.stderr,
        )
        return 130
    return 0


METHOD = (
    "Rates are over all ranges that both units have. A seed starts alike on every "
    "range, and intervals allow for seeds that fail together. A difference (yours "
    "minus theirs, in points of percent) counts as better or worse where a paired "
    "permutation test over seeds, corrected by Holm's method for all comparisons "
    "above, has p < 0.05; `--json` prints each p."
)
WORDS = {"yours is better": "better", "yours is worse": "worse"}
LONGEST = 21  # signs of a unit's name in a line of 80


def print_places(done: Any, stored: Sequence[Any], criterion: str = "") -> None:
    """The unit's place on each operation, and its failures."""
    places = done.places(stored, criterion)
    for place in places:
        notes: list[str] = []
        show(standing_table(done.user.name, place, notes))
        print_notes(notes)
    for board in done.boards:
        counts = board.counts(done.user.name)
        rows = [[failure, str(n)] for failure, n in counts.items()]
        if rows:
            show(table(f"{board.name}: unsolved seeds", ["failure", "seeds"], rows))
    _print_remarks(done, bool(places), any(place.rivals for place in places))


def _print_remarks(done: Any, placed: bool, compared: bool) -> None:
    """How to read the tables, and what the runs were short of."""
    print()
    if placed:
        said = METHOD if compared else "There are no stored runs to compare with."
        print(filled(said))
    if done.reduced:
        print(filled(f"Reduced: {done.reduced}."))
    if done.shorter and compared:
        print("Its runs were shorter than the stored ones: its place says little.")


def standing_table(name: str, place: Any, notes: list[str]) -> Any:
    """All units on one operation, one's own among them, one line each."""
    rows = [_rival(rival, place, notes) for rival in place.rivals]
    short = name if len(name) <= LONGEST else "yours"
    first = [f"▶ {short}", percent(place.score.success), _step(place.score), "", ""]
    rows.insert(place.place - 1, first)
    numbered = [[str(i), *row] for i, row in enumerate(rows, start=1)]
    title = f"{name} on {place.board}, {place.operation}, {place.criterion}: place "
    title += f"{place.place} of {len(rows)}"
    names = ["", "unit", "solved", "step", "difference, %", "yours is"]
    return table(title, names, numbered, keys=2)


def _rival(rival: Any, place: Any, notes: list[str]) -> list[str]:
    """A published unit: its rate, and how far yours is from it."""
    gap = rival.difference
    ends = f"{100 * gap.value:+.0f} [{100 * gap.low:+.0f},{100 * gap.high:+.0f}]"
    word = WORDS.get(rival.verdict, "unclear")
    yours, all_yours = rival.yours, place.score
    if yours.solved * all_yours.seeds != all_yours.solved * yours.seeds:
        share = f"{100 * yours.success.value:.0f}%"
        notes.append(f"on the ranges that {rival.unit} has, yours solves {share}")
        word += f" [{len(notes)}]"
    return [rival.unit, percent(rival.score.success), _step(rival.score), ends, word]


def _step(score: Any) -> str:
    return "—" if score.step is None else f"{score.step:,.0f}"


def places_as_json(done: Any, stored: Sequence[Any]) -> dict[str, Any]:
    """Everything, for scripts."""
    criteria = done.boards[0].criteria if done.boards else []
    return {
        "unit": done.user.name,
        "configuration": repr(done.user.unit),
        "reduced": done.reduced,
        "interrupted": done.interrupted,
        "places": [
            _place(place) for name in criteria for place in done.places(stored, name)
        ],
        "ranges": [
            {
                "study": board.name,
                "operation": operation,
                "range": where,
                "criterion": criterion,
                **_score(score),
                "failures": board.failures.get((unit, operation, where), {}),
            }
            for board in done.boards
            for (unit, operation, where, criterion), score in board.scores.items()
        ],
    }


def _place(place: Any) -> dict[str, Any]:
    return {
        "study": place.board,
        "operation": place.operation,
        "criterion": place.criterion,
        "place": place.place,
        "of": len(place.rivals) + 1,
        **_score(place.score),
        "against": [
            {
                "unit": a.unit,
                **_score(a.score),
                "yours": [a.yours.solved, a.yours.seeds],
                "difference": [a.difference.value, a.difference.low, a.difference.high],
                "p": a.chance,
                "verdict": a.verdict,
            }
            for a in place.rivals
        ],
    }


def _score(score: Any) -> dict[str, Any]:
    rate = score.success
    return {
        "solved": score.solved,
        "seeds": score.seeds,
        "success": [rate.value, rate.low, rate.high],
        "step": score.step,
        "sparsity": score.sparsity,
    }


def leaderboard(
    folder: Runs = None,
    /,
    out: Path | None = None,
    open: bool = False,
    summary: Path | None = None,
) -> None:
    """Write the leaderboard of all units as one self-contained HTML page.

    Args:
        folder: a folder with runs of the studies single-module or redundancy.
        out: the file, or a folder for `leaderboard.html`; that of the runs, or this
            one, if not given.
        open: open it in a browser.
        summary: write its numbers as JSON instead, as the package brings them along.
    """
    from ..benchmark import shipped

    if folder is None:
        boards = shipped()
    else:
        boards = _stored(folder)
    if summary is not None:
        from ..benchmark import summary as written

        write_text(summary, written(boards))
        print(f"Wrote {summary}")
        return
    to = page_file(out or folder or Path(), "leaderboard.html")
    write_leaderboard(boards, to)
    print(f"Wrote {to}")
    if open:
        import webbrowser

        webbrowser.open(to.resolve().as_uri())


def _stored(folder: Path) -> list[Any]:
    from .._files import folder_of
    from ..benchmark import boards

    if not folder_of("folder", folder).is_dir():
        raise FileNotFoundError(f"`folder` (={folder}) does not exist. Check the path.")
    if not (stored := boards(folder)):
        raise ValueError(
            f"`folder` (={folder}) has no runs of the studies single-module or "
            f"redundancy. Run `arithmax reproduce single-module --out {folder}` first."
        )
    return stored


def write_leaderboard(boards: Sequence[Any], to: Path, highlighted: str = "") -> None:
    """The page as a file."""
    with report_extra():
        from ..report._leaderboard import leaderboard as document
    write_text(to, document(boards, highlighted))
