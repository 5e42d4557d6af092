"""A table of the user's as a task."""

import pickle
from pathlib import Path

import duckdb
import jax.numpy as jnp
import numpy as np
import pytest

from arithmax import NAU, NMU, Protocol, train
from arithmax.tasks import Dataset, NumpyKey
from arithmax.training import SGD, Adam, Batches, Measuring
from arithmax.training._random import DATA, Key

RNG = np.random.default_rng(0)
X = RNG.uniform(1, 3, (50, 2))
Y = X[:, 0] * X[:, 1]
SPLITS = ("training", "interpolation", "extrapolation")


def all_rows(task, split):
    return task.draw(split, task.replica(0), NumpyKey(0), 10**6)


def found(task):
    """The training, held-out and extrapolation rows of X, by their first input."""
    first = X[:, 0].tolist()
    return [[first.index(v) for v in all_rows(task, s)[0][0]] for s in SPLITS]


def written(folder: Path, text: str) -> Path:
    path = folder / "table.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_each_row_is_in_one_split_and_in_order():
    task = Dataset.from_arrays(X, Y)
    rows = found(task)
    assert sorted(i for part in rows for i in part) == list(range(50))
    assert [len(r) for r in rows] == [30, 10, 10] and rows[0] == sorted(rows[0])
    x, t = all_rows(task, "training")
    np.testing.assert_array_equal(t, x[:1] * x[1:])
    assert [task.rows(s) for s in SPLITS] == [30, 10, 10]
    assert task.in_features == 2 and task.out_features == 1


def test_the_farthest_rows_are_for_extrapolation():
    _, _, outside = found(Dataset.from_arrays(X * (1, 1000), Y, extrapolation=0.1))
    distance = (((X - X.mean(0)) / X.std(0)) ** 2).sum(1)
    assert sorted(outside) == sorted(np.argsort(-distance)[:5].tolist())


def test_rows_of_the_users_choice():
    mask = np.zeros(50, bool)
    mask[[3, 5]] = True
    training, held, outside = found(
        Dataset.from_arrays(X, Y, held_out=mask, extrapolation=[1, 2])
    )
    assert held == [3, 5] and outside == [1, 2] and len(training) == 46
    _, held, outside = found(Dataset.from_arrays(X, Y, extrapolation=[7]))
    assert outside == [7] and len(held) == 10 and 7 not in held
    far = int(np.argmax((((X - X.mean(0)) / X.std(0)) ** 2).sum(1)))
    _, held, outside = found(Dataset.from_arrays(X, Y, held_out=[far]))
    assert held == [far] and far not in outside


@pytest.mark.parametrize("none", [None, 0, 0.0, [], np.zeros(50, bool)])
def test_without_rows_outside_the_held_out_ones_are_measured(none):
    task = Dataset.from_arrays(X, Y, extrapolation=none)
    assert task.extrapolation_rows == 0 and task.rows("extrapolation") == 10
    _, held, outside = found(task)
    assert held == outside


def test_a_seed_holds_rows_out():
    one, same, other = (Dataset.from_arrays(X, Y, seed=s) for s in (1, 1, 2))
    assert one == same != other and hash(one) == hash(same)
    assert found(one)[1] != found(other)[1] and found(one)[2] == found(other)[2]


def test_identity_is_a_digest_of_content_and_splits():
    task = Dataset.from_arrays(X, Y, names=("a", "b"), targets=["area"])
    assert (
        str(task)
        == repr(task)
        == (
            "Dataset(input_names=('a', 'b'), target_names=('area',), training_rows=30, "
            f"held_out_rows=10, extrapolation_rows=10, content='{task.content}')"
        )
    )
    changed = X.copy()
    changed[0, 0] += 1e-12
    others = [Dataset.from_arrays(changed, Y), Dataset.from_arrays(X, Y)]
    others += [Dataset.from_arrays(X, Y + 1), Dataset.from_arrays(X, Y, held_out=[0])]
    assert len({task, *others}) == 5
    assert len({other.structure for other in (task, *others)}) == 5
    assert pickle.loads(pickle.dumps(task)) == task


def test_data_do_not_change_with_the_users_arrays():
    x, y = X.copy(), Y.copy()
    task = Dataset.from_arrays(x, y)
    x[:], y[:] = 0, 0
    drawn, t = all_rows(task, "training")
    assert drawn.min() >= 1 and t.min() >= 1
    with pytest.raises(ValueError, match="read-only"):
        drawn[0, 0] = 9


@pytest.mark.parametrize("framework", ["numpy", "jax"])
def test_batches_are_rows_at_random(framework):
    task = Dataset.from_arrays(X, Y)
    key = NumpyKey(1)
    if framework == "jax":
        key = Key("hash", jnp.uint32(0), DATA, jnp.uint32(0), jnp.dtype("float64"))
    counts = dict.fromkeys(all_rows(task, "training")[0][0].tolist(), 0)
    for _ in range(100):
        x, t = task.draw("training", {}, key, 29)
        assert x.shape == (2, 29) and t.shape == (1, 29)
        np.testing.assert_allclose(t, x[:1] * x[1:])
        for value in np.asarray(x[0]).tolist():
            counts[value] += 1
    assert 50 < min(counts.values()) and max(counts.values()) < 160


