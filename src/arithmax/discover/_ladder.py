"""The stages of a search, cheapest first."""

from ._monomial import Constant, Monomial
from ._stage import Stage

LADDER: tuple[Stage, ...] = (Constant(), Monomial())
"""What `discover` tries, in this order; any of them can be left out."""
