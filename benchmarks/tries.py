"""What was tried to make the fleet faster on a CPU: predictions and outcomes.

A try is a change of the package, made while its program is compiled. It is timed by
turns with the package as it is, in CPU seconds of whole intervals, and the outcome is
how many times less one of them takes. What was kept is the package as it is, and its
change is the way back; its outcome is turned round.

    OMP_NUM_THREADS=1 python benchmarks/tries.py [--json FILE] [--only WORD]
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import jax
import jax.numpy as jnp
from fleet import TASKS, Running

from arithmax import _arrays
from arithmax.tasks import _sums
from arithmax.tasks._distributions import UniformInputs
from arithmax.training import _program, _random, _replica
from arithmax.units import _nau, _nmu

HUNDRED, FOUR, TWO = TASKS
BLOCKS = {HUNDRED: 32, FOUR: 64, TWO: 64}
INTERVALS = {HUNDRED: 1, FOUR: 4, TWO: 8}
ROUNDS = 5


@dataclass(frozen=True)
class Try:
    """One change, what it was expected to bring, and how to make or undo it."""

    name: str
    change: str
    predicted: str
    """Written before it was measured: how many times less an interval takes."""
    way: Callable[[], Any] = nullcontext
    """A context in which the program is compiled the other way."""
    kept: bool = False
    note: str = ""
    tasks: tuple[str, ...] = (HUNDRED, TWO)
    block: int | None = None
    """Replicas in a block of the other way, if that is what changes."""


def options(**changed: Any) -> Callable[[], Any]:
    """Other options of the compiler."""
    asked = {**_program.CPU_OPTIONS, **changed}
    return lambda: patch.object(_program, "CPU_OPTIONS", asked)
