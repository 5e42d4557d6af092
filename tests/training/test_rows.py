"""What a fleet leaves in a folder: one row per run, curves and weights."""

import re
import shutil
from pathlib import Path

import duckdb
import jax
import numpy as np
import pytest
import torch

import arithmax.equinox
import arithmax.torch
from arithmax import NMU, Stack, _files, results
from arithmax.tasks import Subsets
from arithmax.training import _block, published, train_cells
from short_runs import TASK, cell, evaluated, measured

FLEET_PAGE = Path(__file__).parents[2] / "docs" / "fleet.md"


def test_a_second_run_finishes_at_once(tmp_path, monkeypatch):
    first = train_cells([cell(seeds=range(5))], out=tmp_path)
    before = {p.name: p.stat().st_mtime_ns for p in tmp_path.iterdir()}

    def never(*args):
        raise AssertionError("trained again")

    monkeypatch.setattr(_block, "train_job", never)
    again = train_cells([cell(seeds=range(5))], out=tmp_path)
    assert measured(first) == measured(again)
    assert before == {p.name: p.stat().st_mtime_ns for p in tmp_path.iterdir()}


def test_more_seeds_and_other_settings_are_added(tmp_path):
    train_cells([cell(seeds=range(3))], out=tmp_path)
    more = train_cells([cell(seeds=range(6))], out=tmp_path)
    assert len(more) == 6 and len(results.read(tmp_path)) == 6
    train_cells([cell(seeds=range(3), optimiser__learning_rate=2e-3)], out=tmp_path)
    everything = results.read(tmp_path)
    assert len(everything) == 9
    assert measured(everything).items() >= measured(more).items()
    rates = everything.query(
        "SELECT protocol_optimiser_learning_rate AS rate, count(*) AS n FROM rows "
        "GROUP BY 1 ORDER BY 1"
    )
    assert rates == [{"rate": 1e-3, "n": 6}, {"rate": 2e-3, "n": 3}]


def test_rows_have_the_whole_configuration(tmp_path):
    done = train_cells([cell(seeds=[3])], out=tmp_path)
    row = done.rows[0]
    assert evaluated(row["network"]) == NMU()
    assert evaluated(row["protocol"]) == cell().protocol
    assert row["seed"] == 3 and row["version"] == arithmax.__version__
    assert (
        row["threshold"] == TASK.threshold(1e-4) and row["threshold_rule"] == "authors"
    )
    assert row["block"] == 64 and row["platform"] == "cpu" and row["seconds"] > 0
    assert measured(results.read(tmp_path)) == measured(done)


def test_weights_of_the_best_step_load_into_pytorch(tmp_path):
    """They give the interpolation error that the row has, on other data."""
    task = Subsets("mul", simple=True)
    done = train_cells(
        [cell(task=task, seeds=[0], measuring__validation=10_000)], out=tmp_path
    )
    row = done.rows[0]
    weights = done.weights(row["run"])
    network = published(NMU(), task)[0]
    assert isinstance(network, Stack)
    net = arithmax.torch.sequential(network, 4, 1)
    net.load_state_dict({name: torch.tensor(v) for name, v in weights.items()})
    layer = arithmax.equinox.Layer(network, 4, 1, key=jax.random.key(0), inference=True)
    x = np.random.default_rng(0).uniform(1, 2, (9, 4)).astype("float32")
    same = layer.with_parameters(weights)(x.astype("float64"))
    np.testing.assert_allclose(same, net(torch.tensor(x)).detach(), rtol=1e-5)
    x = torch.rand(200_000, 4) + 1
    error = (net(x)[:, 0] - x.sum(1) * x[:, :2].sum(1)).square().mean().item()
    assert np.isclose(error, row["interpolation"], rtol=0.1)


def test_curves_are_beside_the_rows(tmp_path):
    done = train_cells([cell(seeds=[0, 1])], out=tmp_path)
    with duckdb.connect() as database:
        sql = f"SELECT run, step, interpolation FROM '{tmp_path}/*.curves.parquet'"
        curves = database.sql(sql).fetchall()
    assert len(curves) == 2 * 7
    for row in done.rows:
        errors = {step: error for run, step, error in curves if run == row["run"]}
        assert sorted(errors) == list(range(0, 3001, 500))
        assert (
            errors[row["best_step"]]
            == min(errors.values())
            == np.float32(row["interpolation"])
        )


def test_one_run_is_one_row(tmp_path):
    """In whatever blocks and files it is, and however often it is asked for."""
    first = train_cells([cell(seeds=range(3))], out=tmp_path, block=4)
    train_cells([cell(seeds=range(5))], out=tmp_path, block=8)
    for path in list(tmp_path.glob("*.*")):
        shutil.copy(path, tmp_path / f"again-{path.name}")
    names = sorted(path.name for path in tmp_path.iterdir())
    train_cells([cell(seeds=range(5))], out=tmp_path, block=16)  # all are known
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    stored = results.read(tmp_path)
    assert sorted(row["seed"] for row in stored.rows) == [0, 1, 2, 3, 4]
    # The run that was finished first counts.
    blocks = {row["seed"]: row["block"] for row in stored.rows}
    assert blocks == {0: 4, 1: 4, 2: 4, 3: 8, 4: 8}
    [counted] = stored.query("SELECT count(*) AS n FROM rows")
    assert counted == {"n": 5}
    documented = re.findall(r"```sql\n(.*?)```", FLEET_PAGE.read_text(), re.S)[0]
    documented = documented.replace("runs/", f"{tmp_path}/")
    with duckdb.connect() as database:
        answer = database.execute(f"SELECT sum(runs) FROM ({documented})").fetchall()
    assert answer == [(5,)]
    run = first.rows[0]["run"]
    curve = stored.curves([run])[run]
    assert curve["step"].tolist() == sorted(set(curve["step"].tolist()))
    assert len(curve["step"]) == 7
    twice = train_cells([cell(seeds=range(3)), cell(seeds=(1, 2, 3))])
    assert [row["seed"] for row in twice.rows] == [0, 1, 2, 3]


def test_the_first_step_below_each_limit_is_stored(tmp_path):
    """From all measurements, since curves may be thinned later."""
    done = train_cells([cell(seeds=range(6))], out=tmp_path)
    curves = done.curves([row["run"] for row in done.rows])
    limits = TASK.limits()
    assert limits["eps_1e4"] == TASK.threshold(1e-4, "authors")
    for row in results.read(tmp_path).rows:
        curve = curves[row["run"]]
        for name, limit in limits.items():
            below = curve["step"][curve["extrapolation"] < limit]
            assert row[f"first_below_{name}"] == (below[0] if len(below) else None)
    assert any(row["first_below_flat_1e5"] is not None for row in done.rows)


def test_foreign_files_are_refused(tmp_path):
    (tmp_path / "other.rows.parquet").write_bytes(b"PAR1 nonsense PAR1")
    with pytest.raises(ValueError, match=r"other\.rows\.parquet cannot be read"):
        results.read(tmp_path)
    (tmp_path / "other.rows.parquet").unlink()
    _files.write_table(tmp_path / "old.rows.parquet", {"format": np.array([0])})
    with pytest.raises(ValueError, match="another version of arithmax"):
        train_cells([cell()], out=tmp_path)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        results.read(tmp_path / "nowhere")
