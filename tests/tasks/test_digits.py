"""Digits in a row: which images, which results, and what is measured of them."""

from dataclasses import dataclass

import numpy as np
import pytest

from arithmax._identity import describe
from arithmax.networks import CNN, Accumulator, Network, Recurrent
from arithmax.results import settings
from arithmax.tasks import Digits, NumpyKey, mnist, normalised_pixels
from arithmax.training import Cell, Protocol

SMALL = CNN(channels=(2, 3), hidden=8)


@pytest.fixture(scope="module")
def digit_of():
    """Which digit an image is, by its pixels."""
    known = {}
    for images, labels in mnist().values():
        pixels = normalised_pixels(images)
        known |= {p.tobytes(): int(d) for p, d in zip(pixels, labels, strict=True)}
    return lambda image: known[np.ascontiguousarray(image).tobytes()]


def results(operation: str, digits: np.ndarray) -> np.ndarray:
    """The targets of digits [length, row], by a loop."""
    columns = []
    for row in digits.T.tolist():
        if operation == "count":
            columns.append([row.count(d) for d in range(10)])
            continue
        total, so_far = (1 if operation == "product" else 0), []
        for d in row:
            total = total * d if operation == "product" else total + d
            so_far.append(total)
        columns.append(so_far)
    return np.array(columns, float).T


@pytest.mark.parametrize("operation", ["product", "sum", "count"])
@pytest.mark.parametrize("split", ["training", "interpolation", "extrapolation"])
def test_targets_are_those_of_the_digits_on_the_images(operation, split, digit_of):
    task = Digits(operation, length=3, test_length=7)
    x, t = task.draw(split, task.replica(0) | task.shared(), NumpyKey(1), 16)
    length = 7 if split == "extrapolation" else 3
    count = 16 if split == "training" else task.rows(split)
    assert x.shape == (length, 28, 28, count)
    digits = np.array(
        [[digit_of(x[i, :, :, j]) for j in range(count)] for i in range(length)]
    )
    assert (digits.min() > 0) == (operation == "product")
    np.testing.assert_array_equal(t, results(operation, digits))


def test_every_held_out_image_is_in_one_row():
    task = Digits("sum")
    x, _ = task.draw("interpolation", task.shared(), NumpyKey(0), 1)
    seen = {
        np.ascontiguousarray(x[i, :, :, j]).tobytes()
        for i in range(10)
        for j in range(50)
    }
    expected = normalised_pixels(mnist()["interpolation"].images)
    assert seen == {image.tobytes() for image in expected}


@pytest.mark.parametrize(
    ("split", "seed"), [("interpolation", 47430696), ("extrapolation", 88253339)]
)
def test_held_out_images_stand_in_the_published_order(split, seed):
    _, labels = mnist()[split]
    labels = labels[labels > 0]
    order = np.random.RandomState(seed).permutation(len(labels))
    task = Digits("product", length=1, test_length=1)
    _, t = task.draw(split, {}, NumpyKey(0), 1)
    np.testing.assert_array_equal(t[0], labels[order])


def test_a_seed_trains_on_rows_that_stay_together():
    """Rows are cut once: an image has the same neighbours in every epoch."""
    task = Digits("product")
    arrays = task.shared() | task.replica(5)
    pairs: dict[bytes, set[bytes]] = {}
    for seed in range(30):
        x, _ = task.draw("training", arrays, NumpyKey(seed), 256)
        first, second = np.moveaxis(x, -1, 1).astype(np.float16)
        for a, b in zip(first, second, strict=True):
            pairs.setdefault(a.tobytes(), set()).add(b.tobytes())
    assert len(pairs) > 1500 and all(len(seconds) == 1 for seconds in pairs.values())
    other = task.replica(6)["order"]
    assert sorted(other) == sorted(arrays["order"])
    assert (other != arrays["order"]).mean() > 0.9


def test_published_lengths():
    assert Digits("product").in_features == (2, 28, 28)
    assert Digits("sum").in_features == Digits("count").in_features == (10, 28, 28)
    assert [Digits(o).out_features for o in ("product", "sum", "count")] == [2, 10, 10]
    assert Digits("product").lengths == tuple(range(1, 21))
    assert Digits("sum").lengths == (1, 10, 100, 200, 300, 400, 500)
    assert Digits("count").lengths == (1, 10, 100)


