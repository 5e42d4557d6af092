"""The studies of the multiplication note."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad

from arithmax import NALU, report
from arithmax.results import Results, read
from arithmax.studies import Computed, Evaluation, Study, Trained, Verdict, evaluate
from arithmax.studies._evaluate import find
from arithmax.studies._gates import gates
from arithmax.studies._verdict import compare
from arithmax.studies.note import _oscillation as o
from arithmax.studies.note import _runs as runs
from arithmax.studies.note import gradient_formulae as g
from arithmax.studies.note import learned_subsets as s
from arithmax.studies.note import moments as m
from arithmax.studies.note import nalu_dynamics as d
from arithmax.training import train_cells

# Every study.


def computed(study: Study) -> Computed:
    assert study.compute is not None
    return study.compute(None)


def trained(study: Study, folder, seeds: int, steps: int) -> Evaluation:
    cells = [arm.reduced(seeds, steps).cell for arm in study.arms]
    train_cells(cells, out=folder)
    results = read(folder)
    assert study.compute is not None
    made = study.compute(Trained(study, find(study, results), results))
    return evaluate(study, results, made)


def whole(study: Study, made: Computed) -> None:
    for table in made.tables.values():
        assert len({len(column) for column in table.values()}) == 1
    assert set(study.shown) <= set(made.tables)
    for plot in study.plots:
        if getattr(plot, "table", ""):
            columns = made.tables[plot.table]  # type: ignore[attr-defined]
            fields = ("x", "y", "by", "low", "high", "dashed")
            assert {getattr(plot, f, "") for f in fields} - {""} <= set(columns)


@pytest.fixture(scope="module")
def formulae() -> Computed:
    return computed(g.study())


@pytest.fixture(scope="module")
def moments() -> Computed:
    return computed(m.study())


def verdicts(study: Study, made: Computed) -> dict[str, Verdict]:
    assert set(study.claims) == set(made.figures)
    return {
        name: compare({}, name, made.figures[name], figure).verdict
        for name, figure in study.claims.items()
    }


@pytest.mark.parametrize("study", [s.study(), d.study()])
def test_arms_are_different_runs(study):
    keys = {
        (repr(a.cell.network), str(a.cell.task), a.cell.protocol) for a in study.arms
    }
    assert len(keys) == len(study.arms) == len({arm.name for arm in study.arms})


# Learned subsets.


def test_the_printed_solutions():
    train, test = s.printed_errors("the note's valid solution")
    assert train < 1e-11 and test < 1e-10  # what ε leaves
    train, test = s.printed_errors("the note's invalid solution")
    x = np.random.default_rng(1).uniform(1, 2, (4, 200_000))
    one = np.abs(np.array([-0.00044, -0.00047, 0.00076, 0.00128]) @ x) + 1e-7
    two = np.array([1, 1, 0.53895, 0.81870]) @ x
    target = x.sum(0) * x[:2].sum(0)
    assert train == pytest.approx(np.mean((one**-0.1996 * two - target) ** 2), rel=0.02)
    assert train < 6 and test > 1000 * train  # it fits, and does not extrapolate


@pytest.mark.parametrize(
    ("log", "w1", "w2", "kind"),
    [
        ("plain", [[1e-3] * 4, [1.0] * 4], [-0.2, 1.0], "nothing"),
        ("plain", [[0.5] * 4, [1.0] * 4], [-0.2, 1.0], "divides"),
        ("plain", [[0.5] * 4, [1.0] * 4], [0.0, 1.0], "ignores"),
        ("plain", [[-0.5] * 4, [1.0] * 4], [0.5, 1.0], "between"),
        ("safe", [[-0.5] * 4, [1.0] * 4], [0.5, 1.0], "mirrored"),
        ("max-safe", [[0.1] * 4, [1.0] * 4], [0.5, 1.0], "flat"),
    ],
)
def test_endings(log, w1, w2, kind):
    study = s.study()
    labels = {"weights": "linear, λ = 1", "log": log}
    arm = next(a for a in study.arms if a.labels == labels)
    (found,) = find(replace(study, arms=(arm,)), Results([]))
    params = {"0.W": np.array(w1), "1.W": np.array([w2])}
    assert s.ending(found, {"outcome": "not solved"}, params) == kind
    assert s.ending(found, {"outcome": "solved"}, params) == "solved"


@pytest.mark.slow
def test_learned_subsets_from_training_to_plots(tmp_path):
    study = s.study()
    chosen = ("NMU, none", "powers in [0, 1], plain")
    small = replace(study, arms=tuple(a for a in study.arms if a.name in chosen))
    done = trained(small, tmp_path, seeds=3, steps=2000)
    assert done.computed is not None
    whole(small, done.computed)
    table = done.computed.tables["convergence"]
    assert table["seeds"] == [3, 3] and table["solved"] == [0, 0]
    ends = done.computed.tables["endings"]
    for k in range(2):
        assert sum(ends[name][k] for name in s.ENDINGS.values()) == 3
    curve = done.computed.tables["train-error"]
    assert curve["model"] == ["NMU, none"] * 2 and curve["step"] == [1000, 2000]
    assert all(
        q1 <= middle <= q3
        for q1, middle, q3 in zip(curve["q1"], curve["error"], curve["q3"], strict=True)
    )
    assert len(report.figures(done)) >= 4


# Gradients.


def test_every_formula_is_right(formulae):
    whole(g.study(), formulae)
    assert set(verdicts(g.study(), formulae).values()) == {Verdict.OVERLAPS}
    assert max(formulae.tables["formulae"]["largest relative difference"]) < 1e-10


@pytest.mark.parametrize("log", runs.LOGS)
def test_formulas_against_finite_differences(log):
    rng = np.random.default_rng(0)
    w1, w2 = rng.uniform(-1, 1, (1, 3, 4)), rng.uniform(-1, 1, (1, 2, 3))
    x, t = rng.uniform(1, 2, (1, 4)), rng.uniform(1, 9, (1, 2))

    def loss(first, second):
        z = np.maximum(first[0] @ x[0] - 1, 0) + 1  # max-safe
        if log != "max-safe":
            z = np.abs(first[0] @ x[0] - (log == "safe")) + (
                1 if log == "safe" else 1e-7
            )
        return np.sum((np.prod(z ** second[0], axis=1) - t[0]) ** 2)

    slopes = g.printed(w1, w2, x, t, log)
    for which, name in ((0, g.FULL1), (1, g.FULL2)):
        for index in np.ndindex(*(w1, w2)[which].shape):
            ends = []
            for h in (1e-6, -1e-6):
                moved = [w1.copy(), w2.copy()]
                moved[which][index] += h
                ends.append(loss(*moved))
            expected = (ends[0] - ends[1]) / 2e-6
            assert slopes[name][index] == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_gradients_explode_by_negative_powers_alone(formulae):
    table = formulae.tables["explosion"]
    rows = list(zip(*(table[n] for n in ("log", "z₁", "w₂", "|∂L/∂W₁|")), strict=True))
    large = [(log, z1, w2) for log, z1, w2, slope in rows if slope > 1e3]
    assert large == [("plain", 1e-4, -1.0)]
    slips = formulae.tables["slips"]
    assert slips["as printed"][1] == pytest.approx(4.0)
    assert slips["as meant"][1] < 1e-15


# Moments.


@pytest.mark.slow
def test_which_moments_hold(moments):
    whole(m.study(), moments)
    found = verdicts(m.study(), moments)
    matching = {name for name, v in found.items() if v is Verdict.OVERLAPS}
    assert matching == {
        "E[z₁] of the note's first layer",
        m.SHEET.claim("apart"),
        *(f"{name}, 100 inputs of 0.5" for name in (m.E_Z, m.VAR_Z, m.VAR_BACK)),
    }
    assert found.keys() - matching == {
        name for name, claim in m.study().claims.items() if claim.reason
    }


def test_quadrature_is_the_closed_form():
    r, mean = m.bound(2, 1), 5.0
    exact = m.exact_moments(2, r, mean, 0.0)
    a = r * np.log(mean + m.EPS)
    first, second = np.sinh(a) / a, np.sinh(2 * a) / (2 * a)
    assert exact[m.E_Z] == pytest.approx(first**2)
    assert exact[m.VAR_Z] == pytest.approx(second**2 - first**4)
    back = quad(lambda w: w**2 * (mean + m.EPS) ** (2 * w - 2) / (2 * r), -r, r)[0]
    assert exact[m.VAR_BACK] == pytest.approx(back * second)


def test_measured_moments_are_the_exact_ones(moments):
    for name in ("first-layer", "second-layer", "backward"):
        table = moments.tables[name]
        for exact, low, high in zip(
            table["exact"], table["low"], table["high"], strict=True
        ):
            assert abs(exact - (low + high) / 2) < 2.5 * (high - low) / 2


def test_the_density_of_a_sum():
    a = np.array([1.0, 1.3, 1.7, 2.0])
    z = np.linspace(-7, 7, 20_001)
    f = m.density(z, a)
    assert f.min() > -1e-12
    assert np.trapezoid(f, z) == pytest.approx(1)
    assert np.trapezoid(f * z**2, z) == pytest.approx((a**2).sum() / 3)


def test_the_start_is_what_simulation_sees_where_it_can(moments):
    table = moments.tables["start"]
    rows = dict(
        zip(
            zip(table["moment"], table["ε"], strict=True),
            zip(table["exact"], table["over 500,000 draws"], strict=True),
            strict=True,
        )
    )
    exact, seen = rows[m.E_Z, 0.1]
    assert exact == pytest.approx(seen, rel=0.02)
    # The printed variance is negative exactly where Var[W] log²ε exceeds 4.
    for scaled in (3.9, 4.1):
        eps = float(np.exp(-np.sqrt(scaled / 0.5)))
        printed = m.printed_moments(3, 0.5, 0.0, 0.0, eps)[m.VAR_Z]
        assert (printed < 0) is (scaled > 4)


# Dynamics.


@pytest.mark.parametrize("bias", [False, True])
def test_gate_and_paths_make_the_unit(bias):
    unit = NALU(gate_bias=bias)
    rng = np.random.default_rng(0)
    shapes = unit.parameters(4, 2)
    params = {n: rng.normal(size=p.shape) for n, p in shapes.items()}
    x = rng.uniform(1, 2, (4, 50))
    own, w = gates(params, x), unit.weights(params)["W"]
    mixed = own * (w @ x) + (1 - own) * np.exp(w @ np.log(x + 1e-7))
    np.testing.assert_allclose(mixed, unit.compute(params, x), rtol=1e-12)


def test_ways():
    straight = np.linspace([0.0, 1.0], [1.0, -1.0], 11)
    assert o.path_lengths(straight) == pytest.approx((1.5, 1.0, 0.0))
    there_and_back = np.array([[0.0], [1.0], [0.5], [1.5]])  # 1 on, ½ back, 1 on again
    assert o.path_lengths(there_and_back) == pytest.approx((2.5, 2.5 / 1.5, 1.5 / 2.5))
    assert np.isnan(o.path_lengths(np.zeros((5, 2)))).all()


@pytest.mark.slow
def test_nalu_dynamics_from_training_to_plots(tmp_path):
    study = d.study()
    chosen = [a for a in study.arms if a.name == "×, 4 inputs, NALU, no gate bias"]
    chosen += [
        a for a in study.arms if a.name.endswith("linear, fresh batches, rate 0.01")
    ]
    small = replace(study, arms=tuple(chosen))
    assert len(small.arms) == 2
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="All-NaN")
        done = trained(small, tmp_path, seeds=4, steps=2000)
    assert done.computed is not None
    gates = done.computed.tables["gates"]
    assert gates["step"] == [0, 500, 1000, 2000] and gates["seeds"] == [4] * 4
    assert done.computed.tables["oscillation"]["seeds"] == [4]
    asked = {n for n in study.claims if n.startswith("×, 4 inputs")}
    assert set(done.computed.figures) == asked
    adds = done.computed.figures[d.SHEET.claim("adds", task="×, 4 inputs")]
    assert adds.value == gates["second gate adds"][2]
    assert len(report.figures(done)) >= 3
