"""The studies that compute instead of training: their mathematics."""

from itertools import product

import numpy as np
import pytest
from scipy.integrate import dblquad, quad, simpson

from arithmax.studies import Computed, Study, Verdict
from arithmax.studies import study as named
from arithmax.studies._verdict import compare
from arithmax.studies.slides import gradients as g
from arithmax.studies.slides import loss_curvature as c
from arithmax.units import NAC, NMU
from few import a_few_now

CURVATURE, GRADIENTS = named("loss-curvature"), named("gradients")
W1, W2 = c.GRID[None, :], c.GRID[:, None]


def run(study: Study) -> Computed:
    assert study.compute is not None
    return study.compute(None)


@pytest.fixture(scope="module")
def curvature() -> Computed:
    return run(CURVATURE)


@pytest.fixture(scope="module")
def gradients() -> Computed:
    return run(GRADIENTS)


def verdicts(study: Study, computed: Computed) -> dict[str, Verdict]:
    assert set(study.claims) == set(computed.figures)
    return {
        name: compare({}, name, computed.figures[name], figure).verdict
        for name, figure in study.claims.items()
    }


@pytest.mark.parametrize(
    "study", a_few_now([CURVATURE, GRADIENTS], 1), ids=lambda s: s.name
)
def test_two_runs_agree_and_tables_hold_together(study, request):
    name = {"loss-curvature": "curvature"}.get(study.name, study.name)
    computed = request.getfixturevalue(name)
    assert run(study) == computed
    for table in computed.tables.values():
        assert len({len(column) for column in table.values()}) == 1
    assert set(study.shown) <= set(computed.tables)
    for plot in study.plots:
        columns = computed.tables[plot.table]
        named = {f: getattr(plot, f, "") for f in ("x", "y", "z", "by", "choice")}
        named |= {f: getattr(plot, f, "") for f in ("low", "high", "dashed")}
        if hasattr(plot, "choice"):
            assert {named["x"], named["y"], named["z"]} <= set(columns)
        assert {v for v in named.values() if v} <= set(columns)


# The loss surface.


@pytest.mark.parametrize(("index", "eps"), [(0, 1e-7), (1, 0.1), (2, 1.0)])
def test_the_surface_of_nac_is_the_formula(index, eps):
    z = ((2.2 * np.abs(W1) + eps) * (6 * np.abs(W1) + eps)) ** W2
    np.testing.assert_allclose(
        c.losses(c.PAPER[index]), (z - 13.2) ** 2, rtol=1e-9, atol=1e-12
    )


def test_the_surface_of_the_nmu_is_the_formula():
    w2 = W2[W2[:, 0] >= 0]
    z = (2.2 * W1 * w2 + 1 - w2) * (6 * W1 * w2 + 1 - w2)
    loss = c.losses(c.PAPER[3])
    np.testing.assert_allclose(loss, (z - 13.2) ** 2, atol=1e-12)
    # It is bounded, and is right at w₂ = 1, w₁ = ±1 alone.
    assert loss.max() < (13.2 + 1) ** 2
    assert {(c.GRID[j], w2[i, 0]) for i, j in np.argwhere(loss < 1e-9)} == {
        (-1.0, 1.0),
        (1.0, 1.0),
    }


def test_the_surfaces_of_the_note_are_the_formulas():
    def z(base):
        return (base(2 * W1) * base(6 * W1)) ** W2

    plain, safe, max_safe = map(c.losses, c.NOTE)
    for loss, base in (
        (plain, lambda z: np.abs(z) + 1e-7),
        (safe, lambda z: np.abs(z - 1) + 1),
        (max_safe, lambda z: np.maximum(z - 1, 0) + 1),
    ):
        np.testing.assert_allclose(loss, (z(base) - 12) ** 2, rtol=1e-9, atol=1e-12)
    assert safe[-1, -1] == 0 and max_safe[-1, -1] == 0
    assert np.all(max_safe[:, 6 * c.GRID < 1] == 11**2)


