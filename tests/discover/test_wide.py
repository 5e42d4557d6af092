"""Wide tables: sums of many inputs in products, ratios and powers are found again."""

import numpy as np
import pytest

from arithmax.discover import Search, Trust, discover
from arithmax.discover._linear_forms import (
    FormLayout,
    FormTable,
    fit_forms,
    form_slopes,
    predict,
)
from arithmax.discover._monomial import ConstantFormula
from arithmax.discover._rounding import whole_scale
from arithmax.discover._triple import rotation
from arithmax.discover._wide import Wide, as_node
from arithmax.discover._wide_accept import simple_fraction, structure_left
from arithmax.discover._wide_search import TRIPLE, propose_wide
from arithmax.discover._wide_starts import linear_effects, quadratic_pair, standardise

STAGES = Search((ConstantFormula(), Wide(rounds=1)))
FORMULAS = {
    "sum": lambda u, v, w: u - v,
    "root": lambda u, v, w: np.sqrt(u),
    "square": lambda u, v, w: u**2,
    "reciprocal": lambda u, v, w: 1 / u,
    "ratio": lambda u, v, w: u / v,
    "product": lambda u, v, w: u * v,
    "sum minus product": lambda u, v, w: w - u * v,
    "sum plus product": lambda u, v, w: w + u * v,
    "three": lambda u, v, w: u * v * w,
}


