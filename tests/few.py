"""Tests of many things of a kind, of which a few are enough for a first look."""

from collections.abc import Sequence
from typing import Any

import pytest


def a_few_now(names: Sequence[Any], now: int = 2) -> list[Any]:
    """Some of a kind always, the others where minutes do not matter."""
    later = (name if isinstance(name, tuple) else (name,) for name in names[now:])
    return [*names[:now], *(pytest.param(*n, marks=pytest.mark.slow) for n in later)]
