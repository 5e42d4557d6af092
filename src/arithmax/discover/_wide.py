"""Sums of many inputs, multiplied and divided, as a stage."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ._nodes import UNIT, Node, Product, Sum, Variable
from ._numbers import Number
from ._stage import Stage
from ._table import Sample
from ._wide_attempt import Proposal
from ._wide_search import propose_wide


@dataclass(frozen=True)
class Wide(Stage):
    r"""Tables with many inputs: $y = \sum_t C_t \prod_f (w_f \cdot x + b_f)^{e_f}$.

    A sum, a power of a sum, a ratio, products of two and three sums, and a sum beside a
    product, whose weights are mostly 0 and ±1.

    Args:
        narrowest: the number of columns from which a table is wide.
        rounds: how often layouts are tried, with more starts each time.
        most: how many proposals the judge sees.

    Example:
        >>> from arithmax.discover import Search, discover
        >>> x = np.random.default_rng(0).uniform(1, 2, (200, 12))
        >>> y = x[:, :3].sum(1) / x[:, 2:4].sum(1)
        >>> print(discover(x, y, search=Search((Wide(),))).formula)
        (x1 + x2 + x3)/(x3 + x4)
    """

    name: ClassVar[str] = "sums of many inputs"
    narrowest: int = 8
    rounds: int = 3
    most: int = 3

    def propose(self, table: Sample, rng: np.random.Generator) -> Iterator[Node]:
        finite = np.isfinite(table.y)
        if table.width < self.narrowest or finite.sum() < 1.5 * table.width:
            return
        found = propose_wide(
            table.x[finite],
            table.y[finite],
            rng,
            table.weight[finite] ** 2,
            self.rounds,
        )
        for proposal in found[: self.most]:
            yield as_node(proposal)


def as_node(proposal: Proposal) -> Node:
    """The formula of a proposal, with its rounded weights exact.

    Example:
        >>> x = np.random.default_rng(0).uniform(1, 2, (99, 9))
        >>> rng = np.random.default_rng(0)
        >>> best = propose_wide(x, x[:, 0] / (x[:, 1] + x[:, 2]), rng)[0]
        >>> len(as_node(best).terms)
        1
    """
    terms, layout = [], proposal.layout
    for scale, *forms in layout.groups():
        nodes = [_linear_form(proposal, f) for f in forms]
        powers = [Number.of(Fraction(layout.powers[f])) for f in forms]
        number = _number(proposal, scale, -1)
        terms.append((number, Product(tuple(powers), tuple(nodes))))
    return Sum(tuple(c for c, _ in terms), tuple(t for _, t in terms))


def _linear_form(proposal: Proposal, form: int) -> Sum:
    weights = proposal.weights[form]
    columns = np.flatnonzero(weights)
    numbers = tuple(_number(proposal, form, int(c)) for c in columns)
    last = len(weights) - 1
    terms = tuple(UNIT if c == last else Variable(int(c)) for c in columns)
    return Sum(numbers, terms)


def _number(proposal: Proposal, form: int, column: int) -> Number:
    value = float(proposal.weights[form, column])
    if proposal.fitted[form, column]:
        return Number(value)
    return Number.of(Fraction(value).limit_denominator(1000))