def subsets(inputs, rng):
    """Three sums of a quarter of the inputs."""
    forms = np.zeros((3, inputs))
    for form in forms:
        form[rng.choice(inputs, inputs // 4, replace=False)] = 1
    return forms


def drawn(formula, inputs=24, rows=400, noise=0.0, seed=0, low=1.0, high=2.0):
    """A table, and the same formula on a wider box."""
    rng = np.random.default_rng(seed)
    forms = subsets(inputs, rng)
    x = rng.uniform(low, high, (rows, inputs))
    wider = rng.uniform(low, high + 4, (100, inputs))
    y, truth = (formula(*(forms @ each.T)) for each in (x, wider))
    return x, y + noise * y.std() * rng.standard_normal(rows), wider, truth


def same(proposal, wider, truth):
    return np.allclose(proposal.predict(wider), truth, rtol=1e-9, atol=0)


@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize("name", FORMULAS)
def test_the_layout_and_its_subsets_are_found(name, noise):
    x, y, wider, truth = drawn(FORMULAS[name], noise=noise)
    best = propose_wide(x, y, np.random.default_rng(0))[0]
    assert best.accepted and same(best, wider, truth)
    assert not best.fitted.any()
    assert (best.weights[1:, :-1].sum(1) >= 0).all()  # (a + b)·c, not (−a − b)·(−c)
    assert (best.error < 1e-9) == (noise == 0)


@pytest.mark.parametrize("name", ["sum", "square", "product", "sum plus product"])
def test_inputs_of_both_signs_have_no_linear_effects_and_are_found(name):
    formula = FORMULAS[name]
    x, y, wider, truth = drawn(formula, rows=800, low=-2.0, high=2.0)
    assert same(propose_wide(x, y, np.random.default_rng(0))[0], wider, truth)


@pytest.mark.parametrize("noise", [0.0, 0.001])
def test_constants_of_factors_and_other_whole_weights(noise):
    def formula(u, v, w):
        return (2 * u - w + 3) * (v - 2)

    x, y, wider, truth = drawn(formula, noise=noise, rows=600)
    assert same(propose_wide(x, y, np.random.default_rng(0))[0], wider, truth)


def test_fractions_are_named_and_other_numbers_left_free():
    rng = np.random.default_rng(3)
    x, wider = rng.uniform(1, 2, (300, 12)), rng.uniform(1, 9, (50, 12))
    weights = np.array([1, 0.5, 0, 1.5, 0, 1 / 3, 0, 0, np.pi, np.e, 0, 0])
    best = propose_wide(x, x @ weights + 0.25, rng)[0]
    assert same(best, wider, wider @ weights + 0.25)
    assert best.error < 1e-12
    product = propose_wide(x, (x @ weights) * (x[:, 2] + x[:, 3]), rng)[0]
    assert same(product, wider, (wider @ weights) * (wider[:, 2] + wider[:, 3]))


def test_a_judged_formula_is_exact_and_one_of_noise_is_not():
    x, y, wider, truth = drawn(FORMULAS["product"])
    found = discover(x, y, search=STAGES)
    assert found.verdict is Trust.EXACT
    assert np.allclose(found.formula.evaluate(wider), truth, rtol=1e-12)
    assert not found.formula.root.free()


@pytest.mark.parametrize("seed", range(3))
def test_noise_alone_is_a_constant(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(1, 2, (200, 12)), rng.standard_normal(200)
    assert propose_wide(x, y, rng, rounds=1)[0].layout.name == "constant"
    assert discover(x, y, search=STAGES).verdict is Trust.NOT_FOUND


@pytest.mark.parametrize("name", ["sum", "ratio", "product", "sum minus product"])
def test_a_table_without_one_of_its_inputs_is_never_exact(name):
    x, y, _, _ = drawn(FORMULAS[name], inputs=16, rows=200)
    used = np.flatnonzero(np.abs(linear_effects(standardise(x, y, y**0).table).t) > 9)
    short = np.delete(x, used[0], 1)
    assert propose_wide(short, y, np.random.default_rng(0), rounds=1)[0].error > 1e-4
    assert discover(short, y, search=STAGES).verdict is not Trust.EXACT


def test_rows_of_no_weight_do_not_count():
    x, y, wider, truth = drawn(FORMULAS["product"])
    y[:40], weight = 1e3, np.ones(len(y))
    weight[:40] = 0.0
    best = propose_wide(x, y, np.random.default_rng(0), weight)[0]
    assert same(best, wider, truth)


def test_constant_inputs_are_left_out():
    x, y, wider, truth = drawn(FORMULAS["product"])
    x, wider = np.c_[x, np.full(len(x), 7.0)], np.c_[wider, np.full(len(wider), 7.0)]
    best = propose_wide(x, y, np.random.default_rng(0))[0]
    assert same(best, wider, truth)
    assert (best.weights[:, -2] == 0).all()


@pytest.mark.parametrize(
    "terms", [((1.0, -1.0),), ((1.0,), (1.0, 1.0)), ((0.5,),), ((2.0, 1.0, -2.0),)]
)
def test_the_jacobian_is_that_of_finite_differences(terms):
    layout = FormLayout("any", terms)
    rng = np.random.default_rng(0)
    columns = np.c_[rng.uniform(1, 2, (7, 3)), np.ones(7)]
    table = FormTable(columns, np.ones(7), rng.uniform(1, 2, 7))
    w, free = rng.uniform(1, 2, (layout.forms, 4)), rng.random((layout.forms, 4)) < 0.7
    slope, root = form_slopes(layout, table, w, free), np.sqrt(table.weight)
    for row, place in zip(slope, np.argwhere(free), strict=True):
        step = np.zeros_like(w)
        step[tuple(place)] = 1e-6
        ahead = predict(layout, columns, w + step) - predict(layout, columns, w - step)
        np.testing.assert_allclose(row, ahead / 2e-6 * root, rtol=1e-6, atol=1e-8)


def test_a_start_is_fitted_alike_alone_and_among_others():
    rng = np.random.default_rng(0)
    x, y, _, _ = drawn(FORMULAS["product"], inputs=8, rows=60, noise=0.1)
    table = FormTable(np.c_[x, np.ones(60)], y, np.ones(60))
    start, free = rng.uniform(0, 1, (5, 2, 9)), np.ones((2, 9), bool)
    layout = FormLayout("product", ((1.0, 1.0),))
    many = fit_forms(layout, table, start, free)[1]
    alone = [fit_forms(layout, table, start[[i]], free)[1][0] for i in range(5)]
    np.testing.assert_allclose(many, alone, rtol=1e-6)


def test_the_spectrum_gives_the_factors_of_centred_inputs():
    rng = np.random.default_rng(0)
    x, forms = rng.uniform(-1, 1, (20_000, 12)), subsets(12, rng)
    u, v = forms[:2] @ x.T
    standard = standardise(x, u * v, np.ones(len(x)))
    effects = linear_effects(standard.table)
    keep = effects.screened()
    assert keep.all()
    pair = quadratic_pair(standard.table, effects.residual, keep) / standard.deviation
    matrix = np.outer(*pair) + np.outer(*pair).T
    truth = np.outer(*forms[:2]) + np.outer(*forms[:2]).T
    assert np.abs(matrix - truth).max() < 0.15


def test_turning_three_factors_changes_the_third_order_only():
    rng = np.random.default_rng(0)
    small = rng.standard_normal((3, 50))
    for size in (1e-2, 1e-3):
        before = np.prod(1 + size * small, axis=0)
        after = np.prod(1 + rotation(0.7) @ (size * small), axis=0)
        assert 0 < np.abs(after - before).max() < 20 * size**3


def test_a_scale_is_found_where_weights_are_blurred():
    rng = np.random.default_rng(0)
    whole = rng.choice([0, 1], 60)
    scale, _ = whole_scale(
        0.37 * (whole + 0.1 * rng.standard_normal(60)), np.full(60, 0.037)
    )
    assert scale == pytest.approx(0.37, rel=0.03)


def test_a_fraction_is_named_only_if_chance_would_not_give_it():
    assert simple_fraction(0.5 + 1e-9, 1e-8) == 0.5
    assert simple_fraction(1.04, 0.05) == 1.0
    assert simple_fraction(0.5, 0.2) is None
    assert simple_fraction(np.pi, 1e-9) is None


def test_left_over_products_are_seen_and_noise_is_not():
    rng = np.random.default_rng(0)
    x, noise = rng.uniform(1, 2, (600, 20)), rng.standard_normal(600)
    product = 12 * (x[:, 0] - 1.5) * (x[:, 1] - 1.5)
    assert structure_left(x, noise) < 3 < 6 < structure_left(x, noise + 2 * product)


def test_a_proposal_and_its_formula_are_one_function():
    x, y, _, _ = drawn(FORMULAS["sum minus product"], noise=0.02)
    for proposal in propose_wide(x, y, np.random.default_rng(0)):
        value = np.broadcast_to(as_node(proposal).value(list(x.T)), y.shape)
        np.testing.assert_allclose(value, proposal.predict(x), rtol=1e-9)


def test_the_same_generator_gives_the_same_proposals():
    x, y, _, _ = drawn(FORMULAS["three"], noise=0.01)
    first, second = (propose_wide(x, y, np.random.default_rng(4))[0] for _ in range(2))
    np.testing.assert_array_equal(first.weights, second.weights)
    assert first.layout.terms == ((1.0, *TRIPLE.terms[0]),)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "noise", "least"),
    [
        *(
            (name, 0.0, 19)
            for name in ("ratio", "product", "sum minus product", "three")
        ),
        *((name, 0.01, 19) for name in ("ratio", "product", "sum minus product")),
        ("three", 0.01, 17),
    ],
)
def test_a_hundred_inputs(name, noise, least):
    solved = 0
    for seed in range(20):
        x, y, wider, truth = drawn(FORMULAS[name], 100, 1000, noise, seed)
        best = propose_wide(x, y, np.random.default_rng(seed))[0]
        solved += same(best, wider, truth)
    assert solved >= least
