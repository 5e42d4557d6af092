"""The mathematics of second-order steps, against SciPy and finite differences."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import least_squares, lsq_linear, minimize

from arithmax import NAU, NMU, UNITS, Linear, RealNaiveNPU, Scaled, Stack, initialise
from arithmax._gauss_newton import LEAST, MOST, Damping, boxed, damped_by, projected
from arithmax.training import (
    LevenbergMarquardt,
    Objective,
    SquaredError,
    UnitPenalty,
    whole,
)
from arithmax.training._least_squares import Flat, jacobian, solve
from few import a_few_now
from short_runs import at

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 2.0, (3, 80))
SUMS = Stack((RealNaiveNPU(), Linear()), hidden=(2,))
PRODUCTS = Stack((NAU(), NMU()), hidden=(2,))
NOISE = 0.1 * RNG.normal(size=80)
TARGETS = {
    SUMS: 1.5 * X[0] ** 2 / X[1] - X[1] * X[2] + NOISE,
    PRODUCTS: (X[0] + X[1]) * (X[1] - 0.5 * X[2]) + NOISE,
}


def objective_of(network, penalties=(), targets=None, live=None) -> Objective:
    """The squared error of a network on 80 rows."""
    x = jnp.asarray(X)
    target = jnp.asarray(TARGETS[network] if targets is None else targets)[None]

    def predict(params):
        return network.compute(params, x, xp=jnp)

    moment = at(10, predict=predict, target=target)
    return whole(network, SquaredError(), penalties)(moment, None)._replace(live=live)


def drawn(network, seed=0):
    key = jax.random.key(seed)
    return initialise(network, 3, 1, key=key, dtype=jnp.float64)


def trained(optimiser, objective, params, steps=60):
    """Parameters and dampings after some steps, and the values before each."""
    step = jax.jit(lambda p, s: optimiser.step(objective, p, s, lambda g: g))
    with jax.numpy_dtype_promotion("standard"):
        state, values = optimiser.start(params), []
        for _ in range(steps):
            values.append(float(objective.total(params)[0]))
            params, state, _ = step(params, state)
    return params, state, np.array(values)


def bounds_of(flat) -> list[np.ndarray]:
    """The least and the greatest value of each entry, infinite without bounds."""
    ends = [np.array(flat.at + end) for end in flat.room()]
    for end in ends:
        end[np.abs(end) > 1e20] *= np.inf
    return ends


@pytest.mark.parametrize(
    ("network", "projection"),
    a_few_now([(SUMS, False), (PRODUCTS, True), (SUMS, True)]),
)
def test_the_minimum_is_that_of_scipy(network, projection):
    """With noise in the targets, so that residuals remain, and bounds that hold."""
    objective, start = objective_of(network), drawn(network)
    optimiser = LevenbergMarquardt(projection=projection)
    params, _, values = trained(optimiser, objective, start)
    assert (np.diff(values) <= 0).all()
    flat = Flat(objective, start, False)
    residuals, slopes = jax.jit(flat.residuals), jax.jit(jax.jacfwd(flat.residuals))
    exact: dict[str, Any] = {"jac": slopes, "bounds": bounds_of(flat)}
    exact |= {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
    value = float(objective.total(params)[0])
    again = least_squares(residuals, flat.vector(params), **exact)
    assert value == pytest.approx(2 * again.cost, rel=1e-9)  # it cannot be improved
    theirs = least_squares(residuals, flat.at, **exact)
    assert value <= 2 * theirs.cost * (1 + 1e-9)
    if network is PRODUCTS:
        assert any(np.abs(np.abs(w) - 1).min() < 1e-12 for w in params.values())


def reduced(theta):
    """The residuals with the best linear parameters, by NumPy."""
    powers = SUMS.units[0].compute({"W": theta.reshape(2, 3)}, X)
    phi = np.stack([*powers, np.ones(80)], 1) / 80**0.5
    zero = -TARGETS[SUMS] / 80**0.5
    best = np.linalg.lstsq(phi, -zero, rcond=None)[0]
    return zero + phi @ best, phi, best


def test_the_projected_jacobian_by_finite_differences():
    """Kaufman's is the true one but for what lies in the span of Φ; its gradient is."""
    flat = Flat(objective_of(SUMS), drawn(SUMS, 3), True)
    theta = np.asarray(flat.at)[: flat.count]
    residuals, phi, best = reduced(theta)
    point = jnp.asarray(np.r_[theta, best])
    ours, _ = projected(jacobian(flat.residuals, point), flat.count, solve)
    assert ours.shape == (80, 6) and flat.at.size == 6 + 3
    h = 1e-6
    moves = h * np.eye(len(theta))
    ends = [[reduced(theta + s * m) for m in moves] for s in (1, -1)]
    slopes = np.stack([(a[0] - b[0]) / (2 * h) for a, b in zip(*ends, strict=True)], 1)
    outside = np.eye(80) - phi @ np.linalg.pinv(phi)
    np.testing.assert_allclose(ours, outside @ slopes, atol=1e-7)
    gradient = [
        (a[0] @ a[0] - b[0] @ b[0]) / (4 * h) for a, b in zip(*ends, strict=True)
    ]
    np.testing.assert_allclose(ours.T @ residuals, gradient, atol=1e-8)
    assert np.abs(slopes - ours).max() > 1e-3  # the difference is there
    np.testing.assert_allclose(flat.solved(point.at[-3:].add(1.0)), point, atol=1e-9)


