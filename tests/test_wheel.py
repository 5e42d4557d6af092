"""What is published: an archive of the sources, and a wheel that installs and runs."""

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "arithmax"
HEAVY = ("jax", "optax", "scipy", "duckdb", "safetensors", "torch", "sympy", "plotly")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("wheel"),
]


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints, outside of this repository and its environment."""
    env = {
        k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")
    }
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def environment(folder: Path, *requirements: str) -> Path:
    """An empty environment with these packages in it: the folder of its programs."""
    run(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    home = folder / "bin"
    constraints = ROOT / "constraints.txt"
    pip = [home / "python", "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    run(*pip, "-c", constraints, *requirements, cwd=folder.parent)
    return home


@pytest.fixture(scope="session")
def archive(tmp_path_factory) -> Path:
    """The archive of the sources."""
    folder = tmp_path_factory.mktemp("sdist")
    home = environment(folder / "builder", "hatchling")
    run(
        home / "python",
        "-m",
        "hatchling",
        "build",
        "-t",
        "sdist",
        "-d",
        folder,
        cwd=ROOT,
    )
    (made,) = folder.glob("*.tar.gz")
    return made


@pytest.fixture(scope="session")
def wheel(archive) -> Path:
    """The wheel that is built from that archive, as `pip install` builds it."""
    to = archive.parent
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "-q"]
    run(*pip, "--no-deps", "-w", to, archive, cwd=to)
    (made,) = to.glob("*.whl")
    return made


@pytest.fixture(scope="session")
def fleet(wheel) -> Path:
    """The programs of an environment with what trains, and without PyTorch."""
    return environment(wheel.parent / "fleet", f"{wheel}[fleet]")


@pytest.fixture(scope="session")
def base(wheel) -> Path:
    """The programs of an environment without any extra."""
    return environment(wheel.parent / "base", str(wheel))


def installed(home: Path) -> set[str]:
    """The packages of an environment, in lower case."""
    shown = run(home / "python", "-m", "pip", "list", "--format=json", cwd=home)
    return {package["name"].lower() for package in json.loads(shown)}


def test_the_archive_holds_sources_and_no_runs(archive):
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    assert not any(name.startswith(("results/", "runs/", "site/")) for name in names)
    assert {"pyproject.toml", "LICENSE", "README.md", "Makefile"} <= names
    assert {"src/arithmax/results/__init__.py", "tests/test_wheel.py"} <= names


def test_the_wheel_holds_what_the_package_reads_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as file:
        names = {name for name in file.namelist() if "dist-info" not in name}
        sizes = sum(info.file_size for info in file.infolist())
    ours = (p for p in SOURCE.rglob("*.*") if p.suffix != ".pyc")
    assert names == {p.relative_to(SOURCE.parent).as_posix() for p in ours}
    kinds = {Path(name).suffix for name in names}
    assert kinds == {".py", ".md", ".json", ".css", ".js", ".typed"}
    assert "arithmax/benchmark/leaderboard.json" in names
    assert sizes < 5e6


def test_an_install_that_trains_has_no_torch(fleet):
    packages = installed(fleet)
    assert {"arithmax", "jax", "duckdb", "scipy"} <= packages
    assert not {"torch", "equinox", "plotly", "sympy", "pytest"} & packages


def test_an_installed_fleet_runs_its_commands(fleet, tmp_path):
    program = fleet / "arithmax"
    assert "train" in run(program, "--help", cwd=tmp_path)
    assert "nmu" in run(program, "units", cwd=tmp_path)
    assert "simple-mul" in run(program, "studies", cwd=tmp_path)
    shown = run(
        *(program, "train", "single-module", "--unit", "nau", "--operation", "add"),
        *("--seeds", "5", "--steps", "10000", "--out", "runs", "--json", "--quiet"),
        cwd=tmp_path,
    )
    (summary,) = json.loads(shown)
    assert (summary["solved"], summary["total"]) == (5, 5)
    assert list((tmp_path / "runs").glob("*.rows.parquet"))


def test_an_installed_fleet_runs_a_unit_from_outside(fleet, tmp_path):
    (tmp_path / "my_unit.py").write_bytes((ROOT / "examples/my_unit.py").read_bytes())
    shown = run(
        *(fleet / "arithmax", "benchmark", "my_unit.py:SineNMU", "--quick", "--quiet"),
        *("--seeds", "2", "--steps", "2000"),
        cwd=tmp_path,
    )
    assert "SineNMU" in shown and "NMU" in shown


BASE = """
import sys
import numpy as np
import arithmax, arithmax.units
assert arithmax.NMU().apply({"W": np.ones((1, 2))}, np.array([3.0, 4.0]))[0] == 12.0
print(*(set(HEAVY) & set(sys.modules)), arithmax.__version__)
"""


def test_an_install_without_extras_is_small(base, tmp_path):
    assert not set(HEAVY) & installed(base)
    code = BASE.replace("HEAVY", repr(HEAVY))
    assert run(base / "python", "-c", code, cwd=tmp_path).split() == ["0.1.0"]
    assert "nmu" in run(base / "arithmax", "units", cwd=tmp_path)
    assert "--unit" in run(
        base / "arithmax", "train", "subsets", "--help", cwd=tmp_path
    )


def test_an_install_without_extras_says_what_training_needs(base, tmp_path):
    command = [base / "arithmax", "train", "single-module", "--unit", "nau"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert 'pip install -c constraints.txt ".[fleet]"' in done.stderr
