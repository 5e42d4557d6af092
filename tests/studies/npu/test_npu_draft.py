"""The studies of the NPU draft: mathematics, and a few steps of each."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from arithmax import Stack, train_cells
from arithmax.report import figures
from arithmax.results import Results, read
from arithmax.studies import Arm, Computed, Study, Trained, evaluate, find
from arithmax.studies._tables import mean
from arithmax.studies.npu import _surfaces as surfaces
from arithmax.studies.npu import npu_arithmetic as arithmetic
from arithmax.studies.npu import npu_functions as functions
from arithmax.studies.npu import npu_imaginary as imaginary
from arithmax.studies.npu import npu_products as products
from arithmax.studies.npu import npu_small_inputs as small
from arithmax.studies.npu import npu_xy as xy
from arithmax.studies.npu._readings import formula, gates, last_weights
from arithmax.studies.npu._runs import BATCH, SUMS
from arithmax.units import NMU, NPU, Linear, NaiveNPU, RealNaiveNPU, RealNPU

# A few arms of each study, which stand for all that share a network.
FEW = {
    "npu-xy": [{"network": "2 × 2", "model": "NPU"}],
    "npu-arithmetic": [{"settings": arithmetic.CODE, "model": "NPU"}],
    "npu-small-inputs": [{"|x₂| below": 0.05, "model": "NPU"}],
    "npu-functions": [{"function": "log", "model": "RealNaiveNPU"}],
    "npu-products": [{"network": "4-2-1", "model": "RealNaiveNPU"}],
    "npu-imaginary": [{"task": imaginary.POSITIVE}],
}
STUDIES = [
    module.study() for module in (xy, arithmetic, small, functions, products, imaginary)
]


def few(study: Study) -> list[Arm]:
    """The arms that are trained here."""
    return [
        arm
        for arm in study.arms
        if any(few.items() <= dict(arm.labels).items() for few in FEW[study.name])
    ]


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Results:
    folder = tmp_path_factory.mktemp("npu")
    cells = [arm.reduced(2, 1000).cell for study in STUDIES for arm in few(study)]
    train_cells(cells, out=folder, block=4)
    return read(folder)


@pytest.fixture(scope="module")
def computed(results) -> dict[str, Computed]:
    return {s.name: s.compute(trained(s, results)) for s in STUDIES if s.compute}


def trained(study: Study, results: Results) -> Trained:
    return Trained(study, find(study, results), results)


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_a_few_steps_of_each_study(study, results, computed):
    own = computed[study.name]
    for name, table in own.tables.items():
        assert len({len(column) for column in table.values()}) == 1, name
    assert set(study.shown) <= set(own.tables)
    evaluation = evaluate(study, results, own)
    assert sum(bool(f.rows) for f in evaluation.arm_runs) == len(few(study))
    short = all(f.too_short for f in evaluation.arm_runs if f.rows)  # gives no rate
    assert figures(evaluation) or short
    assert study.about.strip() and "TODO" not in study.about


@pytest.mark.slow
def test_every_claim_of_what_was_trained_has_a_figure(computed):
    made = {name for own in computed.values() for name in own.figures}
    claims = {name for study in STUDIES for name in study.claims}
    others = ("Dense", "NALU", "NMU", "table A2", "both signs", "draft's code")
    assert all(name.startswith(others) for name in claims - made)
    assert len(claims & made) == 4 + 2 + 3  # of the NPU, and of the surfaces


@pytest.mark.slow
def test_maps_side_by_side_share_their_colours(results, computed):
    study = STUDIES[2]
    _, drawn = figures(evaluate(study, results, computed[study.name]))[0]
    made = drawn.to_dict()
    assert [m["coloraxis"] for m in made["data"]] == ["coloraxis"] * 6
    axis = made["layout"]["coloraxis"]
    assert (axis["cmin"], axis["cmax"]) == (-2, 4)
    names = [n for n in made["layout"] if n.startswith("xaxis")]
    shown = [made["layout"][n]["showticklabels"] for n in names]
    assert sorted(shown) == [False] * 3 + [True] * 3


@pytest.mark.slow
def test_imaginary_weights_never_move_on_positive_inputs(results):
    own = trained(STUDIES[-1], results)
    assert imaginary.equal(own) == (2, 2)
    for row in own.arm(task=imaginary.POSITIVE, W_im="free").rows:
        assert np.all(own.weights(row)["W_im"] == 0)


def test_the_slope_of_imaginary_weights_is_zero_on_positive_inputs_alone():
    params = {"W_re": jnp.array([[0.7, -1.3]]), "W_im": jnp.zeros((1, 2))}

    def total(w_im, x):
        return jnp.sum(NaiveNPU().compute(params | {"W_im": w_im}, x, xp=jnp) ** 2)

    slope = jax.grad(total)
    x = jnp.array([[0.5, 2.0], [0.3, 1.7]])
    assert np.all(slope(params["W_im"], x) == 0)
    assert np.all(slope(params["W_im"], -x) != 0)


def test_a_gate_below_zero_has_no_slope():
    x, w = jnp.array([[0.5], [2.0]]), jnp.array([[1.0, 1.0]])

    def total(g):
        return jnp.sum(RealNPU().compute({"W": w, "g": g}, x, xp=jnp))

    slope = np.asarray(jax.grad(total)(jnp.array([-0.01, 0.5])))
    assert slope[0] == 0 and slope[1] != 0


@pytest.mark.slow
def test_last_weights_are_those_of_the_last_step(results):
    own = trained(STUDIES[1], results)
    row = own.arm(settings=arithmetic.CODE, model="NPU").rows[0]
    with pytest.raises(KeyError):
        results.path(row["run"])  # which a run of fewer steps never reached
    kept = last_weights(own, row)
    assert set(kept) == set(own.weights(row))


def test_the_authors_test_grids():
    assert len(arithmetic.SIGNED) == 41 and len(arithmetic.POSITIVE) == 40
    assert (arithmetic.SIGNED[0], arithmetic.SIGNED[-1]) == (-4.1, 3.9)
    assert (arithmetic.POSITIVE[0], arithmetic.POSITIVE[-1]) == (0.1, 4.0)
    x = np.array([[4.0], [0.5]])
    exact = [arithmetic.answers(f, x)[0] for f in arithmetic.FUNCTIONS]
    assert exact == [4.5, 2.0, 8.0, 2.0]


def test_published_errors_have_intervals_around_them():
    claims = STUDIES[1].claims
    assert len(claims) == 24
    printed = claims[f"{arithmetic.CODE}: Dense, Div"]
    assert printed.value == 14.158 and printed.low is not None
    assert printed.value - printed.low == pytest.approx(1.96 * 0.23)


def test_the_plane_is_divided_and_the_npu_is_right_on_all_of_it():
    parts = np.stack([w for n, w in xy.WHERE.items() if n != "everywhere"])
    assert np.all(parts.sum(axis=0) == 1)
    assert xy.WHERE["trained on"].sum() == 10 * 10
    solution = NPU().encode(np.array([[1.0, 1.0], [1.0, -1.0]]))
    np.testing.assert_allclose(NPU().compute(solution, xy.POINTS), xy.TARGETS)


def test_losses_of_products_are_those_of_two_layers():
    x = surfaces.samples(3, 0)
    losses = surfaces.product_losses(surfaces.NAIVE, x)
    at = {w: int(np.argmin(np.abs(surfaces.PLANE - w))) for w in (-0.5, 0.4, 1.0)}
    assert losses[at[1.0], at[1.0]] == pytest.approx(0, abs=1e-20)
    network = Stack((Linear(bias=False), RealNaiveNPU()), (2,))
    params = {"0.W": 0.4 * surfaces.PATTERN, "1.W": np.full((1, 2), -0.5)}
    error = network.compute(params, x)[0] - (x[0] + x[1]) * x.sum(axis=0)
    assert losses[at[-0.5], at[0.4]] == pytest.approx(float(np.mean(error**2)))


def test_a_wall_is_ten_times_the_loss_of_answering_zero():
    x = np.random.default_rng(0).uniform(-1, 1, (4, 400_000))
    zero = float(np.mean(((x[0] + x[1]) * x.sum(axis=0)) ** 2))
    assert 10 * zero == pytest.approx(surfaces.HIGH, rel=0.01)


@pytest.mark.parametrize("drawn", [surfaces.REAL, surfaces.HALF], ids=lambda d: d.name)
def test_gradient_norms_are_those_of_finite_differences(drawn):
    x, step = surfaces.identity(BATCH), 1e-6
    norms = surfaces.gradient_norms(drawn, x)

    def loss(params):
        return np.mean((drawn.unit.compute(params, x)[0] - x[0]) ** 2)

    i, j = 20, 15  # of w₂ and w₁
    point = np.array([[surfaces.W1[j], surfaces.W2[i]]])
    params = {k: np.array(v) for k, v in drawn.params(point).items()}
    squares = 0.0
    for name in (n for n in params if n != "g"):
        for k in (0, 1):
            moved = [{n: v.copy() for n, v in params.items()} for _ in range(2)]
            moved[0][name][0, k] += step
            moved[1][name][0, k] -= step
            squares += ((loss(moved[0]) - loss(moved[1])) / (2 * step)) ** 2
    assert norms[i, j] == pytest.approx(np.sqrt(squares), rel=1e-4)


def test_the_identity_has_no_slope_at_its_solution():
    norms = surfaces.gradient_norms(surfaces.REAL, surfaces.identity(BATCH))
    at = np.argmin(np.abs(surfaces.W2)), np.argmin(np.abs(surfaces.W1 - 1))
    assert norms[at] < 1e-12


@pytest.mark.slow
def test_a_batch_does_not_average_walls_out(computed):
    study = STUDIES[2]
    name = small.SHEET.claim("fewer")
    assert computed[study.name].figures[name].high < 0
    assert study.claims[name].low == 0


def test_formulae_have_three_digits():
    pytest.importorskip("sympy")
    network = Stack((RealNaiveNPU(), SUMS), (2,))
    params = {"0.W": np.array([[1.0], [3.0]]), "1.W": np.array([[1.0, -1 / 6]])}
    assert formula(network, params, "x", positive=False) == "-0.167·x^3 + x"
    assert functions.whole(params) == 1.0
    gated = Stack((NPU(), SUMS), (1,))
    half = {
        "0.W_re": np.ones((1, 1)),
        "0.W_im": np.zeros((1, 1)),
        "1.W": np.ones((1, 1)),
    }
    half["0.g"] = np.array([0.4])
    assert formula(gated, half, "x", positive=True) == ""
    assert "0.4·|x| + 0.6" in functions.written(gated, half, "log")


def test_taylor_series_are_good_near_zero():
    within = functions.taylor("exp")[3]
    assert 0 < within < 0.03
    x = np.linspace(0.1, 1, 10)
    assert functions.relative_error(x - x**3 / 6, np.sin(x)) < 0.01
    assert functions.relative_error(np.full(10, np.nan), x) == np.inf


@pytest.mark.parametrize("function", products.TASKS)
def test_ten_parameters_are_enough_for_the_products(function):
    task = products.TASKS[function]
    network = Stack((SUMS, RealNaiveNPU()), (2,))
    params = {
        "0.W": np.array([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0]]),
        "1.W": np.array([task.powers]),
    }
    assert sum(v.size for v in params.values()) == 10
    low, high = task.interpolation
    x = np.random.default_rng(0).uniform(low, high, (4, 100))
    with jax.enable_x64(True):
        target = np.asarray(task.target(task.replica(0), jnp.asarray(x)))
    np.testing.assert_allclose(network.compute(params, x), target, rtol=1e-9, atol=1e-9)


def test_means_of_one_run_and_of_runs_that_diverged():
    assert mean([2.0]).low == 2.0
    assert mean([1.0, np.inf]).value == np.inf
    several = mean([1.0, 2.0, 3.0])
    assert several.value == 2.0 and several.low < 1.0 < 3.0 < several.high


@pytest.mark.slow
def test_gates_are_counted_by_what_became_of_them(results):
    study = STUDIES[2]
    own = trained(study, results)
    counted = gates(own, [0])
    assert {row[:2] for row in counted} == {(0.05, "NPU")}
    assert sum(row[-2] for row in counted) == 2
    assert all(solved <= seeds for *_, seeds, solved in counted)


def test_the_nmu_of_the_draft_is_clipped_in_its_formula_alone():
    chosen = [a for a in STUDIES[1].arms if a.labels["model"] == "NMU"]
    assert chosen and not any(a.cell.protocol.project for a in chosen)
    w = np.array([[1.5, -0.5]])
    np.testing.assert_array_equal(
        NMU().compute({"W": w}, np.array([[3.0], [7.0]])), [[3.0]]
    )
