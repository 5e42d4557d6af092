"""How commands name the criteria of success.

This file is read by the command line and loads no array library.
"""

from typing import Literal, TypeAlias

Criterion: TypeAlias = Literal["eps-1e-4", "eps-1e-5", "flat-1e-5", "rounded"]
# As boards name them.
NAMES: dict[Criterion, str] = {
    "eps-1e-4": "ε = 1e-4",
    "eps-1e-5": "ε = 1e-5",
    "flat-1e-5": "flat 1e-5",
    "rounded": "rounded",
}
