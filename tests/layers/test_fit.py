"""`fit`: second-order steps that are right, seeds that are chosen, formulas read."""

import sys
from itertools import pairwise
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
import torch
from scipy.optimize import least_squares
from torch import nn

import arithmax.equinox
import arithmax.torch
from arithmax import NAU, NMU, RealNPU, Stack
from arithmax.discover import Trust
from arithmax.equinox._engine import JaxEngine
from arithmax.equinox._engine import in_its_units as in_jax
from arithmax.fitting import Settings, Split
from arithmax.fitting._descent import begun, stepper
from arithmax.fitting._first_order import rate_factor, strength
from arithmax.networks import Recurrent
from arithmax.readout import parse
from arithmax.torch._engine import TorchEngine
from arithmax.torch._engine import in_its_units as in_torch

LAWS = {
    "(a + b)*c": (6, lambda x: (x[:, 0] + x[:, 1]) * x[:, 2]),
    "a*b**2/2": (2, lambda x: 0.5 * x[:, 0] * x[:, 1] ** 2),
    "a**2/b": (2, lambda x: x[:, 0] ** 2 / x[:, 1]),
    "a*b/c": (3, lambda x: x[:, 0] * x[:, 1] / x[:, 2]),
    "sqrt(a)*b": (2, lambda x: np.sqrt(x[:, 0]) * x[:, 1]),
}


def network(law):
    """What the guide recommends for a law."""
    inputs = LAWS[law][0]
    if law == "(a + b)*c":
        layers = arithmax.torch.NAU(6, 2), arithmax.torch.NMU(2, 1)
        return nn.Sequential(*layers)
    return arithmax.torch.RealNPU(inputs, 1)


def rows(law, seed=0):
    inputs, function = LAWS[law]
    x = np.random.default_rng(seed).uniform(1, 2, (500, inputs))
    return x, function(x), list("abcdef")[:inputs]


def is_the_law(formula, law, names):
    """Whether a formula that is printed and parsed gives the law far outside."""
    again = parse(str(formula), names)
    x = np.random.default_rng(99).uniform(3, 500, (100, len(names)))
    truth = LAWS[law][1](x)
    constants = [number.value for number in again.numbers]
    whole = [abs(2 * c - round(2 * c)) < 2e-6 for c in constants]
    return np.allclose(again.evaluate(x), truth, rtol=1e-6) and all(whole)


@pytest.mark.parametrize("law", LAWS)
def test_laws_come_out_exact(law):
    x, y, names = rows(law)
    torch.manual_seed(0)
    net = network(law)
    before = {n: v.clone() for n, v in net.state_dict().items()}
    result = arithmax.torch.fit(net, x, y, names=names, progress=False)
    assert result.verdict is Trust.EXACT and is_the_law(result.formula, law, names)
    assert all(torch.equal(v, before[n]) for n, v in net.state_dict().items())
    far = np.random.default_rng(1).uniform(3, 50, (20, x.shape[1]))
    values = result.net(torch.tensor(far, dtype=torch.float32)).detach()[:, 0]
    np.testing.assert_allclose(values, LAWS[law][1](far), rtol=1e-3)
    assert result.held_out_error < 1e-12 and len(result.errors) % 16 == 0


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_nine_of_ten_seeds_come_out_exact(law):
    x, y, names = rows(law)
    exact = 0
    for seed in range(10):
        torch.manual_seed(seed)
        result = arithmax.torch.fit(
            network(law), x, y, names=names, seed=seed, progress=False
        )
        exact += result.formula is not None and is_the_law(result.formula, law, names)
    assert exact >= 9


@pytest.mark.slow
@pytest.mark.parametrize("law", ["(a + b)*c", "a*b/c"])
def test_laws_come_out_exact_in_equinox(law):
    x, y, names = rows(law)
    unit = Stack((NAU(), NMU()), hidden=(2,)) if "+" in law else RealNPU()
    result = arithmax.equinox.fit(
        unit, x, y, names=names, key=jax.random.key(0), progress=False
    )
    assert result.verdict is Trust.EXACT and is_the_law(result.formula, law, names)
    arrays = jax.tree.leaves(eqx.filter(result.net, eqx.is_inexact_array))
    assert all(a.dtype == jnp.zeros(()).dtype for a in arrays)


