"""The tutorial: every cell runs, and prints what the notebook shows."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[1] / "examples" / "discovery.ipynb"
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")
VARIES = "varies"  # the tag of a cell whose output depends on the stages there are


def shown(cell) -> str:
    """What a cell prints and gives, as text."""
    texts = [o.get("text") or o.get("data", {}).get("text/plain") for o in cell.outputs]
    return "\n".join(map(str, texts))


@pytest.fixture(scope="module")
def executed():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    where = {"metadata": {"path": str(NOTEBOOK.parent)}}
    NotebookClient(notebook, timeout=None, resources=where).execute()
    return notebook


def test_it_prints_what_it_shows(executed):
    stored = nbformat.read(NOTEBOOK, as_version=4)
    for before, after in zip(stored.cells, executed.cells, strict=True):
        if before.cell_type != "code":
            continue
        if VARIES in before.metadata.get("tags", ()):
            assert shown(after)
            continue
        assert NUMBER.sub("#", shown(after)) == NUMBER.sub("#", shown(before))
        numbers = [list(map(float, NUMBER.findall(shown(c)))) for c in (before, after)]
        # Errors of exact formulas are rounding, which differs between machines.
        assert numbers[1] == pytest.approx(numbers[0], rel=1e-5, abs=1e-9)


def test_it_finds_what_it_promises(executed):
    printed = [shown(cell) for cell in executed.cells if cell.cell_type == "code"]
    text = "\n".join(printed)
    assert "period = distance**(3/2)" in text
    assert "P = 8.314462618*n*T/V\nexact on this data" in text
    assert re.search(r"P = 0\.2\d+\*rho\*A\*v\*\*3\nwithin tolerance", text)
    assert "NotFoundWarning not found" in text