def test_the_least_loss_is_at_one():
    loss = c.losses(c.PAPER[0])
    row, column = np.unravel_index(loss.argmin(), loss.shape)
    assert c.GRID[row] == 1 and abs(c.GRID[column]) == 1
    assert loss[-1, -1] == loss.min() < 1e-12
    for larger in c.PAPER[1:3]:  # only in (a): a larger ε moves it away
        assert c.losses(larger)[-1, -1] > 0.5


@pytest.mark.parametrize("w2", [-1.0, -0.7, -0.5, -0.3])
def test_nac_has_a_curve_of_unstable_solutions(w2):
    found = c.zeros(c.PAPER[0], w2)
    w1 = np.sqrt(13.2 ** (1 / w2) / 13.2)
    np.testing.assert_allclose(found, [-w1, w1], atol=1e-7)
    # z = (13.2 w₁²)^w₂ has the slope 2 w₂ z / w₁ there.
    steep = c.curvature(c.PAPER[0], found[1], w2)
    assert steep == pytest.approx(2 * (2 * w2 * 13.2 / w1) ** 2, rel=1e-3)
    assert steep > 100 * c.curvature(c.PAPER[0], 1.0, 1.0)


@pytest.mark.parametrize("model", [*c.PAPER, *c.NOTE], ids=lambda m: m.name)
def test_solutions_are_right_and_curvatures_second_differences(model):
    for w2 in c.LEVELS:
        for w1 in c.zeros(model, w2):
            h = 1e-4 * w1
            points = np.array([w1 - 2 * h, w1 - h, w1])  # inwards: the NAU clips
            loss = (c.outputs(model, points, np.array([w2]))[0] - model.target) ** 2
            assert loss[2] < 1e-12
            second = (loss[0] - 2 * loss[1] + loss[2]) / h**2
            assert c.curvature(model, w1, w2) == pytest.approx(second, rel=3e-3)


def test_no_solution_is_missed():
    fine = np.linspace(-1, 1, 20001)
    for model, w2 in product(c.PAPER, (-1.0, -0.5, 0.5, 0.9, 1.0)):
        error = c.outputs(model, fine, np.array([w2]))[0] - model.target
        crossed = fine[:-1][error[:-1] * error[1:] < 0]
        found = np.array(c.zeros(model, w2))
        assert len(found) >= len(crossed)
        for w1 in crossed:
            assert np.abs(found - w1).min() < 2e-4


def test_surfaces_are_drawn_as_drawn_and_as_captioned(curvature):
    table = {k: np.array(v) for k, v in curvature.tables["surfaces"].items()}
    drawn = np.char.endswith(table["surface"], "(as drawn)")
    assert len(set(table["surface"])) == 8
    assert table["loss"][drawn].max() == 500
    for name in set(table["surface"][drawn]):
        squared = table["loss"][table["surface"] == name]
        captioned = name.replace("squared error (as drawn)", "RMS (as captioned)")
        rms = table["loss"][table["surface"] == captioned]
        np.testing.assert_allclose(rms**2, squared)
    at_one = (table["w1"] == 1) & (table["w2"] == 1)
    exact = np.char.startswith(table["surface"], "NAC•, ε = 1e-7")
    assert np.all(table["loss"][at_one & exact] < 1e-5)


def test_claims_about_the_surface(curvature):
    found = verdicts(CURVATURE, curvature)
    assert set(found.values()) == {Verdict.OVERLAPS}
    assert curvature.tables["heights"]["w₂ < 0 with a zero"] == [
        "19 of 20",  # from w₂ = ln 13.2 / 2 ln ε = −0.08 on
        "9 of 20",  # from w₂ = ln 13.2 / 2 ln 0.1 = −0.56 on
        "0 of 20",
        "no such weight",
    ]


# The gradient of M̂.


def sigmoid(m):
    return 1 / (1 + np.exp(-m))


@pytest.mark.parametrize("r", [0.504, 2.26, 9.47])
def test_moments_of_tanh_and_sigmoid_by_quadrature(r):
    tanh_squared = quad(lambda w: np.tanh(w) ** 2, -r, r)[0] / (2 * r)
    both = quad(lambda m: sigmoid(m) ** 2 * (1 - sigmoid(m)), -r, r)[0] / (2 * r)
    squared = quad(lambda m: sigmoid(m) ** 2, -r, r)[0] / (2 * r)
    assert g.mean_gradient(r, 1.7) == pytest.approx(2 * 1.7 * tanh_squared * both)
    assert g.weight_variance(r) == pytest.approx(tanh_squared * squared)


