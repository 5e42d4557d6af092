"""The constants of a formula: fitted, or exact and named."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

Exact: TypeAlias = tuple[Fraction, int]  # p/q · π^k as (p/q, k)


@dataclass(frozen=True)
class Number:
    """A constant: `value`, and what it is known to be.

    Args:
        value: the number that is computed with.
        exact: (p/q, k) if it is p/q · π^k; None if it was fitted, and may be again.
        error: its standard error where it was fitted; NaN where that is not known.

    Examples:
        >>> from fractions import Fraction
        >>> from arithmax.discover import Number
        >>> str(Number.of(Fraction(3, 4), pi=1)), str(Number(0.5)), str(Number.of(2))
        ('3*pi/4', '0.5', '2')
    """

    value: float
    exact: Exact | None = None
    error: float = field(default=math.nan, compare=False)

    @staticmethod
    def of(fraction: Fraction | int, pi: int = 0) -> "Number":
        """The exact number `fraction` · π^`pi`."""
        fraction = Fraction(fraction)
        return Number(float(fraction) * math.pi**pi, (fraction, pi), 0.0)

    @property
    def free(self) -> bool:
        """Whether a fit may change it."""
        return self.exact is None

    def is_exactly(self, fraction: Fraction | int) -> bool:
        """Whether it is known to be this fraction."""
        return self.exact == (Fraction(fraction), 0)

    @property
    def whole(self) -> bool:
        """Whether it is known to be a whole number."""
        return self.exact is not None and self.exact[1] == 0 and _whole(self.exact[0])

    def __str__(self) -> str:
        top, bottom = self.parts()
        if not bottom:
            return top
        below = bottom[0] if len(bottom) == 1 else f"({'*'.join(bottom)})"
        return f"{top}/{below}"

    def parts(self) -> tuple[str, tuple[str, ...]]:
        """What is written above a fraction line, and the factors below it."""
        if self.exact is None:
            return repr(float(self.value)), ()
        fraction, pi = self.exact
        if pi == 0 and fraction.denominator != 1 and _decimal(fraction):
            return repr(float(fraction)), ()
        top, power = str(fraction.numerator), _power_of_pi(abs(pi))
        below = [str(fraction.denominator)] if fraction.denominator != 1 else []
        if pi > 0:
            top = {"1": power, "-1": f"-{power}"}.get(top, f"{top}*{power}")
        elif pi < 0:
            below.append(power)
        return top, tuple(below)

    def times(self, other: "Number") -> "Number":
        """The product: exact if both are."""
        if self.exact is not None and other.exact is not None:
            a, b = self.exact, other.exact
            return Number.of(a[0] * b[0], a[1] + b[1])
        if other.is_exactly(1) or self.is_exactly(1):
            return self if other.is_exactly(1) else other
        return Number(self.value * other.value)

    def plus(self, other: "Number") -> "Number":
        """The sum: exact if both are, and have the same power of π."""
        if self.exact is not None and other.exact is not None:
            if self.exact[1] == other.exact[1]:
                return Number.of(self.exact[0] + other.exact[0], self.exact[1])
        return Number(self.value + other.value)

    def power(self, exponent: "Number") -> "Number":
        """This number to a power: exact where that is p/q · π^k again."""
        if self.is_exactly(1) or exponent.is_exactly(1):
            return self
        if self.exact is not None and exponent.exact and exponent.exact[1] == 0:
            if (exact := _exact_power(self.exact, exponent.exact[0])) is not None:
                return Number.of(*exact)
        if self.value < 0 and not exponent.value.is_integer():
            return Number(math.nan)  # a root of what is negative
        if self.value == 0 and exponent.value < 0:
            return Number(math.inf)
        return Number(self.value**exponent.value)


ONE, ZERO = Number.of(1), Number.of(0)


def _power_of_pi(power: int) -> str:
    return "pi" if power == 1 else f"pi**{power}"


def _whole(fraction: Fraction) -> bool:
    return fraction.denominator == 1


def _decimal(fraction: Fraction) -> bool:
    """Whether it is better read as a decimal: 1.57, not 157/100, but 1/4."""
    bottom = fraction.denominator
    for prime in (2, 5):
        while bottom % prime == 0:
            bottom //= prime
    return bottom == 1 and fraction.denominator > 8


def _exact_power(exact: Exact, exponent: Fraction) -> Exact | None:
    fraction, pi = exact
    if _whole(exponent):
        if fraction == 0 and exponent <= 0:
            return None
        return fraction ** int(exponent), pi * int(exponent)
    if fraction <= 0 or (pi * exponent).denominator != 1:
        return None
    roots = [_root(part, exponent.denominator) for part in fraction.as_integer_ratio()]
    if None in roots:
        return None
    root = Fraction(roots[0] or 0, roots[1] or 1)
    return root**exponent.numerator, int(pi * exponent)


def _root(whole: int, degree: int) -> int | None:
    """The whole number whose power is `whole`, if there is one."""
    near = round(whole ** (1 / degree)) if whole < 10**15 else 0
    return near if near**degree == whole else None
