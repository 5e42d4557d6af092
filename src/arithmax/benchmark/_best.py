"""Which unit is best for an operation, and under which conditions.

A rate holds for a number of inputs, the ranges that were trained on and a criterion of
success. A unit is compared with those alone that can do the same operation; those whose
intervals overlap that of the first are named with it, since the runs may not tell them
apart.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..statistics import Interval, overlap
from ..studies._grid import NAMED
from ..studies.primer._runs import RANGES, UNITS, cell, task
from ..training import ClipNorm, Joint, Protocol, UnitPenalty
from ..units import REALS
from ._leaderboard import Board, Score, rank


@dataclass(frozen=True)
class Contest:
    """The units that can do an operation among some inputs, the best first.

    Args:
        operation: its sign.
        inputs: how many inputs there are, of which two matter.
        board: where the scores are from.
        criterion: when a run counts as solved.
        scores: of each unit that can do it, over all ranges.
    """

    operation: str
    inputs: int
    board: Board
    criterion: str
    scores: Mapping[str, Score]

    @cached_property
    def rates(self) -> dict[str, Interval]:
        """The success rate of each unit, with its interval."""
        return {unit: score.success for unit, score in self.scores.items()}

    @property
    def leaders(self) -> list[str]:
        """The first, and those whose intervals overlap its interval."""
        first = next(iter(self.rates.values()))
        return [unit for unit, around in self.rates.items() if overlap(first, around)]

    @property
    def seeds(self) -> int:
        """The number of seeds on each range."""
        return max(s.seeds for k, s in self.board.scores.items() if k[0] in self.scores)

    def among(self, units: Sequence[str]) -> "Contest":
        """The same contest of some of its units."""
        scores = {unit: score for unit, score in self.scores.items() if unit in units}
        return replace(self, scores=scores)

    def weakest(self, unit: str) -> tuple[str, Interval]:
        """The range on which a unit is solved least often, and how often."""
        of_range = {
            name: score.success
            for name in self.board.ranges
            if (score := self.board.score(unit, self.operation, self.criterion, name))
        }
        return min(of_range.items(), key=lambda item: item[1].value)


@dataclass(frozen=True)
class Best:
    """The unit to use for an operation.

    Args:
        operation: its sign.
        unit: of the leaders with the fewest inputs, the one that does best with more.
        contests: by number of inputs, the fewest first.
    """

    operation: str
    unit: str
    contests: tuple[Contest, ...]

    @property
    def domain(self) -> str:
        """The inputs on which the unit is exact, if it is one of the package's."""
        return domain_of(self.unit, self.operation)

    @property
    def anywhere(self) -> "Best | None":
        """The best unit that is exact on all inputs, where `unit` is not."""
        able = [u for u in UNITS if domain_of(u, self.operation) == REALS.text]
        contests = [c.among(able) for c in self.contests]
        known = [c for c in contests if c.scores]
        if not self.domain or self.domain == REALS.text or not known:
            return None
        return _best(self.operation, known)


def best_units(boards: Sequence[Board], criterion: str = "") -> list[Best]:
    """The best unit for each operation of some boards.

    Args:
        boards: the boards; of several with as many inputs, the one with most units and
            then with most seeds counts. One with a single unit compares nothing, and
            one that lacks the criterion says nothing.
        criterion: when a run counts as solved; the first of each board if empty.

    Returns:
        One for each operation, in the order of the boards.

    Examples:
        >>> from arithmax.benchmark import best_units, shipped
        >>> for found in best_units(shipped()):
        ...     print(found.operation, found.unit, found.domain)
        + NAU all reals
        − NAU all reals
        × NMRU x ≠ 0
        ÷ NMRU x ≠ 0
    """
    known = [b for b in boards if not criterion or criterion in b.criteria]
    chosen = {
        n: max((b for b in known if inputs_of(b) == n), key=_size)
        for n in sorted({inputs_of(b) for b in known if len(b.units) > 1})
    }
    operations = dict.fromkeys(o for b in chosen.values() for o in b.operations)
    return [_best(o, _contests(o, chosen, criterion)) for o in operations]


def not_run(boards: Sequence[Board]) -> list[str]:
    """The units of the Primer's task that no board has runs of.

    Args:
        boards: the boards.
    """
    known = {unit for board in boards for unit in board.units}
    return [unit for unit in UNITS if unit not in known]