def test_the_unit_has_the_variance_of_glorot():
    for inputs in (4, 10, 100):
        r = g.start(NAC(), inputs, "W_hat").high
        assert g.weight_variance(r) == pytest.approx(2 / (inputs + 1), rel=1e-9)


def test_slopes_are_the_derivatives_of_the_unit():
    rng = np.random.default_rng(0)
    params = {n: rng.normal(size=(3, 5)) for n in ("W_hat", "M_hat")}
    x = rng.uniform(1, 2, (3, 5))
    upstream, slope = g.slopes(params, x)

    def loss(draw, m_hat):
        own = {"W_hat": params["W_hat"][draw : draw + 1], "M_hat": m_hat[None]}
        return (NAC().compute(own, x[draw])[0] - x[draw, 0] - x[draw, 1]) ** 2

    for draw, j in product(range(3), range(5)):
        h = 1e-6 * np.eye(5)[j]
        m_hat = params["M_hat"][draw]
        difference = (loss(draw, m_hat + h) - loss(draw, m_hat - h)) / 2e-6
        assert (upstream * slope)[draw, j] == pytest.approx(difference, rel=1e-6)


def test_other_inputs_and_the_target_cancel_out_of_the_mean():
    r, x, target = 1.5, np.array([1.3, -0.7]), 2.5
    nodes, weights = np.polynomial.legendre.leggauss(24)
    a, m, b, n = np.meshgrid(*[r * nodes] * 4, indexing="ij")
    y = np.tanh(a) * sigmoid(m) * x[0] + np.tanh(b) * sigmoid(n) * x[1]
    gradient = 2 * (y - target) * x[0] * np.tanh(a) * sigmoid(m) * (1 - sigmoid(m))
    for _ in range(4):
        gradient = gradient @ weights / 2
    assert gradient == pytest.approx(g.mean_gradient(r, x[0] ** 2), rel=1e-9)


def test_the_gradient_of_m_is_zero_only_under_the_assumption(gradients):
    table = gradients.tables["gradient"]
    for row in zip(*table.values(), strict=True):
        case, _, _, theory, measured, low, high, spread = row
        assert abs(measured - theory) < 2 * (high - low) / 1.96  # 4 standard errors
        assert spread > 5 * measured
        if case == g.CASES["real"]:
            assert theory > 0 and low > 0
        else:
            assert theory == 0
    shares = np.array(gradients.tables["histogram"]["share"])
    assert np.all((shares > 0) & (shares < 1)) and 1.8 < shares.sum() < 2


# E[z] of NAC•.


@pytest.mark.parametrize(("r", "mean"), [(0.5, 5.0), (2.26, 0.5), (9.47, 3.0)])
def test_exact_expectation_by_another_quadrature(r, mean):
    def power(m, w):
        return np.cosh(np.tanh(w) * sigmoid(m) * np.log(mean + g.EPS))

    # Ŵ is as likely as −Ŵ: half the square, and cosh for exp.
    expected = dblquad(power, 0, r, -r, r)[0] / (2 * r**2)
    got = g.exact_expectation(r, 3, mean, spread=False)
    assert got == pytest.approx(expected**3, rel=1e-7)


def test_exact_expectation_of_spread_inputs_by_another_quadrature():
    r, mean = 1.0, 0.8
    nodes, heights = np.polynomial.legendre.leggauss(16)
    s = np.linspace(-40, np.log(2 * mean), 20001)  # z = exp(s) is smooth at zero
    total = 0.0
    for (a, p), (m, q) in product(zip(nodes, heights, strict=True), repeat=2):
        w = np.tanh(r * a) * sigmoid(r * m)
        total += p * q / 4 * simpson((np.exp(s) + g.EPS) ** w * np.exp(s), x=s)
    got = g.exact_expectation(r, 2, mean, spread=True)
    assert got == pytest.approx((total / (2 * mean)) ** 2, rel=1e-9)


