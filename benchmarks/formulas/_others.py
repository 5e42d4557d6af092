"""Other tools, with settings that a careful user would give them.

Operators are + − × ÷, square and root for both. Both stop early once the table is
explained to rounding, so that their CPU seconds are what they needed.
"""
# pyright: reportMissingImports=false
# because the compared tools are no dependencies: the extra `compare` has them

import ast
import time
import warnings

import numpy as np

from ._text import evaluate, tree
from ._text import names as names_of

SOLVED = 1e-12  # share of the variance of y left over; Operon computes in float32


class Operon:
    """PyOperon with Levenberg–Marquardt, errors and length as two objectives.

    It is run up to three times from scratch: briefly, for a third of the budget, and
    for the rest of it (one run that is continued would be better, but its warm start
    crashes). The formula is chosen from all fronts by the Bayesian information
    criterion: the description length, its other choice, wants the noise to be known.
    It can be stopped by the clock or after generations; the latter is used, since CPU
    time is what is given.
    """

    criterion = "bayesian_information_criterion"

    def warm_up(self) -> None:
        import pyoperon.sklearn  # noqa: F401

    def __call__(self, x, y, names, seed, budget) -> dict:
        started, generations = time.process_time(), FIRST
        fronts = []
        for share in (0.33, 1.0, None):
            before = time.process_time()
            model = regressor(generations, seed + 1000 * len(fronts))
            fronts += [(model, m) for m in model.fit(x, y).pareto_front_]
            each = (time.process_time() - before) / generations
            left = (share or 0.0) * budget - (time.process_time() - started)
            least = min(m["mean_squared_error"] for _, m in fronts)
            if least < SOLVED * y.var() or left < FIRST * each:
                break
            generations = int(left / each)
        model, best = min(fronts, key=lambda pair: pair[1][self.criterion])
        return {"text": infix(model, best["tree"], x, y, names)}


FIRST = 3  # generations of the brief run


def regressor(generations: int, seed: int):
    """Operon's estimator, to be stopped after some generations."""
    from pyoperon.sklearn import SymbolicRegressor

    return SymbolicRegressor(
        allowed_symbols="add,sub,mul,div,sqrt,square,constant,variable",
        objectives=["mse", "length"],
        optimizer_iterations=10,
        population_size=1000,
        generations=generations,
        max_evaluations=1_000_000_000,
        max_length=50,
        epsilon=1e-6,
        random_state=seed,
    )


def infix(model, best, x: np.ndarray, y: np.ndarray, names: list[str]) -> str:
    """Operon's formula in Python's syntax: it writes powers as ^.

    The scale and offset that its wrapper puts around every formula are printed only if
    the table asks for them, since nobody would read them as part of the formula.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a formula may have no variables
        text = model.get_model_string(best, precision=20, names=names)
    text = text.replace("^", "**")
    values = dict(zip(names, x.T, strict=True))
    bare = without_offset(text)
    allowed = (1 + 10 / len(y)) * np.mean((evaluate(text, values) - y) ** 2)
    f = evaluate(bare, values)
    scale = float((f * y).sum() / (f * f).sum()) if (f != 0).any() else 1.0
    scaled = f"({scale!r} * {bare})"
    better = np.mean((scale * f - y) ** 2) <= allowed
    return scaled if better else text


def without_offset(text: str) -> str:
    """The formula less a constant that is added outside of everything else.

    Example:
        >>> without_offset("(0.25 + (2.0 * x))")
        '2.0 * x'
    """
    root = tree(text)
    if isinstance(root, ast.BinOp) and isinstance(root.op, ast.Add):
        for constant, rest in ((root.left, root.right), (root.right, root.left)):
            if not names_of(constant):
                return ast.unparse(rest)
    return text


class Gplearn:
    """gplearn with 1,000 programs and a price for length, generation by generation.

    Its root is that of the absolute value, and is printed so. It never fits constants.
    """

    def warm_up(self) -> None:
        import gplearn.genetic  # noqa: F401

    def __call__(self, x, y, names, seed, budget) -> dict:
        from gplearn.functions import make_function
        from gplearn.genetic import SymbolicRegressor

        square = make_function(function=np.square, name="square", arity=1)
        model = SymbolicRegressor(
            population_size=1000,
            function_set=("add", "sub", "mul", "div", "sqrt", square),
            const_range=(-5.0, 5.0),
            metric="mse",
            parsimony_coefficient=0.001 * float(y.var()),
            stopping_criteria=SOLVED * float(y.var()),
            low_memory=True,
            warm_start=True,
            random_state=seed,
        )
        generations = self.search(model, x, y, budget)
        program = model._program.program
        return {"text": unfold(program, names), "stage": f"{generations} generations"}

    def search(self, model, x, y, budget: float) -> int:
        """One generation at a time until the budget is spent or the table explained."""
        started, generation = time.process_time(), 0
        while time.process_time() - started < budget:
            generation += 1
            model.set_params(generations=generation)
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(x, y)
            if model._program.raw_fitness_ <= model.stopping_criteria:
                break
        return generation


FORMS = {
    "add": "({} + {})",
    "sub": "({} - {})",
    "mul": "({} * {})",
    "div": "({} / {})",
    "sqrt": "sqrt(Abs({}))",
    "square": "({}) ** 2",
}


def unfold(program: list, names: list[str]) -> str:
    """A program, which lists operators before their arguments, as a formula.

    Example:
        >>> unfold([0], ["x"])
        'x'
    """
    waiting: list = list(reversed(program))
    return one(waiting, names)


def one(waiting: list, names: list[str]) -> str:
    """The formula that begins at the end of a reversed program."""
    node = waiting.pop()
    if isinstance(node, int):
        return names[node]
    if not hasattr(node, "arity"):
        return f"({float(node)!r})"
    return FORMS[node.name].format(*(one(waiting, names) for _ in range(node.arity)))
