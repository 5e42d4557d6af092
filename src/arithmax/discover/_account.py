"""What there is to say of a discovery: its rows, ranges, constants and sentences.

Whoever shows a discovery (a terminal, a page, JSON) shows this, so that all say the
same.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._formula import Formula
from ._nodes import Node, Product, Sum
from ._numbers import Number
from ._table import Table
from ._verdict import Candidate, Discovery, Verdict

DIGITS = 3, 6  # of a number that is shown to people, at least and at most
MANY = 20  # rows, from which on a pattern in what is left over would be seen
FEW = 5  # columns that a sentence names
PARTS = ("fitted", "held out", "outside")


@dataclass(frozen=True, eq=False)
class PartOfTable:
    """Some rows of the table: what is true, and what the formula gives."""

    name: str
    truth: np.ndarray
    predicted: np.ndarray

    @property
    def undefined(self) -> int:
        """On how many rows the formula gives no number."""
        return int(np.isnan(self.predicted).sum())


@dataclass(frozen=True)
class ColumnRange:
    """From where to where a column goes, inside and outside."""

    column: str
    least: float
    most: float
    outside: tuple[float, float] | None = None


@dataclass(frozen=True)
class FormulaConstant:
    """A number of a formula: where it stands, and how well it is known."""

    role: str
    number: Number

    @property
    def kind(self) -> str:
        return "fitted" if self.number.free else "exact"


@dataclass(frozen=True, eq=False)
class Account:
    """A discovery with all that is shown of it.

    Args:
        found: what the search gave.
        target: the name of the column that is explained.
        parts: the rows that were fitted, held out, and outside, in this order.
        extents: the columns that the formula has, from where to where they go.
        condition: which rows are outside, in words; empty if there are none.
    """

    found: Discovery
    target: str
    parts: tuple[PartOfTable, ...]
    extents: tuple[ColumnRange, ...]
    condition: str = ""

    @property
    def equation(self) -> str:
        """target = formula, its fitted numbers rounded; ≈ if any is."""
        return f"{self.target} {self.sign} {rounded(self.found.formula)}"

    @property
    def sign(self) -> str:
        """= if nothing has to be rounded, and ≈ if something has."""
        formula = self.found.formula
        return "=" if rounded(formula).root == formula.root else "≈"

    @property
    def exact_equation(self) -> str:
        """target = formula with all digits."""
        return f"{self.target} = {self.found.formula}"

    @property
    def written(self) -> dict[str, str]:
        """How the formula writes columns whose names are no plain words."""
        formula = self.found.formula
        pairs = zip(formula.names, formula.identifiers, strict=True)
        used = (pair for pair in pairs if pair[0] in formula.variables)
        return {name: word for name, word in used if name != word}

    @property
    def constants(self) -> tuple[FormulaConstant, ...]:
        """Numbers other than ±1 that terms have as factors, and fitted exponents."""
        root, names = self.found.formula.root, self.found.formula.names
        return tuple(_constants(root, names))

    def rows(self, name: str) -> int:
        """How many rows a part has."""
        return sum(len(part.truth) for part in self.parts if part.name == name)

    @property
    def sentence(self) -> str:
        """The verdict, and what it does not say."""
        best = self.found.best
        off = f"{_share(best.held_out_error)} of the spread of {self.target}"
        if best.verdict is Verdict.EXACT:
            return (
                f"Exact on this data: right to rounding on all {self._seen} rows. "
                f"{self._where}"
            )
        if best.verdict is Verdict.WITHIN:
            return (
                f"Within tolerance: an error of {off} is left on held-out rows, and no "
                f"pattern was seen in it. {self._where}"
            )
        return (
            f"Not found: no formula that was tried could be verified. The best leaves "
            f"an error of {off} on held-out rows; do not trust it."
        )

    @property
    def checks(self) -> tuple[str, ...]:
        """How the formula was verified, a sentence for each step."""
        best = self.found.best
        fitted = (
            f"Fitted on {self._counted('fitted')}: error "
            f"{number_shown(best.training_error)} of the spread of {self.target}."
        )
        held = "Held out: none, there are too few rows."
        if self.rows("held out"):
            held = (
                f"Held out, {self._counted('held out')} that fitted nothing: error "
                f"{number_shown(best.held_out_error)}."
            )
        within = best.verdict is Verdict.WITHIN
        free = any(number.free for number in self.found.formula.numbers)
        return (
            fitted,
            held,
            *[self._left_over] * within,
            *self._outside(),
            *["Its numbers were then fitted once more, with the held-out rows."] * free,
        )

    def is_best(self, candidate: Candidate) -> bool:
        """Whether a candidate of the front is the one that was chosen."""
        return candidate.score == self.found.best.score

    @property
    def _left_over(self) -> str:
        if self.rows("fitted") < MANY:
            return "What is left over: there are too few rows to see a pattern in it."
        return (
            "What is left over: no smooth function of the columns explains it better "
            "than chance would."
        )

    def _counted(self, name: str) -> str:
        count = self.rows(name)
        return f"{count} row{'s' * (count != 1)}"

    @property
    def _seen(self) -> int:
        return self.rows("fitted") + self.rows("held out")

    @property
    def _where(self) -> str:
        if not self.extents:
            return "It is a constant: no column was needed."
        spans = [
            f"{e.column} from {number_shown(e.least)} to {number_shown(e.most)}"
            for e in self.extents[:FEW]
        ]
        if (more := len(self.extents) - FEW) > 0:
            spans.append(f"{more} more columns")
        return f"It was found on {', '.join(spans)}; nothing is claimed beyond."

    def _outside(self) -> list[str]:
        best = self.found.best
        if not self.rows("outside") or best.extrapolation_error is None:
            return []
        where = f" ({self.condition})" if self.condition else ""
        rows = f"Outside{where}, {self._counted('outside')} that decided nothing"
        if undefined := sum(p.undefined for p in self.parts if p.name == "outside"):
            return [f"{rows}: undefined on {undefined}."]
        return [f"{rows}: error {number_shown(best.extrapolation_error)}."]


def account(
    found: Discovery,
    x: Any,
    y: Any,
    *,
    target: str = "y",
    outside: tuple[Any, Any] | None = None,
    condition: str = "",
    seed: int = 0,
) -> Account:
    """A discovery with the rows that it was made from.

    Args:
        found: what `discover` gave for these rows.
        x: the columns [row, column] that it was given.
        y: the targets [row].
        target: the name of the target.
        outside: the rows outside, if `discover` was given any.
        condition: which rows these are, in words.
        seed: the seed that `discover` was given, which chose the held-out rows.

    Returns:
        All that is shown of it.
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    formula = found.formula
    table = Table.split(x, y, formula.names, seed=seed)
    pairs = [(table.x, table.y), (table.held_x, table.held_y)]
    far = None
    if outside is not None and len(outside[1]):
        far = np.asarray(outside[0], np.float64)
        pairs.append((far, np.asarray(outside[1], np.float64)))
    parts = [
        PartOfTable(name, truth, formula.evaluate(rows))
        for name, (rows, truth) in zip(PARTS, pairs, strict=False)
    ]
    extents = [_extent(formula, name, x, far) for name in formula.variables]
    return Account(found, target, tuple(parts), tuple(extents), condition)


