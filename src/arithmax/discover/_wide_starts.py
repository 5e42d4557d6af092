"""Where fits of wide tables begin: linear effects, a spectrum, a null space."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from ._linear_forms import FormTable

CERTAIN = 3.5  # the t-value from which an input has a linear effect
STEADY = 0.8  # the share of the variance from which linear effects screen inputs


class Standard(NamedTuple):
    """Inputs with mean 0 and deviation 1, and how to get back.

    A form $w \\cdot x + b$ of the inputs is a form of the standardised ones.
    """

    table: FormTable
    mean: Float[np.ndarray, " input"]
    deviation: Float[np.ndarray, " input"]

    def to_inputs(self, w: np.ndarray) -> np.ndarray:
        """Weights of standardised columns as weights of the inputs."""
        v = w.copy()
        v[..., :-1] /= self.deviation
        v[..., -1] -= v[..., :-1] @ self.mean
        return v

    def from_inputs(self, w: np.ndarray) -> np.ndarray:
        """Weights of the inputs as weights of standardised columns."""
        v = w.copy()
        v[..., -1] += v[..., :-1] @ self.mean
        v[..., :-1] *= self.deviation
        return v


def standardise(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Standard:
    """The table with columns of mean 0 and deviation 1; constant inputs stay 0."""
    mean, deviation = x.mean(0), x.std(0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    columns = np.column_stack([(x - mean) / deviation, np.ones(len(y))])
    return Standard(FormTable(columns, y, weight), mean, deviation)


class Effects(NamedTuple):
    """The best straight line: effects, constant, t-values, what it leaves over."""

    slope: Float[np.ndarray, " input"]
    constant: float
    t: Float[np.ndarray, " input"]
    residual: Float[np.ndarray, " row"]
    explained: float

    def screened(self) -> Bool[np.ndarray, " input"]:
        """Inputs that may matter: those with an effect, where effects tell."""
        if self.explained < STEADY:
            return np.ones(len(self.t), bool)
        return np.abs(self.t) > CERTAIN


def linear_effects(table: FormTable) -> Effects:
    """Weighted least squares of the target on the standardised columns."""
    root = np.sqrt(table.weight)
    a, y = table.columns * root[:, None], table.target * root
    gram = a.T @ a
    gram[np.diag_indices_from(gram)] += 1e-12 * np.trace(gram) / len(gram)
    inverse = np.linalg.inv(gram)
    w = inverse @ (a.T @ y)
    w = w + inverse @ (
        a.T @ (y - a @ w)
    )  # a refinement, lest the Gram matrix cost digits
    left = y - a @ w
    freedom = max(len(y) - a.shape[1], 1)
    spread = np.sqrt(np.diag(inverse) * (left @ left) / freedom)
    t = w / np.maximum(spread, 1e-300)
    mean = table.weight @ table.target / table.weight.sum()
    total = table.weight @ (table.target - mean) ** 2
    explained = 1 - (left @ left) / freedom / max(total / len(y), 1e-300)
    residual = table.target - table.columns @ w
    return Effects(w[:-1], float(w[-1]), t[:-1], residual, float(explained))


def quadratic_pair(
    table: FormTable, left: np.ndarray, keep: np.ndarray
) -> Float[np.ndarray, "2 input"]:
    r"""Two vectors whose product is what a straight line leaves over, roughly.

    For standard inputs $\tfrac12 E[r (z z^\top - 1)]$ is the matrix $M$ of a quadratic
    form $z^\top M z$; its largest and least eigenvalues give
    $M \approx \tfrac12 (u v^\top + v u^\top)$.
    """
    z = table.columns[:, :-1][:, keep]
    m = (z * (left * table.weight)[:, None]).T @ z / (2 * table.weight.sum())
    # Squares of evenly spread inputs vary less (0.8) than a normal's (2).
    spread = np.maximum((z**4).mean(0) - 1, 0.2)
    m[np.diag_indices_from(m)] *= 2 / spread
    m[np.diag_indices_from(m)] -= left.mean() / spread
    value, vector = np.linalg.eigh(m)
    plus = np.sqrt(max(value[-1], 0.0)) * vector[:, -1]
    minus = np.sqrt(max(-value[0], 0.0)) * vector[:, 0]
    pair = np.zeros((2, len(keep)))
    pair[:, keep] = plus + minus, plus - minus
    return pair


def square_root_start(
    table: FormTable, effects: Effects, keep: np.ndarray
) -> Float[np.ndarray, "1 1 column"]:
    """One form whose square is the target, from the largest eigenvalue."""
    u, v = quadratic_pair(table, effects.residual, keep)
    w = np.zeros((1, 1, len(u) + 1))
    w[..., :-1] = (u + v) / 2
    size = float(w[..., :-1].ravel() @ w[..., :-1].ravel())
    w[..., -1] = effects.slope @ w[0, 0, :-1] / (2 * max(size, 1e-300))
    return w


def spectral_product(
    table: FormTable, effects: Effects, keep: np.ndarray
) -> Float[np.ndarray, "2 column"]:
    """Two factors from the spectrum, their constants from the linear effects.

    $(\\bar u + u z)(\\bar v + v z)$ has the effects $\\bar v u + \\bar u v$.
    """
    pair = quadratic_pair(table, effects.residual, keep)
    constants = np.linalg.lstsq(pair.T, effects.slope, rcond=None)[0]
    return np.column_stack([pair, constants[::-1]])


def split_effects(
    effects: Effects,
    powers: tuple[float, ...],
    keep: np.ndarray,
    starts: int,
    generator: np.random.Generator,
) -> Float[np.ndarray, "start form column"]:
    r"""Forms of equal means whose linear effects share those of the table at random.

    A product with means $m_f$ has the effects $\sum_f e_f (y_0 / m_f) w_f$; every
    input's effect is dealt out to the forms. Positive effects of a ratio go to the
    numerator.
    """
    k, d = len(powers), len(keep)
    e = np.array(powers)
    size = max(abs(effects.constant), 1e-12)
    mean = np.full(k, size ** (1 / np.abs(e).sum()) if (e > 0).all() else 1.0)
    if (e < 0).any():
        mean[e > 0] = size ** (1 / (e > 0).sum())
    mean[0] *= np.sign(effects.constant) or 1.0
    share = generator.uniform(0, 1, (starts, k, d))
    if (e < 0).any():
        towards = np.where(
            np.sign(effects.slope) * np.sign(effects.constant) > 0, 1, -1
        )
        share = np.where(np.sign(e)[:, None] == towards, share, 0.1 * share)
    share /= share.sum(1, keepdims=True)
    whole = np.prod(mean**e)
    w = np.empty((starts, k, d + 1))
    w[..., :-1] = share * effects.slope * (mean / (e * whole))[:, None] * keep
    w[..., -1] = mean
    return w


def null_space_ratio(
    table: FormTable, keep: np.ndarray
) -> Float[np.ndarray, "2 column"]:
    r"""Numerator and denominator from the smallest singular vector.

    $y = p(x) / q(x)$ says that $[A, -yA]$ times the coefficients of $p$ and $q$ is 0.
    Rows are scaled by $1 + |y|$, lest a denominator near zero outweigh all others.
    """
    a = table.columns[:, np.append(keep, True)]
    y = table.target / np.std(table.target)
    rows = (np.sqrt(table.weight) / (1 + np.abs(y)))[:, None]
    both = np.hstack([a * rows, -a * y[:, None] * rows])
    size = np.linalg.norm(both, axis=0)
    vector = np.linalg.svd(both / size, full_matrices=False)[2][-1] / size
    forms = np.zeros((2, len(keep) + 1))
    forms[:, np.append(keep, True)] = vector.reshape(2, -1)
    forms[0] *= np.std(table.target)
    return forms / max(abs(forms[1, -1]), 1e-12)