def _size(board: Board) -> tuple[int, int]:
    return len(board.units), max(score.seeds for score in board.scores.values())


def inputs_of(board: Board) -> int:
    """How many inputs the task of a board has; its name says it if not two."""
    last = board.name.rpartition(" ")[2]
    return int(last) if last.isdigit() else 2


def _contests(
    operation: str, chosen: Mapping[int, Board], criterion: str
) -> list[Contest]:
    contests = []
    for inputs, board in chosen.items():
        wanted = criterion or board.criteria[0]
        if scores := dict(board.standing(wanted, operation)):
            contests.append(Contest(operation, inputs, board, wanted, scores))
    return contests


def _best(operation: str, contests: Sequence[Contest]) -> Best:
    first, *more = contests

    def place(unit: str) -> list[tuple[float, float]]:
        never = Score(1, 0)  # for one that cannot do it among more inputs
        return [rank(c.scores.get(unit, never)) for c in [*more, first]]

    # Rates are compared as they are, and by speed where they are equal.
    return Best(operation, min(first.leaders, key=place), tuple(contests))


def domain_of(unit: str, operation: str) -> str:
    """On which inputs a unit of the leaderboard does an operation exactly.

    Args:
        unit: its name on the leaderboard.
        operation: the sign of the operation.

    Returns:
        The domain in signs, such as `x ≠ 0`; empty for a unit that cannot do it, or
        that is a user's own.
    """
    able = UNITS[unit].operations if unit in UNITS else {}
    return able[NAMED[operation]].text if NAMED[operation] in able else ""


def setting_of(unit: str, operation: str, inputs: int) -> Protocol | None:
    """How a unit of the leaderboard was trained, which is the recommended setting.

    Args:
        unit: its name on the leaderboard.
        operation: the sign of the operation.
        inputs: how many inputs it has.

    Returns:
        The protocol, alike on all ranges; None for a unit of a user's own.
    """
    if unit not in UNITS:
        return None
    return cell(unit, task(NAMED[operation], next(iter(RANGES)), inputs)).protocol


def setting_text(protocol: Protocol) -> str:
    """A protocol in a line: optimiser, steps, penalties and what else is special.

    Args:
        protocol: the protocol.

    Examples:
        >>> from arithmax.benchmark import setting_of, setting_text
        >>> print(setting_text(setting_of("NAU", "+", 2)))
        Adam, learning rate 0.001; 50,000 steps; penalty of strength 0.01 from step 20,000 to 35,000
    """  # noqa: E501  # what is printed is one line
    rate = getattr(protocol.optimiser, "learning_rate", None)
    name = type(protocol.optimiser).__name__
    first = name if rate is None else f"{name}, learning rate {rate:g}"
    special = [*protocol.transforms]
    special += [] if protocol.composition == Joint() else [protocol.composition]
    special += [protocol.restart] if protocol.restart else []
    penalties = map(_penalty_text, protocol.penalties)
    parts = [
        first,
        f"{protocol.steps:,} steps",
        *penalties,
        *map(_special_text, special),
    ]
    return "; ".join(parts)


def _special_text(part: object) -> str:
    if isinstance(part, ClipNorm):
        return f"gradients clipped to norm {part.limit:g}"
    return repr(part)


def _penalty_text(penalty: object) -> str:
    if not isinstance(penalty, UnitPenalty):
        return repr(penalty)
    ramp = f"from step {penalty.start:,} to {penalty.end:,}"
    return f"penalty of strength {penalty.strength:g} {ramp}"


def share_text(share: float) -> str:
    """A share in per cent, 100 only if it is all.

    Examples:
        >>> from arithmax.benchmark import share_text
        >>> share_text(1.0), share_text(0.9962), share_text(0.9999), share_text(0.934)
        ('100', '99.6', '99.9', '93')
    """
    if 0.99 < share < 1:
        return f"{math.floor(1000 * share) / 10:.1f}"
    return f"{100 * share:.0f}"


def contest_rate(contest: Contest, unit: str) -> str:
    """The rate of a unit in a contest in per cent, with its interval.

    Args:
        contest: the contest.
        unit: the name of the unit, which may not be in it.

    Returns:
        Such as `93 [87–96]`; a dash for one that is not in it.
    """
    if (rate := contest.rates.get(unit)) is None:
        return "—"
    ends = f"[{share_text(rate.low)}–{share_text(rate.high)}]"
    return f"{share_text(rate.value)} {ends}"
