"""A formula as a function of NumPy arrays, and as the text of one."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from .._checks import shown
from ..discover import Formula, identifiers
from ._arguments import check_formula

WORDS = ("cos", "exp", "log", "pi", "sin", "sqrt")  # of printed formulas


def python_source(formula: Formula, name: str = "f") -> str:
    """The text of a Python function, to be written to a file and imported.

    It needs NumPy only, takes the columns in their order, as numbers or arrays that
    broadcast, and gives NaN or an infinity where the formula is undefined. Arguments
    are named as `arithmax.discover.identifiers` writes columns; a comment has the names
    that differ.

    Args:
        formula: the formula.
        name: the name of the function.

    Returns:
        A module with one function.

    Examples:
        >>> from arithmax.readout import parse, python_source
        >>> source = python_source(parse("m*sqrt(v_0)", ["m", "v 0"]), name="push")
        >>> print(source)
        import numpy
        from numpy import sqrt
        <BLANKLINE>
        # v_0 is the column 'v 0'
        <BLANKLINE>
        <BLANKLINE>
        def push(m, v_0):
            m = numpy.asarray(m, dtype=float)[()]
            v_0 = numpy.asarray(v_0, dtype=float)[()]
            with numpy.errstate(all="ignore"):
                return m*sqrt(v_0)
        <BLANKLINE>
    """
    check_formula(formula)
    _check_name(name)
    text = str(formula)
    used = [formula.identifiers[i] for i in sorted(formula.root.variables())]
    words = [word for word in WORDS if re.search(rf"\b{word}\b", text)]
    lines = ["import numpy"]
    lines += [f"from numpy import {', '.join(words)}"] if words else []
    lines += ["", *_comments(formula), "", f"def {name}({_arguments(formula)}):"]
    lines += [f"    {a} = numpy.asarray({a}, dtype=float)[()]" for a in used]
    lines += ['    with numpy.errstate(all="ignore"):', f"        return {text}", ""]
    return "\n".join(lines)


def numpy_function(formula: Formula) -> Callable[..., Any]:
    """A function of the columns, one argument each, by place or by name.

    Args:
        formula: the formula.

    Returns:
        A function of numbers or arrays that broadcast; as `Formula.evaluate` it gives
        NaN where the formula is undefined.

    Examples:
        >>> from arithmax.readout import numpy_function, parse
        >>> energy = numpy_function(parse("m*v**2/2", ["m", "v"]))
        >>> energy(2.0, v=[1.0, 2.0])
        array([1., 4.])
    """
    check_formula(formula)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [inspect.Parameter(name, kind) for name in formula.identifiers]
    )

    def function(*args: Any, **options: Any) -> Any:
        given = signature.bind(*args, **options).arguments.values()
        columns = [np.asarray(value, dtype=np.float64) for value in given]
        columns = np.broadcast_arrays(*columns)
        shape = columns[0].shape if columns else ()
        rows = np.stack([c.ravel() for c in columns], axis=-1) if columns else _NONE
        return formula.evaluate(rows).reshape(shape)[()]

    function.__signature__ = signature  # type: ignore[attr-defined]  # as inspect documents
    function.__doc__ = str(formula)
    return function


_NONE = np.zeros((1, 0))


def _arguments(formula: Formula) -> str:
    return ", ".join(formula.identifiers)


def _comments(formula: Formula) -> list[str]:
    """Which column an argument is, where their names differ; `ascii` keeps them on
    one line, whatever they are."""
    pairs = zip(formula.identifiers, formula.names, strict=True)
    lines = [f"# {a} is the column {n!a}" for a, n in pairs if a != n]
    return [*lines, ""] if lines else []


def _check_name(name: str) -> None:
    if not isinstance(name, str) or identifiers([name]) != (name,):
        raise ValueError(
            f"`name` (={shown(name)}) must be an identifier that formulas have no use "
            "for, such as 'f'."
        )
