"""Blocks over several devices of one process: all have work, and the bits are one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import pytest

from arithmax import NMU, Cell, published, train_cells
from arithmax.tasks import SingleModule
from arithmax.training import _block, _program

DEVICES = 3
SCRIPT = """
import json
from tests.training.test_devices import trained
print(json.dumps(trained()))
"""


def trained():
    """The devices of four blocks, and what their rows say."""
    network, protocol = published(NMU(), SingleModule("mul"), steps=1000)
    cell = Cell(network, SingleModule("mul"), protocol, tuple(range(13)))
    used, block = set(), _block.Block

    class Watched(block):
        def finish(self):
            used.update(d.id for d in self.state.best_error.devices())
            return block.finish(self)

    _block.Block = Watched  # this may be a process without pytest
    try:
        rows = train_cells([cell], block=4, workers=len(jax.local_devices())).rows
    finally:
        _block.Block = block
    named = ("run", "interpolation", "extrapolation", "sparsity", "outcome")
    return sorted(used), [[row[name] for name in named] for row in rows]


@pytest.mark.slow
def test_every_device_has_work_and_bits_are_the_same():
    assert jax.default_backend() == "cpu"
    flag = f"--xla_force_host_platform_device_count={DEVICES}"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ | {"XLA_FLAGS": flag, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    used, rows = json.loads(done.stdout.splitlines()[-1])
    assert used == list(range(DEVICES))
    alone, expected = trained()
    assert alone == [0]
    assert rows == expected


def test_a_barrier_stays_in_a_program_for_a_cpu():
    x = jax.numpy.ones(8)

    def fixed(x):
        return jax.lax.optimization_barrier(x * 2) + 1

    def has_barrier(jitted):
        return "opt-barrier" in jitted.lower(x).compile().as_text()

    assert has_barrier(_program.jitted(fixed))
    assert not has_barrier(jax.jit(fixed))


def test_options_that_a_compiler_does_not_know_are_left_out():
    assert _program.accepted((("xla_cpu_no_such_option", True),)) is None
    options = tuple(_program.CPU_OPTIONS.items())
    assert _program.accepted(options) == _program.CPU_OPTIONS
