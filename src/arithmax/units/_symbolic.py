"""Sums and products as SymPy expressions. SymPy is imported when one is asked for."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from .._arrays import Array

Expression: TypeAlias = Any  # sympy.Expr; SymPy is an extra
Symbols: TypeAlias = Sequence[Any]


def number(value: float) -> Expression:
    """A whole or half number exactly, any other as a float."""
    import sympy

    doubled = 2 * float(value)
    if doubled == round(doubled):
        return sympy.Rational(round(doubled), 2)
    return sympy.Float(float(value))


def rows(w: Array) -> list[Any]:
    """The rows of a matrix, or entries of a vector, as Python numbers."""
    if hasattr(w, "detach"):
        w = w.detach().cpu().double().numpy()
    return np.asarray(w, dtype=np.float64).tolist()


def total(terms: Iterable[Expression]) -> Expression:
    import sympy

    return sympy.Add(*terms)


def times(factors: Iterable[Expression]) -> Expression:
    import sympy

    return sympy.Mul(*factors)


def weighted_sum(row: Sequence[float], symbols: Symbols) -> Expression:
    """Σ wᵢxᵢ"""
    return total(number(w) * s for w, s in zip(row, symbols, strict=True))


def power_product(row: Sequence[float], bases: Symbols) -> Expression:
    """Π bᵢ^wᵢ"""
    return times(b ** number(w) for w, b in zip(row, bases, strict=True))


def gate(logit: float | Expression) -> Expression:
    """σ(logit), exactly 0 or 1 where the logit saturates it."""
    import sympy

    logit = sympy.sympify(logit)
    if logit.is_number and abs(float(logit)) >= 30:
        return sympy.Integer(1 if float(logit) > 0 else 0)
    return 1 / (1 + sympy.exp(-logit))