def test_a_step_within_bounds():
    """The best one where entries are independent or meet no bounds."""
    rng = np.random.default_rng(1)
    diagonal, gradient = rng.uniform(1, 2, 5), rng.normal(size=5)
    low, high = -rng.uniform(0, 0.3, 5), rng.uniform(0, 0.3, 5)
    given = np.diag(diagonal), gradient, 0.5, low, high
    step = boxed(*map(jnp.asarray, given), solve=solve)
    free = -gradient / (2 * (diagonal + 0.5))
    np.testing.assert_allclose(step, np.clip(free, low, high), rtol=1e-12)
    a, b = rng.normal(size=(9, 5)), rng.normal(size=9)
    gram, right = a.T @ a, a.T @ b
    given = gram, 2 * right, 0.0, low - 1e9, high + 1e9
    wide = boxed(*map(jnp.asarray, given), solve=solve)
    np.testing.assert_allclose(wide, np.linalg.solve(gram, -right), rtol=1e-9)


def test_a_step_within_bounds_is_better_than_one_that_is_clipped():
    """Of what the best one gains it has 0.87 on average, a clipped one 0.68."""
    rng, kept, clipped = np.random.default_rng(1), [], []
    many = jax.jit(partial(boxed, solve=solve))
    for _ in range(200):
        a, b = rng.normal(size=(9, 5)), rng.normal(size=9)
        low, high = -rng.uniform(0, 0.5, 5), rng.uniform(0, 0.5, 5)
        gram, gradient = a.T @ a, 2 * a.T @ b

        def gain(d, gram=gram, gradient=gradient):
            return float(-(gradient @ d) - d @ gram @ d)

        step = many(*map(jnp.asarray, (gram, gradient, 0.0, low, high)))
        assert (step >= low).all() and (step <= high).all()
        most = gain(lsq_linear(a, -b, (low, high), tol=1e-14).x)
        kept.append(gain(step) / most)
        cut = np.clip(np.linalg.solve(gram, -gradient / 2), low, high)
        clipped.append(gain(cut) / most)
    assert max(kept) < 1 + 1e-9
    assert np.mean(kept) > 0.85 > 0.7 > np.mean(clipped), (
        np.mean(kept),
        np.mean(clipped),
    )


def test_the_damping_follows_the_gain():
    def after(size, growth, gain, better):
        given = [jnp.asarray(v) for v in (size, growth)]
        return damped_by(Damping(*given), jnp.asarray(gain), jnp.asarray(better))

    assert after(1.0, 8.0, 1.0, True) == (1 / 3, 2.0)  # as promised
    assert after(1.0, 2.0, 0.5, True) == (1.0, 2.0)  # half of it
    assert after(1.0, 4.0, -1.0, False) == (4.0, 8.0)
    assert after(1.0, 4.0, np.nan, False) == (4.0, 8.0)
    assert after(LEAST, 2.0, 1.0, True).size == LEAST
    assert after(MOST, MOST, 0.0, False) == (MOST, MOST)


def one_number(function):
    """The objective of one parameter, with these residuals."""

    def residuals(params):
        return function(params["w"])

    def total(params):
        value = jnp.mean(residuals(params) ** 2)
        return value, value

    return Objective(total, residuals)


def test_nan_and_ties_are_rejected():
    """√w is a number from 0 on only, and steps from above jump over it at first."""
    start, lm = {"w": jnp.asarray([4.0])}, LevenbergMarquardt(LEAST)
    below = one_number(lambda w: jnp.sqrt(w) + 1)
    params, state, values = trained(lm, below, start, 60)
    assert np.isfinite(values).all() and (np.diff(values) <= 0).all()
    assert 0 <= params["w"].item() < 1e-3 and values[0] == 9
    _, state, _ = trained(lm, below, start, 1)
    assert state.size == 2 * LEAST and state.growth == 4
    constant = one_number(lambda w: 0 * w + 1)
    params, state, _ = trained(lm, constant, start, 90)
    assert params["w"].item() == 4 and state.size == MOST
    broken = one_number(lambda w: w * jnp.nan)
    assert trained(lm, broken, start, 3)[0]["w"].item() == 4


