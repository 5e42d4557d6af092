"""What is read off images: scales of made-up readers, and tables of real ones."""

from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save_file

from arithmax.networks import CNN
from arithmax.results import Results, read
from arithmax.studies import Trained, find, study
from arithmax.studies._run import compute, computed
from arithmax.studies.digits._guesses import zero_error
from arithmax.studies.digits._readings import scale
from arithmax.studies.digits._threshold import lengths_of
from arithmax.studies.digits._weights import typical
from arithmax.tasks import Digits
from arithmax.training import first_parameters, train_cells
from fake_rows import fake

DIGITS = np.repeat(np.arange(1.0, 10.0), 20)
SMALL = CNN(channels=(2,), hidden=4)
FEW = "5,000"


def test_the_slope_has_the_sign_of_the_reader():
    noise = np.random.default_rng(0).normal(0, 0.05, DIGITS.size)
    found = scale(-2 * DIGITS + 3 + noise, DIGITS)
    assert found.slope == pytest.approx(-2, abs=0.01)
    assert found.offset == pytest.approx(3, abs=0.05)
    assert found.correlation < -0.999 and found.told_apart == 1


@pytest.mark.parametrize(("power", "sign"), [(0.5, 1), (2.0, -1), (-1.0, 1)])
def test_the_power_is_that_of_the_reader(power, sign):
    found = scale(sign * DIGITS**power, DIGITS)
    assert found.power == pytest.approx(power, rel=1e-9)
    assert np.sign(found.slope) == sign * np.sign(power)


def test_a_reader_that_says_one_thing_has_no_scale():
    assert np.isnan(scale(np.full(DIGITS.size, 4.0), DIGITS)).all()
    assert np.isnan(scale(np.where(DIGITS > 5, np.inf, DIGITS), DIGITS)).all()


def test_digits_are_told_apart_by_the_nearest_mean():
    digits = np.repeat([1.0, 2.0], 4)
    readings = np.array([0.0, 0.0, 0.0, 8.0, 10.0, 10.0, 10.0, 10.0])
    assert scale(readings, digits).told_apart == 7 / 8  # means of 2 and of 10


def test_who_answers_0_has_the_mean_squared_target():
    digits = np.array([2, 3, 4, 1, 9])  # the last one fills no row
    product, total = Digits("product"), Digits("sum")
    assert zero_error(product, digits, 2) == np.mean([2**2, 6**2, 4**2, 4**2])
    assert zero_error(total, digits, 2) == np.mean([2**2, 5**2, 4**2, 5**2])


def tiny(name, models):
    """A study with few models on few images, and a reader that is much too small."""
    own, small = study(name), []
    for arm in own.arms:
        if arm.labels["model"] in models and arm.labels["images"] == FEW:
            network = replace(arm.cell.network, reader=SMALL)  # type: ignore[type-var]
            protocol = arm.cell.protocol.updated(steps=20, measuring__interval=10)
            cell = replace(arm.cell, network=network, protocol=protocol, seeds=(0, 1))
            small.append(replace(arm, cell=cell))
    labels = [arm.labels for arm in small]
    others = [arm for arm in own.arms if arm.labels not in labels]
    return replace(own, arms=(*others, *small)), small


def untrained(own, arms, lengths, folder):
    """Rows of two seeds of each arm, and the weights that they start with."""
    rows, weights = [], {}
    for arm in arms:
        made = fake(replace(own, arms=(arm,)), [False, False])
        start = first_parameters(arm.cell, (0, 1))
        for seed, row in enumerate(made):
            measured = {f"length_{n}": 1.0 + seed for n in lengths}
            rows.append(row | measured | {f"mae_{n}": 0.5 for n in lengths})
            for name, value in start.items():
                weights[f"{row['run']}/{name}"] = np.array(value[seed])
    save_file(weights, folder / "made.safetensors")
    return Results(rows, folder)


def tables_of(own, results, folder):
    compute(own, results, folder)
    found = computed(own, folder)
    assert found is not None
    return found.tables


