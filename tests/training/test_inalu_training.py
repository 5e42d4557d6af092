"""How the iNALU is trained: by its authors' script, and by the Primer's benchmark."""

from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from arithmax import _descent as descent
from arithmax import _program as parts
from arithmax.fleet import train_cells
from arithmax.protocol import (
    INALU_OF_THE_BENCHMARK,
    INALU_RECIPE,
    Cell,
    Protocol,
    inalu_of_the_benchmark,
    published,
)
from arithmax.results import read
from arithmax.tasks import SingleModule
from arithmax.units import INALU, NALU, Normal

TASK = SingleModule("mul", 2, (-5.0, 5.0), (-10.0, -5.0))
RANGE = (0.1, 0.2)
RECIPE = INALU_RECIPE | {
    "optimiser": "tf-rmsprop",
    "slots": True,
    "penalty_of": "inalu",
    "table": 64_000,
}


def authors_loop(start, batches):
    """The authors' training loop for one iNALU (iw), written after their script."""
    names = ["W_hat_add", "M_hat_add", "W_hat_mul", "M_hat_mul"]
    p = {n: torch.tensor(v.T if v.ndim == 2 else v) for n, v in start.items()}
    slot = {n: torch.ones_like(v) for n, v in p.items()}

    def forward(x):
        add, mul = (
            torch.tanh(p[f"W_hat_{k}"]) * torch.sigmoid(p[f"M_hat_{k}"])
            for k in ("add", "mul")
        )
        size = torch.log(torch.clamp(x.abs(), min=1e-7)) @ mul
        flat = mul.abs().reshape(-1)
        sign = torch.prod(torch.sign(x) * flat + 1 - flat, dim=1, keepdim=True)
        g = torch.sigmoid(p["G"])
        signed = torch.exp(torch.clamp(size, max=20.0)) * torch.clamp(sign, -1, 1)
        return g * (x @ add) + (1 - g) * signed

    def move(loss, chosen):
        for v in p.values():
            v.requires_grad_()
        gradients = torch.autograd.grad(loss(), [p[n] for n in chosen])
        for n, g in zip(chosen, gradients, strict=True):
            g = torch.clamp(g, -0.1, 0.1)
            slot[n] = 0.9 * slot[n] + 0.1 * g * g
            p[n] = (p[n] - 0.01 * g / torch.sqrt(slot[n] + 1e-10)).detach()
        for n in p:
            p[n] = p[n].detach()

    def penalty():
        each = (torch.clamp(torch.minimum(-v, v) + 20, min=0) for v in p.values())
        return 0.05 * sum(v.mean() for v in each)

    for step, (x, y) in enumerate(batches):
        error = float(torch.mean((forward(x) - y) ** 2))
        own = names if step % 10 < 8 else ["G"]
        move(lambda x=x, y=y: torch.mean((forward(x) - y) ** 2), own)
        if step >= 10 and error < 1:
            move(penalty, names)
            move(penalty, ["G"])
    return {n: v.T.numpy() if v.ndim == 2 else v.numpy() for n, v in p.items()}


def test_a_run_is_the_authors_loop():
    """Forty steps: alternation, clipping, slots and penalty against their script's."""
    task = SingleModule("sub", 2, (-1.0, 1.0), (-10.0, -5.0))
    changes: dict[str, Any] = {"precision": "float64", "steps": 1000, "restart": "none"}
    late: dict[str, Any] = {"penalty_start": 9, "penalty_end": 10}
    protocol = Protocol(**(RECIPE | changes | late))
    c = {n: jnp.asarray(v) for n, v in parts.configuration(task, protocol, 3).items()}
    state = parts.start_one(INALU(), task, protocol, c)
    start = {n: np.array(v) for n, v in state.params.items()}
    batches = []
    with jax.numpy_dtype_promotion("standard"):
        step = jax.jit(partial(parts.train_one, INALU(), task, protocol))
        for i in range(40):
            x = np.array(parts.inputs(task, protocol, c, jnp.uint32(i)))
            y = x[:1] - x[1:]
            batches.append((torch.tensor(x.T), torch.tensor(y.T)))
            state = step(state, c, jnp.uint32(i))
    expected = authors_loop(start, batches)
    for name, value in state.params.items():
        np.testing.assert_allclose(np.asarray(value), expected[name], rtol=1e-9)
        assert np.abs(np.asarray(value) - start[name]).min() > 1e-3


