"""Commands of the guides run as they stand there, from the root of a clone."""

import re
import shlex
from pathlib import Path

import pytest

from arithmax import cli
from arithmax.results import read

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def section(page: str, title: str) -> list[list[str]]:
    """The commands of a section of a guide."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    part = re.split(r"^## ", text.split(f"\n## {title}\n")[1], flags=re.MULTILINE)[0]
    lines = "\n".join(BLOCK.findall(part)).replace("\\\n", " ").splitlines()
    return [shlex.split(line)[1:] for line in lines if line.startswith("arithmax ")]


@pytest.fixture(autouse=True)
def clone(tmp_path, monkeypatch):
    """A folder with the examples, as the root of a clone has them."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def test_a_unit_that_imports_a_module_beside_it(capsys):
    benchmark, train = section("benchmark.md", "A unit that imports a module beside it")
    cli.main([*benchmark, "--steps", "2000", "--quiet"])  # a shorter one
    shown = capsys.readouterr().out
    assert "▶ SmoothNMU" in shown and "Reduced: 5 of 25 seeds" in shown
    assert max(map(len, shown.splitlines())) <= 80
    cli.main([*train, "--quiet"])
    assert "10 of 10" in capsys.readouterr().out


@pytest.mark.slow
def test_a_sweep(clone, capsys):
    one, two = section("fleet.md", "Sweep a setting")
    cli.main([*one, "--quiet"])
    rates, _, _ = capsys.readouterr().out.partition("exact after rounding")
    lines = [x for x in rates.splitlines() if "of 10" in x]
    assert [x.split()[0] for x in lines] == ["0.0001", "0.001", "0.01"]
    assert "10 of 10" in lines[-1] and "0 of 10" in lines[0]
    assert len(read(clone / "sweeps")) == 30
    assert (clone / "sweeps" / "sweep.html").stat().st_size > 1e6
    cli.main([*two, "--quiet", "--seeds", "2", "--steps", "1000"])
    rates, _, _ = capsys.readouterr().out.partition("exact after rounding")
    assert rates.count("of 2") == 4


@pytest.mark.slow
def test_optimisers_of_optax(capsys):
    for command in section("protocol.md", "Any optimiser of optax"):
        cli.main([*command, "--quiet"])
        assert "10 of 10" in capsys.readouterr().out