def noisy_force(seed=0):
    """F = q·v·B in units from 10⁻³ to 10⁴, with 1 % noise."""
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(1e-3, 5e-3, 300), rng.uniform(1e4, 4e4, 300)
    b = rng.uniform(0.1, 2, 300)
    return np.c_[q, v, b], q * v * b * (1 + 0.01 * rng.normal(size=300))


def test_scales_and_noise():
    x, y = noisy_force()
    torch.manual_seed(0)
    net = arithmax.torch.NMU(3, 1)
    result = arithmax.torch.fit(net, x, y, names=["q", "v", "B"], progress=False)
    assert result.verdict is Trust.WITHIN
    assert result.formula is not None
    assert sorted(result.formula.variables) == ["B", "q", "v"]
    far = np.array([[1.0, 1e6, 50.0]])
    assert result.formula.evaluate(far) == pytest.approx(5e7, rel=0.01)


@pytest.mark.slow
def test_first_order_steps_need_scales():
    x, y = noisy_force()
    errors = []
    for scale in (False, True):
        torch.manual_seed(0)
        result = arithmax.torch.fit(
            arithmax.torch.NMU(3, 1),
            x,
            y,
            scale=scale,
            optimiser=lambda p: torch.optim.Adam(p, lr=0.03),
            steps=200,
            seeds=4,
            restarts=0,
            progress=False,
        )
        errors.append(result.held_out_error)
    assert errors[0] > 10 * errors[1]


def test_noise_alone_is_not_found():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(1, 2, (200, 3)), rng.normal(size=200)
    torch.manual_seed(0)
    result = arithmax.torch.fit(
        Stack((NAU(), NMU()), (2,)), x, y, restarts=1, seeds=6, progress=False
    )
    assert result.formula is None and result.verdict is Trust.NOT_FOUND
    assert result.rounds == 2 and len(result.errors) == 12
    assert "not found" in str(result)


def test_sequences_are_fitted_and_have_no_formula():
    x = 1 + np.random.default_rng(0).random((40, 2, 1))
    layer = arithmax.torch.Layer(Recurrent(NMU()), (2, 1), 2)
    options: dict = {"seeds": 1, "steps": 2, "restarts": 0, "progress": False}
    result = arithmax.torch.fit(layer, x, np.cumprod(x[..., 0], axis=1), **options)
    words = "there is no formula: its inputs are no columns.*trained all the same"
    with pytest.raises(ValueError, match=words):
        _ = result.formula


def test_several_outputs_and_a_table_with_names():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    table = pandas.DataFrame(rng.uniform(-2, 2, (300, 3)), columns=["u", "v", "w"])
    y = np.c_[table.u * table.v, table.u * table.w]
    torch.manual_seed(0)
    result = arithmax.torch.fit(arithmax.torch.NMU(3, 2), table, y, progress=False)
    assert [str(r.formula) for r in result.readings] == ["u*v", "u*w"]
    with pytest.raises(ValueError, match="there are 2 readings"):
        _ = result.formula


class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.after = nn.Linear(2, 4), arithmax.torch.NMU(4, 1)

    def forward(self, x):
        return self.after(torch.tanh(self.before(x)))


def test_a_network_without_a_formula_is_trained():
    x = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    torch.manual_seed(0)
    result = arithmax.torch.fit(
        Own(), x, np.tanh(x[:, 0]) * x[:, 1], seeds=4, steps=40, progress=False
    )
    assert "Own in it, which has no formula" in result.unread
    assert "no formula" in str(result) and result.readings == ()
    assert result.held_out_error < 0.1 and result.rounds == 1
    assert result.held_out_error == min(result.errors)


