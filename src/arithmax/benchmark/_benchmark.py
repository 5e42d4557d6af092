"""A unit of one's own among the published ones: the runs, and its place.

It is trained on the single module task and, among ten inputs, on the same task with
redundancy; its success is compared with that of the stored runs.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .._files import writable, write_whole
from ..results import Results, read
from ..statistics import Interval
from ..studies import Arm, Study, Trained, find
from ..studies._outcomes import common
from ..studies.primer import RANGES, SEEDS, can, labels, tables, task
from ..training import Cell, published
from ._differences import chance, holm, newcombe, paired_chance, paired_difference
from ._leaderboard import Board, Score, from_tables, pooled, rank
from ._user_unit import UserUnit

STUDIES = {"single-module": 2, "redundancy": 10}  # and how many inputs they have
RECORD = "benchmark.json"
LEVEL = 0.05  # of the corrected probability, below which a difference is significant
QUICK = 5  # seeds of a first look


@dataclass(frozen=True)
class Rival:
    """A published unit beside one's own, on the runs that both have.

    `yours` and `score` are of the same ranges and seeds, and `difference` is that of
    their rates.
    """

    unit: str
    yours: Score
    score: Score
    difference: Interval
    chance: float  # corrected

    @property
    def verdict(self) -> str:
        """Which is better, if that is significant."""
        if self.chance >= LEVEL:
            return "no significant difference"
        return "yours is better" if self.difference.value > 0 else "yours is worse"


@dataclass(frozen=True)
class Place:
    """The place of one's own unit on one operation."""

    board: str
    operation: str
    criterion: str
    score: Score
    rivals: tuple[Rival, ...]

    @property
    def place(self) -> int:
        """1 is the best."""
        return 1 + sum(rank(a.score) < rank(a.yours) for a in self.rivals)


@dataclass(frozen=True)
class Benchmark:
    """What `benchmark` gives."""

    user: UserUnit
    boards: list[Board]
    reduced: str
    shorter: bool
    interrupted: bool

    def places(self, stored: Sequence[Board], criterion: str = "") -> list[Place]:
        """The unit's places among stored units; by the first criterion if none."""
        listed = []
        for board in self.boards:
            other = counterpart(board, stored)
            for operation in board.operations:
                wanted = criterion or board.criteria[0]
                listed.append(_place(board, other, self.user.name, operation, wanted))
        return _corrected(listed)

    def among(self, stored: Sequence[Board]) -> list[Board]:
        """The stored boards with the unit's own scores in them."""
        return [_merged(board, counterpart(board, stored)) for board in self.boards]


def arms(user: UserUnit, name: str, operations: Sequence[str]) -> list[Arm]:
    """The unit's arms of one of `STUDIES`: those that it can represent."""
    size = STUDIES[name]
    return [
        Arm(labels(user.name, operation, where), _cell(user, operation, where, size))
        for operation in operations
        if can(user.unit, operation, size)
        for where in RANGES
    ]


def _cell(user: UserUnit, operation: str, where: str, size: int) -> Cell:
    on = task(operation, where, size)
    network, protocol = published(user.unit, on, **user.recipe(on))
    return Cell(network, on, protocol, tuple(range(SEEDS)))


def benchmark(
    user: UserUnit,
    *,
    out: Path,
    seeds: int | None = None,
    steps: int | None = None,
    operations: Sequence[str] = (),
    studies: Sequence[str] = tuple(STUDIES),
    **options: Any,
) -> Benchmark:
    """Train a unit on the benchmark's tasks, and count what it solved.

    Args:
        user: the unit.
        out: the folder of its runs; what is there is not trained again.
        seeds: how many seeds each cell has, 25 if None.
        steps: how many steps each run has at most.
        operations: which operations, of those that it can represent; all if none.
        studies: which of `STUDIES`.
        options: those of `arithmax.train_cells`, such as `progress`.

    Returns:
        Its scores and failures.
    """
    from ..training import train_cells

    chosen = [op for op in user.operations if not operations or op in operations]
    if not chosen:
        able = ", ".join(user.operations)
        raise ValueError(
            f"`operations` (={' '.join(operations)}) must name some of those that "
            f"{user.name} can represent: {able}."
        )
    made = {name: arms(user, name, chosen) for name in studies}
    full = [arm.cell for listed in made.values() for arm in listed]
    made = {n: [a.reduced(seeds, steps) for a in listed] for n, listed in made.items()}
    cells = [arm.cell for listed in made.values() for arm in listed]
    out = writable("out", out)
    claim_folder(user, out)
    interrupted = train_cells(cells, out=out, **options).interrupted
    results = read(out)
    boards = [
        board
        for name, listed in made.items()
        if listed
        for board in _boards(name, listed, results)
    ]
    longest = max(cell.protocol.steps for cell in full)
    shorter = steps is not None and steps < longest
    left_out = [f"{seeds} of {SEEDS} seeds"] if seeds and seeds < SEEDS else []
    left_out += [f"{steps:,} of up to {longest:,} steps"] if shorter else []
    return Benchmark(user, boards, ", ".join(left_out), shorter, interrupted)


