"""What a fleet costs: replica-steps, against a plain PyTorch loop doing the same work.

Both draw fresh data each step, train NAU→NMU with Adam and projection, and measure on
10,000 samples of both ranges every 1,000 steps; the fleet has per-replica settings.
They are timed by turns in one process, in CPU seconds. On an accelerator only the fleet
is timed, by the clock. What a user calls, `train_cells`, is timed beside the compiled
intervals of which it consists.

What a user calls is `train_cells`. Its rate is measured beside that of the compiled
interval that it runs, again by turns: the share is what threads, checkpoints, curves,
rows and files leave of it.

    OMP_NUM_THREADS=1 python benchmarks/fleet.py [--json FILE] [--quick] [--only calls]
"""

import argparse
import json
import os
import platform
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from arithmax import NMU, Cell, published, train_cells
from arithmax.tasks import SingleModule, Subsets
from arithmax.training._block import Block
from arithmax.training._machine import pinned
from arithmax.training._replicas import jobs, replicas
<<<<<<< HEAD
=======

Clock = Callable[[], float]
Row = dict[str, Any]
>>>>>>> tci

TASKS = {
    "100 inputs, ×": Subsets("mul"),
    "4 inputs, ×": Subsets("mul", simple=True),
    "2 inputs, ×": SingleModule("mul"),
}
LEAST = 0.97  # of the rate of the compiled interval that `train_cells` must have


<<<<<<< HEAD
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


def as_called(name, count, intervals, clock, rounds=3):
    """The rate of `train_cells` as a share of that of its intervals, by turns."""
    task, shares = TASKS[name], []
    running = Running(task, count)
    for _ in range(rounds):
        alone = running.advance(intervals, clock)
        network, protocol = published(NMU(), task, steps=1000 * intervals)
        cell = Cell(network, task, protocol, tuple(range(count)))
        began = clock()
        train_cells([cell], block=count, workers=1)
        shares.append(alone / (clock() - began))
    share = statistics.median(shares)
    return {"task": name, "replicas": count, "intervals": intervals, "share": share}


def plain_torch(task, steps):
    """CPU seconds per step of one replica, written as without this package."""
=======
def cell(name: str, count: int, steps: int | None = None) -> Cell:
    """The authors' run of the NMU on a task, with so many seeds."""
    network, protocol = published(NMU(), TASKS[name])
    if steps is not None:
        protocol = protocol.updated(steps=steps)
    return Cell(network, TASKS[name], protocol, tuple(range(count)))


class Running:
    """A block whose compiled interval is called and nothing else."""

    def __init__(self, name: str, count: int) -> None:
        (job,) = jobs(replicas([cell(name, count)], count), None, 0.0)
        self.interval = job.first.protocol.measuring.interval
        self.count, self.step = count, 0
        began = time.perf_counter()
        with pinned(job.first.protocol.precision):
            self.block = Block(job, jax.devices()[0])
        self.advance(1, time.perf_counter)
        self.compile_s = time.perf_counter() - began

    def advance(self, intervals: int, clock: Clock) -> float:
        """Seconds of a replica-step, over so many intervals."""
        block, measured = self.block, None
        with pinned(block.job.first.protocol.precision):
            began = clock()
            for _ in range(intervals):
                first, eligible = jnp.uint32(self.step), jnp.asarray(True)
                block.state, measured = block.program.interval(
                    block.state,
                    block.numbers,
                    block.shared,
                    block.targets,
                    first,
                    eligible,
                )
                self.step += self.interval
            jax.block_until_ready(measured)
            seconds = clock() - began
        return seconds / (intervals * self.interval * self.count)


def called(name: str, count: int, steps: int, clock: Clock) -> float:
    """Seconds of a replica-step of `train_cells`, as a user has it, with a folder."""
    asked = cell(name, count, steps)
    with tempfile.TemporaryDirectory() as folder:
        began = clock()
        done = train_cells([asked], out=folder, block=count, workers=1)
        seconds = clock() - began
    assert len(done) == count
    return seconds / (steps * count)