def test_the_same_seed_gives_the_same_numbers():
    x, y, _ = rows("a*b/c")
    found = []
    for seed in (3, 3, 4):
        torch.manual_seed(0)
        net = arithmax.torch.RealNPU(3, 1)
        state = torch.random.get_rng_state()
        found.append(arithmax.torch.fit(net, x, y, seed=seed, progress=False))
        assert torch.equal(state, torch.random.get_rng_state())
    assert np.array_equal(found[0].errors, found[1].errors)
    assert not np.array_equal(found[0].errors, found[2].errors)


def test_rows_that_are_held_out_train_nothing():
    x, y, names = rows("(a + b)*c")
    split = Split.of(x, y, names, 0.2, 0)
    assert not set(split.held) & set(split.trained)
    assert len(split.held) + len(split.trained) == 500
    torch.manual_seed(0)
    net = in_torch(network("(a + b)*c"), split, True)
    engine = TorchEngine(net, split, Settings(), None)
    inside = engine.objective
    assert torch.equal(inside.x, engine.x[torch.as_tensor(split.trained)])


def engines():
    """The same network, table and parameters in PyTorch and in JAX."""
    x, y, names = rows("(a + b)*c")
    split = Split.of(x[:60], y[:60], names, 0.2, 0)
    torch.manual_seed(1)
    net: Any = in_torch(network("(a + b)*c"), split, True)
    ours = TorchEngine(net, split, Settings(), None)
    stack = arithmax.equinox.sequential(
        Stack((NAU(), NMU()), (2,)), 6, 1, key=jax.random.key(0)
    )
    layers = [
        layer.with_parameters({"W": net.module[i].W})
        for i, layer in enumerate(stack.layers)
    ]
    whole = in_jax(eqx.nn.Sequential(layers), split, True)
    theirs = JaxEngine(
        whole, split, Settings(), None, jax.random.key(0), lambda key: whole
    )
    return ours, theirs


def in_one_order(ours, theirs):
    """Vectors of PyTorch as those of JAX, whose tree is in another order."""
    marked = torch.arange(float(ours.count), dtype=torch.float64)
    params = ours.params(marked)
    order = [params["module.0.W"], params["module.1.W"], params["coefficient"]]
    return torch.cat([p.reshape(-1) for p in order]).long().numpy()


def test_steps_of_both_frameworks_are_the_same_and_reach_scipys_minimum():
    with jax.enable_x64(True):
        ours, theirs = engines()
        order = in_one_order(ours, theirs)
        a, b = ours.draw(1, 0), theirs.draw(1, 0)
        np.testing.assert_allclose(a.numpy()[:, order], b, atol=1e-7)
        b = jnp.asarray(a.numpy()[:, order])
        replicas, others = begun(a), begun(b)
        step = ours.compiled(stepper(ours.objective, ours.tools))
        other = theirs.compiled(stepper(theirs.objective, theirs.tools))
        held = np.zeros(a.shape, bool)
        for _ in range(6):
            replicas = step(replicas, torch.tensor(held), 0.03)
            others = other(others, jnp.asarray(held), 0.03)
        np.testing.assert_allclose(replicas.at.numpy()[:, order], others.at, rtol=1e-6)
        for _ in range(60):
            replicas = step(replicas, torch.tensor(held), 0.0)

    def residuals(v):
        return ours.objective.residuals(torch.tensor(v)).detach().numpy()

    at = replicas.at[0].numpy()
    room = ours.project(torch.full((len(at),), -9.0, dtype=torch.float64)).numpy()
    top = ours.project(torch.full((len(at),), 9.0, dtype=torch.float64)).numpy()
    inside = np.clip(at, room + 1e-9, top - 1e-9)
    best = least_squares(residuals, inside, bounds=(room, top), xtol=1e-15)
    assert float(replicas.loss[0]) <= 2 * best.cost + 1e-20


