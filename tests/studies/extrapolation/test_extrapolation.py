"""The studies of the extrapolation report."""

import math
import warnings

import numpy as np
import pytest
import torch
from scipy.stats import kendalltau

from arithmax import NALU, NMU, Linear, Stack
from arithmax.report import figures
from arithmax.results import read
from arithmax.studies import Study, Trained, evaluate, studies
from arithmax.studies._evaluate import find
from arithmax.studies._sheet import figure_of
from arithmax.studies.extrapolation import _accuracy as accuracy
from arithmax.studies.extrapolation import _images as images
from arithmax.studies.extrapolation import _runs as runs
from arithmax.studies.extrapolation import exploding_stacks as exploding
from arithmax.studies.extrapolation import independent_weights as weights
from arithmax.studies.extrapolation import initialisation_sensitivity as sensitivity
from arithmax.studies.extrapolation import mlp_identity as mlp
from arithmax.studies.extrapolation import nac_signs as signs
from arithmax.studies.extrapolation import nalu_operands as nalu
from arithmax.studies.extrapolation import negative_products as negative
from arithmax.tasks import Operands, SingleModule
from arithmax.training import train_cells
from arithmax.units import Constant, Uniform

# A part of each that is trained in no time.
PARTS = {
    "mlp-identity": {"activation": "PReLU"},
    "nac-operands": {"operands": "2", "run": f"{runs.USUAL}, 1,000 steps"},
    "nac-signs": {"start": runs.USUAL},
    "nalu-operands": {"operands": "2", "network": nalu.ONE},
    "reinitialisation": {"operation": "√", "start": runs.USUAL},
    "exploding-stacks": {"unit": "NMU", "layers": "2"},
    "negative-products": {"unit": "NMU", "ignored": "none"},
    "initialisation-sensitivity": {"start": "Ŵ 1, M̂ −1, G 0"},
    "independent-weights": {"start": runs.USUAL, "task": "a + b"},
}
STUDIES = {name: studies()[name] for name in PARTS}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two seeds and a thousand steps of each part, in one folder."""
    folder = tmp_path_factory.mktemp("runs")
    chosen = [STUDIES[name].only(part) for name, part in PARTS.items()]
    arms = [arm for study in chosen for arm in study.arms]
    with warnings.catch_warnings():
        # Some are trained on what they cannot represent: that is what is shown.
        warnings.filterwarnings("ignore", message=".*cannot represent.*")
        train_cells([arm.reduced(2, 1000).cell for arm in arms], out=folder)
    return folder


@pytest.fixture
def computed(folder, monkeypatch):
    monkeypatch.setattr(exploding, "STACKS", 2)
    monkeypatch.setattr(exploding, "WIDTHS", (4,))
    monkeypatch.setattr(images, "THREE", {"NALU": images.THREE["NALU"]})
    monkeypatch.setattr(images, "SCALES", {images.INK: images.SCALES[images.INK]})
    monkeypatch.setattr(images, "SEEDS", 2)
    monkeypatch.setattr(images, "STEPS", 2)
    monkeypatch.setattr(exploding, "DRAWN", {"zeros": "4 in half are 0"})
    results = read(folder)

    def compute(study: Study):
        assert study.compute is not None
        own = study.compute(Trained(study, find(study, results), results))
        return own, evaluate(study, results, own)

    return compute


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_a_part_of_each_study_is_computed_and_drawn(name, computed):
    study = STUDIES[name]
    own, evaluation = computed(study)
    assert set(study.shown) <= set(own.tables)
    assert set(own.figures) <= set(study.claims)
    for table in own.tables.values():
        assert len({len(column) for column in table.values()}) == 1
    short = all(f.too_short for f in evaluation.arm_runs if f.rows)  # gives no rate
    assert figures(evaluation) or short
    labels = [tuple(arm.labels.items()) for arm in study.arms]
    assert len(set(labels)) == len(labels) and len(study.about) > 400


# The report's accuracy, starts and figures.


def test_right_is_within_the_tolerance_of_the_larger_of_one_and_the_target():
    target = np.array([0.0, 0.5, 100.0, 100.0, -100.0, 1.0, 1.0])
    answer = np.array([0.009, 0.4901, 101.0, 101.1, -99.0, np.nan, np.inf])
    expected = [True, True, True, False, True, False, False]
    assert accuracy.right(answer, target, 0.01).tolist() == expected
    strict = accuracy.right(answer, target, 0.01, least=0.0)
    assert strict.tolist() == [False, False, True, False, True, False, False]


def test_targets_are_the_operations():
    for operation, formula in {
        "add": lambda x: x.sum(axis=0),
        "sub": lambda x: x[0] - x[1:].sum(axis=0),
        "mul": lambda x: x.prod(axis=0),
        "div": lambda x: x[0] / x[1] / x[2],
        "sqrt": lambda x: np.sqrt(x[0]),
        "square": lambda x: x[0] ** 2,
    }.items():
        x, target = accuracy.tested(Operands(operation, 3), 0)  # type: ignore[arg-type]
        np.testing.assert_allclose(target, formula(x))
    x, target = accuracy.tested(Operands("add", 8, signs.SIGNS), 0)
    np.testing.assert_allclose(target, np.array(signs.SIGNS) @ x)
    task = SingleModule("div", 4)
    x, target = accuracy.tested(task, 3)
    ((i,), (j,)) = task.places(3)
    np.testing.assert_allclose(target, x[i] / x[j])


def test_the_start_is_that_of_a_linear_layer_in_torch():
    drawn = torch.nn.init.kaiming_uniform_(torch.empty(20_000, 5), a=math.sqrt(5))
    network = runs.torch_start((NALU(), NALU()), (5, 2))
    declared = network.parameters(5, 1)
    start = declared["0.M_hat"].distribution
    assert isinstance(start, Uniform) and start.high == 5**-0.5
    assert float(drawn.abs().max()) <= start.high * (1 + 1e-6)
    assert float(drawn.std()) == pytest.approx(start.high / math.sqrt(3), rel=0.01)
    assert declared["1.G"].distribution == Uniform(-(2**-0.5), 2**-0.5)


def test_printed_figures_hold_together():
    w_hat, m_hat = (np.array(signs.PRINTED[name]) for name in ("W_hat", "M_hat"))
    w = np.tanh(w_hat) / (1 + np.exp(-m_hat))
    assert w.round(4).tolist() == list(signs.SIGNS)
    figure = figure_of({"solved": 873, "runs": 1000})
    assert figure.low and figure.high and figure.low < 0.873 < figure.high
    assert len(STUDIES["nac-operands"].claims) == 19
    assert len(STUDIES["nalu-operands"].claims) == 10


@pytest.mark.slow
def test_nac_learns_sums_and_differences_from_a_narrow_start(computed):
    own, _ = computed(STUDIES["nac-operands"])
    lines = own.tables["lines"]
    assert set(lines["operation"]) == {"+", "−"} and min(lines["mean at 0.01"]) > 0.99
    growth = computed(STUDIES["nac-signs"])[0].tables["growth"]
    # RMSProp moves Ŵ and M̂ by about its rate a step: 1,000 · 0.01 at most, from 0.35.
    assert growth["step"] == [1000]
    assert 3 < growth["mean of |Ŵ|"][0] < 10 and 3 < growth["mean of M̂"][0] < 10


# The mathematics of single studies.


def test_nonlinearity():
    x = np.linspace(-1.0, 1.0, 2001)
    assert mlp.nonlinearity(x, np.stack([3 * x + 2, 0 * x])).max() < 1e-12
    # |x| is best fitted by ½, from which it deviates by √(1/12); its range is 1.
    assert mlp.nonlinearity(x, np.abs(x)) == pytest.approx(12**-0.5, rel=1e-3)
    bent = mlp.nonlinearity(x, np.tanh(5 * x))
    assert mlp.nonlinearity(x, 7 * np.tanh(5 * x) - 4) == pytest.approx(bent)


def test_concordance_is_kendalls():
    a, b = np.random.default_rng(0).normal(size=(2, 9)).tolist()
    expected, _ = kendalltau(a, b)
    assert mlp.concordance(a, b) == pytest.approx(expected)


def test_the_worst_case_is_a_power_of_a_power():
    table, power = exploding.at_worst()
    assert power == pytest.approx(4**4, rel=1e-5)
    for kind, name in ((np.float32, "float32"), (np.float64, "float64")):
        limit = math.log(float(np.finfo(kind).max))
        expected = [
            next(n for n in range(1, 9) if 4**n * math.log(x) > 0.999 * limit)
            for x in table["x"]
        ]
        assert table[f"layers until {name} overflows"] == expected


def test_stacks_of_nmu_overflow_and_narrow_ones_of_nalu_do_not():
    x = exploding.inputs("(20, 40)", 4)
    assert x.shape == (4, exploding.SAMPLES) and x.dtype == np.float32
    sizes = exploding.largest(NMU(), x, 20)
    # Weights are at least ¼: each layer raises 1 + (x − 1)/4, or more, to the power 4.
    least = 20.0
    for depth in range(4):
        least = min((1 + (least - 1) / 4) ** 4, 1e300)
        assert sizes[:, depth].min() >= min(least, float(np.finfo(np.float32).max))
    assert not np.isfinite(sizes[:, 3]).any()
    narrow = runs.torch_start((NALU(),), (4,))
    assert np.isfinite(exploding.largest(narrow, x, 20)).all()


def test_zeros_are_half_of_the_inputs():
    x = exploding.inputs(exploding.ZEROS, 64)
    assert 0.4 < (x < 1e-20).mean() < 0.6 and x.max() > 0.9


def test_pixels_are_those_of_the_digits():
    ink, digits = images.pixels("extrapolation", images.INK)
    assert ink.shape == (784, 500) and set(digits) == set(range(10))
    assert (ink == 0).mean() > 0.75 and ink.max() == 1.0 and ink.dtype == np.float32
    shifted, _ = images.pixels("extrapolation", "standardised")
    # The two numbers are those of all of MNIST.
    assert abs(shifted.mean()) < 0.05 and shifted.std() == pytest.approx(1.0, abs=0.05)


def test_digits_are_told_apart_by_cross_entropy():
    zero = Stack((Linear(),), starts=(("W", Constant(0.0)), ("b", Constant(0.0))))
    losses, right = images.classified(zero, images.INK, 2, 40)
    np.testing.assert_allclose(losses[:, 0], math.log(10), rtol=1e-6)
    assert losses[:, -1].max() < 2.0 and right.min() > 0.5


@pytest.mark.slow
def test_three_nalus_on_images_are_lost_at_once():
    """What the report saw: before the first step, or by its slopes, all is NaN."""
    losses, right = images.classified(images.THREE["NALU"], images.INK, 2, 3)
    lost, last, kept = images._lost(losses, right)
    assert (lost, kept) == (2, "–") and int(last) <= 2


def test_runs_that_are_lost_are_counted():
    losses = np.array([[1.0, 2.0, 3.0], [1.0, np.nan, np.nan], [1.0, 2.0, np.inf]])
    assert images._lost(losses, np.array([0.5, 0.1, 0.1])) == (2, "2", "50")


def test_which_units_have_signs_by_design():
    rows = list(zip(*negative.by_design().values(), strict=True))
    exact = {"iNALU", "NMU", "sNMU", "NPU", "RealNPU", "NRU", "NMRU"}
    for unit, operation, *shares in rows:
        if unit in exact:
            assert shares == [1.0] * 4, (unit, operation)
    _, target, _ = negative._exam("×", 2)
    positive = float((target > 0).mean())
    named = {(unit, operation): shares for unit, operation, *shares in rows}
    assert named["NAC•", "×"] == pytest.approx([positive] * 4, abs=0.03)
    for operation in ("×", "÷"):
        two, _, three, _ = named[negative.ALL_SIGNS, operation]
        assert two == 1.0 and 0.4 < three < 0.6


def test_paths_pull_apart_on_negative_inputs_only():
    for low, high in (weights.BELOW, weights.ABOVE):
        w, losses = weights.pull(low, high)
        x = np.random.default_rng(0).uniform(low, high, (2, 200_000))
        target, total = x.prod(axis=0), x.sum(axis=0)
        best = (target * total).mean() / (total**2).mean()
        assert w[losses["sum"].argmin()] == pytest.approx(best, abs=0.03)
        assert w[losses["product"].argmin()] == 1.0
        assert losses["product"].min() < 1e-9
        assert np.sign(best) == np.sign(low)


def test_the_leak_is_that_of_a_nalu():
    unit = NALU()
    a, b, c, w_c, logit = 3.0, 5.0, 0.2, -0.3, 4.0
    params = unit.encode(np.ones((1, 3)), "sum")
    params["W_hat"] = np.array([[100.0, 100.0, np.arctanh(w_c)]])
    params["G"] = np.full((1, 3), logit / (a + b + c))
    y = unit.apply(params, np.array([a, b, c]))[0]
    product, leaked = weights.leak(a, b, c, w_c, logit)
    opened = 1 / (1 + math.exp(-logit))
    assert product == pytest.approx(c**w_c, rel=1e-5)
    assert y == pytest.approx(opened * (a + b + w_c * c) + leaked * (a + b))
    # What the report calls large: even where c is 0 and ε stands in for it.
    assert weights.leak(a, b, 0.0, -1e-5, logit)[0] < 1.0002
    sizes = weights.leaks()["leak-sizes"]
    untied = [
        1 / (1 + math.exp(float(gate))) / size**2 / (2 * size)
        for gate, size in zip(sizes["Gx"], sizes["a = b"], strict=True)
    ]
    assert sizes["leak, untied with W = −1"] == pytest.approx(untied, rel=3e-3)


def test_slopes_at_the_start_vanish_where_inputs_are_large():
    table = sensitivity.slopes()
    names = zip(table["start"], table["range"], strict=True)
    gate = dict(zip(names, table["∂g/∂(Gx)"], strict=True))
    assert gate["Ŵ 1, M̂ −1, G 1", "(20, 40)"] < 1e-15
    assert gate["Ŵ 1, M̂ −1, G 0", "(1, 2)"] == pytest.approx(0.25, abs=0.01)
