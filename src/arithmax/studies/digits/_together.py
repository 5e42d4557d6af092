"""Parts of what a study computes, as one."""

from collections.abc import Sequence
from typing import Any

from .._study import Computed


def together(parts: Sequence[Computed]) -> Computed:
    """Several parts as one, without empty tables: what is stored of them stays."""
    whole: dict[str, dict[str, Any]] = {"tables": {}, "figures": {}, "reduced": {}}
    for part in parts:
        for name, known in whole.items():
            known.update(getattr(part, name))
    filled = {n: t for n, t in whole["tables"].items() if all(t.values())}
    return Computed(**{**whole, "tables": filled})
