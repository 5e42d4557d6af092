"""What was tried to make the kernel of a GPU fast: each change against what is kept.

Only what can be switched on and off is here. Each figure is how many times less an
interval takes with the change than without, in one process on one GPU.

    python benchmarks/kernel_tries.py --json docs/data/tries-h200.json
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from fleet import TASKS, least

from arithmax import NALU, NMU, Cell, MultiplicativeNAC, published
from arithmax.training import _kernel, _padded, _replica
from arithmax.training._block import numbers_of_block
from arithmax.training._kernel import measured_errors, train_steps
from arithmax.training._machine import pinned
from arithmax.training._program import Configuration, program
from arithmax.training._replica import Training, batch_pieces
from arithmax.training._replicas import jobs, replicas

ARMS = {
    "NMU, 100 inputs": (NMU(), TASKS["100 inputs, ×"], 1000),
    "NAC•, 100 inputs": (MultiplicativeNAC(), TASKS["100 inputs, ×"], 1000),
    "NALU, 100 inputs": (NALU(), TASKS["100 inputs, ×"], 1000),
    "NMU, 2 inputs": (NMU(), TASKS["2 inputs, ×"], 9000),
}
STEPS = 500


class Try(NamedTuple):
    """A change: what it is, what was expected of it, and how it is made."""

    name: str
    change: str
    predicted: str
    kept: bool
    note: str
    settings: dict[tuple[Any, str], Any]


def warps(count: int) -> Callable[[], Any]:
    """As the kernel asks the compiler, for another number of warps."""

    def asked():
        from jax.experimental.pallas import triton

        return triton.CompilerParams(num_warps=count, num_stages=1)

    return asked


TRIES = [
    Try(
        "sums at the end",
        "The slopes of samples are added up term by term and summed over threads once "
        "per step, not once per piece",
        "1.3",
        True,
        "A sum over threads is three shuffles and three additions for each number.",
        {(_padded, "ADDED"): 0},
    ),
    Try(
        "constants before loops",
        "What does not change in a loop is computed before it",
        "1.05",
        True,
        "",
        {(_padded, "KEPT"): 0},
    ),
    Try(
        "larger pieces",
        "Twice as many samples at a time",
        "0.6: registers are spilled",
        False,
        "",
        {(_replica, "NUMBERS"): 4096, (_replica, "SAMPLES"): 256},
    ),
    Try(
        "smaller pieces",
        "Half as many samples at a time",
        "0.9: more rounds",
        False,
        "",
        {(_replica, "NUMBERS"): 1024, (_replica, "SAMPLES"): 64},
    ),
    Try(
        "two warps",
        "A replica is trained by two warps",
        "0.5: sums across warps go through memory",
        False,
        "",
        {(_kernel, "_one_warp"): warps(2)},
    ),
]


@contextmanager
def changed(settings: dict[tuple[Any, str], Any]) -> Iterator[None]:
    """Other values of some settings of modules."""
    before = {(module, name): getattr(module, name) for module, name in settings}
    for (module, name), value in settings.items():
        setattr(module, name, value)
    try:
        yield
    finally:
        for (module, name), value in before.items():
            setattr(module, name, value)


class Arm:
    """A block of replicas, and how long its steps take."""

    def __init__(self, unit, task, count):
        self.network, self.protocol = published(unit, task)
        self.task, self.count = task, count
        cell = Cell(self.network, task, self.protocol, tuple(range(count)))
        (job,) = jobs(replicas([cell], count), None, 0.0)
        with pinned("float32"):
            self.numbers = numbers_of_block(job, jax.devices()[0])
            configuration = Configuration(self.network, task, self.protocol)
            self.state = program(configuration, True, True).start(self.numbers)

    def one(self):
        pieces = batch_pieces(self.network, self.task, self.protocol)
        return Training(self.network, self.task, self.protocol, {}, pieces)

    def steps(self):
        """Seconds of some steps."""
        one, first = self.one(), jnp.zeros((self.count,), jnp.uint32)
        error = jnp.ones((self.count,))

        def run(state, numbers):
            return train_steps(one, state, numbers, first, error, STEPS)

        call = jax.jit(run)
        return least(lambda: call(self.state, self.numbers))

    def errors(self):
        """Seconds of a measurement by the kernel, and by XLA."""
        one = self.one()
        kernel = jax.jit(lambda p, n: measured_errors(one, p, n))
        targets = jax.jit(jax.vmap(one.targets))(self.numbers)
        plain = jax.jit(jax.vmap(one.errors))
        return (
            least(lambda: kernel(self.state.params, self.numbers)),
            least(lambda: plain(self.state.params, self.numbers, targets)),
        )


def main():
    rows = []
    with pinned("float32"):
        arms = {name: Arm(*given) for name, given in ARMS.items()}
        usual = {name: arm.steps() for name, arm in arms.items()}
        for attempt in TRIES:
            found = {}
            for name, arm in arms.items():
                with changed(attempt.settings):
                    took = arm.steps()
                ratio = usual[name] / took
                found[name] = 1 / ratio if attempt.kept else ratio
            about = attempt._asdict() | {"measured": found}
            del about["settings"]
            rows.append(about)
            print(attempt.name, {n: round(v, 2) for n, v in found.items()}, flush=True)
        found = {}
        for name, arm in arms.items():
            ours, xla = arm.errors()
            found[name] = xla / ours
        rows.append(
            {
                "name": "measurement",
                "change": "Errors are measured by a kernel, too, not by XLA",
                "predicted": "1.5",
                "kept": True,
                "note": "",
                "measured": found,
            }
        )
        print("measurement", found, flush=True)
    device = jax.devices()[0].device_kind
    about = {"device": device, "jax": jax.__version__, "tries": rows}
    if "--json" in sys.argv:
        Path(sys.argv[sys.argv.index("--json") + 1]).write_text(
            json.dumps(about, indent=1, ensure_ascii=False)
        )


if __name__ == "__main__":
    main()
