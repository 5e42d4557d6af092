"""What a fleet costs: replica-steps, against a plain PyTorch loop doing the same work.

Both draw fresh data each step, train NAU→NMU with Adam and projection, and measure on
10,000 samples of both ranges every 1,000 steps; the fleet has per-replica settings.
They are timed by turns in one process, in CPU seconds. On an accelerator only the fleet
is timed, by the clock.

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

import jax
import jax.numpy as jnp
import numpy as np

from arithmax import NMU
from arithmax._program import configuration, program
from arithmax.protocol import published
from arithmax.tasks import SingleModule, Subsets

TASKS = {
    "100 inputs, ×": Subsets("mul"),
    "4 inputs, ×": Subsets("mul", simple=True),
    "2 inputs, ×": SingleModule("mul"),
}


def block(task, replicas):
    """A running block: its program, numbers, state and first step."""
    network, protocol = published(NMU(), task)
    trained = program(network, task, protocol)
    numbers = [configuration(task, protocol, seed) for seed in range(replicas)]
    stacked = jax.tree.map(lambda *v: jnp.asarray(np.stack(v)), *numbers)
    began = time.perf_counter()
    state, stacked = trained.start(stacked), trained.prepare(stacked)
    state, measured = trained.interval(state, stacked, jnp.uint32(0), jnp.asarray(True))
    jax.block_until_ready(measured)
    compiling = time.perf_counter() - began
    return [trained, stacked, state, 1, compiling]


def advance(running, intervals, clock):
    """Seconds for so many intervals of 1,000 steps."""
    trained, stacked, state, k, _ = running
    began, measured = clock(), None
    for _ in range(intervals):
        first = jnp.uint32(1000 * k)
        state, measured = trained.interval(state, stacked, first, jnp.asarray(True))
        k += 1
    jax.block_until_ready(measured)
    running[2], running[3] = state, k
    return clock() - began


def plain_torch(task, steps):
    """CPU seconds a step of one replica, written as one would without this package."""
    import torch

    torch.set_num_threads(1)
    rows = task.rows(0)
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


def on_cpu(quick):
    """Replica-steps a CPU second of both, by turns."""
    rounds = 3 if quick else 7
    for name, replicas, intervals in (
        ("100 inputs, ×", 32, 1),
        ("4 inputs, ×", 128, 2),
        ("2 inputs, ×", 225, 2),
    ):
        task = TASKS[name]
        running = block(task, replicas)
        pairs = []
        for _ in range(rounds):
            fleet = advance(running, intervals, time.process_time)
            fleet /= intervals * 1000 * replicas
            pairs.append((fleet, plain_torch(task, 300 if quick else 1000)))
        fleet, torch_ = (statistics.median(c) for c in zip(*pairs, strict=True))
        yield {
            "task": name,
            "replicas": replicas,
            "fleet_us": 1e6 * fleet,
            "torch_us": 1e6 * torch_,
            "ratio": statistics.median(t / f for f, t in pairs),
            "compile_s": running[4],
        }


def as_seeds_grow(sizes, clock, most):
    """Time and memory of the 100-input task as replicas are added to blocks."""
    for replicas in sizes:
        count = -(-replicas // most)
        blocks = [
            block(TASKS["100 inputs, ×"], min(most, replicas)) for _ in range(count)
        ]
        seconds = sum(advance(running, 1, clock) for running in blocks)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        yield {
            "replicas": replicas,
            "us": 1e6 * seconds / (1000 * replicas),
            "peak_gib": round(peak, 2),
        }


def on_accelerator():
    """Replica-steps a second, by the clock."""
    for name, replicas, intervals in (
        ("100 inputs, ×", 1000, 5),
        ("4 inputs, ×", 1000, 20),
        ("2 inputs, ×", 9000, 20),
    ):
        running = block(TASKS[name], replicas)
        seconds = min(advance(running, intervals, time.perf_counter) for _ in range(3))
        yield {
            "task": name,
            "replicas": replicas,
            "million_per_s": intervals * 1000 * replicas / seconds / 1e6,
            "compile_s": running[4],
        }


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
                f"{row['fleet_us']:7.2f} µs, torch {row['torch_us']:7.1f} µs a "
                f"replica-step: {row['ratio']:.0f}×; compiled {row['compile_s']:.1f} s",
                flush=True,
            )
        about["growth"] = list(as_seeds_grow((1, 32, 256, 1000), time.process_time, 32))
    else:
        about["accelerator"] = list(on_accelerator())
        for row in about["accelerator"]:
            print(
                f"{row['task']:14} {row['replicas']:5} replicas: "
                f"{row['million_per_s']:.1f} million replica-steps a second; compiled "
                f"{row['compile_s']:.1f} s",
                flush=True,
            )
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
