"""Tables whose target is one number on all training rows: nothing is to be searched."""

import math
from typing import Any

import numpy as np

from ._formula import Formula
from ._naming import name_of
from ._nodes import UNIT, Sum
from ._numbers import ZERO, Number
from ._table import Sample
from ._verdict import Attempt, Candidate, Discovery, Trust


def flat(table: Sample, outside: tuple[Any, Any] | None = None) -> Discovery | None:
    """The constant that a target is; None if it varies on the training rows.

    Errors are measured by the spread of the target, which is zero here: that of a row
    that is held out or outside, and differs, is infinite.

    Examples:
        >>> import numpy as np
        >>> from arithmax.discover import discover
        >>> found = discover(np.arange(20.0)[:, None], np.full(20, 0.75))
        >>> print(found.formula, "|", found.verdict)
        3/4 | exact on this data
    """
    if np.ptp(table.y) > 0:
        return None
    value = float(table.y[0])
    formula = Formula(Sum((_number(value),), (UNIT,)), table.names)
    held = _error(table.held_y, value)
    far = None if outside is None else _error(outside[1], value)
    verdict = Trust.NOT_FOUND if held else Trust.EXACT
    best = Candidate(formula, "constant", -math.inf, 0.0, held, verdict, 0.0, far)
    tried = (Attempt("constant", 1, 0.0),)
    return Discovery(best, (best,), tried, "the target does not vary")


def _error(y: Any, value: float) -> float:
    return 0.0 if (np.asarray(y) == value).all() else math.inf


def _number(value: float) -> Number:
    exact = name_of(value, 0.0)
    named = ZERO if exact is None else Number.of(*exact)
    return named if named.value == value else Number(value)
