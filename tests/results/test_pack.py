"""Packs: what they keep exactly, what they round, and that they are small."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from arithmax import NMU, _files, train
from arithmax.results import FORMAT, pack, read, thinned, write_rows
from arithmax.results._pack import rounded
from arithmax.results._quantised import codes, decoded, differences, summed
from arithmax.results._rows import compatible
from arithmax.results._stacks import TensorStack, read_stacks, write_stacks
from arithmax.tasks import SingleModule

ROW: dict[str, Any] = {
    "run": "a",
    "unit": "NMU",
    "network": "NMU()",
    "task": "T()",
    "protocol": "P()",
    "seed": 0,
    "platform": "cpu",
    "outcome": "solved",
    "solved_at": 10,
    "diverged_at": None,
    "best_step": 20,
    "interpolation": 0.1,
    "extrapolation": 1 / 3,
    "sparsity": 0.0,
    "threshold": 1e-5,
    "block": 32,
    "format": FORMAT,
    "protocol_steps": 20,
}


def row(run: str, seed: int = 0, **more: Any) -> dict[str, Any]:
    return ROW | {"run": run, "seed": seed} | more


def trained(folder: Path, rows: list[dict[str, Any]], name: str = "block") -> Path:
    """A folder as the fleet writes it: errors fall, weights are noise."""
    folder.mkdir(exist_ok=True)
    noise = np.random.default_rng(len(rows))
    weights, curves = {}, []
    for one in rows:
        run = one["run"]
        weights[f"{run}/0.W"] = noise.normal(size=(2, 3)).astype(np.float32)
        weights[f"{run}/1.W"] = noise.normal(size=(2, 100)).astype(np.float32)
        weights[f"{run}/2.W"] = np.zeros((50, 100), np.float32)
        weights[f"{run}@path/step"] = np.array([0, 10])
        weights[f"{run}@path/0.W"] = np.zeros((2, 2, 3), np.float32)
        curves += [(run, step, noise.uniform(1e-9, 10)) for step in range(0, 401, 2)]
    save_file(weights, folder / f"{name}.safetensors")
    runs, steps, errors = zip(*curves, strict=True)
    columns = {"run": np.array(runs, dtype=object), "step": np.array(steps)}
    columns["extrapolation"] = np.array(errors, np.float32)
    _files.write_table(folder / f"{name}.curves.parquet", columns)
    write_rows(folder, name, rows)
    return folder


def test_rows_come_back_as_they_were(tmp_path):
    """Those of tasks with different settings, and of versions that measured less."""
    rows = [
        row("a", 2**40, task_size=3, code="x", diverged_at=7, solved_at=None),
        row("b", 1, task_name="mul", task_flag=True, extrapolation=math.inf),
        row("c", 2, task_name=5),  # a number where another task has text
        row("d", 3, first_below_eps=None),
        row("e", 4, first_below_eps=9, threshold=math.inf),
    ]
    pack(trained(tmp_path / "all", rows), tmp_path / "small", "packed")
    before = {r["run"]: r for r in read(tmp_path / "all").rows}
    after = {r["run"]: r for r in read(tmp_path / "small").rows}
    assert before == after and before["a"]["seed"] == 2**40
    for run, found in after.items():
        kinds = {n: type(v) for n, v in before[run].items()}
        assert {n: type(v) for n, v in found.items()} == kinds
    assert "first_below_eps" not in after["a"] and after["d"]["first_below_eps"] is None
    assert after["b"]["task_flag"] is True and "task_size" not in after["b"]
    results = read(tmp_path / "small")
    for run in before:  # whichever file has its row
        assert set(results.weights(run)) == {"0.W", "1.W"}
    assert len(list((tmp_path / "small").glob("*.rows.parquet"))) == 3


def test_weights_are_exact_or_rounded_and_snapshots_stay_behind(tmp_path):
    rows = [row(f"run-{i}", i) for i in range(5)]
    folder = trained(tmp_path / "all", rows)
    pack(folder, tmp_path / "small", "packed")
    done, again = read(folder), read(tmp_path / "small")
    for one in done.rows:
        exact, found = done.weights(one["run"]), again.weights(one["run"])
        assert set(found) == {"0.W", "1.W"}  # 5,000 numbers are too many
        np.testing.assert_array_equal(exact["0.W"], found["0.W"])
        np.testing.assert_allclose(exact["1.W"], found["1.W"], rtol=2**-11)
        assert (exact["1.W"] != found["1.W"]).any()
        found["0.W"][:] = 0  # a copy: the next reader gets the weights
        np.testing.assert_array_equal(again.weights(one["run"])["0.W"], exact["0.W"])
    assert done.path("run-0")[0].tolist() == [0, 10]
    with pytest.raises(KeyError, match="has no weights"):
        again.path("run-0")


def test_curves_are_thinned_and_right_to_half_a_hundredth_of_a_decade(tmp_path):
    folder = trained(tmp_path / "all", [row(f"run-{i}", i) for i in range(5)])
    pack(folder, tmp_path / "small", "packed", points=20)
    runs = ["run-3", "none", "run-1"]
    full, short = read(folder).curves(runs), read(tmp_path / "small").curves(runs)
    assert list(full) == list(short) == ["run-3", "run-1"]
    for run, curve in short.items():
        kept = np.isin(full[run]["step"], curve["step"])
        assert 20 <= kept.sum() == len(curve["step"]) <= 40
        exact = np.log10(full[run]["extrapolation"][kept].astype(float))
        assert np.abs(np.log10(curve["extrapolation"]) - exact).max() <= 0.005 + 1e-9


def test_a_pack_of_a_pack_is_the_same(tmp_path):
    folder = trained(tmp_path / "all", [row(f"run-{i}", i) for i in range(3)])
    pack(folder, tmp_path / "once", "x")
    pack(tmp_path / "once", tmp_path / "twice", "x")
    files = sorted((tmp_path / "once").iterdir())
    assert len(files) == 3
    for file in files:
        assert _files.tables(file, "") == _files.tables(
            tmp_path / "twice" / file.name, ""
        )


def test_packs_and_blocks_share_a_folder(tmp_path):
    """Runs that are in both are there once."""
    early, late = [row("a", 0), row("b", 1)], [row("b", 1), row("c", 2)]
    folder = trained(tmp_path / "all", early, "early")
    pack(folder, tmp_path / "one", "early")
    pack(trained(tmp_path / "late", late), tmp_path / "one", "late")
    trained(tmp_path / "one", [row("d", 3)])
    results = read(tmp_path / "one")
    assert sorted(r["run"] for r in results.rows) == ["a", "b", "c", "d"]
    curves = results.curves(["d", "c", "b", "a"])
    assert list(curves) == ["d", "c", "b", "a"]
    for run, curve in curves.items():
        assert (np.diff(curve["step"]) > 0).all() and len(curve) == 2
        assert results.weights(run)["1.W"].shape == (2, 100)


def test_nothing_is_overwritten(tmp_path):
    folder = trained(tmp_path / "all", [row("a")])
    pack(folder, tmp_path / "small", "packed")
    with pytest.raises(FileExistsError, match=r"packed.*exists.*`name` \(='packed'\)"):
        pack(folder, tmp_path / "small", "packed")
    pack(folder, tmp_path / "small", "pack")


def test_what_the_fleet_trains_is_packed(tmp_path):
    done = train(NMU(), SingleModule("mul"), seeds=range(2), out=tmp_path / "all")
    pack(tmp_path / "all", tmp_path / "small", "packed")
    again = read(tmp_path / "small")
    assert again.rows == read(tmp_path / "all").rows
    for one in done.rows:
        for name, value in done.weights(one["run"]).items():
            np.testing.assert_array_equal(value, again.weights(one["run"])[name])
    assert set(again.curves([done.rows[0]["run"]]).popitem()[1]) == {
        "step",
        "extrapolation",
        "interpolation",
        "sparsity",
    }


def test_many_small_tensors_are_small(tmp_path):
    """20,000 numbers in 1,000 tensors: their bytes, and little else."""
    runs = [f"{i:016x}" for i in range(1000)]
    noise = np.random.default_rng(0).normal(size=(1000, 20)).astype(np.float32)
    path = tmp_path / "x.weights.stacks.parquet"
    write_stacks(path, runs, [TensorStack(np.arange(1000), {"W": noise})])
    assert path.stat().st_size < 0.95 * noise.nbytes


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i2", "i4", "i8", "u1", "?"])
@pytest.mark.parametrize("shape", [(2,), (2, 0), (2, 3, 1)])
def test_stacks_keep_every_bit(tmp_path, dtype, shape):
    values = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    if dtype[0] == "f" and values.size:
        values.flat[0] = np.nan
    path = tmp_path / "x.weights.stacks.parquet"
    _files.write_table(
        tmp_path / "x.rows.parquet", {"run": _files.column(["a", "it's"])}
    )
    write_stacks(path, ["a", "it's"], [TensorStack(np.array([1, 0]), {"W": values})])
    (stack,), homes = read_stacks(path, 0, "rows")
    assert homes == {"it's": (0, 0), "a": (0, 1)}
    assert stack.arrays["W"].dtype == values.dtype
    assert stack.arrays["W"].tobytes() == values.tobytes()
    assert stack.arrays["W"].shape == shape


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("version = 9", "its format is 9, not 1"),
        ("runs = 'x'", "the rows beside it are of other runs"),
        ("dtypes = ['O']", "`dtypes` has 'O'"),
        ("bytes = ['abc'::BLOB]", "cannot be read.*Move it away"),
        ("shapes = [[7]]", "cannot be read.*Move it away"),
        ("names = ['a', 'b']", "cannot be read.*Move it away"),
        ("names = NULL", "cannot be read.*Move it away"),
        ("places = [-1]", "not among the 1 rows"),
    ],
)
def test_stacks_that_were_changed(tmp_path, change, message):
    import duckdb

    path = tmp_path / "x.weights.stacks.parquet"
    _files.write_table(tmp_path / "x.rows.parquet", {"run": _files.column(["a"])})
    write_stacks(path, ["a"], [TensorStack(np.array([0]), {"W": np.ones((1, 2))})])
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE t AS FROM '{path}'")
        database.execute(f"UPDATE t SET {change}")
        database.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    with pytest.raises(ValueError, match=message):
        read_stacks(path, 1, "rows")


def test_a_file_that_was_cut_short(tmp_path):
    pack(trained(tmp_path / "all", [row("a")]), tmp_path / "small", "x")
    for kind in ("weights", "curves"):
        path = tmp_path / "small" / f"x.{kind}.stacks.parquet"
        path.write_bytes(path.read_bytes()[:-20])
    results = read(tmp_path / "small")
    with pytest.raises(ValueError, match=r"x\.weights\.stacks\.parquet cannot be read"):
        results.weights("a")
    with pytest.raises(ValueError, match=r"x\.curves\.stacks\.parquet cannot be read"):
        results.curves(["a"])


def test_codes_keep_what_is_no_number():
    values = np.array([[0.0, np.nan, np.inf, 1e-45, 3e38, 1.7e308, 5e-324, 1.0]])
    found = decoded(summed(differences(codes(values))))
    np.testing.assert_array_equal(np.isnan(found), np.isnan(values))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(values))
    np.testing.assert_array_equal(found == 0, values == 0)
    small = np.isfinite(values) & (values > 0)
    off = np.log10(found[small]) - np.log10(values[small])
    assert np.abs(off).max() <= 0.005 + 1e-9


def test_negative_curves_stay_as_they_are(tmp_path):
    folder = trained(tmp_path / "all", [row("a")])
    steps = np.arange(3)
    columns = {"run": _files.column(["a"] * 3), "step": steps}
    columns["extrapolation"] = np.array([-1.23456, -np.inf, np.nan])
    _files.write_table(folder / "block.curves.parquet", columns)
    pack(folder, tmp_path / "small", "x")
    found = read(tmp_path / "small").curves(["a"])["a"]["extrapolation"]
    np.testing.assert_array_equal(found, columns["extrapolation"])


def test_rounding_keeps_exact_solutions():
    few_bits = np.array([-1, 0, 1, 0.5, np.inf, -np.inf, 2.0**100], np.float32)
    exact = np.resize(few_bits, (2, 101))
    np.testing.assert_array_equal(rounded(exact), exact)
    largest = np.full((1, 101), np.finfo(np.float32).max)
    np.testing.assert_array_equal(rounded(largest), largest)
    assert np.isnan(rounded(np.full((1, 101), np.nan, np.float32))).all()
    few = np.full((3, 100), np.pi, np.float32)
    assert rounded(few) is few
    many = np.full((1, 101), np.pi, np.float32)
    assert rounded(many).dtype == np.float32
    np.testing.assert_array_equal(rounded(many), many.astype(np.float16))


def test_rows_of_one_table():
    assert compatible([]) == []
    a, b, c = {"x": True}, {"x": 1}, {"x": 1.5, "solved_at": None}
    assert compatible([a, b, a, {"x": 2}, c]) == [[a, a], [b, {"x": 2}], [c]]


def test_thinned_steps():
    kept = thinned(np.arange(401) * 10, 20)
    assert kept[0] == 0 and kept[-1] == 4000 and 20 <= len(kept) <= 40
    assert set(np.diff(kept[:5])) == {10}