def test_slopes_are_derivatives():
    with jax.enable_x64(True):
        engine: Any
        for engine in engines():
            at = engine.draw(2, 1)[1]
            slopes = np.asarray(engine.objective.slopes(at))
            h = 1e-6
            for i in range(len(at)):
                move = np.zeros(len(at))
                move[i] = h
                if isinstance(at, torch.Tensor):
                    move = torch.tensor(move)
                ends = [
                    np.asarray(engine.objective.residuals(at + s * move))
                    for s in (1.0, -1.0)
                ]
                between = (ends[0] - ends[1]) / (2 * h)
                np.testing.assert_allclose(slopes[:, i], between, atol=1e-7)


def test_what_is_held_stays():
    x, y, names = rows("(a + b)*c")
    split = Split.of(x[:60], y[:60], names, 0.2, 0)
    torch.manual_seed(1)
    net = in_torch(network("(a + b)*c"), split, True)
    ours = TorchEngine(net, split, Settings(), None)
    at = ours.draw(3, 0)
    held = torch.rand(at.shape) < 0.5
    step = ours.compiled(stepper(ours.objective, ours.tools))
    replicas = begun(at)
    for _ in range(5):
        replicas = step(replicas, held, 0.1)
    assert torch.equal(replicas.at[held], at[held])
    assert not torch.equal(replicas.at, at)


def test_an_optimiser_of_ones_own():
    x, y, _ = rows("(a + b)*c")
    torch.manual_seed(0)
    result = arithmax.torch.fit(
        network("(a + b)*c"),
        x,
        y,
        optimiser=lambda p: torch.optim.RMSprop(p, lr=0.01),
        steps=150,
        seeds=3,
        restarts=0,
        progress=False,
    )
    assert result.method == "first-order steps"
    assert result.held_out_error < 0.5
    for layer in result.net.module:
        assert torch.equal(layer.unit.project(layer._params())["W"], layer.W)
    theirs = arithmax.equinox.fit(
        arithmax.equinox.sNMU(6, 1, key=jax.random.key(0)),
        x,
        x[:, 0] * x[:, 1],
        key=jax.random.key(0),
        optimiser=optax.adam(1e-2),
        steps=300,
        seeds=3,
        restarts=0,
        progress=False,
    )
    assert theirs.method == "first-order steps" and theirs.held_out_error < 0.2


def test_rates_fall_and_penalties_rise_late():
    shares = np.linspace(0, 1, 11)
    rates = [rate_factor(s) for s in shares]
    assert rates[:6] == [1.0] * 6 and rates[-1] == pytest.approx(1e-3)
    assert all(a >= b for a, b in pairwise(rates))
    strengths = [strength(s, 0.2) for s in shares]
    assert strengths[:6] == [0.0] * 6 and strengths[-1] == 0.2


def test_columns_of_like_size_share_a_scale():
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 2, (100, 4)) * [1.0, 3.0, 1e4, 0.0]
    split = Split.of(x, x[:, 0], None, 0.2, 0)
    a, b, c, d = split.input_scale
    assert a == b and 1.5 < a < 4.5 and c == pytest.approx(1.5e4, rel=0.1) and d == 1
    assert split.output_scale == [pytest.approx(np.abs(x[:, 0]).mean())]


GOOD = np.random.default_rng(0).uniform(1, 2, (50, 2))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": GOOD[:5], "y": GOOD[:5, 0]}, "at least 10 rows"),
        ({"x": np.where(GOOD > 1.99, np.nan, GOOD)}, "`x`"),
        ({"y": np.ones(50)}, "must vary"),
        ({"y": GOOD[:7, 0]}, "`y`"),
        ({"names": ["a"]}, r"`names` \(=\['a'\]\) must be 2 different"),
        ({"names": ["a", "a"]}, "must be 2 different"),
        ({"seeds": 0}, r"`seeds` \(=0\)"),
        ({"restarts": -1}, r"`restarts` \(=-1\)"),
        ({"steps": 0}, r"`steps` \(=0\)"),
        ({"hold_out": 0}, r"`hold_out` \(=0\) must be between"),
        ({"hold_out": 1.0}, r"`hold_out` \(=1.0\) must be between"),
        ({"penalty": -1.0}, r"`penalty` \(=-1.0\)"),
        ({"seed": -1}, r"`seed` \(=-1\)"),
        ({"net": nn.Linear(2, 1)}, "must have an arithmetic layer"),
    ],
)
def test_bad_input(change, message):
    given = {"net": NMU(), "x": GOOD, "y": GOOD.prod(1)} | change
    with pytest.raises((ValueError, TypeError), match=message):
        arithmax.torch.fit(**given, progress=False)


