"""iNALU's experiments and the NPU paper's large task: data, recipe, comparisons."""

import warnings
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from scipy.stats import norm, truncnorm

from arithmax import _descent as descent
from arithmax import _program as parts
from arithmax import measures
from arithmax.fleet import train_cells
from arithmax.protocol import Protocol
from arithmax.results import read
from arithmax.studies import _inalu as shared
from arithmax.studies import _inalu_initialisation as starts
from arithmax.studies import _npu_large as large
from arithmax.studies._evaluate import Trained, Verdict, evaluate, find
from arithmax.studies._inalu_arithmetic import inalu_minimal, inalu_simple
from arithmax.studies._inalu_function import inalu_function
from arithmax.studies._inalu_initialisation import inalu_initialisation
from arithmax.studies._npu_large import npu_large
from arithmax.tasks import SingleModule, Subsets, input_distribution
from arithmax.units import INALU, NALU

TASK = SingleModule("mul", 2, (-5.0, 5.0), (-10.0, -5.0))


# What the studies say.


def test_published_counts_add_up():
    """The paper's totals over seven distributions: NALU, shared W, independent W."""
    expected = {
        "minimal": [(30, 60, 70), (0, 53, 70), (33, 34, 50), (0, 24, 24)],
        "simple": [(27, 70, 70), (1, 38, 70), (17, 60, 60), (0, 3, 6)],
        "function": [(0, 20, 16), (0, 13, 17), (0, 0, 0), (0, 0, 0)],
    }
    for name, totals in expected.items():
        for operation, counts in zip(shared.OPERATIONS, totals, strict=True):
            for model, count in zip(shared.UNITS, counts, strict=True):
                rows = [
                    r["extrapolation"]
                    for r in shared.data(name)
                    if (r["operation"], r["model"]) == (operation, model)
                ]
                assert sum(rows) == count, (name, operation, model)


def test_the_mean_of_m_decides():
    """Published shares of experiment 3: 87, 31 and 0 % for +, 84, 35 and 0 % for −."""
    claims = starts.claims()
    for operation, shares in (("add", (87, 31, 0)), ("sub", (84, 35, 0))):
        for mean, share in zip((-1, 0, 1), shares, strict=True):
            found = claims[starts.claim(operation, "M", mean, "extrapolation")]
            assert round(100 * found.value) == share
    rows = shared.data("initialisation")
    assert len(rows) == 108 and sum(r["runs"] for r in rows) == 562 + 524


@pytest.mark.parametrize(
    ("study", "arms", "seeds", "steps"),
    [
        (inalu_minimal, 84, 10, 100_000),
        (inalu_simple, 84, 10, 100_000),
        (inalu_function, 24, 10, 100_000),
        (inalu_initialisation, 216, 10, 201_000),
        (npu_large, 20, 10, 100_000),
    ],
)
def test_the_runs_are_the_published_ones(study, arms, seeds, steps):
    made = study()
    assert len(made.arms) == arms
    cells = [arm.cell for arm in made.arms]
    assert min(len(c.seeds) for c in cells) == seeds
    assert max(c.protocol.steps for c in cells) == steps
    assert all(c.protocol.window == 1 for c in cells)  # judged at the last step


def test_one_program_trains_all_starts():
    """54 starts of 4 operations differ in numbers alone."""
    from arithmax._blocks import replicas

    cells = [arm.reduced(1).cell for arm in inalu_initialisation().arms]
    assert len({r.program for r in replicas(cells, 32)}) == 1


def test_starts_are_those_of_the_grid():
    means = {"G": 1.0, "M": -1.0, "W": 0.0}
    net = shared.network("iNALU (iw)", 2, sd=0.5, **means)  # type: ignore[arg-type]  # means
    for name, parameter in net.parameters(100, 1).items():
        drawn = parameter.distribution
        assert (drawn.mean, drawn.std) == (means[name.split(".")[-1][0]], 0.5)  # type: ignore[union-attr]  # normal


# What the fleet does for them.


def test_a_mirrored_normal_has_either_sign():
    """±N(10, 1): its density is the mean of those of N(10, 1) and N(−10, 1)."""
    u = jnp.asarray(np.random.default_rng(0).uniform(size=(1, 200_000)))
    for given, own in (
        ((10.0, 1.0), norm(10, 1)),
        ((1.0, 1.0, -2.0, 2.0), truncnorm(-3, 1, 1, 1)),
    ):
        law = input_distribution("mirrored-normal", given)
        x = np.asarray(law.quantile(jnp.asarray([law.numbers]), u, jnp))[0]
        for at in (-11.0, -9.5, -1.0, 0.3, 1.5, 10.2):
            expected = (own.cdf(at) + 1 - own.cdf(-at)) / 2
            assert np.mean(x < at) == pytest.approx(expected, abs=5e-3)


def test_shares_of_inputs_are_drawn_by_the_seed():
    task = Subsets("sub", 1000, shares=(0.5, 0.25))
    a, b = (set(row) for row in task.places(3))
    assert not a & b and task.places(3) == task.places(3) != task.places(4)
    assert len(a) == pytest.approx(500, abs=60) and len(b) == pytest.approx(250, abs=50)
    assert "shares" in str(task) and "shares" not in str(Subsets("sub"))
    # Two inputs in a, one in b, one in none: a − b is wrong by −2ε(a − b).
    small = Subsets("sub", 4, shares=(0.5, 0.25))
    error = small.threshold(1e-3)
    x = np.random.default_rng(0).uniform(2, 6, (4, 200_000))
    wrong = -2e-3 * (x[0] + x[1] - x[2])
    assert error == pytest.approx(np.mean(wrong**2), rel=0.02)
    with pytest.raises(ValueError, match="`shares`"):
        Subsets("sub", shares=(0.9, 0.2))


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
    protocol = Protocol(**(shared.RECIPE | changes | late))
    c = {n: jnp.asarray(v) for n, v in parts.configuration(task, protocol, 3).items()}
    state = parts.start_one(INALU(), task, protocol, c)
    start = {n: np.array(v) for n, v in state.params.items()}
    batches = []
    with jax.numpy_dtype_promotion("standard"):
        step = jax.jit(partial(parts.train_one, INALU(), task, protocol))
        for i in range(40):
            x = np.array(parts.batch_of(task, protocol, c, jnp.uint32(i))[0])
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


