"""A formula in which every number has its interval, for people and for papers."""

from collections.abc import Iterator, Sequence

from ..discover import Formula, Function, Node, Number, Product, Sum, Variable
from ..readout import latex
from ._marginal import Marginal


def text_of(formula: Formula, marginals: Sequence[Marginal | None]) -> str:
    """The formula as text: x1^(2.00 ± 0.01) · x2^(−1.00 ± 0.02).

    Args:
        formula: the formula.
        marginals: what is known of each of its numbers, in the order in which they are
            read; None for those that are held.
    """
    return _Plain(formula).node(formula.root, _both(formula, marginals))


def latex_of(formula: Formula, marginals: Sequence[Marginal | None]) -> str:
    """The same in LaTeX's mathematics."""
    return _Latex(formula).node(formula.root, _both(formula, marginals))


def _both(
    formula: Formula, marginals: Sequence[Marginal | None]
) -> Iterator[tuple[Number, Marginal | None]]:
    """Each number with what is known of it; None if nothing but rounding is not."""
    for number, marginal in zip(formula.numbers, marginals, strict=True):
        if marginal is None or "±" in str(marginal):
            yield number, marginal
        else:
            yield Number(float(str(marginal))), None


class _Plain:
    """How numbers, powers and products are written as text."""

    dot = " · "

    def __init__(self, formula: Formula) -> None:
        self.names: Sequence[str] = formula.identifiers

    def node(self, node: Node, numbers: Iterator) -> str:
        if isinstance(node, Variable):
            return self.names[node.index]
        if isinstance(node, Function):
            return self.function(node.name, self.node(node.argument, numbers))
        if isinstance(node, Product):
            return self.product(node, numbers) or "1"
        parts = []
        for term in node.children():
            number, marginal = next(numbers)
            inner = self.factor(term, numbers)
            parts.append(self.term(number, marginal, inner))
        return " + ".join(parts or ["0"]).replace("+ -", "- ")

    def factor(self, term: Node, numbers: Iterator) -> str:
        """What a coefficient is multiplied by; empty for a constant."""
        if isinstance(term, Product):
            return self.product(term, numbers)
        inner = self.node(term, numbers)
        return self.bracketed(inner) if isinstance(term, Sum) else inner

    def term(self, number: Number, marginal: Marginal | None, inner: str) -> str:
        if marginal is not None:
            known = self.uncertain(marginal)
            return f"{self.bracketed(known)}{self.dot}{inner}" if inner else known
        if not inner:
            return self.exact(number)
        if abs(number.value) == 1:
            return inner if number.value > 0 else f"-{inner}"
        return f"{self.exact(number)}{self.dot}{inner}"

    def product(self, node: Product, numbers: Iterator) -> str:
        powers = []
        for factor in node.factors:
            number, marginal = next(numbers)
            base = self.node(factor, numbers)
            if not isinstance(factor, Variable | Function):
                base = self.bracketed(base)
            if marginal is not None:
                powers.append(self.power(base, self.uncertain(marginal), True))
            elif number.value != 1:
                powers.append(self.power(base, self.exact(number), False))
            else:
                powers.append(base)
        return self.dot.join(powers)

    def power(self, base: str, exponent: str, uncertain: bool) -> str:
        plain = not uncertain and exponent.isalnum()
        return f"{base}^{exponent}" if plain else f"{base}^({exponent})"

    def function(self, name: str, inner: str) -> str:
        return f"{name}({inner})"

    def bracketed(self, inner: str) -> str:
        return f"({inner})"

    def uncertain(self, marginal: Marginal) -> str:
        return str(marginal)

    def exact(self, number: Number) -> str:
        return str(number) if number.exact else f"{number.value:.6g}"


class _Latex(_Plain):
    """The same in LaTeX, whose names are those of `arithmax.readout.latex`."""

    dot = r" \, "

    def __init__(self, formula: Formula) -> None:
        self.names = [
            latex(Formula(Variable(i), formula.names))
            for i in range(len(formula.names))
        ]

    def power(self, base: str, exponent: str, uncertain: bool) -> str:
        return f"{base}^{{{exponent}}}"

    def function(self, name: str, inner: str) -> str:
        return rf"\{name}{self.bracketed(inner)}"

    def bracketed(self, inner: str) -> str:
        return rf"\left({inner}\right)"

    def uncertain(self, marginal: Marginal) -> str:
        mantissa, _, power = str(marginal).partition("e")
        known = mantissa.replace("±", r"\pm")
        return rf"{known} \cdot 10^{{{int(power)}}}" if power else known

    def exact(self, number: Number) -> str:
        return latex(Formula(Sum((number,), (Product(),)), ()), 6)