def test_a_progress_bar_says_what_is_going_on(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    x, y, _ = rows("a*b/c")
    torch.manual_seed(0)
    arithmax.torch.fit(arithmax.torch.RealNPU(3, 1), x, y, seeds=2, restarts=0)
    shown = capsys.readouterr()
    assert shown.out == "" and "round 1 of at most 1, 2 seeds" in shown.err
    assert "error" in shown.err


def test_frozen_parameters_stay_and_count():
    """A frozen sum stays as it is, and what is said of whole weights is said of it."""
    x, y, names = rows("(a + b)*c")
    torch.manual_seed(0)
    net: Any = network("(a + b)*c")
    sums = [[0.7, 0.7, 0, 0, 0, 0], [0, 0, 0.7, 0, 0, 0]]
    net[0].load_parameters({"W": sums})
    net[0].W.requires_grad_(False)
    result = arithmax.torch.fit(net, x, y, names=names, seeds=4, progress=False)
    module = result.net.module
    np.testing.assert_allclose(module[0].W.numpy(), sums, rtol=1e-6)
    assert is_the_law(result.formula, "(a + b)*c", names)
    values = result.discrete(torch.tensor(x, dtype=torch.float32)).detach()
    split = Split.of(x, y, names, 0.2, 0)
    error = split.error(values.double().numpy()[split.held], split.held)
    assert result.discrete_error == pytest.approx(error, rel=1e-3) and error > 0.1
    frozen = arithmax.torch.NMU(6, 1).requires_grad_(False)
    with pytest.raises(ValueError, match="parameters that are not frozen"):
        arithmax.torch.fit(frozen, x, y, scale=False, progress=False)


def test_tied_layers_are_one():
    x = np.random.default_rng(0).uniform(1, 2, (60, 2))
    split = Split.of(x, x.prod(1), None, 0.2, 0)
    torch.manual_seed(0)
    first = arithmax.torch.NAU(2, 2)
    second = arithmax.torch.NAU(2, 2)
    second.W = first.W
    net = nn.Sequential(first, second, arithmax.torch.NMU(2, 1))
    engine = TorchEngine(in_torch(net, split, True), split, Settings(), None)
    at = engine.draw(2, 1)[1]
    expected = arithmax.torch.penalty(engine.module(at))
    assert engine.penalty(at).item() == pytest.approx(expected.item(), rel=1e-12)


def test_what_cannot_be_kept_for_several_seeds_is_refused():
    x, y, _ = rows("a*b/c")
    layers = nn.BatchNorm1d(3), arithmax.torch.NMU(3, 1)
    with pytest.raises(ValueError, match="BatchNorm1d, whose running statistics"):
        arithmax.torch.fit(nn.Sequential(*layers), x, y, progress=False)
    with pytest.raises(TypeError, match="needs no closure"):
        arithmax.torch.fit(
            arithmax.torch.NMU(3, 1), x, y, optimiser=torch.optim.LBFGS, progress=False
        )


def test_outputs_must_be_those_of_the_targets():
    x, y, _ = rows("a*b/c")
    with pytest.raises(ValueError, match="one column for each target"):
        arithmax.torch.fit(arithmax.torch.NMU(3, 2), x, y, scale=False, progress=False)

    class Flat(Own):
        def forward(self, x):
            return super().forward(x)[:, 0]

    with pytest.raises(ValueError, match="one column for each target"):
        arithmax.torch.fit(Flat(), x[:, :2], y, scale=False, progress=False)


def noisy_errors(seed):
    x = np.random.default_rng(0).uniform(1, 2, (100, 3))
    torch.manual_seed(0)
    net = nn.Sequential(nn.Dropout(0.1), arithmax.torch.sNMU(3, 1))
    torch.seed()  # what the caller's generator does must not matter
    return arithmax.torch.fit(
        net, x, x.prod(1), seeds=2, steps=20, restarts=0, seed=seed, progress=False
    )


def test_a_seed_covers_noise_too():
    first, again = noisy_errors(1), noisy_errors(1)
    assert first.method == "first-order steps"
    assert np.array_equal(first.errors, again.errors)
    assert not np.array_equal(first.errors, noisy_errors(2).errors)


def test_a_round_in_which_all_diverged_is_followed_by_another(monkeypatch):
    x, y, names = rows("a*b/c")
    draws = TorchEngine.draw

    def spoilt(self, count, round_):
        at = draws(self, count, round_)
        return at * torch.nan if round_ == 0 and count > 1 else at

    monkeypatch.setattr(TorchEngine, "draw", spoilt)
    torch.manual_seed(0)
    result = arithmax.torch.fit(
        arithmax.torch.RealNPU(3, 1), x, y, names=names, progress=False
    )
    assert result.rounds == 2 and is_the_law(result.formula, "a*b/c", names)
    monkeypatch.setattr(
        TorchEngine,
        "draw",
        lambda self, count, round_: (
            draws(self, count, round_) * (torch.nan if count > 1 else 1.0)
        ),
    )
    with pytest.raises(ValueError, match="seeds diverged"):
        arithmax.torch.fit(
            arithmax.torch.RealNPU(3, 1), x, y, restarts=0, progress=False
        )


def test_replicas_know_nothing_of_each_other_in_equinox():
    """A clipped norm is that of a replica, and NaN in one stays there."""
    x = np.random.default_rng(0).uniform(1, 2, (60, 2))
    with jax.enable_x64(True), jax.numpy_dtype_promotion("standard"):
        split = Split.of(x, x.prod(1), None, 0.2, 0)
        net = in_jax(arithmax.equinox.NMU(2, 1, key=jax.random.key(0)), split, True)
        settings = Settings(steps=5)
        clipped = optax.chain(optax.clip_by_global_norm(0.1), optax.adam(1e-2))
        key = jax.random.key(0)
        engine = JaxEngine(net, split, settings, clipped, key, lambda key: net)
        at = engine.draw(3, 0)
        alone = engine.descend(at, settings, lambda done, loss: None)
        spoilt = at.at[1].set(jnp.nan)
        beside = engine.descend(spoilt, settings, lambda done, loss: None)
    np.testing.assert_array_equal(alone[0], beside[0])
    np.testing.assert_array_equal(alone[2], beside[2])
    assert np.isnan(beside[1]).all()


def test_dropout_has_its_keys_in_equinox():
    x = np.random.default_rng(0).uniform(1, 2, (60, 2))
    layer = arithmax.equinox.NMU(2, 1, key=jax.random.key(0))
    net = eqx.nn.Sequential([eqx.nn.Dropout(0.1), layer])
    result = arithmax.equinox.fit(
        net,
        x,
        x.prod(1),
        key=jax.random.key(0),
        optimiser=optax.adam(1e-2),
        steps=5,
        seeds=2,
        restarts=0,
        progress=False,
    )
    assert np.isfinite(result.errors).all()


def test_scales_that_a_format_cannot_hold():
    x, y, _ = rows("a*b/c")
    with pytest.raises(ValueError, match=r"cannot be held in torch.float32"):
        arithmax.torch.fit(arithmax.torch.NMU(3, 1), x * 1e60, y, progress=False)


def test_what_reading_needs_is_asked_for_before_training(monkeypatch):
    x, y, _ = rows("a*b/c")
    monkeypatch.setitem(sys.modules, "sympy", None)
    monkeypatch.setattr(TorchEngine, "draw", lambda *_: pytest.fail("it trains"))
    with pytest.raises(ImportError, match="sympy is not installed"):
        arithmax.torch.fit(arithmax.torch.RealNPU(3, 1), x, y, progress=False)
