"""How the iNALU is trained: by its authors' script, and by the Primer's benchmark."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from arithmax.results import read
from arithmax.tasks import SingleModule
from arithmax.training import (
    Adam,
    Batches,
    Cell,
    ClipValue,
    Joint,
    RMSProp,
    published,
    train_cells,
)
from arithmax.training._machine import pinned
from arithmax.training._replica import Training, numbers_of
from arithmax.training.recipes.inalu import (
    BENCHMARK,
    PenaltyOnceBelow,
    benchmark_network,
    script,
)
from arithmax.units import INALU, NALU, Normal
from short_runs import at

RANGE = (0.1, 0.2)


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


@pytest.mark.slow
def test_a_run_is_the_authors_loop():
    """Forty steps: alternation, clipping, slots and penalty against their script's."""
    task = SingleModule("sub", 2, (-1.0, 1.0), (-10.0, -5.0))
    late = PenaltyOnceBelow(start=9, of="all")
    protocol = script(1000, precision="float64", restart=None, penalties=(late,))
    batches = []
    with pinned("float64"):
        training = Training(INALU(), task, protocol, {})
        given = jax.tree.map(jnp.asarray, numbers_of(task, protocol, 3))
        state = training.start(given)
        start = {n: np.array(v) for n, v in state.params.items()}
        step = jax.jit(training.step)
        for i in range(40):
            x = np.array(training._batch(given, jnp.uint32(i))[0])
            y = x[:1] - x[1:]
            batches.append((torch.tensor(x.T), torch.tensor(y.T)))
            state = step(state, given, jnp.uint32(i), jnp.asarray(np.inf))
    expected = authors_loop(start, batches)
    for name, value in state.params.items():
        np.testing.assert_allclose(np.asarray(value), expected[name], rtol=1e-9)
        assert np.abs(np.asarray(value) - start[name]).min() > 1e-3


def test_any_parameters_can_have_inalus_penalty():
    params = {"0.W_hat": jnp.asarray([[3.0, -25.0]]), "0.G": jnp.asarray([-1.0])}
    value = PenaltyOnceBelow(of="all").value(NALU(), params, at(0))
    assert float(value) == pytest.approx(17 / 2 + 19)
    same = PenaltyOnceBelow().value(INALU(), params, at(0))
    assert float(same) == pytest.approx(float(value))


def benchmark_run(operation, numbers) -> Cell:
    """The Primer's run of the iNALU on a range."""
    task = SingleModule(operation, 2, numbers, (20.0, 40.0))
    network, protocol = published(benchmark_network(), task, **BENCHMARK)
    return Cell(network, task, protocol, seeds=(0, 1, 2))


def short(whole: Cell, seeds=(0, 1, 2), steps=5000, **changes) -> Cell:
    changes |= {"steps": steps, "measuring__validation": 1000}
    return replace(whole, protocol=whole.protocol.updated(**changes), seeds=seeds)


def test_the_inalu_of_the_benchmark():
    theirs = benchmark_run("mul", RANGE)
    network, ours = published(INALU(), theirs.task)
    assert ours.optimiser == RMSProp(1e-2) and network == INALU()
    p = theirs.protocol
    assert p.optimiser == Adam(1e-3) and p.batches == Batches(128)
    assert p.transforms == (ClipValue(0.1),) and p.composition == Joint()
    declared = theirs.network.parameters(2, 1)
    assert declared["0.M_hat_mul"].distribution == Normal(0.5, 0.2)
    assert declared["0.W_hat_add"].distribution == Normal(0.88, 0.2)


@pytest.mark.parametrize(("numbers", "again"), [((10.0, 20.0), True), (RANGE, False)])
def test_the_benchmark_restarts_as_it_started(tmp_path, numbers, again):
    """Without learning the error stays: above 1 it restarts every 5,000 steps."""
    whole = benchmark_run("add", numbers)
    keep = (0, 4000, 5000, 9000, 10_000)
    still = {"optimiser__learning_rate": 0.0, "measuring__keep": keep}
    run = short(whole, steps=10_000, **still)
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
    whole = benchmark_run("add", RANGE)
    held = short(whole, (0,), 10_000, penalties__0__start=0)
    none = replace(held, protocol=held.protocol.updated(penalties__0__below=1e-9))
    sizes = []
    for row in train_cells([held, none], out=tmp_path).rows:
        params = read(tmp_path).weights(row["run"])
        sizes.append(min(np.abs(v).min() for v in params.values()))
    # Below 1 the penalty pushes every parameter towards ±20; below 1e-9 none.
    assert sizes[0] > 3 > sizes[1]