@pytest.mark.parametrize("operation", ["product", "sum"])
def test_the_threshold_is_that_of_readings_with_noise(operation):
    task, rng = Digits(operation, test_length=3), np.random.default_rng(0)
    digits = task.shared()["extrapolation_t"].astype(float)
    digits = digits[: len(digits) // 3 * 3].reshape(-1, 3, 1)
    read = digits + rng.normal(0, np.sqrt(0.125), (len(digits), 3, 20_000))
    fold = np.cumprod if operation == "product" else np.cumsum
    expected = np.mean((fold(read, 1) - fold(digits, 1)) ** 2)
    assert task.threshold() == pytest.approx(expected, rel=0.01)


def test_a_count_has_the_noise_of_all_readings_of_its_digit():
    """Its error is that of one sum at its end, not the mean of all steps."""
    rng = np.random.default_rng(0)
    errors = rng.normal(0, np.sqrt(0.125), (200_000, 7)).sum(axis=1)
    task = Digits("count", test_length=7)
    assert task.threshold() == pytest.approx(np.mean(errors**2), rel=0.02)


def test_who_answers_nothing_is_above_the_threshold():
    """Also of long products, of which the test has few rows."""
    task = Digits("product")
    _, t = task.draw("extrapolation", {}, NumpyKey(0), 1)
    assert task.threshold() < 0.5 * np.mean(np.square(t, dtype=np.float64))


@dataclass(frozen=True)
class Whole(Network):
    """The same network as one that is not known to read image by image."""

    title = "Whole"
    network: Recurrent

    @property
    def input_axes(self):
        return 3

    def parameters(self, in_features, out_features):
        return self.network.parameters(in_features, out_features)

    def compute(self, params, x, *, training=False, noise=None, xp=None):
        return self.network.compute(params, x, xp=xp)


@pytest.mark.parametrize("operation", ["product", "sum"])
def test_errors_at_each_length_are_those_of_the_rows(operation):
    """Of networks that read each image once, and of any other, and by a loop."""
    task, rng = Digits(operation), np.random.default_rng(0)
    network = Recurrent(Accumulator(operation), SMALL)
    declared = network.parameters(task.in_features, task.out_features)
    params = {
        n: rng.normal(0.0, 0.1, p.shape).astype(np.float32) for n, p in declared.items()
    }
    arrays = task.shared()
    found = task.further(network, params, arrays)
    images = np.moveaxis(arrays["extrapolation_x"], 0, -1)
    labels = arrays["extrapolation_t"]
    readings = network.read(params, images, np)[0]
    fold = np.cumprod if operation == "product" else np.cumsum
    for length in task.lengths[:5]:
        rows = [
            fold(readings[i : i + length]) - fold(labels[i : i + length])
            for i in range(0, len(labels) - length + 1, length)
        ]
        mean = np.mean(np.square(rows, dtype=np.float64))
        assert found[f"length_{length}"] == pytest.approx(mean, rel=1e-4)
        if operation == "sum":
            last = np.mean([abs(r[-1]) for r in rows])
            assert found[f"mae_{length}"] == pytest.approx(last, rel=1e-4)
    if operation == "product":
        other = task.further(Whole(network), params, arrays)
        assert {n: float(v) for n, v in other.items()} == pytest.approx(
            {n: float(v) for n, v in found.items()}, rel=1e-3
        )
        assert "mae_2" not in found


def test_errors_of_counts_are_those_after_the_last_image():
    """Of a reader that reads the same off every image, and counts it up."""
    task, each = Digits("count"), np.linspace(-0.2, 0.7, 10).astype(np.float32)
    solved = Accumulator("sum", outputs=10)
    network = Recurrent(solved, SMALL, readings=10, every_step=False)
    declared = network.parameters(task.in_features, 10)
    params = {n: np.zeros(p.shape, np.float32) for n, p in declared.items()}
    params["reader.out.b"] = each
    arrays = task.shared()
    found = task.further(network, params, arrays)
    labels = arrays["extrapolation_t"].astype(int)
    for length in task.lengths:
        rows = labels[: len(labels) // length * length].reshape(-1, length)
        counts = np.array([np.bincount(row, minlength=10) for row in rows])
        errors = counts - length * each
        mean, square = np.mean(np.abs(errors)), np.mean(errors**2)
        assert found[f"mae_{length}"] == pytest.approx(mean, rel=1e-4)
        assert found[f"length_{length}"] == pytest.approx(square, rel=1e-4)


def test_where_the_files_lie_is_no_part_of_a_run():
    here, there = (Digits(images="full", folder=f) for f in "ab")
    assert describe(here) == describe(there) == "Digits(images='full')"
    assert "task_folder" not in dict(settings("task", here))
    assert dict(settings("task", here))["task_images"] == "full"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"operation": "difference"}, "operation"),
        ({"length": -1}, "length"),
        ({"length": 2.5}, "length"),
        ({"images": "mine"}, "images"),
    ],
)
def test_what_there_is_not_is_refused(options, words):
    with pytest.raises((ValueError, TypeError), match=words):
        Digits(**options)


def test_a_length_beyond_the_images_is_refused():
    with pytest.raises(ValueError, match=r"test_length.*=600.*at most 500.*full"):
        Digits("sum", test_length=600).rows("extrapolation")
    with pytest.raises(ValueError, match=r"`length` \(=600\).*at most 500"):
        Digits("sum", length=600).rows("interpolation")


def test_products_that_no_format_holds_are_refused():
    at_most = r"`test_length` \(=600\) must be at most 323.*ten times `length`"
    with pytest.raises(ValueError, match=at_most):
        Digits("product", length=60)
    with pytest.raises(ValueError, match=r"`length` \(=324\) must be at most 323"):
        Digits("product", length=324, test_length=1)
    assert np.isfinite(Digits("product", test_length=323).largest("extrapolation"))


def test_products_that_the_format_does_not_hold_are_refused_by_their_length():
    task, protocol = Digits("product", test_length=60), Protocol()
    words = r"`test_length` \(=60\) has .* up to 1.8e\+57, .*'float32'.* smaller"
    with pytest.raises(ValueError, match=words):
        Cell(Recurrent(Accumulator("product"), SMALL), task, protocol, (0,))
    wide = protocol.updated(precision="float64")
    assert Cell(Recurrent(Accumulator("product"), SMALL), task, wide, (0,)).task == task
