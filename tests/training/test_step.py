"""The parts of one training step, each against its definition."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import arithmax.torch
from arithmax import INALU, NAU, NMU, NPU, Stack, StochasticNMU
from arithmax.tasks import Subsets
from arithmax.training import (
    L1,
    SGD,
    Batches,
    ClipNorm,
    ClipValue,
    CorrelationThenSquaredError,
    Measuring,
    Protocol,
    SmoothL1,
    SquaredError,
    UnitPenalty,
    published,
)
from arithmax.training._machine import pinned
from arithmax.training._replica import Training, numbers_of
from arithmax.training.recipes.inalu import Alternate, PenaltyApart, PenaltyOnceBelow
from short_runs import TASK, at, block_of, bound

ZERO = jnp.asarray(0.0)
HUNDRED = Measuring(100, 1000)


def loss(part, y, t, step=0):
    now = jnp.asarray(float(step))
    return float(bound(part).value(jnp.asarray(y), jnp.asarray(t), now))


def test_losses():
    rng = np.random.default_rng(0)
    y, t = rng.normal(size=(1, 64)) * 2, rng.normal(size=(1, 64))
    ours = loss(SquaredError(), y, t)
    assert np.isclose(ours, np.mean((y - t) ** 2))
    theirs = torch.nn.functional.smooth_l1_loss(torch.tensor(y), torch.tensor(t))
    assert np.isclose(loss(SmoothL1(), y, t), theirs)
    correlation = np.corrcoef(y[0], t[0])[0, 1]
    early = loss(CorrelationThenSquaredError(10), y, t, step=9)
    late = loss(CorrelationThenSquaredError(10), y, t, step=10)
    assert np.isclose(early, 1 - correlation) and np.isclose(late, ours)


def strengths(penalty, steps, value=1.0):
    return [float(bound(penalty).strength_at(at(s), jnp.asarray(value))) for s in steps]


def test_the_ramp():
    steps = [0, 100, 150, 300, 999]
    grows = UnitPenalty(10.0, 100, 300)
    assert strengths(grows, steps) == [0.0, 0.0, 2.5, 10.0, 10.0]
    assert strengths(grows, steps, np.inf) == [0.0] * 5  # beside no number
    below = PenaltyOnceBelow(10.0, start=100, below=2.0)
    assert strengths(below, [99, 100, 101, 999]) == [0.0, 0.0, 10.0, 10.0]
    assert strengths(below, [999], 3.0) == [0.0]


def test_the_penalty_may_look_at_the_measured_error():
    part = bound(PenaltyOnceBelow(1.0, 0, below=2.0, loss_of="validation"))
    seen = [
        float(part.strength_at(at(5, error=jnp.asarray(e)), jnp.asarray(loss)))
        for e, loss in ((1.0, 9.0), (9.0, 1.0))
    ]
    assert seen == [1.0, 0.0]


def test_the_l1_schedule():
    part, params = bound(L1(1e-7, 1e-5, 10)), {"W": jnp.asarray([[1.0, -2.0]])}
    norms = [
        float(part.strength_at(at(s), ZERO) * part.value(NMU(), params, at(s)))
        for s in (0, 9, 10, 20, 500)
    ]
    np.testing.assert_allclose(norms, [3e-7, 3e-7, 3e-6, 3e-5, 3e-5])


def test_the_l1_norm_of_one_parameter():
    params = {
        "0.W_re": jnp.ones((2, 2)),
        "0.W_im": -jnp.ones((2, 2)),
        "1.W": jnp.asarray([1.0, -2.0]),
    }

    def norm(of):
        return float(L1(of=of).value(NMU(), params, at(0)))

    assert norm("all") == 11.0 and norm("W_im") == 4.0 and norm("W") == 3.0
    deep = Stack((NPU(), NAU()), hidden=(2,))
    with pytest.raises(ValueError, match=r"`of` \(='V'\).*'W_re', 'W_im', 'g', 'W'"):
        L1(of="V").check_cell(deep, TASK)


def test_clipping():
    gradient = {"W": jnp.asarray([3.0, -4.0]), "G": jnp.asarray([0.05])}
    clipped = bound(ClipValue(0.1)).apply(gradient, at(0))
    np.testing.assert_allclose(clipped["W"], [0.1, -0.1])
    np.testing.assert_allclose(clipped["G"], [0.05])
    norm = bound(ClipNorm(1.0))
    clipped = norm.apply({"W": gradient["W"]}, at(0))
    np.testing.assert_allclose(clipped["W"], [0.6, -0.8])
    small = {"W": jnp.asarray([0.3])}
    np.testing.assert_allclose(norm.apply(small, at(0))["W"], [0.3])


@pytest.mark.parametrize("gates", [2, 5])
def test_gates_and_weights_take_turns(gates):
    """Which parameter is a gate is declared by the unit, whatever its name."""
    gradient = {"gamma": jnp.ones(2), "1.G": jnp.ones(2)}
    roles = {"gamma": "gate", "1.G": "weight"}
    for step in range(20):
        moved = Alternate(gates).apply(gradient, at(step, roles=roles))
        has_turn = step % 10 >= 10 - gates
        assert bool(moved["gamma"].any()) == has_turn
        assert bool(moved["1.G"].any()) == (not has_turn)


def test_a_table_repeats_and_fresh_data_do_not():
    def batches(part):
        protocol = Protocol(batches=part, precision="float64")
        training = Training(NMU(), TASK, protocol, {})
        given = jax.tree.map(jnp.asarray, numbers_of(TASK, protocol, 3))
        return [training._batch(given, jnp.uint32(s))[0] for s in (0, 1, 2)]

    first, second, third = batches(Batches(128, repeat=256))
    assert jnp.array_equal(first, third) and not jnp.array_equal(first, second)
    first, _, third = batches(Batches(128))
    assert not jnp.array_equal(first, third)


@pytest.mark.slow
def test_a_penalty_apart_is_a_step_of_its_own():
    """With no learning signal from the loss, weights still move by the penalty."""
    joint = Protocol(
        100, penalties=(UnitPenalty(0.05),), optimiser=SGD(), measuring=HUNDRED
    )
    _, one = block_of(INALU(), joint)
    _, two = block_of(INALU(), joint.updated(composition=PenaltyApart()))
    moved = [
        np.abs(np.asarray(one.params[n]) - np.asarray(two.params[n])).max()
        for n in one.params
    ]
    assert 0 < max(moved) < 1e-2  # two small steps are nearly one
    still = joint.updated(optimiser__learning_rate=0.0)
    first, state = block_of(INALU(), still.updated(composition=PenaltyApart()))
    assert all(np.array_equal(state.params[n], first[n]) for n in first)


def test_a_penalty_apart_needs_one():
    with pytest.raises(ValueError, match=r"`composition` .*Joint\(\)"):
        protocol = Protocol(100, composition=PenaltyApart(), measuring=HUNDRED)
        block_of(INALU(), protocol)


def test_noise_reaches_every_layer_that_wants_it():
    net = Stack((StochasticNMU(), StochasticNMU()), hidden=(3,))
    assert [piece.shape for piece in net.noise(2)] == [(2,), (3,)]
    params = {"0.W": jnp.full((3, 2), 0.5), "1.W": jnp.full((1, 3), 0.5)}
    x, noise = jnp.full((2, 4), 1.5), (jnp.zeros((2, 4)), jnp.full((3, 4), 0.7))
    y = net.compute(params, x, training=True, noise=noise)
    first = StochasticNMU().compute(
        {"W": params["0.W"]}, x, training=True, noise=noise[:1]
    )
    second = StochasticNMU().compute(
        {"W": params["1.W"]}, first, training=True, noise=noise[1:]
    )
    np.testing.assert_allclose(y, second)
    _, state = block_of(net, Protocol(100, measuring=HUNDRED))
    assert all(bool(jnp.isfinite(v).all()) for v in state.params.values())


@pytest.mark.slow
def test_a_run_follows_plain_torch():
    """The whole loop, data apart, is the one that one would write in PyTorch."""
    task = Subsets("mul", input_size=10)
    network, protocol = published(
        NMU(), task, steps=200, measuring=Measuring(200, 1000), precision="float64",
        penalties=(UnitPenalty(0.3, 50, 150),), optimiser__learning_rate=1e-2,
    )  # fmt: skip
    start, state = block_of(network, protocol, task, (5,))
    assert isinstance(network, Stack)
    net = arithmax.torch.sequential(network, 10, 1).double()
    net.load_state_dict({n: torch.tensor(v[0]) for n, v in start.items()})
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-2)
    rows = task.places(5)
    training = Training(network, task, protocol, {})
    given = jax.tree.map(jnp.asarray, numbers_of(task, protocol, 5))
    for step in range(200):
        with pinned("float64"):
            x, _ = training._batch(given, jnp.uint32(step))
        x = torch.tensor(np.asarray(x).T)
        t = x[:, rows[0]].sum(1, keepdim=True) * x[:, rows[1]].sum(1, keepdim=True)
        ramp = min(max((step - 50) / 100, 0.0), 1.0)
        penalty = sum(layer.penalty() for layer in net)  # type: ignore[operator]  # layers
        optimiser.zero_grad()
        ((net(x) - t).square().mean() + 0.3 * ramp * penalty).backward()
        optimiser.step()
        for layer in net:
            layer.project_()  # type: ignore[operator]  # layers
    for name, value in net.state_dict().items():
        np.testing.assert_allclose(state.params[name][0], value, rtol=1e-7, atol=1e-10)