def _boards(name: str, listed: list[Arm], results: Results) -> list[Board]:
    study = Study(f"own-{name}", name, "", "", tuple(listed))
    trained = Trained(study, find(study, results), results)
    if not any(f.rows for f in trained.arm_runs):
        return []  # stopped before any was finished
    return from_tables(name, tables(trained))


def claim_folder(user: UserUnit, out: Path) -> None:
    """A folder is one version of one unit: runs of another are not mixed with it."""
    path = out / RECORD
    if path.exists():
        try:
            known = dict(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError):
            raise ValueError(
                f"{path} cannot be read. Delete it with its folder, or choose another."
            ) from None
        if known.get("digest") != user.digest:
            raise ValueError(
                f"`out` (={out}) has runs of {known.get('unit')} as its file was "
                "before. Choose another folder, or delete this one."
            )
        return
    if out.is_dir() and any(out.glob("*.rows.parquet")):
        raise ValueError(
            f"`out` (={out}) has runs of something else. Choose another folder."
        )
    text = json.dumps({"unit": repr(user.unit), "digest": user.digest})
    write_whole(path, lambda p: p.write_text(text + "\n", encoding="utf-8"))


def counterpart(board: Board, stored: Sequence[Board]) -> Board | None:
    """The stored board of the same study; of several, the one with most units."""
    same = [b for b in stored if b.name.split(" ")[0] == board.name]
    return max(same, key=lambda b: len(b.units), default=None)


def _place(
    board: Board, other: Board | None, name: str, operation: str, criterion: str
) -> Place:
    score = board.score(name, operation, criterion)
    assert score is not None
    rivals = []
    for unit in other.units if other else ():
        # Ranges that both have, and seeds.
        both = [
            pair
            for r in board.ranges
            if other
            and (yours := board.scores.get((name, operation, r, criterion)))
            and (theirs := other.scores.get((unit, operation, r, criterion)))
            and (pair := in_common(yours, theirs))[0].seeds
        ]
        if both:
            yours, theirs = (pooled(side) for side in zip(*both, strict=True))
            assert yours and theirs
            rivals.append(Rival(unit, yours, theirs, *compare_scores(yours, theirs)))
    rivals.sort(key=lambda a: rank(a.score))
    return Place(board.name, operation, criterion, score, tuple(rivals))


def in_common(one: Score, other: Score) -> tuple[Score, Score]:
    """Two scores on a range, of the seeds that both have, where these are known."""
    if not (one.outcomes and other.outcomes):
        return replace(one, outcomes=()), replace(other, outcomes=())
    first, second = common(*one.outcomes, *other.outcomes)
    return _of_seeds(one, first), _of_seeds(other, second)


def _of_seeds(score: Score, outcomes: str) -> Score:
    solved = outcomes.count("1")
    seeds = solved + outcomes.count("0")
    if seeds < score.seeds:  # means of other seeds are not theirs
        score = replace(score, step=None, sparsity=None)
    return replace(score, seeds=seeds, solved=solved, outcomes=(outcomes,))


def compare_scores(one: Score, other: Score) -> tuple[Interval, float]:
    """The difference of two rates on the same runs, and the chance of it."""
    if one.outcomes and other.outcomes:
        pair = one.outcomes, other.outcomes
        return paired_difference(*pair), paired_chance(*pair)
    # Which seeds were solved is not known: each counts as one run.
    return newcombe(one.success, other.success), chance(one.counts, other.counts)


def _corrected(places: list[Place]) -> list[Place]:
    """All comparisons of a benchmark corrected together, by Holm's method."""
    corrected = iter(holm([a.chance for p in places for a in p.rivals]))
    return [
        replace(p, rivals=tuple(replace(a, chance=next(corrected)) for a in p.rivals))
        for p in places
    ]


def _merged(board: Board, other: Board | None) -> Board:
    if other is None:
        return board
    return replace(
        other,
        scores={**other.scores, **board.scores},
        failures={**other.failures, **board.failures},
    )


def free_name(name: str, boards: Sequence[Board]) -> str:
    """A name that no stored unit has."""
    taken = {unit for board in boards for unit in board.units}
    return f"{name} (yours)" if name in taken else name
