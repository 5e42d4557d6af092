"""A random grammar of formulas as textbooks have them, class by class.

Every rule draws from a generator of random numbers and gives text; the rules of a
class are chosen at random, and so are all exponents, constants, variables and signs.
`generate.py` throws away what is undefined on its ranges or does not belong to its
class.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

POOL = "m v c q r x y z t k a b d n h p w s u g T V A B F L R G P".split()
POOL += "alpha beta gamma rho sigma omega mu epsilon x1 x2 x3 x4 y1 y2 m1 m2".split()


@dataclass
class Draw:
    """A generator of random numbers, and the variables not used yet."""

    rng: np.random.Generator
    free: list[str]

    def one(self, options, weights=None):
        """One of some options."""
        p = None if weights is None else np.array(weights) / sum(weights)
        return options[int(self.rng.choice(len(options), p=p))]

    def chance(self, p: float) -> bool:
        """True with probability p."""
        return bool(self.rng.random() < p)

    def fresh(self, n: int) -> list[str]:
        """Names of n variables that the formula does not have yet."""
        taken, self.free = self.free[:n], self.free[n:]
        return taken


Rule = Callable[[Draw], str]


def constant(d: Draw) -> str:
    """An integer, a simple fraction, a multiple of π or a decimal."""
    kind = d.one(["integer", "fraction", "pi", "decimal"], [4, 2, 2, 2])
    if kind == "integer":
        return str(d.rng.integers(2, 11))
    if kind == "fraction":
        return d.one(["1 / 2", "3 / 2", "1 / 3", "2 / 3", "3 / 4", "3 / 5", "4 / 3"])
    if kind == "pi":
        return d.one(["pi", "2 * pi", "4 * pi", "1 / (4 * pi)", "1 / (2 * pi)"])
    return f"{d.rng.uniform(0.1, 10):.2f}"


def whole(d: Draw) -> str:
    """A small integer or a decimal, as sums have them."""
    if d.chance(0.7):
        return str(d.rng.integers(1, 6))
    return f"{d.rng.uniform(0.1, 6):.{d.one([1, 2])}f}"


def power(d: Draw, name: str) -> str:
    """A variable, its square or its cube."""
    exponent = d.one([1, 2, 3, 4], [70, 22, 6, 2])
    return name if exponent == 1 else f"{name} ** {exponent}"


def product(d: Draw, names: list[str]) -> str:
    """Variables times each other, some of them squared."""
    return " * ".join(power(d, name) for name in names)


def fraction(d: Draw, names: list[str], p: float = 0.4) -> str:
    """A product of variables over a product of others."""
    below = [name for name in names if d.chance(p)]
    above = [name for name in names if name not in below]
    over = product(d, above) if above else "1"
    if not below:
        return over
    under = product(d, below)
    return f"{over} / ({under})" if len(below) > 1 else f"{over} / {under}"


def scaled(d: Draw, text: str, p: float = 0.35) -> str:
    """A term with a constant factor, sometimes."""
    if not d.chance(p):
        return text
    factor = constant(d)
    return f"({factor}) * {text}" if " " in factor else f"{factor} * {text}"


def signed_sum(d: Draw, terms: list[str], minus: float = 0.3) -> str:
    """Terms added, or taken away."""
    text = terms[0]
    for term in terms[1:]:
        text += f" {'-' if d.chance(minus) else '+'} {term}"
    return text


def count(d: Draw, weights: list[float]) -> int:
    """A number from 1 on, with these weights."""
    return d.one(list(range(1, len(weights) + 1)), weights)


# Monomials


def monomial(d: Draw) -> str:
    """A product of powers with a constant in front."""
    names = d.fresh(count(d, [8, 28, 30, 20, 10, 4]))
    text = scaled(d, fraction(d, names, 0.35), 0.55)
    if d.chance(0.18):
        return f"sqrt({text})"
    return f"-{text}" if d.chance(0.04) and text[0] != "(" else text


def rooted_monomial(d: Draw) -> str:
    """A product of powers, one of them a half."""
    first, *rest = d.fresh(count(d, [0, 4, 4, 2]))
    joined = d.one(["*", "/"])
    return scaled(d, f"{fraction(d, rest)} {joined} sqrt({first})")


# Polynomials


def power_series(d: Draw) -> str:
    """A polynomial of one variable."""
    (x,) = d.fresh(1)
    degrees = d.rng.choice(np.arange(1, 8), int(d.rng.integers(2, 6)), replace=False)
    terms = [x if k == 1 else f"{x} ** {k}" for k in sorted(degrees)[::-1]]
    terms = [f"{whole(d)} * {t}" if d.chance(0.4) else t for t in terms]
    return signed_sum(d, terms + [whole(d)] * d.chance(0.3), 0.25)


def sum_of_products(d: Draw) -> str:
    """Products of different variables, added."""
    sizes = [count(d, [4, 5, 2]) for _ in range(count(d, [0, 6, 4, 2]))]
    terms = [scaled(d, product(d, d.fresh(n))) for n in sizes]
    return signed_sum(d, terms)


def shared_sum(d: Draw) -> str:
    """Powers of two or three variables that occur in several terms."""
    names = d.fresh(count(d, [0, 6, 4]))
    terms = [power(d, name) for name in names]
    for _ in range(count(d, [5, 4, 2])):
        chosen = [name for name in names if d.chance(0.6)] or names[:1]
        terms.append(scaled(d, product(d, chosen)))
    return signed_sum(d, [terms[i] for i in d.rng.permutation(len(terms))])


def product_of_sums(d: Draw) -> str:
    """A sum times another sum, or times a product."""
    first = signed_sum(d, d.fresh(count(d, [0, 6, 3])))
    names = d.fresh(count(d, [3, 5, 2]))
    second = names[0] if len(names) == 1 else f"({signed_sum(d, names)})"
    return scaled(d, f"{second} * ({first})")


def power_of_sum(d: Draw) -> str:
    """A power of a sum, and maybe a term."""
    names = d.fresh(count(d, [2, 5, 3]))
    terms = [power(d, name) if d.chance(0.2) else name for name in names]
    terms += [whole(d)] if len(names) == 1 or d.chance(0.3) else []
    text = scaled(d, f"({signed_sum(d, terms)}) ** {d.one([2, 3, 4], [6, 3, 1])}")
    return (
        f"{text} + {product(d, d.fresh(count(d, [3, 1])))}" if d.chance(0.35) else text
    )


def energy(d: Draw) -> str:
    """A product with a sum of squares inside."""
    a, b, *more = d.fresh(count(d, [0, 0, 4, 4]))
    inside = signed_sum(d, [f"{a} ** 2", f"{b} ** 2"])
    return scaled(d, f"{product(d, more)} * ({inside})", 0.6)


# Sums and factors that divide


def linear(d: Draw, n: int) -> str:
    """A sum of n variables or squares, maybe with a number, in brackets."""
    square = d.chance(0.25)
    names = d.fresh(n)
    terms = [f"{x} ** 2" if square else x for x in names]
    if n == 1 or d.chance(0.15):
        terms.insert(d.one([0, len(terms)]), whole(d))
    return f"({signed_sum(d, terms, 0.25)})"


def over_sum(d: Draw) -> str:
    """A fraction divided by a sum."""
    over = fraction(d, d.fresh(count(d, [3, 5, 3])), 0.25)
    return scaled(d, f"{over} / {linear(d, count(d, [4, 5, 2]))}")


def ratio_of_sums(d: Draw) -> str:
    """A sum over a sum, some variables in both."""
    a, b, c, e = d.fresh(4)
    above = d.one([f"{a} * {c} + {b} * {e}", f"{a} - {b}", f"{a} + {b}", f"{c} * {a}"])
    shared = d.one([f"{a} + {b}", f"{c} + {e}", f"{a} + {c}", f"{b} - {e}"])
    return scaled(d, f"({above}) / ({shared})", 0.25)


def parallel(d: Draw) -> str:
    """1 / (1/a + n/b), and the like."""
    names = d.fresh(count(d, [0, 5, 3]))
    terms = [f"{d.one(['1', whole(d)], [7, 3])} / {name}" for name in names]
    if d.chance(0.35):
        terms[-1] = f"{d.fresh(1)[0]} / {names[-1]}"
    over = product(d, d.fresh(1)) if d.chance(0.35) else "1"
    return f"{over} / ({signed_sum(d, terms, 0.1)})"


def two_fractions(d: Draw) -> str:
    """Two fractions added."""
    names = d.fresh(count(d, [0, 0, 4, 5, 4, 2, 1]))
    half = len(names) // 2
    terms = [fraction(d, names[:half], 0.5), fraction(d, names[half:], 0.5)]
    if d.chance(0.5):
        common = fraction(d, d.fresh(count(d, [3, 2])), 0.5)
        return scaled(d, f"{common} * ({signed_sum(d, terms)})")
    return signed_sum(d, [scaled(d, term) for term in terms])


def bell(d: Draw) -> str:
    """A constant over a constant and squares."""
    names = d.fresh(count(d, [2, 5, 3, 1]))
    shift = f" - {whole(d)}" if d.chance(0.3) else ""
    terms = [f"({x}{shift}) ** 2" if shift else f"{x} ** 2" for x in names]
    over = scaled(d, d.fresh(1)[0]) if d.chance(0.3) else str(d.rng.integers(1, 11))
    return f"{over} / ({whole(d)} + {' + '.join(terms)})"


def one_and_ratio(d: Draw) -> str:
    """A factor over 1 ± a small product, or 1 plus such a thing."""
    a, b = d.fresh(2)
    small = d.one([f"{a} * {b} / {whole(d)}", f"{a} / {b}", f"{a} ** 2 / {b} ** 2"])
    text = f"{d.one([a, b, *d.fresh(2)])} / (1 {d.one(['+', '-'])} {small})"
    return f"{whole(d)} + {text}" if d.chance(0.35) else text


def sum_in_fraction(d: Draw) -> str:
    """A fraction times a sum of products: divides, but not by a sum."""
    a, b, c = d.fresh(3)
    inner = d.one([f"{a} - {b}", f"{a} ** 2 + {b} ** 2", f"{a} + {b} * {c}"])
    rest = fraction(d, d.fresh(count(d, [4, 5, 3])), 0.7)
    return scaled(d, f"{rest} * ({inner})")


def polynomial_ratio(d: Draw) -> str:
    """Polynomials of one or two variables over each other."""
    x, y = d.fresh(2)
    y = d.one([x, y])
    above = signed_sum(d, [f"{x} ** {d.one([2, 3])}", scaled(d, y), whole(d)])
    return f"({above}) / ({y} ** {d.one([2, 4])} + {whole(d)})"


# Roots of sums


def under_root(d: Draw) -> str:
    """What stands under a root: squares, differences of squares, products."""
    a, b, c, e = d.fresh(4)
    return d.one(
        [
            f"{a} ** 2 + {b} ** 2",
            f"{a} ** 2 - {b} ** 2",
            f"({a} - {b}) ** 2 + ({c} - {e}) ** 2",
            f"{a} ** 2 + {b} ** 2 + {c} ** 2",
            f"{scaled(d, fraction(d, [a, b]), 0.5)} + {fraction(d, [c, e])}",
            f"{whole(d)} + {scaled(d, fraction(d, [a, b, c]))}",
            f"{a} ** 2 / {b} ** 2 - {constant(d)} * {c} ** 2",
        ],
        [4, 3, 2, 2, 3, 3, 1],
    )


def root(d: Draw) -> str:
    """The root of a sum, with a fraction in front or below it."""
    text = f"sqrt({under_root(d)})"
    if d.chance(0.55):
        joined = d.one(["*", "/"])
        text = f"{fraction(d, d.fresh(count(d, [5, 4, 1])), 0.3)} {joined} {text}"
    return scaled(d, text, 0.3)


def lorentz(d: Draw) -> str:
    """A factor 1/√(1 − v²/c²) or its inverse, with a sum or a product."""
    v, c = d.fresh(2)
    factor = f"sqrt(1 {d.one(['-', '+'], [3, 1])} {v} ** 2 / {c} ** 2)"
    a, b = d.fresh(2)
    front = d.one([a, f"{a} * {v}", f"({a} - {v} * {b})", f"{a} * {c} ** 2"])
    return f"{front} {d.one(['/', '*'], [3, 1])} {factor}"


def root_and_term(d: Draw) -> str:
    """The root of a sum, and a term beside it."""
    term = scaled(d, product(d, d.fresh(count(d, [4, 4]))))
    text = f"sqrt({under_root(d)})"
    return f"{term} - {text}" if d.chance(0.25) else f"{text} + {term}"


def odd_root(d: Draw) -> str:
    """A half-integer power of a sum, dividing or not."""
    a, b, c = d.fresh(3)
    exponent = d.one(["(3 / 2)", "(-3 / 2)", "(-1 / 2)"])
    inner = d.one([f"{a} ** 2 + {b} ** 2", f"{a} + {b}", f"{whole(d)} + {a} ** 2"])
    return scaled(d, f"{c} * ({inner}) ** {exponent}")


SUMS = [power_series, sum_of_products, shared_sum, product_of_sums]
RATIOS = [over_sum, ratio_of_sums, parallel, two_fractions, bell, one_and_ratio]

CLASSES: dict[str, tuple[list[Rule], list[float]]] = {
    "monomial": ([monomial, rooted_monomial], [9, 1]),
    "polynomial": (
        [*SUMS, power_of_sum, energy],
        [4, 3, 3, 3, 2, 2],
    ),
    "rational": (
        [*RATIOS, sum_in_fraction, polynomial_ratio],
        [4, 4, 3, 4, 2, 3, 3, 2],
    ),
    "radical": ([root, lorentz, root_and_term, odd_root], [5, 3, 3, 2]),
}


def draw(kind: str, rng: np.random.Generator) -> str:
    """The text of a formula that should be of this class."""
    rules, weights = CLASSES[kind]
    d = Draw(rng, [POOL[i] for i in rng.permutation(len(POOL))])
    return d.one(rules, weights)(d)