def _extent(formula: Formula, name: str, x: np.ndarray, far: Any) -> ColumnRange:
    i = formula.names.index(name)
    ends = None if far is None else (float(far[:, i].min()), float(far[:, i].max()))
    return ColumnRange(name, float(x[:, i].min()), float(x[:, i].max()), ends)


def rounded(formula: Formula) -> Formula:
    """The formula with its fitted numbers rounded, to be read and not computed with.

    A number keeps one digit more than its standard error leaves certain.

    Examples:
        >>> from arithmax.discover import Formula, Number, Sum, monomial, rounded
        >>> term = monomial([Number.of(2)], [0])
        >>> number = Number(0.123456, None, 0.001)
        >>> str(rounded(Formula(Sum((number,), (term,)), ("v",))))
        '0.1235*v**2'
    """
    numbers = (_shortened(n) if n.free else n for n in formula.root.numbers())
    return Formula(formula.root.replaced(numbers), formula.names)


def _shortened(number: Number) -> Number:
    least, most = DIGITS
    certain = abs(number.value) / number.error if number.error > 0 else math.inf
    digits = most if math.isinf(certain) else math.ceil(math.log10(certain + 1)) + 1
    shown = f"{number.value:.{min(max(digits, least), most)}g}"
    return Number(float(shown), None, number.error)


def _share(error: float) -> str:
    return f"{100 * error:.2g} %" if error >= 1e-4 else number_shown(error)


def number_shown(value: float) -> str:
    """Three digits."""
    return f"{value:.3g}" if math.isfinite(value) else "undefined"


def _constants(node: Node, names: Sequence[str]) -> Iterator[FormulaConstant]:
    if isinstance(node, Sum):
        for coefficient, term in zip(node.coefficients, node.terms, strict=True):
            if coefficient.exact is None or abs(coefficient.value) != 1:
                yield FormulaConstant(_role(term, names), coefficient)
    if isinstance(node, Product):
        for exponent, factor in zip(node.exponents, node.factors, strict=True):
            if exponent.free:
                yield FormulaConstant(f"exponent of {_short(factor, names)}", exponent)
    for child in node.children():
        yield from _constants(child, names)


def _role(term: Node, names: Sequence[str]) -> str:
    if isinstance(term, Product) and not term.factors:
        return "constant term"
    return f"factor of {_short(term, names)}"


def _short(node: Node, names: Sequence[str]) -> str:
    shown = str(rounded(Formula(node, tuple(names))))
    return shown if len(shown) <= 40 else f"{shown[:39]}…"
