"""A formula fitted to rows, as far as its constants can be told from them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from .._checks import shown
from ..discover import Formula
from ._function import (
    FormulaFunction,
    NumberPlace,
    constants_of,
    function_of,
    middle_of,
    with_exponents,
)

EXPONENT_SPREAD = 3.0  # of the prior of exponents: laws have small ones
VAGUE = 0.25  # an exponent with a larger standard deviation is not known at all
LOOSE = 0.5  # the same of a coefficient, over its size
# Of a number's slope, what those of others must leave unexplained. An exponent that is
# all but another way to say what coefficients say would make all of them vague.
APART = {"coefficient": 1e-7, "exponent": 0.1}
OUTERMOST = 2  # the depth of exponents in terms of the outermost sum
LEFT = 3  # rows at least beyond the constants, which tell the noise
ROUNDING = 1e-15  # of the size of targets: a smaller spread is no noise


@dataclass(frozen=True, eq=False)
class FittedFormula:
    """A formula at the constants that fit some rows best.

    Args:
        formula: the formula whose constants were freed.
        function: the formula as a function of them.
        x: the columns [row, column].
        y: the targets [row].
        weight: what each row counts.
        held: all numbers of the formula, as they were before.
        middle: the logarithm of the middle of each column.
        best: the free numbers at which the sum of squares is least, coefficients being
            those of the middle.
    """

    formula: Formula
    function: FormulaFunction
    x: Float[np.ndarray, "row column"]
    y: Float[np.ndarray, " row"]
    weight: Float[np.ndarray, " row"]
    held: Float[np.ndarray, " number"]
    middle: Float[np.ndarray, " column"]
    best: Float[np.ndarray, " free"]

    @property
    def rows(self) -> float:
        """How many rows there are; a row of weight 2 counts twice."""
        return float(self.weight.sum())

    @property
    def freedom(self) -> float:
        """The degrees of freedom that are left for the noise."""
        return self.rows - len(self.best)

    @cached_property
    def slopes(self) -> Float[np.ndarray, "row free"]:
        """The derivatives by the free numbers, weighted as residuals are."""
        raw = self.function.slopes(self.best, self.held, self.middle, self.x.T)
        return raw * np.sqrt(self.weight)[:, None]

    @cached_property
    def predicted(self) -> Float[np.ndarray, " row"]:
        """What the formula gives at its best."""
        numbers = self.function.numbers(self.best, self.held, self.middle, np)
        value = self.function.value(numbers, self.x.T, np)
        return np.broadcast_to(value, self.y.shape)

    @cached_property
    def squares(self) -> float:
        """The weighted sum of squared residuals, which rounding keeps above zero."""
        residual = self.y - self.predicted
        size = np.abs(self.y).max() or 1.0  # targets may all be zero
        least = self.rows * (ROUNDING * size) ** 2
        return float(max(self.weight @ residual**2, least))

    @cached_property
    def prior_std(self) -> Float[np.ndarray, " free"]:
        """The standard deviations of the prior, which is normal around zero.

        Exponents of laws are small. Of a coefficient the prior knows as much as one row
        tells, and leaves room for its size.
        """
        spread = np.sqrt(self.squares / self.freedom * np.diag(self._inverse))
        room = np.sqrt(self.best**2 + self.rows * spread**2)
        roles = [self.function.constants[place].role for place in self.function.free]
        return np.where([r == "exponent" for r in roles], EXPONENT_SPREAD, room)

    @cached_property
    def _inverse(self) -> np.ndarray:
        """The inverse of the slopes' products, of slopes scaled to length one."""
        scale = np.linalg.norm(self.slopes, axis=0)
        scaled = self.slopes / scale
        return np.linalg.inv(scaled.T @ scaled) / np.outer(scale, scale)

    @cached_property
    def covariance(self) -> Float[np.ndarray, "free free"]:
        """That of the posterior's normal part: (JᵀJ/σ² + S⁻²)⁻¹."""
        noise = self.squares / self.freedom
        root = np.sqrt(noise)
        scale = 1 / (np.linalg.norm(self.slopes, axis=0) / root + 1 / self.prior_std)
        scaled = self.slopes * scale / root
        precision = scaled.T @ scaled + np.diag((scale / self.prior_std) ** 2)
        return np.linalg.inv(precision) * np.outer(scale, scale)

    @cached_property
    def spread(self) -> Float[np.ndarray, "free free"]:
        """The covariance, wider where noise is uneven.

        Noise that grows with the target, as relative errors do, moves constants by more
        than noise of one size. White's estimate in MacKinnon's form (HC3) measures by
        how much; a standard deviation is the larger of both. A row of weight 3 is three
        rows, with a third of its leverage each; one of weight 1/3 is a single row.
        """
        scale = np.linalg.norm(self.slopes, axis=0)
        basis, triangle = np.linalg.qr(self.slopes / scale)
        # That of one of the rows that a weight counts for, or of what there is of it.
        copies = np.maximum(self.weight, 1.0)
        leverage = np.minimum((basis**2).sum(axis=1) / copies, 0.999)
        residual = (self.y - self.predicted) * np.sqrt(self.weight / copies)
        pull = basis * (residual / (1 - leverage))[:, None]
        inverse = np.linalg.inv(triangle) / scale[:, None]
        robust = ((inverse @ (pull.T @ pull)) * inverse).sum(axis=1)
        wider = np.sqrt(np.maximum(robust / np.diag(self.covariance), 1.0))
        return self.covariance * np.outer(wider, wider)

    @property
    def unevenness(self) -> float:
        """How many times wider intervals are than noise of one size would make them."""
        if not self.best.size:
            return 1.0
        shares = np.diag(self.spread) / np.diag(self.covariance)
        return float(np.sqrt(shares.max()))


