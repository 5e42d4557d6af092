"""From fitted weights to whole ones: the most certain first, then single flips.

After a fit, the weights of a form are whole numbers times a scale, blurred by noise.
The weight whose rounding is most certain is fixed, and the estimates of all others move
with it (they are correlated); a refit follows, and the next weights. What was rounded
wrongly is repaired by flips of one or two weights that lower the sum of squares.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from ._linear_forms import (
    FormLayout,
    FormTable,
    fit_forms,
    form_slopes,
    free_parameters,
    predict,
    slopes,
    sum_of_squares,
)

SURE = 12.0  # the logarithm of the odds from which a rounding needs no refit
FAR = 6.0  # deviations from which a weight is none of the whole numbers
FINE = 1e-6  # to this, weights of a table without noise are known
LOOSE = 0.03  # how well the scale of a form is known before a weight is fixed
LARGEST = 4  # of the whole numbers to which weights are rounded
FLIPS = 80  # the most repairs


@dataclass(frozen=True)
class Rounding:
    """Weights of forms, which of them are still free, and the sum of squares.

    The first form of every term is a constant alone: its scale.
    """

    layout: FormLayout
    w: Float[np.ndarray, "form column"]
    free: Bool[np.ndarray, "form column"]
    rss: float

    @property
    def parameters(self) -> int:
        """How many weights are fitted to the table."""
        return int(self.free.sum())


def scaled(layout: FormLayout) -> tuple[FormLayout, list[int], list[int]]:
    """The layout with a scale before every term; places of forms and of scales."""
    terms, forms, scales, at = [], [], [], 0
    for term in layout.terms:
        terms.append((1.0, *term))
        scales.append(at)
        forms += range(at + 1, at + 1 + len(term))
        at += 1 + len(term)
    return FormLayout(layout.name, tuple(terms)), forms, scales


def refit(state: Rounding, table: FormTable, iterations: int = 12) -> Rounding:
    """The free weights fitted again."""
    w, rss = fit_forms(
        state.layout, table, state.w[None], state.free, iterations=iterations, slow=1e-6
    )
    return replace(state, w=w[0], rss=float(rss[0]))


def covariance(
    state: Rounding, table: FormTable, noise: float
) -> Float[np.ndarray, "free free"]:
    """The covariance of the free weights, each form held to about its length.

    A product stays what it is when one factor grows and another shrinks; the length of
    a form in which no weight other than 0 is fixed is therefore said to be known.
    """
    slope = form_slopes(state.layout, table, state.w, state.free)
    hessian = slope @ slope.T
    form, column = free_parameters(state.free)
    inputs = column < state.w.shape[1] - 1
    for f in _loose_forms(state):
        along = np.where((form == f) & inputs, state.w[form, column], 0.0)
        size = along @ along
        if size > 0:
            hessian += noise * np.outer(along, along) / (size * LOOSE) ** 2
    diagonal = np.diag(hessian).copy()
    root = np.sqrt(np.maximum(diagonal, 1e-24 * diagonal.max() + 1e-200))
    normal = hessian / np.outer(root, root)
    normal[np.diag_indices_from(normal)] += 1e-12
    return np.linalg.inv(normal) / np.outer(root, root) * noise


def _loose_forms(state: Rounding) -> list[int]:
    """Forms of products in which nothing holds the scale."""
    held = (~state.free & (state.w != 0))[:, :-1].any(1)
    constants = ~(state.free | (state.w != 0))[:, :-1].any(1)
    loose = []
    for group in state.layout.groups():
        if state.free[group[0], -1]:
            loose += [f for f in group[1:] if not held[f] and not constants[f]]
    return loose


def whole_scale(
    w: Float[np.ndarray, " input"], spread: Float[np.ndarray, " input"]
) -> tuple[float, float]:
    r"""The scale $s$ for which the weights are nearest to small whole multiples.

    It is the $s$ of least $\sum_j ((w_j - s k_j) / \sigma_j)^2 + 4 \log(1 + |k_j|)$,
    $k_j$ being $w_j / s$ rounded, among the larger weights, their halves and thirds.

    Args:
        w: the weights of one form.
        spread: their standard deviations $\sigma$.

    Returns:
        The scale, and the least sum.

    Example:
        >>> s, _ = whole_scale(np.array([0.7, 0.0, -1.4, 0.701]), np.full(4, 0.01))
        >>> round(s, 2)
        0.7
    """
    size = np.abs(w)
    spread = np.maximum(spread, FINE * size.max())
    large = np.unique(size[size > 0.3 * size.max()])
    large = large[np.linspace(0, len(large) - 1, min(len(large), 40)).astype(int)]
    trial = (large[:, None] / np.array([1, 2, 3])).ravel()
    trial = np.append(trial, [1.0, np.median(size[size > 0.5 * size.max()])])
    for _ in range(3):
        k = np.clip(np.round(w / trial[:, None]), -3 * LARGEST, 3 * LARGEST)
        top, bottom = ((k * w) / spread**2).sum(1), (k**2 / spread**2).sum(1)
        trial = np.where(bottom > 0, top / np.maximum(bottom, 1e-300), trial)
        trial = np.maximum(trial, 1e-300)
    k = np.round(w / trial[:, None])
    cost = (((w - trial[:, None] * k) / spread) ** 2).sum(1)
    cost += 4 * np.log1p(np.abs(k)).sum(1)
    best = int(np.argmin(cost))
    return float(trial[best]), float(cost[best])


def _choices(w: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """The whole numbers that weights of a form may have: −1, 0, 1 and clear others."""
    near = np.round(w)
    clear = (np.abs(near) <= LARGEST) & (spread < 0.15) & (np.abs(w - near) < 0.3)
    negative = [-1.0] if (w < -np.maximum(4 * spread, 0.5)).any() else []
    return np.unique([*negative, 0.0, 1.0, *near[clear]])


def _nearest(w: np.ndarray, choices: list[np.ndarray], form: np.ndarray):
    """The nearest choice of each weight, its distance and that of the next one."""
    best, first, second = (np.empty(len(w)) for _ in range(3))
    for f in np.unique(form):
        at = form == f
        distance = np.abs(w[at, None] - choices[f])
        order = np.sort(distance, axis=1)
        best[at] = choices[f][distance.argmin(1)]
        first[at], second[at] = order[:, 0], order[:, min(1, order.shape[1] - 1)]
    return best, first, second


def round_weights(
    state: Rounding, table: FormTable, forms: list[int], freedom: float, strict: bool
) -> Rounding:
    """All weights of some forms rounded, a part at a time, with refits between.

    Args:
        state: a fit whose forms have weights near whole numbers.
        table: what is fitted.
        forms: those whose weights are rounded.
        freedom: the degrees of freedom of the noise.
        strict: whether weights far from all whole numbers stay free.

    Returns:
        Weights of which only scales, constants and (if strict) odd weights are free.
    """
    kept = ~np.isin(np.arange(len(state.w)), forms)[:, None] & state.free
    for _ in range(12):
        form, column = free_parameters(state.free)
        rounding = (column < state.w.shape[1] - 1) & ~kept[form, column]
        if not rounding.any():
            break
        noise = max(state.rss / freedom, 1e-26 * table.scale / len(table.target))
        state, odd = _fix_most_certain(state, table, noise, rounding, strict)
        kept |= odd
        state = refit(state, table)
    return state


def _fix_most_certain(state, table, noise, rounding, strict):
    """The weights whose rounding is sure, and at least a quarter of all, are fixed."""
    form, column = free_parameters(state.free)
    cov, w = covariance(state, table, noise), state.w[form, column].copy()
    spread = np.sqrt(np.diag(cov))
    choices = [
        _choices(w[(form == f) & rounding], spread[(form == f) & rounding])
        for f in range(len(state.w))
    ]
    left, fixed, odd = rounding.copy(), state.free.copy(), np.zeros_like(state.free)
    at_least, done = max(4, int(rounding.sum()) // 4), 0
    while left.any():
        index = np.flatnonzero(left)
        best, first, second = _nearest(w[index], choices, form[index])
        var = np.maximum(np.diag(cov)[index], (FINE / FAR) ** 2)
        sure = (second**2 - first**2) / (2 * var)
        if strict:
            far = first**2 > FAR**2 * var
            odd[form[index[far]], column[index[far]]] = True
            left[index[far]] = False
            sure[far] = -np.inf
        pick = int(np.argmax(sure))
        if not np.isfinite(sure[pick]) or (sure[pick] < SURE and done >= at_least):
            break
        i = index[pick]
        along = cov[:, i] / max(cov[i, i], 1e-300)
        w += along * (best[pick] - w[i])
        cov = cov - np.outer(along, cov[i])
        w[i], left[i] = best[pick], False
        fixed[form[i], column[i]] = False
        done += 1
    new = state.w.copy()
    new[form, column] = w
    moved = replace(state, w=new, free=fixed)
    rss = float(sum_of_squares(state.layout, table, new))
    return replace(moved, rss=rss), odd


def repair(
    state: Rounding, table: FormTable, forms: list[int], goal: float
) -> Rounding:
    """Flips of one or two whole weights for as long as they lower the sum of squares.

    It ends when flips of this size could not reach the sum of squares `goal` any more.
    """
    inputs = np.zeros_like(state.free)
    inputs[forms, :-1] = True
    for left in range(FLIPS, 0, -1):
        before = state.rss
        trial = _best_flip(state, table, _flips(state, inputs))
        if trial is None:
            break
        state = trial
        if state.rss - goal > (before - state.rss) * left:
            break
    return state


def _flips(state: Rounding, inputs: np.ndarray):
    """Form, column and change of every flip to a neighbouring whole number."""
    form, column = np.nonzero(inputs & ~state.free & (state.w == np.round(state.w)))
    change = np.concatenate([np.ones(len(form)), -np.ones(len(form))])
    form, column = np.tile(form, 2), np.tile(column, 2)
    low = np.minimum(state.w[:, :-1].min(1), 0.0)
    high = np.maximum(state.w[:, :-1].max(1), 1.0)
    new = state.w[form, column] + change
    allowed = (new >= low[form]) & (new <= high[form])
    return form[allowed], column[allowed], change[allowed]


def _best_flip(state: Rounding, table: FormTable, flips) -> Rounding | None:
    """The flip, or pair of flips, that lowers the sum of squares most, if any does.

    The change of the squares is that of the linearised model in which the free weights
    follow; a product is linear in each weight, so for single flips it is nearly exact.
    """
    form, column, change = flips
    if len(form) == 0:
        return None
    root = np.sqrt(table.weight)
    m = slopes(state.layout, table.columns, state.w) * root
    g = m[form] * table.columns.T[column] * change[:, None]
    error = (table.target - predict(state.layout, table.columns, state.w)) * root
    if state.free.any():
        q = np.linalg.qr(form_slopes(state.layout, table, state.w, state.free).T)[0]
        g = g - (g @ q) @ q.T
    gram = g @ g.T
    gain = 2 * (g @ error) - np.diag(gram)
    both = gain[:, None] + gain - 2 * gram
    np.fill_diagonal(both, gain)
    same = (form[:, None] == form) & (column[:, None] == column)
    both[same & ~np.eye(len(form), dtype=bool)] = -np.inf
    for _ in range(3):  # where the forecast was wrong, the next best is tried
        i, j = np.unravel_index(np.argmax(both), both.shape)
        if both[i, j] <= 1e-9 * state.rss or state.rss <= 0:
            return None
        new = state.w.copy()
        new[form[i], column[i]] += change[i]
        if i != j:
            new[form[j], column[j]] += change[j]
        trial = refit(replace(state, w=new), table, iterations=6)
        if trial.rss < state.rss * (1 - 1e-9):
            return trial
        both[i, j] = both[j, i] = -np.inf
    return None
