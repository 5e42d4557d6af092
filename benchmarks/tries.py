"""What was tried to make the fleet faster on a CPU: predictions and outcomes.

A try is a change of the package that is in force while a program is compiled. It is
timed by turns with the package as it is, in CPU seconds of whole intervals, and its
outcome is how many times less an interval takes with it. What was kept is the package
as it is: it is timed against the way back.

    OMP_NUM_THREADS=1 python benchmarks/tries.py [--json FILE] [--only WORD]
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import jax
import jax.numpy as jnp
from fleet import TASKS, Running

from arithmax import _arrays
from arithmax.tasks._distributions import UniformInputs
from arithmax.training import _program, _random, _replica
from arithmax.units import _nmu

HUNDRED, FOUR, TWO = TASKS
BLOCKS = {HUNDRED: 32, FOUR: 64, TWO: 64}
INTERVALS = {HUNDRED: 1, FOUR: 4, TWO: 8}
ROUNDS = 7
HIGHEST: dict[str, Any] = {"precision": "highest"}


@dataclass(frozen=True)
class Try:
    """One change, what it was expected to bring, and how it is made or taken back."""

    name: str
    change: str
    predicted: str
    """How many times less an interval takes, as written before it was measured."""
    way: Callable[[], AbstractContextManager[Any]] = nullcontext
    """Where a program is compiled with the change, or without if it was kept."""
    kept: bool = False
    note: str = ""
    block: int | None = None
    """Replicas in a block at 100 inputs, if that is the change: it is never undone."""

    @property
    def tasks(self) -> list[str]:
        """The tasks on which it is timed."""
        return [HUNDRED] if self.block else [HUNDRED, FOUR, TWO]


def options(**changed: Any) -> Callable[[], Any]:
    """Other options of the compiler."""
    asked = {**_program.CPU_OPTIONS, **changed}
    return lambda: patch.object(_program, "CPU_OPTIONS", asked)


def without(name: str) -> Callable[[], Any]:
    """All passes of the compiler, but for those that are left out with this one."""
    kept = [other for other in _program.LEFT_OUT if other != name]
    return options(xla_disable_hlo_passes=",".join(kept))


def product(multiply: Callable[..., Any]) -> Callable[[], Any]:
    """Another way to multiply the few rows of weights with inputs."""
    return lambda: patch.object(_arrays, "_product_of_few", lambda: multiply)


def by_dot(w, x):
    return jnp.matmul(w, x, **HIGHEST)


def by_rows(w, x):
    return jnp.stack([jnp.matmul(row, x, **HIGHEST) for row in w])


def by_sums(w, x):
    return jnp.sum(w[:, :, None] * x[None], axis=1)


@jax.custom_jvp
def slopes_by_sums(w, x):
    return by_dot(w, x)


@slopes_by_sums.defjvp
def _(primals, tangents):
    (w, x), (dw, dx) = primals, tangents
    return by_dot(w, x), by_sums(dw, x) + by_dot(w, dx)


def two_halves():
    """Every interval drawn as two halves."""

    def form(cls: Any, inputs: Any) -> tuple[str, Any]:
        return cls.kind, cls.quantile

    return patch.object(UniformInputs, "form", classmethod(form))


def hashed_once():
    """Random numbers of measured sets before they are scaled for each replica."""
    drawn = _random.Key.uniform

    def uniform(self, shape):
        u = drawn(self, shape)
        measured = self.stream in (_random.VALIDATION, _random.TEST)
        return jax.lax.optimization_barrier(u) if measured else u

    return patch.object(_random.Key, "uniform", uniform)


def unrolled(count: int) -> Callable[[], Any]:
    """So many steps between two looks at the loop."""
    real = jax.lax.scan
    return lambda: patch.object(
        jax.lax, "scan", lambda f, init, xs, unroll: real(f, init, xs, unroll=count)
    )


def broadcast(w, x, xp=None):
    return w.reshape(w.shape + (1,) * (x.ndim - 1))


NOTES = {8: "NALU takes more.", 16: "Same bits, and 25 seeds are work for two cores."}
ON_SIGHT = "none"  # the figure was there before anybody had thought of one
TRIES = (
    Try(
        "one core for a block",
        "XLA does not split the operations of a program over all cores",
        ON_SIGHT,
        without("cpu-parallel-task-assigner"),
        kept=True,
        note="Same bits. By the clock two cores were 1.07 times as fast as one.",
    ),
    Try(
        "slopes row by row",
        "the derivative of a matrix product by its weights is a product for each row",
        "1.13 at 100 inputs",
        product(by_dot),
        kept=True,
        note="2.2 µs against 1.3 alone; sums round in another order.",
    ),
    Try(
        "one interval",
        "inputs of one interval are not computed as two halves of it",
        "1.15 at 100 inputs",
        two_halves,
        kept=True,
        note="Same bits where the ends and the middle of a range are exact.",
    ),
    Try(
        "barriers that stay",
        "XLA does not drop the barrier behind inputs before it fuses operations",
        ON_SIGHT,
        without("cse_barrier_expander"),
        kept=True,
        note="Cheap inputs are else computed again by each operation that reads them.",
    ),
    Try(
        "wide vectors",
        "XLA prefers vectors of 512 bits to those of 256",
        ON_SIGHT,
        options(xla_cpu_prefer_vector_width=256),
        kept=True,
        note="On a Zen 4.",
    ),
    Try(
        "slopes by sums",
        "the derivative by the weights is multiplied and summed, without a product",
        "1.21 at 100 inputs",
        product(slopes_by_sums),
        note="The prediction was a part timed with constant inputs, which XLA packs.",
    ),
    Try(
        "sums instead of products",
        "weights and inputs are multiplied and summed, forwards too",
        "0.6 at 100 inputs",
        product(by_sums),
    ),
    Try(
        "all row by row",
        "a matrix product is a product for each row, forwards too",
        "1.15 at 100 inputs",
        product(by_rows),
        note="Inputs are read once for each row.",
    ),
    Try(
        "weights spread by broadcast",
        "the NMU's weights are broadcast, without the product with ones",
        "1.0",
        lambda: patch.object(_nmu, "spread", broadcast),
    ),
    Try(
        "no barrier",
        "inputs may be computed where they are used",
        "1.0; less than 1 at two inputs",
        lambda: patch.object(_random.Key, "fix", lambda self, x: x),
    ),
    Try(
        "measured sets hashed once",
        "random numbers that all replicas share are computed once for all of them",
        "1.03 at 100 inputs",
        hashed_once,
    ),
    Try(
        "smaller pieces",
        "250 samples are measured at a time, in place of 1,000",
        "1.03 at 100 inputs",
        lambda: patch.object(_replica, "PIECE", 250),
        note="Would be other samples: measured sets are decided by their pieces.",
    ),
    Try("unroll 2", "two steps between looks at the loop", "1.0", unrolled(2)),
    Try("unroll 4", "four steps between looks at the loop", "1.0", unrolled(4)),
    Try(
        "fast mathematics",
        "`xla_cpu_enable_fast_math`",
        "1.0",
        options(xla_cpu_enable_fast_math=True),
        note="It may also take NaN for impossible, which a diverged run is.",
    ),
    Try(
        "schedule for memory",
        "`xla_cpu_scheduler_type` for the least memory",
        ON_SIGHT,
        options(xla_cpu_scheduler_type="CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED"),
    ),
    Try(
        "without YNNPACK",
        "matrix products and sums by XLA and Eigen alone",
        "0.6 at 100 inputs",
        options(xla_cpu_experimental_ynn_fusion_type="LIBRARY_FUSION_TYPE_INVALID"),
    ),
    *(
        Try(
            f"blocks of {count}",
            f"{count} replicas in a block at 100 inputs, in place of 32",
            "more than 1 while the inputs of a step fit 1 MB of cache, 16 replicas",
            kept=count == 16,
            note=NOTES.get(count, ""),
            block=count,
        )
        for count in (8, 16, 64, 128)
    ),
)


class Timed(Running):
    """A compiled block and the CPU µs of its replica-steps."""

    def __init__(self, name: str, way: Callable[[], Any], count: int) -> None:
        _program.program.cache_clear()
        with way():
            super().__init__(TASKS[name], count)
        _program.program.cache_clear()
        self.intervals = INTERVALS[name]
        self.each = 1000 * self.intervals * count / 1e6

    def __call__(self) -> float:
        return self.advance(self.intervals, time.process_time) / self.each


def outcome(one: Try, name: str, usual: Callable[[], float]) -> float:
    """How many times less an interval takes with the change than without."""
    other = Timed(name, one.way, one.block or BLOCKS[name])
    pairs = [(usual(), other()) for _ in range(ROUNDS)]
    ratio = statistics.median(now / changed for now, changed in pairs)
    return 1 / ratio if one.kept and not one.block else ratio


def main() -> None:
    """Time all tries, and print a line for each."""
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    usual = {name: Timed(name, nullcontext, BLOCKS[name]) for name in TASKS}
    chosen = [one for one in TRIES if only in one.name]
    rows = {}
    for one in chosen:
        measured = {n: round(outcome(one, n, usual[n]), 3) for n in one.tasks}
        print(f"{one.name:28} {one.predicted:20} {measured}", flush=True)
        rows[one.name] = {
            "name": one.name,
            "change": one.change,
            "predicted": one.predicted,
            "measured": measured,
            "kept": one.kept,
            "note": one.note,
        }
    if "--json" in sys.argv:
        write(Path(sys.argv[sys.argv.index("--json") + 1]), rows)


def write(path: Path, rows: dict[str, Any]) -> None:
    """The rows into a file, beside those of tries that were not timed again."""
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))["tries"]
        rows = {row["name"]: row for row in before} | rows
    listed = [rows[one.name] for one in TRIES if one.name in rows]
    about = {"device": "CPU", "jax": jax.__version__, "tries": listed}
    path.write_text(
        json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
