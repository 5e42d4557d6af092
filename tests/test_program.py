"""The parts of one training step, each against its definition."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from arithmax import INALU, NMU, Protocol, Stack, StochasticNMU
from arithmax import _descent as descent
from arithmax import _program as parts
from arithmax.tasks import SingleModule

TASK = SingleModule("mul")


def numbers(**changes):
    protocol = Protocol(**{"precision": "float64", **changes})
    found = parts.configuration(TASK, protocol, 3)
    return protocol, {n: jnp.asarray(v) for n, v in found.items()}


def loss(kind, y, t, step=0, **changes):
    protocol, c = numbers(loss=kind, **changes)
    now = jnp.asarray(float(step))
    return float(descent.loss_of(protocol, jnp.asarray(y), jnp.asarray(t), now, c))


def test_losses():
    rng = np.random.default_rng(0)
    y, t = rng.normal(size=(1, 64)) * 2, rng.normal(size=(1, 64))
    ours = loss("mse", y, t)
    assert np.isclose(ours, np.mean((y - t) ** 2))
    theirs = torch.nn.functional.smooth_l1_loss(torch.tensor(y), torch.tensor(t))
    assert np.isclose(loss("smooth-l1", y, t), theirs)
    correlation = np.corrcoef(y[0], t[0])[0, 1]
    early = loss("correlation-mse", y, t, step=9, loss_switch=10)
    late = loss("correlation-mse", y, t, step=10, loss_switch=10)
    assert np.isclose(early, 1 - correlation) and np.isclose(late, ours)


def test_the_ramp():
    _, c = numbers(penalty=10.0, penalty_start=100, penalty_end=300, penalty_below=2.0)
    low, high = jnp.asarray(1.0), jnp.asarray(3.0)
    at = [0, 100, 150, 300, 999]
    found = [float(descent.penalty_strength(low, jnp.asarray(float(s)), c)) for s in at]
    assert found == [0.0, 0.0, 2.5, 10.0, 10.0]
    assert float(descent.penalty_strength(high, jnp.asarray(300.0), c)) == 0.0


def test_the_l1_schedule():
    protocol, c = numbers(l1=1e-7, l1_end=1e-5, l1_every=10)
    params = {"W": jnp.asarray([[1.0, -2.0]])}
    at = [0, 9, 10, 20, 500]
    found = [
        float(
            descent.penalties(
                NMU(), protocol, params, jnp.asarray(0.0), jnp.asarray(float(s)), c
            )
        )
        for s in at
    ]
    np.testing.assert_allclose(found, [3e-7, 3e-7, 3e-6, 3e-5, 3e-5])


def test_clipping():
    gradient = {"W": jnp.asarray([3.0, -4.0]), "G": jnp.asarray([0.05])}
    protocol, c = numbers(clip_value=0.1)
    found = descent.shaped(protocol, c, jnp.uint32(0), gradient)
    np.testing.assert_allclose(found["W"], [0.1, -0.1])
    np.testing.assert_allclose(found["G"], [0.05])
    protocol, c = numbers(clip_norm=1.0)
    found = descent.shaped(protocol, c, jnp.uint32(0), {"W": gradient["W"]})
    np.testing.assert_allclose(found["W"], [0.6, -0.8])
    small = {"W": jnp.asarray([0.3])}
    np.testing.assert_allclose(
        descent.shaped(protocol, c, jnp.uint32(0), small)["W"], [0.3]
    )


def test_gates_and_weights_take_turns():
    protocol, c = numbers(alternate=True)
    gradient = {"W_hat_add": jnp.ones(2), "1.G": jnp.ones(2)}
    for step in range(20):
        found = descent.shaped(protocol, c, jnp.uint32(step), gradient)
        gates = step % 10 >= 8
        assert bool(found["1.G"].any()) == gates
        assert bool(found["W_hat_add"].any()) == (not gates)


def test_a_table_repeats_and_fresh_data_do_not():
    protocol, c = numbers(table=256)
    first, second, third = (
        parts.batch_of(TASK, protocol, c, jnp.uint32(s))[0] for s in (0, 1, 2)
    )
    assert jnp.array_equal(first, third) and not jnp.array_equal(first, second)
    protocol, c = numbers()
    fresh = [parts.batch_of(TASK, protocol, c, jnp.uint32(s))[0] for s in (0, 2)]
    assert not jnp.array_equal(*fresh)


def run(unit, steps, **changes):
    """A block of four replicas, trained."""
    protocol = Protocol(
        **{"interval": steps, "steps": steps, "validation": 1000, **changes}
    )
    rows = [parts.configuration(TASK, protocol, seed) for seed in range(4)]
    c = jax.tree.map(lambda *v: jnp.asarray(np.stack(v)), *rows)
    with jax.numpy_dtype_promotion("standard"), jax.enable_x64(False):
        made = parts.program(unit, TASK, protocol)
        state, c = made.start(c), made.prepare(c)
        first = {n: np.array(v) for n, v in state.params.items()}
        state, _ = made.interval(state, c, jnp.uint32(0), jnp.asarray(True))
    return first, state


@pytest.mark.parametrize("rule", ["stalled", "inalu"])
def test_restarts(rule):
    """Runs that cannot improve are drawn afresh; those that are good enough are not."""
    stuck = {"learning_rate": 0.0, "restart": rule, "restart_every": 1000}
    # Fresh data move the loss a little even where nothing is learned.
    stuck["restart_patience"] = 10 if rule == "stalled" else 1000
    first, state = run(INALU(), 3000, restart_above=1e-6, **stuck)
    assert np.all(np.asarray(state.watch["count"]) == 3)
    for name, value in state.params.items():
        assert not np.any(np.asarray(value) == first[name])
        assert rule == "stalled" or np.all(np.abs(value) <= 2)
    first, state = run(INALU(), 3000, restart_above=1e6, **stuck)
    assert np.all(np.asarray(state.watch["count"]) == 0)
    for name, value in state.params.items():
        assert np.array_equal(np.asarray(value), first[name])


def test_inalus_rule():
    """Halves of the stored losses, against NumPy."""
    rng = np.random.default_rng(0)
    _, c = numbers(restart_patience=2000, restart_above=1.0)
    for decay in (0.0, 1e-3):
        losses = 5 * np.exp(-decay * np.arange(4000)) + rng.uniform(0, 1, 4000)
        pieces = losses.reshape(-1, parts.HALF_EPOCH)
        watch = {
            "sums": jnp.asarray(np.append(pieces.sum(1), 0.0)),
            "squares": jnp.asarray(np.append((pieces**2).sum(1), 0.0)),
            "since": jnp.uint32(0),
        }
        early, late = losses[:2000], losses[2000:]
        expected = early.mean() <= late.mean() + late.std() and late.mean() > 1
        found = parts._inalu_says(watch, jnp.uint32(3999), c)
        assert bool(found) == bool(expected)


def test_a_penalty_apart_is_a_step_of_its_own():
    """With no learning signal from the loss, weights still move by the penalty."""
    _, joint = run(INALU(), 100, penalty=0.05, penalty_apart=False, optimiser="sgd")
    _, apart = run(INALU(), 100, penalty=0.05, penalty_apart=True, optimiser="sgd")
    moved = [
        np.abs(np.asarray(joint.params[n]) - np.asarray(apart.params[n])).max()
        for n in joint.params
    ]
    assert 0 < max(moved) < 1e-2  # two small steps are nearly one


@pytest.mark.parametrize("name", ["adam", "rmsprop", "sgd", "momentum"])
def test_optimisers_follow_torch(name):
    """One parameter on a quadratic, 50 steps."""
    made = {
        "adam": lambda p: torch.optim.Adam(p, lr=0.1),
        "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.1, alpha=0.9),
        "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
        "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    }
    w = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    theirs = made[name]([w])
    optimiser = descent.OPTIMISERS[name]
    params = {"W": jnp.asarray([1.0, -2.0])}

    def total(params):
        value = jnp.sum((params["W"] - 3) ** 2 * jnp.asarray([1.0, 0.1]))
        return value, value

    objective = descent.Objective(total, lambda params: params["W"] - 3)
    with jax.numpy_dtype_promotion("standard"):
        state = optimiser.start(params)
        for _ in range(50):
            theirs.zero_grad()
            ((w - 3) ** 2 * torch.tensor([1.0, 0.1])).sum().backward()
            theirs.step()
            params, state, _ = optimiser.step(
                objective, params, state, 0.1, lambda g: g
            )
    np.testing.assert_allclose(params["W"], w.detach(), rtol=1e-4)


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
    _, state = run(net, 100)
    assert all(bool(jnp.isfinite(v).all()) for v in state.params.values())


def test_the_l1_norm_of_one_parameter():
    params = {"0.W": jnp.asarray([1.0, -2.0]), "1.W_im": jnp.asarray([3.0])}
    assert float(descent.l1_norm(params, "all")) == 6.0
    assert float(descent.l1_norm(params, "W_im")) == 3.0
    with pytest.raises(ValueError, match=r"`l1_of` \(='g'\)"):
        descent.l1_norm(params, "g")
