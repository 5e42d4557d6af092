"""What a fleet costs: replica-steps, against a plain PyTorch loop doing the same work.

Both draw fresh data each step, train NAU→NMU with Adam and projection, and measure on
10,000 samples of both ranges every 1,000 steps; the fleet has per-replica settings.
They are timed by turns in one process, in CPU seconds, the fleet as a user calls it:
`train_cells` with one worker, its programs compiled before. Two workers are timed
against one, by the clock. On a GPU only the fleet is timed, by the clock, with its
kernel and without, and what an interval of the kernel consists of.

    OMP_NUM_THREADS=1 python benchmarks/fleet.py [--json FILE] [--quick]
"""

import json
import os
import platform
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp

from arithmax import NALU, NMU, Cell, MultiplicativeNAC, published, train_cells
from arithmax.tasks import SingleModule, Subsets
from arithmax.training._block import Block
from arithmax.training._kernel import measured_errors, train_steps
from arithmax.training._machine import pinned
from arithmax.training._replica import Training, batch_pieces
from arithmax.training._replicas import jobs, replicas

TASKS = {
    "100 inputs, ×": Subsets("mul"),
    "4 inputs, ×": Subsets("mul", simple=True),
    "2 inputs, ×": SingleModule("mul"),
}


class Running:
    """A block that was compiled, and its intervals alone."""

    def __init__(self, task, count):
        network, protocol = published(NMU(), task)
        cell = Cell(network, task, protocol, tuple(range(count)))
        (job,) = jobs(replicas([cell], count), None, 0.0)
        began = time.perf_counter()
        with pinned(protocol.precision):
            self.block = Block(job, jax.devices()[0])
            self.step = 0
            jax.block_until_ready(self._interval())
        self.compile_s = time.perf_counter() - began

    def _interval(self):
        block = self.block
        block.state, measured = block.program.interval(
            block.state,
            block.numbers,
            block.shared,
            block.targets,
            jnp.uint32(self.step),
            jnp.asarray(True),
        )
        self.step += 1000
        return measured

    def advance(self, intervals, clock):
        """Seconds for so many intervals of 1,000 steps."""
        began, measured = clock(), None
        with pinned("float32"):
            for _ in range(intervals):
                measured = self._interval()
            jax.block_until_ready(measured)
        return clock() - began


def plain_torch(task, steps):
    """CPU seconds per step of one replica, written as without this package."""
    import torch

    torch.set_num_threads(1)
    rows = task.places(0)
    w1 = torch.empty(2, task.in_features).uniform_(-0.2, 0.2).requires_grad_()
    single = isinstance(task, SingleModule)
    w2 = torch.empty(1, 2).uniform_(0.25, 0.75).requires_grad_()
    params = [w2] if single else [w1, w2]
    optimiser = torch.optim.Adam(params, lr=1e-3)

    def predict(x):
        v = w2.clamp(0, 1)
        z = x if single else torch.nn.functional.linear(x, w1.clamp(-1, 1))
        return torch.prod(z.unsqueeze(-2) * v + 1 - v, dim=-1)

    def target(x):
        return x[:, rows[0]].sum(1, keepdim=True) * x[:, rows[1]].sum(1, keepdim=True)

    def penalty(w):
        return torch.minimum(w.abs(), (1 - w.abs()).abs()).mean()

    sets = [
        torch.rand(10_000, task.in_features) * (high - low) + low
        for low, high in ((1, 2), (2, 6))
    ]
    began = time.process_time()
    for step in range(steps):
        if step % 1000 == 0:
            with torch.no_grad():
                for x in sets:
                    (predict(x) - target(x)).square().mean().item()
        x = torch.rand(128, task.in_features) + 1
        loss = (predict(x) - target(x)).square().mean()
        ramp = min(max((step - 1e6) / 1e6, 0.0), 1.0)
        loss = loss + 10 * ramp * sum(penalty(w) for w in params)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        with torch.no_grad():
            w1.clamp_(-1, 1)
            w2.clamp_(0, 1)
    return (time.process_time() - began) / steps


