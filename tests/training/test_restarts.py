"""Restart rules: when a replica is drawn afresh, how, and until when."""

import jax.numpy as jnp
import numpy as np
import pytest

from arithmax import INALU
from arithmax.training import Adam, Measuring, Protocol, Stalled
from arithmax.training.recipes.inalu import HALF_EPOCH, HalvesOfLosses, Losses
from short_runs import block_of, bound

# Fresh data move the loss a little even where nothing is learned.
RULES = [Stalled(1000, patience=10), HalvesOfLosses(1000, patience=1000)]


def stuck(rule):
    """A block of replicas that learn nothing."""
    protocol = Protocol(
        3000, optimiser=Adam(0.0), restart=rule, measuring=Measuring(3000, 1000)
    )
    return block_of(INALU(), protocol)


def updated(rule, **changes):
    return (
        Protocol(restart=rule)
        .updated(**{f"restart__{name}": value for name, value in changes.items()})
        .restart
    )


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_restarts(rule):
    """Runs that cannot improve are drawn afresh; those that are good enough are not."""
    first, state = stuck(updated(rule, above=1e-6))
    assert np.all(np.asarray(state.restarts.count) == 3)
    for name, value in state.params.items():
        assert not np.any(np.asarray(value) == first[name])
        assert isinstance(rule, Stalled) or np.all(np.abs(value) <= 2)
    first, state = stuck(updated(rule, above=1e6))
    assert np.all(np.asarray(state.restarts.count) == 0)
    for name, value in state.params.items():
        assert np.array_equal(np.asarray(value), first[name])


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_restarts_end_where_they_should(rule):
    """Looked for at 1,000 and 2,000, not at the last step."""
    _, state = stuck(updated(rule, above=1e-6, until=2000))
    assert (np.asarray(state.restarts.count) == 2).all()


def test_halves_of_losses():
    """Halves of the stored losses, against NumPy."""
    rng = np.random.default_rng(0)
    rule = bound(HalvesOfLosses(1000, patience=2000, above=1.0))
    decided = []
    for decay in (0.0, 1e-3):
        losses = 5 * np.exp(-decay * np.arange(4000)) + rng.uniform(0, 1, 4000)
        pieces = losses.reshape(-1, HALF_EPOCH)
        memory = Losses(
            jnp.uint32(0),
            jnp.asarray(np.append(pieces.sum(1), 0.0)),
            jnp.asarray(np.append((pieces**2).sum(1), 0.0)),
        )
        early, late = losses[:2000], losses[2000:]
        expected = early.mean() <= late.mean() + late.std() and late.mean() > 1
        decided.append(bool(rule.is_due(memory, jnp.uint32(3999))))
        assert decided[-1] == bool(expected)
    assert decided == [True, False]
