"""One layout of a wide table, fitted: its weights rounded, its constants named."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from ._linear_forms import FormLayout, FormTable, free_parameters, predict
from ._rounding import (
    Rounding,
    covariance,
    refit,
    repair,
    round_weights,
    scaled,
    whole_scale,
)
from ._triple import turn_triple
from ._wide_accept import allowed, description, relative_error, simple_fraction


@dataclass(frozen=True)
class Proposal:
    r"""A formula for a wide table: terms of powers of linear forms.

    $y = \sum_t \prod_{f \in t} (w_f \cdot x + b_f)^{e_f}$, the first form of every term
    being a constant, its scale.

    Attributes:
        layout: which forms are multiplied and added, with which powers.
        weights: of each form, the weights of the inputs and then its constant.
        fitted: which of them are numbers fitted to the table; others were rounded.
        error: the root mean square error over the deviation of y.
        nats: the length of the description of formula and noise; less is better.
        accepted: whether it explains the table as well as the unrounded fit.
    """

    layout: FormLayout
    weights: Float[np.ndarray, "form column"]
    fitted: Bool[np.ndarray, "form column"]
    error: float
    nats: float
    accepted: bool

    def predict(self, x: Float[np.ndarray, "row input"]) -> Float[np.ndarray, " row"]:
        """What the formula says for each row."""
        columns = np.column_stack([x, np.ones(len(x))])
        return predict(self.layout, columns, self.weights)


@dataclass(frozen=True)
class FreeFit:
    """A layout fitted without rounding, in weights of the inputs."""

    layout: FormLayout
    w: Float[np.ndarray, "form column"]
    free: Bool[np.ndarray, "form column"]
    rss: float

    @property
    def parameters(self) -> int:
        """Free weights, less one for every form beyond the first of its term."""
        spare = sum(len(term) - 1 for term in self.layout.terms)
        return int(self.free.sum()) - spare


def attempt(found: FreeFit, table: FormTable) -> Proposal:
    """The fit with its weights rounded, as far as the table allows.

    Whole numbers for all weights are tried first; if they do not explain the table, odd
    weights stay free, or become simple fractions. Constants of forms are left out if
    the table does not need them.
    """
    layout, forms, scales = scaled(found.layout)
    state = _without_constants(_begin(found, layout, forms, scales), found, table)
    best = None
    for strict in (False, True):
        trial = _rounded(state, found, table, forms, scales, strict)
        good = trial.rss <= _limit(trial, found, table)
        if best is None or good:
            best = trial
        if good:
            break
    assert best is not None
    best = _named(best, found, table)
    good = best.rss <= _limit(best, found, table)
    nats, error = description(best, table), relative_error(best.rss, table)
    return Proposal(layout, best.w, best.free, error, nats, good)


def mean_proposal(table: FormTable) -> Proposal:
    """The mean of the target, which inputs must improve on."""
    layout, _, _ = scaled(FormLayout("constant", ((1.0,),)))
    w = np.zeros((2, table.columns.shape[1]))
    w[:, -1] = np.average(table.target, weights=table.weight), 1.0
    free = np.zeros(w.shape, bool)
    free[0, -1] = True
    rss = float(table.weight @ (table.target - w[0, -1]) ** 2)
    state = Rounding(layout, w, free, rss)
    error = relative_error(rss, table)
    return Proposal(layout, w, free, error, description(state, table), True)


def _limit(state: Rounding, found: FreeFit, table: FormTable) -> float:
    return allowed(found.rss, found.parameters, state.parameters, table)


def _begin(found: FreeFit, layout: FormLayout, forms: list, scales: list) -> Rounding:
    """The fit with scales of 1, which are not free yet."""
    w = np.zeros((layout.forms, found.w.shape[1]))
    free = np.zeros(w.shape, bool)
    w[forms], free[forms] = found.w, found.free
    w[scales, -1] = 1.0
    return Rounding(layout, w, free, found.rss)


def _without_constants(state: Rounding, found: FreeFit, table: FormTable) -> Rounding:
    """Constants of forms left out, all or each alone, where the table allows it."""
    having = np.flatnonzero(state.free[:, -1])
    trials = [having, *([[f] for f in having] if len(having) > 1 else [])]
    for out in trials:
        w, free = state.w.copy(), state.free.copy()
        for f in out:  # the form keeps its mean
            rest = float(np.mean(table.columns[:, :-1] @ w[f, :-1]))
            if rest != 0 and state.layout.powers[f] and len(found.layout.powers) > 1:
                w[f, :-1] *= 1 + w[f, -1] / rest
        w[out, -1], free[out, -1] = 0.0, False
        trial = refit(replace(state, w=w, free=free), table, iterations=30)
        fewer = found.parameters - int(found.free.sum()) + trial.parameters
        if trial.rss <= allowed(found.rss, found.parameters, fewer, table):
            state = trial
            if len(out) == len(having):
                break
    return state


def _rounded(state, found, table, forms, scales, strict) -> Rounding:
    """Forms brought to whole weights and rounded, the longest products first.

    Only then are the weights of a sum beside a product known: before, a factor can grow
    by nearly a constant that the sum takes back.
    """
    freedom = max(len(table.target) - found.parameters, 1)
    groups = sorted(state.layout.groups(), key=len, reverse=True)
    for scale, *rest in groups:
        turned = turn_triple(state, table, rest) if len(rest) == 3 else state
        state = _to_scale(turned, table, scale, rest, freedom)
        state = state if len(rest) == 3 else refit(state, table)
        state = round_weights(state, table, rest, freedom, strict)
    return repair(state, table, forms, _limit(state, found, table))


def _to_scale(state, table, scale, forms, freedom) -> Rounding:
    """Every form of a term divided by the scale of its weights, which becomes free."""
    w, free = state.w.copy(), state.free.copy()
    free[scale, -1] = True
    held = replace(state, free=free)
    place = free_parameters(free)
    cov = np.diag(covariance(held, table, state.rss / freedom))
    spread = np.zeros_like(w)
    spread[place] = np.sqrt(np.maximum(cov, 0.0))
    for f in forms:
        at = state.free[f, :-1]
        if at.any() and np.any(w[f, :-1][at]):
            s, _ = whole_scale(w[f, :-1][at], spread[f, :-1][at])
            if w[f, :-1][at].sum() < 0 and float(state.layout.powers[f]).is_integer():
                s = -s  # more weights are 1 than −1
            w[f] /= s
            w[scale, -1] *= s ** state.layout.powers[f]
    return replace(held, w=w)


def _named(state: Rounding, found: FreeFit, table: FormTable) -> Rounding:
    """Free numbers as simple fractions, where the table allows it: all, or each."""
    if not state.free.any():
        return state
    freedom = max(len(table.target) - state.parameters, 1)
    form, column = free_parameters(state.free)
    spread = np.sqrt(np.diag(covariance(state, table, state.rss / freedom)))
    near = {
        (f, c): simple_fraction(float(state.w[f, c]), s)
        for f, c, s in zip(form, column, spread, strict=True)
    }
    near = {place: value for place, value in near.items() if value is not None}
    for group in (list(near), *([place] for place in near)):
        trial = _fixed(state, {p: near[p] for p in group if state.free[p]}, table)
        if trial.rss <= _limit(trial, found, table):
            state = trial
            if len(group) == len(near):
                break
    return state


def _fixed(state: Rounding, values: dict, table: FormTable) -> Rounding:
    w, free = state.w.copy(), state.free.copy()
    for place, value in values.items():
        w[place], free[place] = value, False
    return refit(replace(state, w=w, free=free), table)