def calls(name: str, count: int, steps: int, rounds: int, clock: Clock) -> Row:
    """The rate of `train_cells` beside that of the compiled interval, by turns."""
    running = Running(name, count)
    called(name, count, 2 * running.interval, clock)  # compiles what is left
    intervals = steps // running.interval
    pairs = [
        (running.advance(intervals, clock), called(name, count, steps, clock))
        for _ in range(rounds)
    ]
    interval, whole = (statistics.median(c) for c in zip(*pairs, strict=True))
    return {
        "task": name,
        "replicas": count,
        "steps": steps,
        "interval_us": 1e6 * interval,
        "train_cells_us": 1e6 * whole,
        "share": statistics.median(i / w for i, w in pairs),
    }


def plain_torch(task: Any, steps: int) -> float:
    """CPU seconds a step of one replica, written as one would without this package."""
>>>>>>> tci
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


<<<<<<< HEAD
def on_cpu(quick):
    """CPU time per replica-step of both, by turns."""
    rounds = 3 if quick else 7
=======
def on_cpu(quick: bool) -> Iterator[Row]:
    """CPU seconds of a replica-step of both, by turns."""
>>>>>>> tci
    for name, count, intervals in (
        ("100 inputs, ×", 32, 1),
        ("4 inputs, ×", 128, 2),
        ("2 inputs, ×", 225, 2),
    ):
<<<<<<< HEAD
        task = TASKS[name]
        running = Running(task, count)
        pairs = []
        for _ in range(rounds):
            fleet = running.advance(intervals, time.process_time)
            fleet /= intervals * 1000 * count
            pairs.append((fleet, plain_torch(task, 300 if quick else 1000)))
=======
        running = Running(name, count)
        pairs = []
        for _ in range(3 if quick else 7):
            fleet = running.advance(intervals, time.process_time)
            pairs.append((fleet, plain_torch(TASKS[name], 300 if quick else 1000)))
>>>>>>> tci
        fleet, torch_ = (statistics.median(c) for c in zip(*pairs, strict=True))
        row = {
            "task": name,
            "replicas": count,
            "fleet_us": 1e6 * fleet,
            "torch_us": 1e6 * torch_,
            "ratio": statistics.median(t / f for f, t in pairs),
            "compile_s": running.compile_s,
        }
        print(
            f"{name:14} {count:5} replicas: fleet {row['fleet_us']:7.2f} µs, torch "
            f"{row['torch_us']:7.1f} µs a replica-step: {row['ratio']:.0f}×; compiled "
            f"{row['compile_s']:.1f} s",
            flush=True,
        )
        yield row


def as_seeds_grow(sizes: tuple[int, ...], clock: Clock, most: int) -> Iterator[Row]:
    """Time and memory of the 100-input task as replicas are added to blocks."""
    for count in sizes:
<<<<<<< HEAD
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
    """Replica-steps per second, by the clock."""
