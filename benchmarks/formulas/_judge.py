"""Who is right: the printed text of a formula against the truth.

The judge reads nothing but text. It shares no code with the package, so that a mistake
of the package's printer or verifier shows here.
"""

import ast
import copy
from dataclasses import dataclass

import numpy as np

from ._tables import Formula, inputs
from ._text import CONSTANTS, Values, evaluate, names, size, tree, value

POINTS = 4000
TIGHT = 1e-6  # a relative error that counts as none
SHARE = 0.95  # of the points that must have none
MOST = 60  # coefficients that are refitted; whoever needs more has no structure
SEED = 777  # of the points; no table is drawn with it


@dataclass(frozen=True)
class Judgement:
    """What the judge found.

    `exact`: at least 95 % of relative errors are below 1e-6 on the wider box.
    `structure`: exact, or exact once the coefficients are fitted to clean data.
    `error`: the median relative error on the wider box.
    `size`: the number of nodes of the printed text.
    `note`: why the text could not be judged, if it could not.
    """

    exact: bool
    structure: bool
    error: float
    size: int
    note: str = ""


def judge(text: str, truth: Formula) -> Judgement:
    r"""Compare a printed formula with the truth on the wider box.

    The box has every range with half of its width more on either side. Points where
    the truth is not a real number are left out; points where only the candidate is not
    count as errors, and signs count:
    $|f(x) - t(x)| \le 10^{-6} |t(x)|$ at 95 % of the points.

    Args:
        text: The formula as printed.
        truth: The formula whose table was given.

    Returns:
        A `Judgement`.

    Example:
        >>> from formulas._tables import read
        >>> judge("Nn*mu", read("formulas")[3]).exact
        True
        >>> found = judge("1.01*Nn*mu", read("formulas")[3])
        >>> found.exact, found.structure
        (False, True)
    """
    try:
        root = readable(text, truth)
    except ValueError as error:
        return Judgement(False, False, float("inf"), 0, str(error))
    points = box(truth)
    wrong = errors(root, points, truth)
    exact = is_exact(wrong)
    right = exact or is_exact(refitted_errors(root, points, truth))
    return Judgement(exact, right, float(np.median(wrong)), size(root))


def readable(text: str, truth: Formula) -> ast.expr:
    """The tree of a text, if all of its names are known."""
    root = tree(text)
    unknown = names(root) - set(truth.names) - set(CONSTANTS)
    if unknown:
        raise ValueError(f"`text` has unknown names: {' '.join(sorted(unknown))}.")
    return root


def box(truth: Formula) -> Values:
    """Points of the wider box at which the truth is a real number."""
    x = inputs(truth, np.random.default_rng(SEED), POINTS, wide=True)
    return truth.values(x[np.isfinite(truth(x))])


def errors(root: ast.expr, points: Values, truth: Formula) -> np.ndarray:
    """Relative errors of a candidate."""
    return relative(evaluate(root, points), evaluate(truth.text, points))


def relative(f: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Differences over what is true; infinite where f is not a real number."""
    with np.errstate(all="ignore"):
        found = np.abs(f - t) / np.abs(t)
    found = np.where(f == t, 0.0, found)  # both may be zero
    return np.where(np.isfinite(found), found, np.inf)


def is_exact(wrong: np.ndarray) -> bool:
    """Whether nearly all relative errors are none."""
    return bool(np.mean(wrong < TIGHT) >= SHARE)


def refitted_errors(root: ast.expr, points: Values, truth: Formula) -> np.ndarray:
    """Errors after the coefficients were fitted; infinite if one was not needed.

    A coefficient that goes to zero is a term too many: without this rule a polynomial
    with every term would have the structure of every polynomial. Terms that change
    nothing, as a tool of single precision prints them, are no terms.
    """
    model, start = with_coefficients(root)
    if not 0 < len(start) <= MOST:
        return np.array([np.inf])
    fitted = fit(model, start, truth)
    gone = np.abs(fitted) < TIGHT * np.abs(start)
    if gone.any() and not negligible(model, start, gone, points):
        return np.array([np.inf])
    return errors(model, {**points, **parameters(fitted)}, truth)


def negligible(
    model: ast.expr, start: np.ndarray, gone: np.ndarray, points: Values
) -> bool:
    """Whether the printed formula is the same without some of its coefficients."""
    whole = evaluate(model, {**points, **parameters(start)})
    rest = evaluate(model, {**points, **parameters(np.where(gone, 0.0, start))})
    return is_exact(relative(rest, whole))


def parameters(values: np.ndarray) -> dict[str, np.ndarray]:
    """Coefficients by the names that they have in a model."""
    return {f"_c{i}": np.asarray(c) for i, c in enumerate(values)}


def fit(model: ast.expr, start: np.ndarray, truth: Formula) -> np.ndarray:
    """Least squares of relative errors on clean data, from the printed values on."""
    from scipy.optimize import least_squares

    x = inputs(truth, np.random.default_rng(SEED + 1), 1000)
    points, t = truth.values(x), truth(x)
    weights = 1 / (np.abs(t) + 1e-3 * np.median(np.abs(t)) + 1e-300)

    def residuals(scaled: np.ndarray) -> np.ndarray:
        f = evaluate(model, {**points, **parameters(scaled * scale)})
        r = (f - t) * weights
        return np.where(np.isfinite(r), np.clip(r, -1e6, 1e6), 1e6)

    scale = np.where(start == 0, 1.0, np.abs(start))
    settings = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15, "max_nfev": 100}
    found = least_squares(residuals, start / scale, x_scale="jac", **settings)
    return found.x * scale


class Coefficients(ast.NodeTransformer):
    """Gives each number outside exponents a name.

    What has no variable in it, as 3/4, sqrt(2) or 4*pi, is one number. Exponents stay,
    and so does a coefficient that is not written, as that of x in x + 2.
    """

    def __init__(self) -> None:
        self.values: list[float] = []

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr) and names(node) <= set(CONSTANTS):
            self.values.append(float(value(node, {})))
            return ast.Name(f"_c{len(self.values) - 1}", ast.Load())
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            node.left = self.visit(node.left)  # type: ignore[assignment]
            return node
        if isinstance(node, ast.Call):
            node.args = [self.visit(arg) for arg in node.args]  # type: ignore[misc]
            return node
        return self.generic_visit(node)


def with_coefficients(root: ast.expr) -> tuple[ast.expr, np.ndarray]:
    """The formula with named coefficients, and their printed values.

    Example:
        >>> model, start = with_coefficients(tree("3*x**2/4 + sqrt(1.5*x - 2)"))
        >>> ast.unparse(model), start.tolist()
        ('_c0 * x ** 2 / _c1 + sqrt(_c2 * x - _c3)', [3.0, 4.0, 1.5, 2.0])
    """
    namer = Coefficients()
    model = namer.visit(copy.deepcopy(root))
    return model, np.array(namer.values)  # type: ignore[return-value]
