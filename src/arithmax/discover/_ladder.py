"""The stages of a search, cheapest first."""

from ._linear_algebra import LinearAlgebra
from ._monomial import Constant, Monomial
from ._networks import LARGE, MIDDLE, SMALL, Networks
from ._null_space import NullSpace
from ._stage import Stage
from ._wide import Wide

LADDER: tuple[Stage, ...] = (
    Constant(),
    Wide(),  # does nothing to narrow tables, where others are quicker
    Monomial(),
    LinearAlgebra(),
    NullSpace(),
    Networks(SMALL),
    Networks(MIDDLE),
    Networks(LARGE),
    Networks(SMALL + MIDDLE + LARGE, restarts=96),
)
"""What `discover` tries, in this order; any of them can be left out."""