class Called:
    """`train_cells` on one task, whose program was compiled by a first call."""

    def __init__(self, task, count):
        self.task, self.count = task, count
        began = time.perf_counter()
        self(1000, 1)
        first = time.perf_counter() - began
        self.compile_s = first - self(1000, 1).clock

    def __call__(self, steps, workers):
        network, protocol = published(NMU(), self.task, steps=steps)
        cell = Cell(network, self.task, protocol, tuple(range(self.count)))
        clock, cpu = time.perf_counter(), time.process_time()
        train_cells([cell], workers=workers)
        return Spent(time.perf_counter() - clock, time.process_time() - cpu)


class Spent(NamedTuple):
    """Seconds by the clock and of the processor."""

    clock: float
    cpu: float


def on_cpu(quick):
    """CPU time per replica-step of both, by turns."""
    rounds = 3 if quick else 7
    for name, count, steps in (
        ("100 inputs, ×", 32, 5_000),
        ("4 inputs, ×", 128, 10_000),
        ("2 inputs, ×", 128, 20_000),
    ):
        called, pairs = Called(TASKS[name], count), []
        for _ in range(rounds):
            fleet = called(steps, workers=1).cpu / (steps * count)
            pairs.append((fleet, plain_torch(called.task, 300 if quick else 1000)))
        fleet, torch_ = (statistics.median(c) for c in zip(*pairs, strict=True))
        yield {
            "task": name,
            "replicas": count,
            "fleet_us": 1e6 * fleet,
            "torch_us": 1e6 * torch_,
            "ratio": statistics.median(t / f for f, t in pairs),
            "compile_s": called.compile_s,
        }


def on_two_cores(quick):
    """The same blocks by one worker and by two, by turns: the best of each."""
    for name, count, steps in (
        ("100 inputs, ×", 128, 2_000),
        ("2 inputs, ×", 512, 10_000),
    ):
        called, one, two = Called(TASKS[name], count), [], []
        for _ in range(3 if quick else 15):
            one.append(called(steps, workers=1))
            two.append(called(steps, workers=2))
        best = [min(s.clock for s in spent) for spent in (one, two)]
        cpu = [statistics.median(s.cpu for s in spent) for spent in (one, two)]
        yield {
            "task": name,
            "replicas": count,
            "one_s": best[0],
            "two_s": best[1],
            "ratio": best[0] / best[1],
            "cpu_ratio": cpu[1] / cpu[0],
        }