def test_a_penalty_counts():
    """The minimum of loss and penalty together, by BFGS; nothing is projected then."""
    network = Stack((Linear(bias=False, regulariser="squared"),))
    targets = 0.4 * X[0] + 0.8 * X[1] + NOISE
    objective = objective_of(network, (UnitPenalty(5.0),), targets)
    assert objective.linear == ()
    assert objective_of(network, (), targets).linear == ("0.W",)
    start = {"0.W": jnp.asarray([[0.3, 0.9, 0.1]])}
    params, _, values = trained(LevenbergMarquardt(), objective, start)
    flat = Flat(objective, start, True)

    def total(v):
        return float(flat.total(jnp.asarray(v))[0])

    found = minimize(total, flat.at, method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(params["0.W"][0], found.x, atol=1e-5)
    alone = np.linalg.lstsq(X.T, targets, rcond=None)[0]
    assert np.abs(params["0.W"][0] - alone).max() > 0.02
    assert values[-1] == pytest.approx(total(flat.vector(params)), rel=1e-9)


@pytest.mark.slow
def test_padding_does_not_move_and_changes_nothing():
    """A network beside zeros takes the steps of the network alone."""
    wide = Stack((NAU(), NMU()), hidden=(3,))
    start = drawn(PRODUCTS)
    padded = {
        "0.W": jnp.pad(start["0.W"], ((0, 1), (0, 0))),
        "1.W": jnp.pad(start["1.W"], ((0, 0), (0, 1))),
    }
    live = {"0.W": jnp.ones((3, 3), bool).at[2].set(False)}
    live["1.W"] = jnp.asarray([[True, True, False]])
    objective = objective_of(wide, targets=TARGETS[PRODUCTS], live=live)
    with_zeros, _, _ = trained(LevenbergMarquardt(), objective, padded, 6)
    alone, _, _ = trained(LevenbergMarquardt(), objective_of(PRODUCTS), start, 6)
    for name, mask in live.items():
        assert (np.where(mask, 0, with_zeros[name]) == 0).all()
        np.testing.assert_allclose(
            with_zeros[name][mask], alone[name].ravel(), rtol=1e-8
        )
        assert np.abs(alone[name] - start[name]).max() > 0.01


AROUND = (Linear(bias=False), SUMS, Stack((NMU(), Linear()), hidden=(2,)))
AROUND += (Scaled(NMU(), outputs=2.0), Scaled(SUMS, inputs=3.0))
DECLARED = [n for n in (*(u() for u in UNITS.values()), *AROUND) if n.linear_parameters]


def test_who_declares_linear_parameters():
    assert len(DECLARED) == 1 + len(AROUND)  # of the units, Linear alone
    assert SUMS.linear_parameters == ("1.W", "1.b")
    assert Scaled(SUMS).linear_parameters == ("1.W", "1.b")
    assert Scaled(NMU()).linear_parameters == ("coefficient",)
    assert PRODUCTS.linear_parameters == ()  # a product of clipped weights


@pytest.mark.parametrize("network", DECLARED, ids=repr)
def test_what_is_declared_linear_is(network):
    """f(p + a) + f(p + b) = f(p) + f(p + a + b), for any changes of those alone."""
    rng = np.random.default_rng(0)
    params = {
        name: rng.uniform(0.2, 0.8, parameter.shape)
        for name, parameter in network.parameters(3, 2).items()
    }
    names = network.linear_parameters
    changes = [{n: 5 * rng.normal(size=params[n].shape) for n in names} for _ in "ab"]

    def at_sum(*added):
        moved = {n: params[n] + sum(c[n] for c in added) for n in names}
        return network.compute({**params, **moved}, X)

    a, b = changes
    np.testing.assert_allclose(at_sum(a) + at_sum(b), at_sum() + at_sum(a, b))
    assert np.abs(at_sum(a) - at_sum()).max() > 0.1


def test_each_equation_is_solved_by_itself():
    rng = np.random.default_rng(0)
    half, right = rng.normal(size=(3, 5, 5)), rng.normal(size=(3, 5))
    matrices = half @ half.mT + np.eye(5)
    with jax.enable_x64(True):
        found = jax.vmap(solve)(jnp.asarray(matrices), jnp.asarray(right))
    expected = [np.linalg.solve(a, b) for a, b in zip(matrices, right, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="LAPACK is the processor's")
def test_no_program_waits_for_the_threads_of_another():
    # A batch of matrices would be split among threads that all may be waiting for one.
    large = jnp.zeros((8, 200, 200)), jnp.zeros((8, 200))
    lowered = jax.jit(jax.vmap(solve)).lower(*large).as_text()
    calls = [line for line in lowered.splitlines() if "@lapack_" in line]
    assert len(calls) == 3  # a factor, and a solution by each of its triangles
    assert all("8x200x200" not in call for call in calls)
    assert "8x200x200" in jax.jit(jnp.linalg.cholesky).lower(large[0]).as_text()
