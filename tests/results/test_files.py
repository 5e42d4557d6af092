"""Tables keep what they are given, and folders are what their names say."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest

from arithmax import _files
from arithmax._files import arrays, column, folder_of, scan, sweep, tables, writable


def test_a_number_that_is_none_stays_none(tmp_path):
    """NaN and infinity come back, and are told from what is missing."""
    given = {
        "run": np.array(["a", "b", "c"], dtype=object),
        "error": np.array([np.nan, np.inf, 0.0], np.float32),
        "solved_at": column([None, 3, 4]),
        "step": column([1, 2, 3]),
    }
    path = tmp_path / "x.parquet"
    _files.write_table(path, given)
    names, rows = tables(path, "")
    assert names == list(given)
    assert rows[1:] == [("b", np.inf, 3.0, 2), ("c", 0.0, 4.0, 3)]
    assert np.isnan(rows[0][1]) and rows[0][2] is None
    with duckdb.connect() as database:
        found = arrays(scan(database, [path, path]))
    assert not any(np.ma.isMaskedArray(values) for values in found.values())
    np.testing.assert_array_equal(found["error"], [np.nan, np.inf, 0.0] * 2)
    np.testing.assert_array_equal(found["solved_at"], [np.nan, 3, 4] * 2)
    assert found["error"].dtype == np.float32 and found["step"].dtype == np.int64


def test_missing_numbers_of_older_files_are_nan(tmp_path):
    """Files from before have NULL where there was a NaN, also among integers."""
    path = tmp_path / "x.parquet"
    with duckdb.connect() as database:
        database.execute(
            "COPY (SELECT unnest([NULL, 1.5]) AS error, unnest([7, NULL]) AS step) "
            f"TO '{path}'"
        )
        found = arrays(scan(database, [path]))
    np.testing.assert_array_equal(found["error"], [np.nan, 1.5])
    np.testing.assert_array_equal(found["step"], [7, np.nan])


@pytest.mark.parametrize("name", ["runs*", "run=abc", "a[1]?", "über × 100 %", "it's"])
def test_odd_folder_names(tmp_path, name):
    """A name is neither a pattern nor a column."""
    folder, sibling = tmp_path / name, tmp_path / "runs-of-others"
    for place, value in ((folder, 1.0), (sibling, 2.0)):
        place.mkdir()
        _files.write_table(place / "x.parquet", {"error": np.array([value])})
    assert tables(folder / "x.parquet", "") == (["error"], [(1.0,)])


def test_only_our_own_leftovers_are_swept(tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    kept = [".film.mkv.part", ".x.parquet.part", ".x.123.part", ".notes.txt.h.1.part"]
    kept.append(f".x.rows.parquet.another-machine.{dead.pid}.part")
    kept.append(f".x.rows.parquet.{_files.HOST}.{os.getpid()}.part")
    swept = [f".x.rows.parquet.{_files.HOST}.{dead.pid}.part"]
    swept.append(f".x.checkpoint.{_files.HOST}.{10**30}.part")
    for name in kept + swept:
        (tmp_path / name).write_text("x")
    sweep(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(kept)


def test_a_folder_is_expanded_once(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert folder_of("out", "~/runs") == writable("out", "~/runs") == tmp_path / "runs"
    assert list((tmp_path / "runs").iterdir()) == []  # nothing is left of the trial


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("file", r"`out` \(=file\) is a file, not a folder"),
        ("file/runs", r"`out` \(=file/runs\) cannot be written to"),
        ("/proc/arithmax", r"`out` \(=/proc/arithmax\) cannot be written to"),
        ("~nobody-of-that-name/x", r"`out` \(=~nobody.*\) names no folder"),
    ],
)
def test_folders_that_cannot_be(tmp_path, monkeypatch, value, message):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    with pytest.raises((OSError, ValueError), match=message):
        writable("out", value)


FULL = """
import resource, sys
from pathlib import Path
import numpy as np
from arithmax._files import write_table
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))  # as a disk that is full
noise = np.random.default_rng(0).normal(size=100_000)
try:
    write_table(Path(sys.argv[1]) / "x.parquet", {"noise": noise})
except OSError as error:
    print(error)
"""


def test_a_full_disk_is_an_error_of_the_system(tmp_path):
    """DuckDB raises an exception of its own, which nobody would catch."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, tmp_path], capture_output=True, text=True
    )
    assert "could not be written to" in done.stdout, done.stderr
    assert "Free some space" in done.stdout and done.stderr == ""
    assert list(tmp_path.iterdir()) == []
