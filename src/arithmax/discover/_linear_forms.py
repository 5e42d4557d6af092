"""Sums of products of powers of linear forms, fitted by Levenberg–Marquardt.

Every layout of a wide table is one model: with columns $a$ (the inputs, then a 1)
$$y = \\sum_t \\prod_{f \\in t} (w_f \\cdot a)^{e_f},$$
whose slope in the weight $w_{fj}$ is $e_f\\, a_j$ times the term over its form. Many
starts are fitted as one batch, since small tables cost more calls than arithmetic.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

FLOOR = 1e-26  # of the sum of squares of y: what rounding of float64 leaves
SLOW = 0.02  # the least relative gain that counts as progress
PATIENCE = 6  # steps without progress after which a start is given up


@dataclass(frozen=True)
class FormLayout:
    """Which forms are multiplied and added: the powers of the forms, term by term.

    Example:
        >>> FormLayout("ratio of two sums", ((1.0, -1.0),)).forms
        2
    """

    name: str
    terms: tuple[tuple[float, ...], ...]

    @property
    def powers(self) -> tuple[float, ...]:
        """The power of each form, over all terms."""
        return tuple(power for term in self.terms for power in term)

    @property
    def forms(self) -> int:
        """How many linear forms there are."""
        return len(self.powers)

    def groups(self) -> Iterator[range]:
        """The forms of each term, as positions in `powers`."""
        start = 0
        for term in self.terms:
            yield range(start, start + len(term))
            start += len(term)


class FormTable(NamedTuple):
    """What is fitted: columns (the last is 1), the target and the rows' weights."""

    columns: Float[np.ndarray, "row column"]
    target: Float[np.ndarray, " row"]
    weight: Float[np.ndarray, " row"]

    @property
    def scale(self) -> float:
        """The weighted sum of squares of the target."""
        return float(self.weight @ self.target**2)


def _power(z: np.ndarray, power: float) -> np.ndarray:
    return z if power == 1 else z**power


def predict(
    layout: FormLayout, columns: Float[np.ndarray, "row column"], w: np.ndarray
) -> Float[np.ndarray, "*start row"]:
    r"""$\sum_t \prod_{f \in t} (w_f \cdot a)^{e_f}$ for weights [*start, form, column].

    Example:
        >>> layout = FormLayout("product of two sums", ((1.0, 1.0),))
        >>> w = np.array([[1, 1, 0], [0, 1, 1]])
        >>> predict(layout, np.array([[2.0, 3.0, 1.0]]), w)
        array([20.])
    """
    z = w @ columns.T
    y = np.zeros(z.shape[:-2] + z.shape[-1:])
    with np.errstate(all="ignore"):  # a form may vanish; the fit refuses such a step
        for group in layout.groups():
            term = np.ones_like(y)
            for f in group:
                term = term * _power(z[..., f, :], layout.powers[f])
            y = y + term
    return y


def slopes(
    layout: FormLayout, columns: Float[np.ndarray, "row column"], w: np.ndarray
) -> Float[np.ndarray, "*start form row"]:
    """The slope of the prediction in the value of each form."""
    z = w @ columns.T
    m = np.ones_like(z)
    with np.errstate(all="ignore"):
        for group in layout.groups():
            for f in group:
                e = layout.powers[f]
                if e != 1:
                    m[..., f, :] *= e * z[..., f, :] ** (e - 1)
                for other in group:
                    if other != f:
                        m[..., other, :] *= _power(z[..., f, :], e)
    return m


def free_parameters(
    free: Bool[np.ndarray, "form column"],
) -> tuple[Int[np.ndarray, " free"], Int[np.ndarray, " free"]]:
    """Form and column of every free weight."""
    form, column = np.nonzero(free)
    return form, column


