"""“The best for + − × ÷”: a line for each operation, as HTML and as Markdown."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..benchmark import (
    Best,
    Board,
    Contest,
    best_units,
    setting_of,
    setting_text,
    share_text,
)
from ..units import REALS
from ._html import UNBROKEN, escape
from ._markdown import text

WORDS = {2: "two", 10: "ten", 100: "a hundred"}
Link = Callable[[str], str]  # from the name of a unit to the address of its page


@dataclass(frozen=True)
class BestLine:
    """One operation: the unit, and what is said of it.

    Args:
        operation: the sign.
        unit: the recommended unit.
        rates: its rates, one sentence part for each number of inputs.
        domain: on which inputs, and what else to use.
        setting: how it was trained.
        names: of all units that are named.
    """

    operation: str
    unit: str
    rates: tuple[str, ...]
    domain: str
    setting: str
    names: tuple[str, ...]

    @property
    def condition(self) -> str:
        """Rates and domain as a sentence."""
        return f"{'; '.join(self.rates)}. {self.domain}"


def best_lines(boards: Sequence[Board]) -> list[BestLine]:
    """The best of each operation in words."""
    return [_line(found) for found in best_units(boards)]


def _line(found: Best) -> BestLine:
    rates = tuple(_rate(c, found.unit) for c in found.contests)
    protocol = setting_of(found.unit, found.operation, found.contests[0].inputs)
    setting = setting_text(protocol) if protocol else ""
    names = dict.fromkeys(n for c in found.contests for n in c.leaders)
    first = found.operation, found.unit
    return BestLine(*first, rates, _domain(found), setting, tuple(names))


def _rate(contest: Contest, unit: str) -> str:
    """Such as `100 % [99.6–100] with two inputs (also NRU)`."""
    rate, inputs = contest.rates.get(unit), contest.inputs
    where = f"{'with' if inputs == 2 else 'among'} {WORDS.get(inputs, inputs)} inputs"
    if rate is None:
        return f"it cannot do it {where}"
    ends = f"[{share_text(rate.low)}–{share_text(rate.high)}]"
    told = f"{share_text(rate.value)}\N{NO-BREAK SPACE}% {ends} {where}"
    others = [name for name in contest.leaders if name != unit]
    return f"{told} (also {', '.join(others)})" if others else told


def _domain(found: Best) -> str:
    if not found.domain:
        return ""
    if found.domain == REALS.text:
        return "For any inputs."
    other = found.anywhere
    told = f"For inputs {found.domain}"
    return f"{told}; for any inputs, {other.unit}." if other else f"{told}."


def conditions(boards: Sequence[Board]) -> str:
    """What all lines have in common: ranges, seeds and the criterion."""
    found = best_units(boards)
    if not found:
        return ""
    first, *more = found[0].contests
    seeds = f"{first.seeds:,} seeds on each of {len(first.board.ranges)} ranges"
    seeds += "".join(f", {c.seeds:,} with {c.inputs} inputs" for c in more)
    return (
        f"Success of training, right outside the range that was trained on "
        f"({first.criterion}), with 95\N{NO-BREAK SPACE}% interval; {seeds}. Units "
        "are compared with those alone that can do the same operation; “also” names "
        "those whose intervals overlap that of the best."
    )


def best_html(boards: Sequence[Board], link: Link) -> str:
    """The opening of the leaderboard."""
    lines = "".join(
        f'<li><span class="sign">{escape(line.operation)}</span> <span><a '
        f'href="{escape(link(line.unit))}"><strong>{escape(line.unit)}</strong></a> '
        f"{_unbroken(line.condition, line.names)}</span></li>"
        for line in best_lines(boards)
    )
    if not lines:
        return ""
    signs = " ".join(line.operation for line in best_lines(boards))
    return (
        f'<section class="best"><h2>The best for {escape(signs)}</h2>'
        f'<ul>{lines}</ul><p class="caption">{escape(conditions(boards))}</p></section>'
    )


def _unbroken(condition: str, names: Sequence[str]) -> str:
    """A text in which neither rates nor names are broken, if these are short."""
    longest = sorted(names, key=len, reverse=True)
    short = [re.escape(escape(n)) for n in longest if len(n) <= UNBROKEN]
    pattern = "|".join([r"[\d.]+\s%\s\[[^\]]+\]", *short])
    whole = rf"(?<![\w(])(?:{pattern})(?![\w(])"
    return re.sub(whole, r'<span class="name">\g<0></span>', escape(condition))


def best_markdown(boards: Sequence[Board], link: Link) -> str:
    """The same for the documentation, with the recommended setting."""
    lines = []
    for line in best_lines(boards):
        address = link(line.unit)
        name = f"[{text(line.unit)}]({address})" if address else text(line.unit)
        setting = f" Setting: {text(line.setting)}." if line.setting else ""
        told = text(line.condition)
        lines.append(f"- **{text(line.operation)}** **{name}**: {told}{setting}")
    return "\n".join([*lines, "", text(conditions(boards))])
