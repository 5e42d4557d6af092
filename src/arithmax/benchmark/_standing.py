"""What the leaderboard shows for one choice of task, criterion, operation and range.

Everything that can be chosen on its page is computed here: scores in their order, who
leads, and how often each kind of failure occurred.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..studies._failures import Failure, kind
from ._leaderboard import Board, Score


@dataclass(frozen=True)
class Standing:
    """Units in their order under one choice.

    Args:
        scores: the score of each unit that has runs, the best first.
        able: which operations each unit can do, where these are pooled: units that can
            do the same stand together, and only these are compared.
    """

    scores: Mapping[str, Score]
    able: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def groups(self) -> dict[tuple[str, ...], "Standing"]:
        """The units that are compared with each other, by what they can do."""
        groups: dict[tuple[str, ...], dict[str, Score]] = {}
        for unit, score in self.scores.items():
            groups.setdefault(self.able.get(unit, ()), {})[unit] = score
        return {able: Standing(scores) for able, scores in groups.items()}

    @property
    def places(self) -> dict[str, int]:
        """The place of each unit in its group, from 1."""
        return {
            unit: place
            for group in self.groups.values()
            for place, unit in enumerate(group.scores, start=1)
        }

    @property
    def leaders(self) -> list[str]:
        """The units of the first group that no other exceeds.

        Rates are compared as counts, unrounded.
        """
        first = next(iter(self.groups.values()), Standing({})).scores
        best = next(iter(first.values()), None)
        return [
            unit
            for unit, score in first.items()
            if best and score.solved * best.seeds == best.solved * score.seeds
        ]


def standing(
    board: Board, criterion: str, operation: str = "", where: str = ""
) -> Standing:
    """The standing of a board's units under one choice.

    Args:
        board: the board.
        criterion: when a run counts as solved.
        operation: the operation; all that a unit can represent if it is empty.
        where: the range; all of them, pooled with each seed counted once, if empty.

    Returns:
        The standing; without scores where no unit has such runs.
    """
    scores = dict(board.standing(criterion, operation, where))
    return Standing(scores, {} if operation else {u: board.able(u) for u in scores})


def failures_of(boards: Iterable[Board], unit: str) -> dict[Failure, int]:
    """How many seeds of a unit have which kind of failure, the commonest first.

    Args:
        boards: the boards that are counted.
        unit: the name of the unit.

    Returns:
        Seeds by kind of failure; empty where all were solved.
    """
    counts: dict[Failure, int] = {}
    for board in boards:
        for sentence, seeds in board.counts(unit).items():
            counts[kind(sentence)] = counts.get(kind(sentence), 0) + seeds
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def choices(board: Board) -> Sequence[tuple[str, str]]:
    """Every criterion with every operation, and with all operations together."""
    return [(c, o) for c in board.criteria for o in ("", *board.operations)]