def form_slopes(
    layout: FormLayout,
    table: FormTable,
    w: np.ndarray,
    free: Bool[np.ndarray, "form column"],
) -> Float[np.ndarray, "*start free row"]:
    """Slopes of the prediction in the free weights, times the rows' root weights."""
    form, column = free_parameters(free)
    m = slopes(layout, table.columns, w) * np.sqrt(table.weight)
    return m[..., form, :] * np.ascontiguousarray(table.columns.T)[column]


def sum_of_squares(layout: FormLayout, table: FormTable, w: np.ndarray) -> np.ndarray:
    """The weighted sum of squared errors of each start; infinite where undefined."""
    error = predict(layout, table.columns, w) - table.target
    with np.errstate(all="ignore"):
        rss = (error**2) @ table.weight
    return np.where(np.isfinite(rss), rss, np.inf)


def _steps(hessian: np.ndarray, gradient: np.ndarray, damping: np.ndarray):
    """Marquardt's steps; the diagonal is never zero, for forms can be rescaled."""
    diagonal = np.diagonal(hessian, axis1=-2, axis2=-1)
    most = diagonal.max(-1, keepdims=True)
    index = np.arange(hessian.shape[-1])
    damped = hessian.copy()
    damped[..., index, index] += damping[:, None] * diagonal + 1e-13 * most + 1e-290
    return np.linalg.solve(damped, gradient[..., None])[..., 0]


def fit_forms(
    layout: FormLayout,
    table: FormTable,
    start: Float[np.ndarray, "start form column"],
    free: Bool[np.ndarray, "form column"],
    *,
    iterations: int = 60,
    slow: float = SLOW,
) -> tuple[Float[np.ndarray, "start form column"], Float[np.ndarray, " start"]]:
    """Least squares over the free weights, from all starts at once.

    Args:
        layout: which forms are multiplied and added.
        table: columns, target and rows' weights.
        start: weights to begin with; those that are not free keep these values.
        free: which weights are fitted.
        iterations: the most steps.
        slow: the relative gain below which a step is no progress.

    Returns:
        Weights and sums of squares. It ends early when one start is exact.

    Example:
        >>> x = np.random.default_rng(0).uniform(1, 2, (50, 2))
        >>> columns = np.column_stack([x, np.ones(50)])
        >>> table = FormTable(columns, x[:, 0] * (x[:, 0] + x[:, 1]), np.ones(50))
        >>> start = np.array([[[1.0, 0.1, 0.0], [0.5, 0.5, 0.0]]])
        >>> free = np.array([[True, True, False]] * 2)
        >>> w, rss = fit_forms(FormLayout("product", ((1.0, 1.0),)), table, start, free)
        >>> bool(rss[0] < 1e-20)
        True
    """
    w, form, column = start.copy(), *free_parameters(free)
    rss = sum_of_squares(layout, table, w)
    if len(form) == 0:
        return w, rss
    damping, idle = np.full(len(w), 1e-3), np.zeros(len(w), int)
    enough, root = FLOOR * table.scale, np.sqrt(table.weight)
    for _ in range(iterations):
        alive = np.flatnonzero((idle < PATIENCE) & np.isfinite(rss))
        if len(alive) == 0 or rss.min() <= enough:
            break
        slope = form_slopes(layout, table, w[alive], free)
        error = (table.target - predict(layout, table.columns, w[alive])) * root
        hessian = slope @ np.swapaxes(slope, -1, -2)
        step = _steps(hessian, (slope @ error[..., None])[..., 0], damping[alive])
        trial = w[alive].copy()
        trial[:, form, column] += step
        new = sum_of_squares(layout, table, trial)
        better = new < rss[alive]
        progress = new < (1 - slow) * rss[alive]
        idle[alive] = np.where(progress, 0, idle[alive] + 1)
        damping[alive] *= np.where(better, 0.2, 5.0)
        np.clip(damping, 1e-14, 1e12, out=damping)
        w[alive[better]], rss[alive[better]] = trial[better], new[better]
    return w, rss
