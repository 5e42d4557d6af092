"""Networks of growing size, started many times, as a stage."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ._layouts import Layout, Logarithms, PowerNetworks, Start, owners
from ._library import outer_power
from ._linear_algebra import powered
from ._monomial import log_fit
from ._nodes import Node
from ._stage import Stage
from ._table import Table

ROWS = 220  # of the table that a search looks at; the judge fits all
POLISHED = 3  # how many of the restarts the judge sees
FIRST = 15  # steps after which a quarter of the restarts goes on


@dataclass(frozen=True)
class Networks(Stage):
    """y^q by a network of a given layout, from many starts.

    Args:
        layouts: the power of y that is fitted, and terms with their factors.
        restarts: how many starts each has.
        steps: of Levenberg–Marquardt.
    """

    name: ClassVar[str] = "networks"
    layouts: tuple[tuple[Fraction, Layout], ...] = ()
    restarts: int = 128
    steps: int = 50

    def propose(self, table: Table, rng: np.random.Generator) -> Iterator[Node]:
        for q, layout in self.layouts:
            data = logarithms(table, q, rng)
            if data is None or _size(layout, table.width) > 0.6 * len(data.target):
                continue
            start = random_starts(layout, data, table, q, self.restarts, rng)
            network = PowerNetworks(layout, data, start)
            try:
                with np.errstate(all="ignore"):
                    network.descend(FIRST)
                    network.keep(max(self.restarts // 4, POLISHED))
                    network.descend(self.steps)
            except np.linalg.LinAlgError:  # numbers beyond what a float holds
                continue
            for restart in _best(network):
                yield outer_power(network.node(restart), q)


def _size(layout: Layout, width: int) -> int:
    inner = sum(count for factors in layout for count, _ in factors)
    return len(layout) * (width + 1) + inner * (width + 1)


def logarithms(
    table: Table, q: Fraction, rng: np.random.Generator
) -> Logarithms | None:
    """Some rows of the table, as networks need them; None if y^q is not defined."""
    target = powered(table, q)
    if target is None:
        return None
    usable = np.flatnonzero((table.x != 0).all(1) & (table.y != 0))
    if len(usable) < 10:
        return None
    rows = np.sort(rng.permutation(usable)[:ROWS])
    x, z = table.x[rows], target[0][rows]
    logs = np.log(np.abs(x)).T
    means = logs.mean(1)
    weight = table.weight[rows].copy()
    if q != 1:  # errors of y, not of its power
        weight = weight * np.abs(table.y[rows]) ** (1.0 - float(q))
        weight = np.minimum(weight, 30 * np.median(weight))
    mixed = ~table.positive
    scale = np.sqrt(np.mean((z * weight) ** 2)) + 1e-300
    return Logarithms(
        logs - means[:, None], means, np.sign(x).T, mixed, z, weight / scale
    )


def random_starts(
    layout: Layout,
    data: Logarithms,
    table: Table,
    q: Fraction,
    restarts: int,
    rng: np.random.Generator,
) -> Start:
    """Half near small whole exponents, half anywhere; terms near the monomial fit."""
    terms, inner = len(layout), sum(len(p) for _, p, _ in owners(layout))
    shape = restarts, terms + inner, len(data.logs)
    whole = rng.integers(-2, 3, shape) * (rng.random(shape) < 0.5)
    near = whole + 0.1 * rng.normal(size=shape)
    exponents = np.where(
        (np.arange(restarts) % 2 == 0)[:, None, None], near, rng.normal(size=shape)
    )
    fit = log_fit(table, 0.0 if q == 1 else 1.0)
    if fit is not None:
        pull = float(q) * np.clip(fit[0], -5, 5)
        share = rng.random((restarts, terms, 1)) < 0.7
        spread = 0.5 * exponents[:, :terms]
        exponents[:, :terms] = np.where(share, pull + spread, exponents[:, :terms])
    exponents[:, :, data.mixed] = np.round(exponents[:, :, data.mixed])
    coefficients = np.exp(0.7 * rng.normal(size=(restarts, inner)))
    coefficients *= np.where(rng.random((restarts, inner)) < 0.4, -0.4, 1.0)
    return Start(exponents, coefficients)


def _best(network: PowerNetworks) -> list[int]:
    """The restarts with the smallest errors, no two with the same."""
    chosen: list[int] = []
    for restart in np.argsort(network.errors, kind="stable"):
        error = network.errors[restart]
        if len(chosen) == POLISHED or not np.isfinite(error):
            break
        same = [abs(error - network.errors[c]) < 1e-4 * error for c in chosen]
        if not any(same):
            chosen.append(int(restart))
    return chosen


F = Fraction
ONE, HALF = F(1), F(1, 2)
SUM_OF_2: Layout = ((), ())
SUM_OF_3: Layout = ((), (), ())
SUM_OF_4: Layout = ((), (), (), ())


def _product(*factors: tuple[int, Fraction]) -> Layout:
    return (tuple(factors),)


def _plus(*factors: tuple[int, Fraction]) -> Layout:
    return ((), tuple(factors))


SMALL = tuple((q, SUM_OF_2) for q in (ONE, F(2), F(-1), HALF, F(-2)))
MIDDLE = (
    (ONE, SUM_OF_3),
    (F(2), SUM_OF_3),
    (F(-1), SUM_OF_3),
    *((ONE, _product((1, ONE), (1, e))) for e in (F(-1), -HALF, ONE, HALF, F(-2))),
    *((ONE, _plus((1, e))) for e in (HALF, F(-1), -HALF, F(-2), F(2))),
    (F(-2), SUM_OF_3),
    (HALF, SUM_OF_3),
)
LARGE = (
    (ONE, SUM_OF_4),
    (F(2), SUM_OF_4),
    (F(-1), SUM_OF_4),
    *((ONE, _product((2, ONE), (1, e))) for e in (F(-1), -HALF, ONE, HALF, F(-2))),
    *((ONE, _product((1, ONE), (2, e))) for e in (F(-1), -HALF, HALF, F(-2))),
    *((ONE, _product((2, ONE), (2, e))) for e in (F(-1), -HALF)),
    *((ONE, _plus((2, e))) for e in (HALF, F(-1), -HALF, F(-2))),
    (ONE, _plus((3, HALF))),
    (ONE, ((), (), ((1, F(-1)),))),
    (ONE, (((1, F(-1)),), ((1, F(-1)),))),
    (ONE, ((), (), ((1, HALF),))),
)