def test_any_parameters_can_have_inalus_penalty():
    params = {"0.W_hat": jnp.asarray([[3.0, -25.0]]), "0.G": jnp.asarray([-1.0])}
    protocol = Protocol(penalty=1.0, penalty_of="inalu")
    found = descent.penalty_of(NALU(), protocol, params)
    assert float(found) == pytest.approx(17 / 2 + 19)
    own = descent.penalty_of(INALU(), Protocol(penalty=1.0), params)
    assert float(own) == pytest.approx(float(found))


def trained_block(steps, **changes):
    """Restarts of four replicas that learn nothing."""
    given = {"restart": "inalu", "restart_every": 1000, "restart_patience": 1000}
    protocol = Protocol(
        steps=steps,
        interval=steps,
        validation=1000,
        learning_rate=0.0,
        restart_above=1e-6,
        **given,
        **changes,
    )
    rows = [parts.configuration(TASK, protocol, seed) for seed in range(4)]
    c = jax.tree.map(lambda *v: jnp.asarray(np.stack(v)), *rows)
    with jax.numpy_dtype_promotion("standard"), jax.enable_x64(False):
        made = parts.program(INALU(), TASK, protocol)
        state, c = made.start(c), made.prepare(c)
        state, _ = made.interval(state, c, jnp.uint32(0), jnp.asarray(True))
    return state


def test_restarts_end_where_they_should():
    """Looked for at 1,000 and 2,000, not at the last step."""
    counts = np.asarray(trained_block(3000, restart_until=2000).watch["count"])
    assert (counts == 2).all()


def benchmark_run(operation, numbers) -> Cell:
    """The Primer's run of the iNALU on a range."""
    task = SingleModule(operation, 2, numbers, (20.0, 40.0))
    settings = INALU_OF_THE_BENCHMARK
    network, protocol = published(inalu_of_the_benchmark(), task, **settings)
    return Cell(network, task, protocol, seeds=(0, 1, 2))


def short(own: Cell, seeds=(0, 1, 2), steps=5000, **changes) -> Cell:
    protocol = replace(own.protocol, steps=steps, validation=1000, **changes)
    return replace(own, protocol=protocol, seeds=tuple(seeds))


def test_the_inalu_of_the_benchmark():
    theirs = benchmark_run("mul", RANGE)
    network, ours = published(INALU(), theirs.task)
    assert ours.optimiser == "rmsprop" and network == INALU()
    p = theirs.protocol
    assert (p.optimiser, p.learning_rate, p.batch) == ("adam", 1e-3, 128)
    assert not p.alternate and not p.penalty_apart and p.clip_value == 0.1
    declared = theirs.network.parameters(2, 1)
    assert declared["0.M_hat_mul"].distribution == Normal(0.5, 0.2)
    assert declared["0.W_hat_add"].distribution == Normal(0.88, 0.2)


@pytest.mark.parametrize(("numbers", "again"), [((10.0, 20.0), True), (RANGE, False)])
def test_the_benchmark_restarts_as_it_started(tmp_path, numbers, again):
    """Without learning the error stays: above 1 it restarts every 5,000 steps."""
    own = benchmark_run("add", numbers)
    keep = (0, 4000, 5000, 9000, 10_000)
    run = short(own, steps=10_000, learning_rate=0.0, keep=keep)
    results = train_cells([run], out=tmp_path)
    for row in results.rows:
        at, path = read(tmp_path).path(row["run"])
        assert tuple(at) == keep
        for value in path.values():
            flat = value.reshape(len(keep), -1)
            assert (flat[0] == flat[1]).all() and (flat[2] == flat[3]).all()
            assert (flat[1] == flat[2]).all() == (not again)
            assert (flat[3] == flat[4]).all() == (not again)
        # Drawn as at the start, not uniform on [−2, 2]: within five deviations.
        assert np.abs(path["0.M_hat_add"] - 0.5).max() < 1.0
        errors = read(tmp_path).curves([row["run"]])[row["run"]]["interpolation"]
        assert (errors[:5] > 1).all() == again and np.ptp(errors[:5]) == 0


def test_the_penalty_of_the_benchmark_waits_for_a_small_error(tmp_path):
    own = benchmark_run("add", RANGE)
    settings = {"penalty_start": 0, "penalty_end": 0}
    held = short(own, (0,), 10_000, **settings)
    none = replace(held, protocol=replace(held.protocol, penalty_below=1e-9))
    sizes = []
    for row in train_cells([held, none], out=tmp_path).rows:
        params = read(tmp_path).weights(row["run"])
        sizes.append(min(np.abs(v).min() for v in params.values()))
    # Below 1 the penalty pushes every parameter towards ±20; below 1e-9 none.
    assert sizes[0] > 3 > sizes[1]