def fitted(
    formula: Formula,
    x: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray | None = None,
    free: tuple[int, ...] | None = None,
) -> FittedFormula:
    """The formula with its constants fitted, as far as the rows tell them.

    Args:
        formula: the formula.
        x: the columns [row, column].
        y: the targets [row].
        weight: what each row counts; 1 if None.
        free: the places of the numbers that are inferred. If None, coefficients, then
            exponents, are freed one by one as long as the rows tell all of them.
    """
    weight = np.ones(len(y)) if weight is None else weight
    kept = weight > 0
    x, y, weight = x[kept], y[kept], weight[kept]
    with np.errstate(all="ignore"):
        formula = with_exponents(formula)
        values = formula.evaluate(x)
        _check_rows(formula, values, weight)
        middle = middle_of(x, weight * values**2 + 1e-300)
        given = _Given(formula, x, y, weight, middle)
        if free is None:
            free = given.told_apart()
        return given.fit(free)


def check_columns(formula: Formula, x: np.ndarray) -> None:
    """The rows must have the columns of the formula."""
    if x.ndim != 2 or x.shape[1] != len(formula.names):
        raise ValueError(
            f"`x` (of shape {x.shape}) must have {len(formula.names)} columns, as "
            f"{shown(formula)} has names: {', '.join(formula.names)}."
        )


def _check_rows(formula: Formula, values: np.ndarray, weight: np.ndarray) -> None:
    if undefined := int((~np.isfinite(values)).sum()):
        raise ValueError(
            f"`x` ({undefined} of {len(values)} rows) must lie where the formula "
            f"{formula} is defined: leave such rows out."
        )
    rows, least = float(weight.sum()), 1 + LEFT
    if rows < least:
        counted = "" if (weight == 1).all() else " as `sample_weight` counts them"
        raise ValueError(
            f"`x` (with {rows:g} rows{counted}) must have at least {least} rows: noise "
            "is told from what a formula leaves over."
        )