def test_the_printed_expectation_is_the_second_order():
    for mean in (0.2, 3.0):
        small, half = 0.04, 0.02
        errors = [
            g.exact_expectation(r, 1, mean, spread=False)
            - g.printed_expectation(g.weight_variance(r), 1, mean)
            for r in (small, half)
        ]
        assert errors[0] / errors[1] == pytest.approx(16, rel=0.01)  # fourth order


def test_nac_exceeds_one_and_theory_is_measured(gradients):
    table = {k: np.array(v) for k, v in gradients.tables["nac-mean"].items()}
    assert np.all(table["printed"] >= 1)
    assert np.all(table["exact"] >= table["printed"] - 1e-12)
    assert np.all(table["exact, inputs spread"] > 1.5)
    assert_measured(table)
    wide = (table["H"] == 100) & (table["E[z] before"] < 4)
    np.testing.assert_allclose(table["printed"][wide], table["exact"][wide], rtol=0.01)


def assert_measured(table: dict[str, np.ndarray]) -> None:
    """Exact values lie within 4 standard errors, most of them within 1.96."""
    width = np.maximum(table["high"] - table["low"], 1e-9)
    assert np.all(np.abs(table["measured"] - table["exact"]) < 2 * width / 1.96)
    inside = (table["low"] <= table["exact"]) & (table["exact"] <= table["high"])
    assert inside.mean() > 0.85


# The NMU.


def test_products_are_the_units():
    rng = np.random.default_rng(1)
    w, x = rng.uniform(0.25, 0.75, (4, 3)), rng.normal(size=(4, 3))
    z, slope = g.products(w, x)
    for draw in range(4):
        params, h = {"W": w[draw : draw + 1]}, np.array([1e-6, 0, 0])
        assert z[draw] == pytest.approx(NMU().compute(params, x[draw])[0])
        up, down = (NMU().compute(params, x[draw] + s)[0] for s in (h, -h))
        assert slope[draw] == pytest.approx((up - down) / 2e-6, rel=1e-6)


@pytest.mark.parametrize(("low", "high"), [(-1.0, 3.0), (1.0, 2.0)])
def test_moments_of_the_nmu_by_quadrature(low, high):
    def expected(f):
        area = (high - low) / 2
        return dblquad(lambda x, w: f(w, x), 0.25, 0.75, low, high)[0] / area

    first = expected(lambda w, x: w * x + 1 - w)
    second = expected(lambda w, x: (w * x + 1 - w) ** 2)
    moments = g.nmu_moments(3, (low + high) / 2, (high - low) ** 2 / 12)
    assert moments["E[z]"] == pytest.approx(first**3)
    assert moments["Var[z]"] == pytest.approx(second**3 - first**6)
    assert moments["E[∂z/∂x]"] == pytest.approx(expected(lambda w, x: w) * first**2)
    square = expected(lambda w, x: w**2)
    assert moments["E[(∂z/∂x)²]"] == pytest.approx(square * second**2)


@pytest.mark.parametrize("inputs", [1, 2, 7])
def test_printed_moments_are_exact_for_a_mean_of_zero(inputs):
    printed = g.printed_moments(inputs, 2.5)
    assert printed == pytest.approx(g.nmu_moments(inputs, 0.0, 2.5))
    assert printed != pytest.approx(g.nmu_moments(inputs, 0.5, 2.5), rel=1e-2)


def test_moments_of_the_nmu_are_measured(gradients):
    table = gradients.tables["nmu-moments"]
    assert_measured({k: np.array(v) for k, v in table.items()})


def test_claims_about_initialisation(gradients):
    found = verdicts(GRADIENTS, gradients)
    apart = {name for name, verdict in found.items() if verdict is Verdict.DIFFERS}
    assert apart == {g.SHEET.claim("real"), g.SHEET.claim(g.PRODUCTS[2, 5.0])}
    assert len(found) - len(apart) == sum(v is Verdict.OVERLAPS for v in found.values())
    for name, figure in GRADIENTS.claims.items():
        assert bool(figure.reason) == (name in apart)
