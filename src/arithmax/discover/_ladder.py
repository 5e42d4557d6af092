"""The stages of a search, cheapest first."""

from fractions import Fraction

from ._dimensions import Dimensions
from ._functions import FunctionsOfColumns
from ._linear_algebra import LinearAlgebra
from ._monomial import ConstantFormula, Monomial
from ._networks import DIRECT, LARGE, MIDDLE, SMALL, Networks
from ._null_space import NullSpace
from ._separated import Separated
from ._sparse import Sparse, SparseRatio
from ._stage import Stage
from ._symmetric import Symmetric
from ._unit_free import UnitFree
from ._wide import Wide

EXACT: tuple[Stage, ...] = (LinearAlgebra(), NullSpace())
NOISY: tuple[Stage, ...] = (
    UnitFree(),
    Networks(SMALL + DIRECT),
    Sparse(),
    SparseRatio(),
    Networks(MIDDLE),
)

SHORT: tuple[Stage, ...] = (
    Monomial(),
    LinearAlgebra((Fraction(1),), most=90),
    Sparse((Fraction(1),), most=90),
    Networks(SMALL[:1]),
)

LADDER: tuple[Stage, ...] = (
    ConstantFormula(),
    Wide(),  # does nothing to narrow tables, where others are quicker
    Monomial(),
    UnitFree(),
    *EXACT,
    Separated(EXACT),
    Networks(SMALL),
    Separated(NOISY),
    Symmetric((*EXACT, *NOISY)),
    Sparse(),
    SparseRatio(),
    Networks(DIRECT + MIDDLE, restarts=256),
    FunctionsOfColumns(SHORT),
    Networks(LARGE),
    Networks(MIDDLE + LARGE, restarts=256, steps=60),
)
"""What `discover` tries, in this order; any of them can be left out."""


def ladder(units: tuple[str, ...] | None) -> tuple[Stage, ...]:
    """The stages, after dimension analysis where units are known.

    Args:
        units: the units of each column, then those of the target; None if unknown.
    """
    if units is None:
        return LADDER
    inner = (ConstantFormula(), Monomial(), *EXACT, *NOISY, Networks(LARGE))
    return (*LADDER[:2], Dimensions(units, inner), *LADDER[2:])
