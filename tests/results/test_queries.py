"""Tables: as data frames, and in queries under the names that their files have."""

from pathlib import Path

import numpy as np
import pytest

from arithmax._files import write_table
from arithmax.results import Results, read
from arithmax.training import train_cells
from short_runs import cell

RESULTS = Path(__file__).parents[2] / "results"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    train_cells([cell(seeds=(0, 1))], out=folder)
    write_table(folder / "mine.counts.table.parquet", {"n": np.array([3, 4])})
    return read(folder)


def test_rows_as_a_data_frame(trained):
    frame = trained.to_pandas()
    assert len(frame) == 2 and frame["seed"].tolist() == [0, 1]
    assert frame["protocol_optimiser_learning_rate"].tolist() == [1e-3, 1e-3]
    assert list(frame) == list(trained.rows[0])
    assert Results([]).to_pandas().empty


def test_queries_have_the_names_of_files(trained):
    assert trained.folder is not None
    files = {file.name for file in trained.folder.glob("*.parquet")}
    assert {name.split(".")[-2] for name in files} == {"rows", "curves", "table"}
    [both] = trained.query(
        "SELECT count(DISTINCT seed) AS seeds, max(step) AS last "
        "FROM rows JOIN curves USING (run)"
    )
    assert both == {"seeds": 2, "last": 3000}
    assert trained.query('SELECT sum(n) AS n FROM "mine.counts"') == [{"n": 7}]


def test_packs_have_the_same_names():
    shipped = Results([], RESULTS)
    [counted] = shipped.query('SELECT count(*) AS n FROM "division.zero"')
    assert counted["n"] > 0
    assert shipped.query("SELECT count(*) AS n FROM curves") == [{"n": 0}]