def test_a_batch_of_all_rows_has_each_once():
    task = Dataset.from_arrays(X, Y)
    for size in (30, 31, 10**6):
        x, _ = task.draw("training", task.shared(), NumpyKey(0), size)
        np.testing.assert_array_equal(x, all_rows(task, "training")[0])


def test_the_threshold_is_of_the_extrapolation_rows():
    task = Dataset.from_arrays(X, Y, extrapolation=[1, 4])
    assert task.threshold(1e-3) == pytest.approx(1e-6 * np.mean(Y[[1, 4]] ** 2))
    assert task.limits()["eps_1e4"] == task.threshold(1e-4)
    assert task.largest("extrapolation") == Y[[1, 4]].max()


def test_inputs_may_have_a_shape():
    images = RNG.uniform(size=(20, 4, 3))
    task = Dataset.from_arrays(images, images.sum((1, 2)))
    assert task.in_features == task.input_shape == (4, 3) and task.input_names == ()
    x, t = task.draw("training", {}, NumpyKey(0), 5)
    assert x.shape == (4, 3, 5)
    np.testing.assert_allclose(x.sum((0, 1)), t[0])


def test_a_csv_file(tmp_path):
    lines = [f"{a!r},{b!r},{a * b!r},note" for a, b in X.tolist()]
    path = written(tmp_path, "\ufeffa, b,area,text\r\n" + "\r\n".join(lines) + "\r\n")
    task = Dataset.from_csv(path, "area", ["a", "b"])
    assert task.input_names == ("a", "b") and task.target_names == ("area",)
    assert task.content == Dataset.from_arrays(X, Y).content
    assert str(tmp_path) not in str(task)
    two = Dataset.from_csv(path, ["area", "a"], "b", held_out=[0])
    assert two.out_features == 2 and two.target_names == ("area", "a")


def test_other_delimiters_quotes_and_a_column_that_says_the_split(tmp_path):
    rows = ["training"] * 6 + ["held_out"] * 2 + ["extrapolation"]
    text = "".join(f'"{i}";{i * i};{name}\n' for i, name in enumerate(rows))
    path = written(tmp_path, "x;y;use\n\n" + text)
    task = Dataset.from_csv(path, "y", delimiter=";", split="use")
    assert task.input_names == ("x",)
    assert [all_rows(task, s)[0][0].tolist() for s in SPLITS] == [
        [0, 1, 2, 3, 4, 5],
        [6, 7],
        [8],
    ]


def test_a_parquet_file(tmp_path):
    path = tmp_path / "a[1]=*.parquet"
    with duckdb.connect() as database:
        database.sql(
            "SELECT i::INTEGER a, (i / 2)::FLOAT b, (i * 3)::DECIMAL(9, 2) y, "
            "i > 3 flag, CASE WHEN i < 8 THEN 'training' WHEN i < 10 THEN 'held_out' "
            "ELSE 'extrapolation' END AS part FROM range(12) t(i)"
        ).write_parquet(str(path))
    task = Dataset.from_parquet(path, "y", split="part")
    assert task.input_names == ("a", "b", "flag")
    x, t = all_rows(task, "extrapolation")
    np.testing.assert_array_equal(x, [[10, 11], [5, 5.5], [1, 1]])
    np.testing.assert_array_equal(t, [[30, 33]])


def protocol(batch, **changes):
    given = Protocol(3000, batches=Batches(batch), optimiser=Adam(1e-2))
    return given.updated(**changes)


@pytest.mark.parametrize("batch", [16, 64])
def test_a_table_is_trained_like_any_other_task(batch, tmp_path):
    task = Dataset.from_arrays(X, Y)
    results = train(NMU(), task, protocol(batch), seeds=range(3), block=4, out=tmp_path)
    assert [row["outcome"] for row in results.rows] == ["solved"] * 3
    assert results.rows[0]["task"] == str(task)
    assert results.rows[0]["task_content"] == task.content


def test_a_full_batch_is_the_mean_over_all_rows(tmp_path):
    """One step of gradient descent, computed by hand."""
    task = Dataset.from_arrays(X, X @ [1.0, 1.0])
    protocol = Protocol(
        1,
        batches=Batches(1000),
        optimiser=SGD(0.1),
        project=False,
        measuring=Measuring(1, window=1, keep=(0, 1)),
        precision="float64",
    )
    results = train(NAU(), task, protocol, seeds=[0], block=1, out=tmp_path)
    run = results.rows[0]["run"]
    before, after = results.path(run)[1]["W"]
    errors = results.curves([run])[run]["extrapolation"]
    x, t = all_rows(task, "training")
    gradient = 2 * ((before @ x - t) @ x.T) / x.shape[1]
    np.testing.assert_allclose(after, before - 0.1 * gradient, rtol=1e-9)
    x, t = all_rows(task, "extrapolation")
    assert errors[0] == pytest.approx(np.mean((before @ x - t) ** 2), rel=1e-9)