def as_seeds_grow(sizes, clock, most):
    """Time and memory of the 100-input task as replicas are added to blocks."""
    for count in sizes:
        task = TASKS["100 inputs, ×"]
        blocks = [Running(task, min(most, count)) for _ in range(-(-count // most))]
        seconds = sum(running.advance(1, clock) for running in blocks)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        yield {
            "replicas": count,
            "us": 1e6 * seconds / (1000 * count),
            "peak_gib": round(peak, 2),
        }


def on_accelerator():
    """Replica-steps per second of `train_cells`, by the clock, with and without kernel.

    A run is so long that its first interval, and the rows at its end, count for little.
    """
    for unit, name, count, steps in (
        (NMU(), "100 inputs, ×", 1000, 100_000),
        (NMU(), "100 inputs, ×", 512, 100_000),
        (NMU(), "100 inputs, ×", 100, 50_000),
        (MultiplicativeNAC(), "100 inputs, ×", 1000, 100_000),
        (NALU(), "100 inputs, ×", 1000, 40_000),
        (NMU(), "4 inputs, ×", 1000, 500_000),
        (NMU(), "2 inputs, ×", 9000, 500_000),
    ):
        rates, seconds = {}, {}
        for kernel in (True, False):
            some = steps if kernel else steps // 10
            took, first = called_once(unit, TASKS[name], count, some, kernel)
            rates[kernel] = count * some / took / 1e6
            seconds[kernel] = first
        yield {
            "unit": type(unit).title,
            "task": name,
            "replicas": count,
            "million_per_s": rates[True],
            "without_kernel": rates[False],
            "compile_s": seconds[True],
        }


def called_once(unit, task, count, steps, kernel):
    """Seconds of a call of `train_cells`, and of a first one that compiles."""

    def call(steps):
        network, protocol = published(unit, task, steps=steps)
        cell = Cell(network, task, protocol, tuple(range(count)))
        began = time.perf_counter()
        train_cells([cell], workers=1, kernel=kernel)
        return time.perf_counter() - began

    first = call(2000)
    return call(steps), first


def profile(count=1000, steps=50_000):
    """What an interval of the kernel takes, and what is beside it."""
    task = TASKS["100 inputs, ×"]
    network, protocol = published(NMU(), task)
    cell = Cell(network, task, protocol, tuple(range(count)))
    (job,) = jobs(replicas([cell], count), None, 0.0)
    with pinned(protocol.precision):
        block = Block(job, jax.devices()[0])
        pieces = batch_pieces(network, task, protocol)
        one = Training(network, task, protocol, {}, pieces)
        first = jnp.zeros((count,), jnp.uint32)
        error = jnp.ones((count,))
        steps_alone = jax.jit(lambda s, n: train_steps(one, s, n, first, error, 1000))
        errors_alone = jax.jit(lambda s, n: measured_errors(one, s.params, n))
        parts = {
            "steps, one kernel": least(lambda: steps_alone(block.state, block.numbers)),
            "errors on both sets": least(
                lambda: errors_alone(block.state, block.numbers)
            ),
        }
    took, _ = called_once(NMU(), task, count, steps, True)
    whole = took / (steps / 1000)
    parts["all else: sparsity, best weights, transfers, Python, rows"] = whole - sum(
        parts.values()
    )
    return {"replicas": count, "parts_ms": {n: 1e3 * v for n, v in parts.items()}}


def least(call, rounds=5):
    """The least seconds of several calls, after one that compiles."""
    jax.block_until_ready(call())
    took = []
    for _ in range(rounds):
        began = time.perf_counter()
        jax.block_until_ready(call())
        took.append(time.perf_counter() - began)
    return min(took)


def main():
    quick = "--quick" in sys.argv
    device = jax.devices()[0]
    about = {
        "device": device.device_kind,
        "jax": jax.__version__,
        "cpus": os.cpu_count(),
    }
    about["python"] = platform.python_version()
    if jax.default_backend() == "cpu":
        about["cpu"] = list(on_cpu(quick))
        for row in about["cpu"]:
            print(
                f"{row['task']:14} {row['replicas']:5} replicas: fleet "
                f"{row['fleet_us']:7.2f} µs, torch {row['torch_us']:7.1f} µs per "
                f"replica-step: {row['ratio']:.0f}×; compiled {row['compile_s']:.1f} s",
                flush=True,
            )
        about["cores"] = list(on_two_cores(quick))
        for row in about["cores"]:
            print(
                f"{row['task']:14} {row['replicas']:5} replicas: two workers are "
                f"{row['ratio']:.2f} times as fast as one, with {row['cpu_ratio']:.2f} "
                "of its CPU seconds",
                flush=True,
            )
        about["growth"] = list(as_seeds_grow((1, 16, 256, 1000), time.process_time, 16))
    else:
        about["accelerator"] = []
        for row in on_accelerator():
            about["accelerator"].append(row)
            print(
                f"{row['unit']:5} {row['task']:14} {row['replicas']:5} replicas: "
                f"{row['million_per_s']:.1f} million replica-steps per second, "
                f"{row['without_kernel']:.1f} without kernel; first call "
                f"{row['compile_s']:.1f} s",
                flush=True,
            )
        about["profile"] = profile()
        print(about["profile"], flush=True)
        about["growth"] = list(
            as_seeds_grow((1, 32, 1000, 4096), time.perf_counter, 4096)
        )
    for row in about["growth"]:
        print(row, flush=True)
    if "--json" in sys.argv:
        Path(sys.argv[sys.argv.index("--json") + 1]).write_text(
            json.dumps(about, indent=1)
        )


if __name__ == "__main__":
    main()
