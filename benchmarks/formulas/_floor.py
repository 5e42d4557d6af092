"""The trivial floor: two least-squares fits that anybody writes in an hour.

Logarithms, with exponents rounded to halves; and polynomials up to degree 4, whose
small coefficients are dropped. Whichever is nearer on rows held out is printed.
"""

from itertools import combinations_with_replacement
from math import comb

import numpy as np

MOST = 500  # terms of a polynomial, half of the rows
DEGREE = 4


class Floor:
    """Least squares on logarithms and on polynomials."""

    def warm_up(self) -> None:
        """There is nothing to import."""

    def __call__(self, x, y, names, seed, budget) -> dict:
        train = np.arange(len(y)) % 10 < 7
        tries = [power_law(x, y, names, train)]
        tries += [polynomial(x, y, names, train, d) for d in range(1, DEGREE + 1)]
        tries += [(spread(y - y.mean()), f"{y.mean():.15g}", "mean")]
        _, text, stage = min((t for t in tries if t), key=lambda t: t[0])
        return {"text": text, "stage": stage}


def power_law(x, y, names, train) -> tuple[float, str, str] | None:
    """C·Πxᵃ with exponents that are halves; for inputs and values above zero."""
    if not ((x > 0).all() and ((y > 0).all() or (y < 0).all())):
        return None
    logs = np.column_stack([np.ones(len(y)), np.log(x)])
    fitted = np.linalg.lstsq(logs[train], np.log(np.abs(y[train])), rcond=None)[0]
    exponents = np.round(2 * fitted[1:]) / 2
    shape = np.prod(x**exponents, axis=1)
    constant = float((y[train] * shape[train]).sum() / (shape[train] ** 2).sum())
    text = f"{constant:.15g}{product(names, exponents)}"
    return spread(y[~train] - constant * shape[~train]), text, "power law"


def product(names: list[str], exponents: np.ndarray) -> str:
    """Powers by which a constant is multiplied; half ones under a single root."""
    pairs = [(n, a) for n, a in zip(names, exponents, strict=True) if a != 0]
    whole = "".join(f"*{n}**({a:g})" for n, a in pairs if a % 1 == 0)
    halves = "*".join(f"{n}**({2 * a:g})" for n, a in pairs if a % 1 != 0)
    return whole + (f"*sqrt({halves})" if halves else "")


def polynomial(x, y, names, train, degree) -> tuple[float, str, str] | None:
    """Every monomial up to a degree; those with a t-value below 4 are dropped."""
    if comb(x.shape[1] + degree, degree) > MOST:
        return None
    columns = range(x.shape[1])
    terms = [
        t for d in range(degree + 1) for t in combinations_with_replacement(columns, d)
    ]
    table = np.stack([np.prod(x[:, list(t)], axis=1) for t in terms], axis=1)
    kept = significant(table[train], y[train])
    if not kept.any():
        return None
    chosen = [t for t, k in zip(terms, kept, strict=True) if k]
    c = np.linalg.lstsq(table[train][:, kept], y[train], rcond=None)[0]
    error = spread(y[~train] - table[~train][:, kept] @ c)
    text = " + ".join(
        "*".join([f"{v:.15g}", *(names[i] for i in t)])
        for v, t in zip(c, chosen, strict=True)
    )
    return error, text, f"polynomial of degree {degree}"


def significant(table: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Which coefficients are far from zero, against the rows' residuals."""
    scale = np.abs(table).max(axis=0)
    scaled = table / np.where(scale == 0, 1.0, scale)
    c, _, rank, _ = np.linalg.lstsq(scaled, y, rcond=None)
    if rank < scaled.shape[1]:
        return np.zeros(len(c), dtype=bool)
    rows, columns = scaled.shape
    variance = ((y - scaled @ c) ** 2).sum() / max(rows - columns, 1)
    variance = max(variance, (1e-12 * np.abs(y).max()) ** 2)  # rounding
    deviations = np.sqrt(variance * np.diag(np.linalg.inv(scaled.T @ scaled)))
    return np.abs(c) > 4 * deviations


def spread(residuals: np.ndarray) -> float:
    """The size of residuals."""
    return float(np.sqrt(np.mean(residuals**2)))