=======
        blocks = [
            Running("100 inputs, ×", min(most, count)) for _ in range(-(-count // most))
        ]
        seconds = statistics.mean(running.advance(1, clock) for running in blocks)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        row = {"replicas": count, "us": 1e6 * seconds, "peak_gib": round(peak, 2)}
        print(row, flush=True)
        yield row


def on_accelerator() -> Iterator[Row]:
    """Replica-steps a second, by the clock."""
>>>>>>> tci
    for name, count, intervals in (
        ("100 inputs, ×", 1000, 5),
        ("4 inputs, ×", 1000, 20),
        ("2 inputs, ×", 9000, 20),
    ):
<<<<<<< HEAD
        running = Running(TASKS[name], count)
        seconds = min(running.advance(intervals, time.perf_counter) for _ in range(3))
        yield {
            "task": name,
            "replicas": count,
            "million_per_s": intervals * 1000 * count / seconds / 1e6,
=======
        running = Running(name, count)
        seconds = min(running.advance(intervals, time.perf_counter) for _ in range(3))
        row = {
            "task": name,
            "replicas": count,
            "million_per_s": 1e-6 / seconds,
>>>>>>> tci
            "compile_s": running.compile_s,
        }
        print(
            f"{name:14} {count:5} replicas: {row['million_per_s']:.1f} million "
            f"replica-steps a second; compiled {row['compile_s']:.1f} s",
            flush=True,
        )
        yield row


def shares(cpu: bool, quick: bool) -> list[Row]:
    """What `train_cells` has of the interval's rate: small on a CPU, large beyond."""
    if cpu:
        steps = 10_000 if quick else 50_000  # the Primer's
        row = calls("2 inputs, ×", 64, steps, 5, time.process_time)
    else:
        steps = 100_000 if quick else 500_000
        row = calls("100 inputs, ×", 512, steps, 3, time.perf_counter)
    print(
        f"{row['task']:14} {row['replicas']:5} replicas: interval "
        f"{row['interval_us']:.4f} µs, train_cells {row['train_cells_us']:.4f} µs a "
        f"replica-step: {100 * row['share']:.1f} % (at least {100 * LEAST:.0f} %)",
        flush=True,
    )
    return [row]


def main() -> None:
    """Measure, print, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="where the figures are written")
    parser.add_argument("--quick", action="store_true", help="shorter, and rougher")
    parser.add_argument("--only", choices=["calls"], help="`train_cells` alone")
    chosen = parser.parse_args()
    cpu = jax.default_backend() == "cpu"
    measured: dict[str, Any] = {
        "device": jax.devices()[0].device_kind,
        "jax": jax.__version__,
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "calls": shares(cpu, chosen.quick),
    }
<<<<<<< HEAD
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
        intervals = 20 if quick else 200
        about["called"] = as_called("2 inputs, ×", 64, intervals, time.process_time)
        about["growth"] = list(as_seeds_grow((1, 32, 256, 1000), time.process_time, 32))
    else:
        about["accelerator"] = list(on_accelerator())
        for row in about["accelerator"]:
            print(
                f"{row['task']:14} {row['replicas']:5} replicas: "
                f"{row['million_per_s']:.1f} million replica-steps per second; "
                f"compiled {row['compile_s']:.1f} s",
                flush=True,
            )
        about["called"] = as_called("100 inputs, ×", 512, 400, time.perf_counter)
        about["growth"] = list(
            as_seeds_grow((1, 32, 1000, 4096), time.perf_counter, 4096)
        )
    called = about["called"]
    print(
        f"{called['task']:14} {called['replicas']:5} replicas: `train_cells` has "
        f"{called['share']:.1%} of the rate of its compiled intervals",
        flush=True,
    )
    for row in about["growth"]:
        print(row, flush=True)
    if "--json" in sys.argv:
        Path(sys.argv[sys.argv.index("--json") + 1]).write_text(
            json.dumps(about, indent=1)
        )
=======
    if chosen.only is None and cpu:
        sizes = (1, 32, 256, 1000)
        measured["cpu"] = list(on_cpu(chosen.quick))
        measured["growth"] = list(as_seeds_grow(sizes, time.process_time, 32))
    elif chosen.only is None:
        sizes = (1, 32, 1000, 4096)
        measured["accelerator"] = list(on_accelerator())
        measured["growth"] = list(as_seeds_grow(sizes, time.perf_counter, 4096))
    if chosen.json:
        kept = json.loads(chosen.json.read_text()) if chosen.json.exists() else {}
        kept = kept if chosen.only else {}  # a part replaces that part
        chosen.json.write_text(json.dumps(kept | measured, indent=1))
    if any(row["share"] < LEAST for row in measured["calls"]):
        raise SystemExit("`train_cells` is slower than it may be beside its program.")
>>>>>>> tci


if __name__ == "__main__":
    main()
