"""Makes `own.csv`: formulas by a random grammar, none of them chosen by hand.

    python benchmarks/formulas/generate.py

Even ids are the half for development, odd ids the half for tests, with the same number
of each class. A formula stays if it belongs to its class, is defined on all of its
ranges, and depends on each of its variables by more than a thousandth of its spread;
one in four may have a pole there.
"""

import ast
import csv
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from formulas._grammar import POOL, draw
from formulas._tables import HERE, Formula, Range, inputs
from formulas._text import names, tree

SEED = 20261116
HALF = {"monomial": 22, "polynomial": 15, "rational": 19, "radical": 9}
COLUMNS = ["set", "id", "formula", "variables", "ranges", "kind"]
PHYSICS = ["U[1,5]", "U[1,3]", "U[1,2]", "U[3,10]", "U[0,1]", "U[2,5]", "U[5,10]"]
SIGNED = ["U[-1,1]", "U[-3,3]", "U[0,1]", "U[0,10]", "U[-5,5]", "U[-50,50]"]
POINTS, LEAST = 20_000, 1e-3
TRIES = 40  # of ranges: roots of differences are defined on few of them
TAME, WILD = 1e3, 1e6  # largest value over the middle one; wild ones have poles


def ranges(used: list[str], rng: np.random.Generator) -> dict[str, str]:
    """A range for each variable: one for all, or one for each, as physics has them."""
    style = rng.choice(["same", "mixed", "signed"], p=[0.5, 0.27, 0.23])
    if style == "mixed":
        weights = np.array([8, 3, 3, 3, 2, 1, 1]) / 21
        return {name: str(rng.choice(PHYSICS, p=weights)) for name in used}
    if style == "signed":
        return dict.fromkeys(used, str(rng.choice(SIGNED)))
    return dict.fromkeys(used, str(rng.choice(PHYSICS[:2], p=[0.75, 0.25])))


def kind(text: str) -> str:
    """The class of a formula: the simplest one that it belongs to."""
    import sympy

    tree(text)  # refuses what is not arithmetic
    symbols = {name: sympy.Symbol(name, positive=True) for name in names(text) - {"pi"}}
    parsed = sympy.parse_expr(text, local_dict=symbols)
    expression = sympy.nsimplify(parsed, rational=True)
    over, under = sympy.fraction(sympy.cancel(sympy.together(expression)))
    used = sorted(expression.free_symbols, key=str)
    if single(expression):
        return "monomial"
    if not (over.is_polynomial(*used) and under.is_polynomial(*used)):
        return "radical"
    return "rational" if under.free_symbols else "polynomial"


def single(expression) -> bool:
    """Whether a formula is a product of powers: each y·∂ log f / ∂y is a number."""
    import sympy

    slopes = (y * expression.diff(y) / expression for y in expression.free_symbols)
    return all(sympy.simplify(slope).is_number for slope in slopes)


def sound(formula: Formula, used: list[str], rng: np.random.Generator) -> bool:
    """Defined everywhere, not wild, and moved by each of its variables."""
    x = inputs(formula, rng, POINTS)
    y = formula(x)
    heaviest = WILD if rng.random() < 0.25 else TAME
    if not np.isfinite(y).all() or np.abs(y).max() > heaviest * np.median(np.abs(y)):
        return False
    return all(moves(formula, x, y, formula.names.index(name), rng) for name in used)


def moves(formula: Formula, x, y, column: int, rng: np.random.Generator) -> bool:
    """Whether another value of a variable changes the formula."""
    other = x.copy()
    other[:, column] = rng.permutation(x[:, column])
    middle = np.median(np.abs(formula(other) - y))
    return bool(middle > LEAST * np.median(np.abs(y - np.median(y))))


def unused(used: list[str], rng: np.random.Generator) -> list[str]:
    """Columns that the formula has nothing to do with; none for most formulas."""
    if rng.random() > 0.12:
        return []
    others = [name for name in POOL if name not in used]
    return [str(name) for name in rng.choice(others, rng.integers(1, 5), replace=False)]


def candidate(wanted: str, rng: np.random.Generator) -> Formula | None:
    """A formula of a class, or nothing if this draw was not one."""
    text = draw(wanted, rng)
    used = in_order(names(text) - {"pi"}, text)
    if not used or len(used) > 8:
        return None
    if kind(text) != wanted:
        return None
    columns = [*used, *unused(used, rng)]
    order = [columns[i] for i in rng.permutation(len(columns))]
    tries = (boxed(text, order, wanted, rng) for _ in range(TRIES))
    return next((formula for formula in tries if sound(formula, used, rng)), None)


def in_order(found: set[str], text: str) -> list[str]:
    """Names by where they stand; x1 before x, which is found inside it."""
    return sorted(found, key=lambda name: (text.index(name), -len(name)))


def boxed(text: str, order: list[str], wanted: str, rng: np.random.Generator):
    """The formula on ranges drawn at random."""
    chosen = ranges(order, rng)
    box = {name: Range.read(chosen[name]) for name in order}
    return Formula("Own", "", text, box, wanted)


def shape(formula: Formula) -> str:
    """The text with variables by number, so that twins are noticed."""
    root, known = tree(formula.text), {}
    for node in ast.walk(root):
        if isinstance(node, ast.Name) and node.id in formula.ranges:
            node.id = known.setdefault(node.id, f"v{len(known)}")
    return ast.unparse(root)


def generate(seed: int = SEED) -> list[Formula]:
    """Both halves, one after the other in ids: even, odd, even, odd …"""
    rng = np.random.default_rng(seed)
    kinds = [name for name, n in HALF.items() for _ in range(n)]
    halves = [[kinds[i] for i in rng.permutation(len(kinds))] for _ in range(2)]
    wanted = [name for pair in zip(*halves, strict=True) for name in pair]
    seen: set[str] = set()
    return [found(i, name, seen, rng) for i, name in enumerate(wanted)]


def found(i: int, wanted: str, seen: set[str], rng: np.random.Generator) -> Formula:
    """Draws until a formula is sound and new."""
    while True:
        formula = candidate(wanted, rng)
        if formula is not None and (twin := shape(formula)) not in seen:
            seen.add(twin)
            return Formula("Own", f"own-{i}", formula.text, formula.ranges, wanted)


def interval(r: Range) -> str:
    """A range as the file has it."""
    return f"U[{r.low:g},{r.high:g}]"


def main() -> None:
    """Write the set."""
    with (HERE / "own.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for f in generate():
            box = " ".join(f"{name}:{interval(r)}" for name, r in f.ranges.items())
            writer.writerow([f.set, f.id, f.text, " ".join(f.names), box, f.kind])


if __name__ == "__main__":
    main()