def test_the_last_step_can_be_judged():
    curves = {"interpolation": np.array([1.0, 1e-9, 2e-6]), "sparsity": np.zeros(3)}
    curves["extrapolation"] = np.array([1.0, 1e-9, 0.5])
    at = np.array([0, 10, 20])
    best = measures.measure(at, threshold=1e-5, **curves)
    last = measures.measure(at, threshold=1e-5, window=1, **curves)
    assert best.best_step == 10 and best.outcome == "solved"
    assert last.best_step == 20 and last.outcome == "not solved"


def test_later_settings_leave_names_alone():
    named = repr(Protocol())
    for name in ("window", "slots", "penalty_of", "restart_until"):
        assert name not in named
    assert "slots=True" in repr(Protocol(slots=True))


# What they compute.


def test_ranks_give_the_interval_of_a_median():
    """Of 20 values ranks 6 and 15 hold the median in 95.9 % of samples."""
    found = large.ranked(np.arange(1.0, 21.0), 1.0)
    assert (found.value, found.low, found.high) == (10.5, 6.0, 15.0)
    half = large.ranked([*np.arange(1.0, 11.0), *([np.inf] * 10)], 0.5)
    assert half.value == 5.5 and half.low <= 5 and half.high >= 6
    covered = [
        large.ranked(np.random.default_rng(s).exponential(size=10), 1.0)
        for s in range(500)
    ]
    share = np.mean([i.low <= np.log(2) <= i.high for i in covered])
    assert share > 0.94


def test_the_large_task_is_solved_by_its_solution():
    """Zero error at W = 1 on each sum and the powers 1, −1 or ½ behind them."""
    for operation, powers in (("×", (1.0, 1.0)), ("÷", (-1.0,)), ("√", (0.5,))):
        task, net = large.task(operation), large.network("RealNPU")
        params = {name: np.zeros(p.shape) for name, p in net.parameters(100, 1).items()}
        for k, (row, power) in enumerate(zip(task.places(5), powers, strict=True)):
            params["0.W"][k, row] = 1.0
            params["1.W"][0, k] = power
            params["1.g"][k] = 1.0
        low, high = task.extrapolation
        x = np.random.default_rng(0).uniform(low, high, (100, 50))
        y = net.compute(params, x)[0]
        np.testing.assert_allclose(y, large.answers(task, 5, x), rtol=1e-9)


def test_a_published_median_has_the_interval_of_its_mad():
    """1.2533 σ/√n is the error of a median, 0.6745 σ the MAD."""
    found = large._claims()[large.claim("+", "NPU")]
    half = 1.96 * 1.2533 / 10**0.5 / 0.6745 * 0.031
    assert found.low == pytest.approx(0.092 - half, rel=1e-4)
    naive = large._claims()[large.claim("÷", "NaiveNPU")]
    assert naive.interval is None and naive.value == 5.4e17


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """Experiment 1's iNALU (iw) on U(−5, 5), trained for an epoch and a half."""
    folder = tmp_path_factory.mktemp("inalu")
    study = inalu_minimal()
    chosen = [
        a
        for a in study.arms
        if a.labels["distribution"] == "U(−5, 5)" and a.labels["model"] == "iNALU (iw)"
    ]
    changes = {"penalty_start": 499, "penalty_end": 500, "steps": 2000}
    cells = [
        replace(a.cell, seeds=(0, 1), protocol=replace(a.cell.protocol, **changes))
        for a in chosen
    ]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*cannot represent.*")
        train_cells(cells, out=folder)
    arms = tuple(
        replace(a, cell=replace(c, seeds=(0, 1)))
        for a, c in zip(chosen, cells, strict=True)
    )
    return replace(study, arms=arms), read(folder)


def test_counts_stand_beside_the_published_ones(tiny):
    study, results = tiny
    found = find(study, results)
    computed = study.compute(Trained(study, found, results))
    table = computed.tables["counts"]
    assert table["operation"] == ["+", "−", "×", "÷"] and table["seeds"] == [2] * 4
    assert table["published"] == [10, 10, 10, 3]
    for found_arm, solved in zip(found, table["solved"], strict=True):
        errors = [row["extrapolation"] for row in found_arm.rows]
        assert solved == sum(e < 1e-5 for e in errors)
        assert all(row["best_step"] == 2000 for row in found_arm.rows)
    assert table["ε = 1e-4"][3] is None
    name = shared.claim("÷", "iNALU (iw)", "extrapolation")
    assert computed.figures[name].value == table["solved"][3] / 2
    verdicts = evaluate(study, results, computed).comparisons
    assert all(c.verdict in Verdict for c in verdicts) and len(verdicts) == 4 + 24


def test_a_sum_is_nearly_learned_in_two_epochs(tiny):
    """The loss falls, and the penalty drives parameters away from zero."""
    study, results = tiny
    row = find(study, results)[0].rows[0]
    curve = results.curves([row["run"]])[row["run"]]
    assert curve["interpolation"][-1] < 0.05 * curve["interpolation"][0]
    gate = results.weights(row["run"])["0.G"]
    assert gate[0] > 1.0  # open for the sum
