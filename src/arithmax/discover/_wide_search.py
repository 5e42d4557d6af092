"""The layouts of wide tables, from the straight line to the product of three sums."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from jaxtyping import Float

from ._linear_forms import FormLayout, FormTable, fit_forms, sum_of_squares
from ._wide_accept import EXACT, SLACK, structure_left
from ._wide_attempt import FreeFit, Proposal, attempt, mean_proposal
from ._wide_starts import (
    Effects,
    Standard,
    linear_effects,
    null_space_ratio,
    quadratic_pair,
    spectral_product,
    split_effects,
    square_root_start,
    standardise,
)

LINEAR = FormLayout("sum", ((1.0,),))
POWERS = tuple(
    FormLayout(f"sum to the power {e:g}", ((e,),))
    for e in (2.0, 0.5, -1.0, -2.0, -0.5, 3.0)
)
RATIO = FormLayout("ratio of two sums", ((1.0, -1.0),))
PRODUCT = FormLayout("product of two sums", ((1.0, 1.0),))
SUM_AND_PRODUCT = FormLayout("sum and product of two sums", ((1.0,), (1.0, 1.0)))
TRIPLE = FormLayout("product of three sums", ((1.0, 1.0, 1.0),))
STARTS = (1, 4, 12)  # random starts of a product of two, in each round
ALL_BUT_EXACT = 1e-15  # of the squares of y: a fit this good is looked at at once
CLEAN = 4.0  # deviations of structure that may be left over by chance


class WideTable:
    """One table and what was learned of it; each layout asks it for a fit."""

    def __init__(self, x: np.ndarray, y: np.ndarray, weight: np.ndarray, generator):
        self.generator = generator
        self.table = FormTable(np.column_stack([x, np.ones(len(y))]), y, weight)
        self.standard: Standard = standardise(x, y, weight)
        self.effects: Effects = linear_effects(self.standard.table)
        self.alive = x.std(0) > 0
        self.product: np.ndarray | None = None  # the best product of two, as a start
        self.ratio: np.ndarray | None = None  # that of the null space

    def fitted(
        self, layout: FormLayout, starts: np.ndarray, free: np.ndarray
    ) -> FreeFit | None:
        """The best fit from all starts, in weights of the inputs."""
        if free.sum() > 0.9 * len(self.table.target):
            return None
        starts = np.where(free, starts, 0.0)
        w, rss = fit_forms(layout, self.standard.table, starts, free)
        best = int(np.argmin(rss))
        if not np.isfinite(rss[best]):
            return None
        self.last = w[best]
        return FreeFit(layout, self.standard.to_inputs(w[best]), free, float(rss[best]))

    def nearly(self, layout: FormLayout, start: np.ndarray) -> bool:
        """Whether a start leaves next to nothing over."""
        rss = sum_of_squares(layout, self.standard.table, start).min()
        return bool(rss < 1e-10 * self.table.scale)

    def free(self, layout: FormLayout, keep: np.ndarray) -> np.ndarray:
        """Weights of the kept inputs and all constants."""
        return np.tile(np.append(keep, True), (layout.forms, 1))


def _line(wide: WideTable, keep: np.ndarray, starts: int) -> FreeFit | None:
    e = wide.effects
    w = np.append(e.slope, e.constant)[None, None]
    return wide.fitted(LINEAR, w, wide.free(LINEAR, wide.alive))


Attempted: TypeAlias = Callable[[WideTable, np.ndarray, int], FreeFit | None]


def _power(layout: FormLayout, exactly: bool) -> Attempted:
    """A straight line for the root of y, then fitted to y itself.

    Args:
        layout: the power.
        exactly: whether only a table without noise is looked at, which is quick.
    """
    power = layout.powers[0]

    def fitted(wide: WideTable, keep: np.ndarray, starts: int) -> FreeFit | None:
        table, begin = wide.standard.table, []
        if (table.target > 0).all():
            e = linear_effects(table._replace(target=table.target ** (1 / power)))
            begin.append(np.append(e.slope, e.constant))
        if power == 2:
            root = square_root_start(table, wide.effects, wide.alive)
            begin += list(root[0])
        if not begin:
            return None
        free, start = wide.free(layout, wide.alive), np.array(begin)[:, None]
        if exactly and power != 2 and not wide.nearly(layout, start):
            return None
        return wide.fitted(layout, start, free)

    return fitted


def _exact_ratio(wide: WideTable, keep: np.ndarray, starts: int) -> FreeFit | None:
    """The null space alone, which is quick, and enough without noise."""
    free = wide.free(RATIO, wide.alive)
    if free.sum() > 0.9 * len(wide.table.target):
        return None
    wide.ratio = null_space_ratio(wide.standard.table, wide.alive)
    null = wide.ratio[None]
    return wide.fitted(RATIO, null, free) if wide.nearly(RATIO, null) else None


def _ratio(wide: WideTable, keep: np.ndarray, starts: int) -> FreeFit | None:
    """An input in both sums has hardly an effect, so none is screened out."""
    if wide.ratio is None:
        return None
    dealt = split_effects(
        wide.effects, RATIO.powers, wide.alive, starts, wide.generator
    )
    begin = np.concatenate([wide.ratio[None], dealt])
    return wide.fitted(RATIO, begin, wide.free(RATIO, wide.alive))


def _product(wide: WideTable, keep: np.ndarray, starts: int) -> FreeFit | None:
    effects, table = wide.effects, wide.standard.table
    dealt = split_effects(effects, PRODUCT.powers, keep, starts, wide.generator)
    spectral = spectral_product(table, effects, keep)[None]
    found = wide.fitted(
        PRODUCT, np.concatenate([spectral, dealt]), wide.free(PRODUCT, keep)
    )
    wide.product = wide.last if found else None
    return found


def _sum_and_product(wide: WideTable, keep: np.ndarray, starts: int) -> FreeFit | None:
    """Factors without constants, which the sum would hide; any input may be added."""
    free = wide.free(SUM_AND_PRODUCT, keep)
    free[0], free[1:, -1] = np.append(wide.alive, True), False
    effects = wide.effects
    begin = np.zeros((1 + starts, *free.shape))
    begin[:, 0] = np.append(effects.slope, effects.constant)
    begin[:, 1:, :-1] = quadratic_pair(wide.standard.table, effects.residual, keep)
    size = np.abs(begin[0, 1:, :-1]).mean()
    begin[1:, 1:, :-1] += wide.generator.normal(0, size, begin[1:, 1:, :-1].shape)
    if wide.product is not None:
        u, v = wide.product
        w = np.stack([u * v[-1] + v * u[-1], u, v])
        w[0, -1], w[1:, -1] = u[-1] * v[-1], 0.0
        begin[1] = w
    found = wide.fitted(SUM_AND_PRODUCT, begin, free)
    return _gathered(found) if found else None


def _gathered(found: FreeFit) -> FreeFit:
    """Constants of factors, $(u + b)(v + c) = uv + cu + bv + bc$, moved to the sum."""
    a, u, v = found.w
    b, c = u[-1], v[-1]
    u, v = np.append(u[:-1], 0.0), np.append(v[:-1], 0.0)
    w = np.stack([a + c * u + b * v, u, v])
    w[0, -1] += b * c
    return FreeFit(found.layout, w, found.free, found.rss)


def _triple(wide: WideTable, keep: np.ndarray, starts: int) -> FreeFit | None:
    dealt = split_effects(
        wide.effects, TRIPLE.powers, keep, 3 * starts + 1, wide.generator
    )
    return wide.fitted(TRIPLE, dealt, wide.free(TRIPLE, keep))


QUICK = (_line, *(_power(each, exactly=True) for each in POWERS), _exact_ratio)
PRODUCTS = (_product, _sum_and_product, _triple)
NOISY = (*(_power(each, exactly=False) for each in POWERS), _ratio)


def _round(wide: WideTable, number: int) -> Iterator[FreeFit]:
    """Fits in the order of their cost; the last round screens nothing out."""
    screened, last = wide.effects.screened() & wide.alive, number == len(STARTS) - 1
    keep = wide.alive if last else screened
    ladder = (*QUICK, *PRODUCTS, *NOISY) if number == 0 else (*PRODUCTS, _ratio)
    for layout in ladder:
        found = layout(wide, keep, STARTS[number])
        if found is not None:
            yield found


def _likely(fits: list[FreeFit], rows: int) -> list[FreeFit]:
    """Fits that leave no more noise than the best, give or take what chance does."""
    noise = [f.rss / max(rows - f.parameters, 1) for f in fits]
    limit = min(noise, default=0.0) * (1 + SLACK * np.sqrt(4 / rows))
    return [f for f, s in zip(fits, noise, strict=True) if s <= limit]


def propose_wide(
    x: Float[np.ndarray, "row input"],
    y: Float[np.ndarray, " row"],
    generator: np.random.Generator,
    weight: Float[np.ndarray, " row"] | None = None,
    rounds: int = 3,
) -> list[Proposal]:
    """Formulas of sums of inputs for a table with many of them, the best first.

    Args:
        x: inputs; the layout of the formula is not given.
        y: the target, with or without noise.
        generator: draws the starts of fits.
        weight: of the rows; equal if left out.
        rounds: how often layouts are tried, at most, with more starts each time.

    Returns:
        Proposals; those that were accepted come first, shortest description first.

    Example:
        >>> x = np.random.default_rng(0).uniform(1, 2, (200, 12))
        >>> y = x[:, :4].sum(1) * x[:, 2:8].sum(1)
        >>> best = propose_wide(x, y, np.random.default_rng(1))[0]
        >>> best.layout.name, best.error < 1e-9
        ('product of two sums', True)
        >>> float(best.weights[1:, :-1].sum())
        10.0
    """
    wide = WideTable(x, y, np.ones(len(y)) if weight is None else weight, generator)
    proposals = [mean_proposal(wide.table)]
    for number in range(min(rounds, len(STARTS))):
        fits: list[FreeFit] = []
        for found in _round(wide, number):
            if found.rss < ALL_BUT_EXACT * wide.table.scale:
                proposals.append(attempt(found, wide.table))
                if proposals[-1].accepted and proposals[-1].error < EXACT:
                    return _sorted(proposals)
            fits.append(found)
        likely = _likely(fits, len(y))
        proposals += [attempt(found, wide.table) for found in likely]
        if _settled(proposals, x, y):
            break
    return _sorted(proposals)


def _sorted(proposals: list[Proposal]) -> list[Proposal]:
    return sorted(proposals, key=lambda p: (not p.accepted, p.nats))


def _settled(proposals: list[Proposal], x: np.ndarray, y: np.ndarray) -> bool:
    """Whether the best formula so far leaves nothing but noise."""
    best = _sorted(proposals)[0]
    return best.accepted and structure_left(x, y - best.predict(x)) < CLEAN
