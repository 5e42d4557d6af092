"""What the first exact seed costs: Levenberg–Marquardt against Adam.

The task is the product of two sums of subsets of 100 inputs, the network NAU→NMU as it
starts by default. A seed is exact when its mean squared error outside of the training
range is below 1e-9 (the targets' mean square is some 1e8); of Adam, in float32, no more
is asked than the published threshold, 0.16. Levenberg–Marquardt and one Adam have the
same 1,000 samples in every step; the other Adam is the published recipe, with fresh
samples in each step. What is timed is what a user calls, `train`, after a call that
compiled it: in CPU seconds, on an accelerator by the clock.

    OMP_NUM_THREADS=1 python benchmarks/second_order.py [--seeds 8] [--json FILE]
"""

import argparse
import json
import os
import platform
import time
from pathlib import Path
from typing import Any

import jax

from arithmax import NAU, NMU, Protocol, Stack, published, train
from arithmax.tasks import Subsets
from arithmax.training import (
    Adam,
    Batches,
    Criterion,
    LevenbergMarquardt,
    Measuring,
)

TASK = Subsets("mul")
NETWORK = Stack((NAU(), NMU()), hidden=(2,))
EXACT = Criterion(threshold=1e-9)
ON_CPU = jax.default_backend() == "cpu"
clock = time.process_time if ON_CPU else time.perf_counter


def arms(adam_steps: int) -> dict[str, tuple[Any, Protocol]]:
    """Network and protocol of each way to train."""
    rows, every = Batches(1000, full=True), Measuring(adam_steps // 10, 1000)
    parts = {"measuring": Measuring(5, 1000), "criterion": EXACT}
    second = Protocol(60, rows, LevenbergMarquardt(), precision="float64", **parts)
    same = Protocol(adam_steps, rows, Adam(1e-2), measuring=every)
    # Its batches are of 128 samples.
    settings = {"steps": 8 * adam_steps, "measuring": every}
    return {
        "Levenberg–Marquardt, 1,000 samples": (NETWORK, second),
        "Adam, the same 1,000 samples": (NETWORK, same),
        "Adam, the published recipe": published(NMU(), TASK, **settings),
    }


def timed(network: Any, protocol: Protocol, seeds: int) -> tuple[float, Any]:
    """Seconds of a call, and its rows."""
    began = clock()
    found = train(network, TASK, protocol, range(seeds), block=seeds, workers=1)
    return clock() - began, found.rows


def measured(name: str, network: Any, protocol: Protocol, seeds: int) -> dict[str, Any]:
    """How many seeds were exact, when the first was, and what that cost."""
    interval = protocol.measuring.interval
    compiled, _ = timed(network, protocol.updated(steps=interval), seeds)
    short, _ = timed(network, protocol.updated(steps=interval), seeds)
    seconds, rows = timed(network, protocol, seeds)
    exact = sorted(r["solved_at"] for r in rows if r["outcome"] == "solved")
    to_first = None
    if exact:
        first = protocol.updated(steps=max(exact[0], interval))
        to_first, _ = timed(network, first, seeds)
    return {
        "arm": name,
        "seeds": seeds,
        "steps": protocol.steps,
        "exact": len(exact),
        "first_exact_step": exact[0] if exact else None,
        "seconds_to_first": to_first,
        "seconds": seconds,
        "compile_s": compiled - short,
        "median_error": sorted(r["extrapolation"] for r in rows)[len(rows) // 2],
    }


def main() -> None:
    """Measure each arm, print it, and write them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--adam-steps", type=int, default=20_000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    about: dict[str, Any] = {
        "device": jax.devices()[0].device_kind,
        "clock": "CPU seconds" if ON_CPU else "seconds",
        "jax": jax.__version__,
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "arms": [],
    }
    for name, (network, protocol) in arms(given.adam_steps).items():
        row = measured(name, network, protocol, given.seeds)
        about["arms"].append(row)
        print(row, flush=True)
    if given.json:
        given.json.write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
