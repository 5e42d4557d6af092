"""Neural Arithmetic Units (ICLR 2020) and its slides, by A. Madsen and A. R. Johansen.

The published figures are in the JSON files, each with its source.
"""

from ._figures import entry as entry
from ._figures import published_rows as published_rows
from ._row_order import figure as figure
from ._row_order import simulated as simulated
from ._row_order import simulated_cell as simulated_cell