@dataclass(frozen=True, eq=False)
class _Given:
    formula: Formula
    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    middle: np.ndarray

    @cached_property
    def numbers(self) -> np.ndarray:
        return np.array([number.value for number in self.formula.numbers])

    def fit(self, free: tuple[int, ...]) -> FittedFormula:
        """The least-squares fit, from where the formula is."""
        from scipy.optimize import least_squares

        function = function_of(self.formula, free)
        held, middle, columns = self.numbers, self.middle, self.x.T
        # Of targets of size one: a tolerance of `least_squares` is that of their scale.
        root = np.sqrt(self.weight) / (np.abs(self.y).max() or 1.0)
        start = function.moved(held, middle)

        def residual(moved: np.ndarray) -> np.ndarray:
            numbers = function.numbers(moved, held, middle, np)
            return (function.value(numbers, columns, np) - self.y) * root

        def slopes(moved: np.ndarray) -> np.ndarray:
            return function.slopes(moved, held, middle, columns) * root[:, None]

        best = start
        if free:
            options: dict[str, Any] = {"jac": slopes, "x_scale": "jac"}
            options |= {"xtol": 1e-13, "ftol": 1e-14, "gtol": 1e-14}
            best = least_squares(residual, start, **options).x
        return FittedFormula(
            self.formula, function, self.x, self.y, self.weight, held, middle, best
        )

    def told_apart(self) -> tuple[int, ...]:
        """The places of the numbers that the rows tell, the surest kind first.

        Whether a number is freed depends on slopes and on the size of the noise, not on
        its estimate, so that intervals of those that are have their level.
        """
        constants = constants_of(self.formula)
        everything = function_of(self.formula, range(len(constants)))
        moved = everything.moved(self.numbers, self.middle)
        slopes = everything.slopes(moved, self.numbers, self.middle, self.x.T)
        slopes = slopes * np.sqrt(self.weight)[:, None]
        residual = (self.formula.evaluate(self.x) - self.y) * np.sqrt(self.weight)
        chosen: list[int] = []
        for group in _groups(constants, self.numbers):
            group = [i for i in group if np.isfinite(slopes[:, i]).all()]
            trial = [*chosen, *group]
            left = self.weight.sum() - len(trial)
            if not group or left < LEFT:
                continue
            noise = np.sqrt(residual @ residual / left)
            role = constants[group[0]].role
            outermost = role == "coefficient" and constants[group[0]].depth == 1
            allowed = _allowed(constants, trial, moved, outermost)
            if _is_told(slopes[:, trial], noise, allowed, APART[role], len(group)):
                chosen = trial
        if not chosen:
            raise ValueError(
                f"`formula` (={shown(self.formula)}) must have a constant that the "
                "rows tell; they tell none."
            )
        return tuple(sorted(chosen))


def _rank(
    constant: NumberPlace, value: float, place: int
) -> tuple[bool, bool, int, bool, bool, int]:
    """Coefficients first, from outside, and those of 1 last: they are held where a sum
    has no scale of its own. Then exponents of columns, and at last those of sums."""
    exponent = constant.role == "exponent"
    is_one, alone = bool(abs(value) == 1), not constant.factors
    of_sum = exponent and not constant.of_column
    return exponent, of_sum, constant.depth, is_one, alone, place


def _groups(constants: tuple[NumberPlace, ...], numbers: np.ndarray) -> list[list[int]]:
    """Numbers that are freed together, in the order in which they are tried.

    Exponents of the columns of one inner sum are freed all or none: they say the same
    of different columns.
    """
    ranks = [_rank(c, numbers[i], i) for i, c in enumerate(constants)]
    groups: dict[tuple, list[int]] = {}
    for *_, place in sorted(ranks):
        constant = constants[place]
        inner = constant.of_column and constant.depth > OUTERMOST
        key = ("sum", constant.whole) if inner else ("number", place)
        groups.setdefault(key, []).append(place)
    return list(groups.values())


def _allowed(
    constants: tuple[NumberPlace, ...],
    places: list[int],
    moved: np.ndarray,
    any_size: bool,
) -> np.ndarray:
    """The largest standard deviation that each of some numbers may have."""
    exponents = [constants[i].role == "exponent" for i in places]
    sizes = np.where(exponents, VAGUE, LOOSE * np.abs(moved[places]))
    return np.full(len(places), np.inf) if any_size else sizes


def _is_told(
    slopes: np.ndarray, noise: float, allowed: np.ndarray, least: float, last: int
) -> bool:
    """Whether the last of some slopes are independent, and all deviations small."""
    scale = np.linalg.norm(slopes, axis=0)
    if not (scale > 0).all():
        return False
    triangle = np.linalg.qr(slopes / scale, mode="r")
    if np.abs(np.diag(triangle))[-last:].min() < least:
        return False
    inverse = np.linalg.inv(triangle)
    spread = np.sqrt((inverse**2).sum(axis=1)) * noise / scale
    return bool((spread <= allowed).all())
