"""A formula as JSON, bit for bit: a schema with a version, and nothing that is run."""

import json
import math
from typing import Any

from ..discover import Formula, Function, Node, Number, Product, Sum, Variable
from ._arguments import check_formula

FORMAT, VERSION = "arithmax.formula", 1


def to_json(formula: Formula, indent: int | None = None) -> str:
    """The formula as JSON, which `from_json` reads back bit for bit.

    An object with `format` ("arithmax.formula"), `version` (1), `names` (of all
    columns), `text` (the formula for readers; the other fields count) and `root`. A
    node is `{"variable": index}`, `{"function": "sin", "argument": node}`, `{"sum":
    [{"coefficient": number, "term": node}, …]}` or `{"product": [{"exponent": number,
    "factor": node}, …]}`. A number has `value`, `exact` (null, or `{"fraction": "3/4",
    "pi": 1}` for 3π/4) and `error`, its standard error (null where that is not known).

    Args:
        formula: the formula.
        indent: by how many spaces lines are indented; everything on one line if None.

    Examples:
        >>> from arithmax.readout import from_json, parse, to_json
        >>> energy = parse("m*v**2/2", ["m", "v"])
        >>> from_json(to_json(energy)) == energy
        True
        >>> to_json(parse("v", ["m", "v"]))[:55]
        '{"format": "arithmax.formula", "version": 1, "names": ['
    """
    check_formula(formula)
    document = {"format": FORMAT, "version": VERSION, "names": list(formula.names)}
    document |= {"text": str(formula), "root": _node(formula.root)}
    return json.dumps(document, indent=indent, allow_nan=False)


def _node(node: Node) -> dict[str, Any]:
    if isinstance(node, Variable):
        return {"variable": node.index}
    if isinstance(node, Function):
        return {"function": node.name, "argument": _node(node.argument)}
    if isinstance(node, Sum):
        pairs = zip(node.coefficients, node.terms, strict=True)
        return {
            "sum": [{"coefficient": _number(c), "term": _node(t)} for c, t in pairs]
        }
    assert isinstance(node, Product)
    pairs = zip(node.exponents, node.factors, strict=True)
    return {"product": [{"exponent": _number(e), "factor": _node(f)} for e, f in pairs]}


def _number(number: Number) -> dict[str, Any]:
    if not math.isfinite(number.value):
        raise ValueError(
            f"`formula` has the constant {number.value}, which JSON does not have. "
            "Fit it again."
        )
    exact = None
    if number.exact is not None:
        exact = {"fraction": str(number.exact[0]), "pi": number.exact[1]}
    return {"value": float(number.value), "exact": exact, "error": _error(number.error)}


def _error(error: float) -> float | str | None:
    """A standard error; JSON has neither NaN nor infinity."""
    if math.isnan(error):
        return None
    return float(error) if math.isfinite(error) else "infinite"