@pytest.mark.slow
def test_products_from_weights_to_tables(tmp_path):
    own, arms = tiny("digits-product", ("NMU", "LSTM", "reference"))
    results = untrained(own, arms, range(1, 21), tmp_path)
    tables = tables_of(own, results, tmp_path)
    assert tables["thresholds"]["length"] == list(range(1, 21))
    known = tables["guesses"]
    assert set(known["images"]) == {FEW}
    below = np.less(known["threshold"], known["error of 0"]).tolist()
    assert known["tells apart"] == below and any(below)
    assert len(tables["success"]["model"]) == 2 * 20
    assert len(tables["readings"]["digit"]) == 3 * 2 * 9
    assert len(tables["pairs"]["digit"]) == 3 * 2 * 9 * 20
    assert tables["digits"]["digit"] == list(range(1, 10))
    assert {len(text) for text in tables["digits"]["image"]} == {2 * 784}
    rows = tables["sequence"]
    assert rows["step"] == [*range(1, 21)] * 2
    assert list(dict.fromkeys(rows["model"])) == ["NMU", "LSTM"]
    digits = np.array(rows["digit"][:20], dtype=float)
    assert rows["target"][:20] == np.cumprod(digits).tolist()
    # Without weights what was computed stays, and nothing fails.
    (tmp_path / "made.safetensors").unlink()
    assert tables_of(own, results, tmp_path)["sequence"] == rows


def test_the_network_that_is_shown_is_that_of_the_median_seed(tmp_path):
    own, (arm,) = tiny("digits-product", ("NMU",))
    arm = replace(arm, cell=replace(arm.cell, seeds=(0, 1, 2)))
    rows, weights = [], {}
    for row, error in zip(
        fake(replace(own, arms=(arm,)), [False] * 3), (3.0, np.nan, 1.0), strict=True
    ):
        rows.append(row | {"interpolation": error})
        weights[f"{row['run']}/cell.W"] = np.ones((1, 2), np.float32)
    save_file(weights, tmp_path / "made.safetensors")
    results, only = Results(rows, tmp_path), replace(own, arms=(arm,))
    trained = Trained(only, find(only, results), results)
    (runs,) = trained.arms()
    shown = typical(runs, trained)
    assert shown is not None and shown.row["interpolation"] == 3.0


def test_an_answer_to_one_image_is_what_its_unit_makes_of_the_reading(tmp_path):
    """NMU with h₀ = 1: y = (w z + 1 − w), whatever the other weight is."""
    own, arms = tiny("digits-product", ("NMU",))
    results = untrained(own, arms, (1,), tmp_path)
    tables = tables_of(own, results, tmp_path)["digits"]
    (seed,) = set(tables["seed"])
    (row,) = [row for row in results.rows if row["seed"] == seed]
    w = float(results.weights(row["run"])["cell.W"][0, 0])
    read_off, answers = (np.array(tables[name]) for name in ("reading", "answer"))
    np.testing.assert_allclose(answers, w * read_off + 1 - w, rtol=1e-5)


@pytest.mark.slow
def test_counts_from_weights_to_tables(tmp_path):
    own, arms = tiny("digits-count", ("NAC+", "LSTM"))
    results = untrained(own, arms, (1, 10, 100), tmp_path)
    tables = tables_of(own, results, tmp_path)
    assert tables["absolute"]["length"] == [1, 10, 100] * 2
    assert set(tables["absolute"]["absolute error"]) == {0.5}
    assert len(tables["added"]["mean"]) == 2 * 100
    assert np.isfinite(tables["added"]["mean"]).all()


@pytest.mark.slow
def test_from_training_to_tables(tmp_path):
    own, (arm,) = tiny("digits-product", ("NMU",))
    train_cells([replace(arm.cell, seeds=(0,))], out=tmp_path, progress=False)
    results = read(tmp_path)
    assert lengths_of(results.rows) == list(range(1, 21))
    tables = tables_of(own, results, tmp_path)
    assert "success" not in tables  # there are no references
    assert set(tables["readers"]["seed"]) == {0}
    assert len(tables["sequence"]["step"]) == 20
