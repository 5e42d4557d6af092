"""The notebooks: every cell runs, and prints what the notebook shows."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from sympy import Expr, Symbol, expand, simplify
from sympy.parsing.sympy_parser import parse_expr

EXAMPLES = Path(__file__).parents[1] / "examples"
SUMMED, MULTIPLIED = range(10, 35), range(30, 60)
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")
# The tag of a cell whose output depends on the stages there are, or on the machine.
VARIES = "varies"


def sympify(text: str) -> Expr:
    """A formula as SymPy reads it; its names are symbols, whatever SymPy has."""
    names = re.findall(r"[A-Za-z]\w*", text)
    return parse_expr(text, {name: Symbol(name, positive=True) for name in names})


def shown(cell) -> str:
    """What a cell prints and gives, as text."""
    values = [o.get("data", {}).get("text/plain") for o in cell.outputs]
    given = [f"{value}\n" for value in values if value is not None]
    printed = [
        o["text"] for o in cell.outputs if "text" in o
    ]  # in any number of pieces
    return "".join([*printed, *given])


def execute(name: str):
    """A notebook after all its cells have run."""
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    where = {"metadata": {"path": str(EXAMPLES)}}
    NotebookClient(notebook, timeout=None, resources=where).execute()
    return notebook


def check_outputs(name: str, executed) -> None:
    """Every cell prints what the stored notebook shows."""
    stored = nbformat.read(EXAMPLES / name, as_version=4)
    for before, after in zip(stored.cells, executed.cells, strict=True):
        if before.cell_type != "code":
            continue
        if VARIES in before.metadata.get("tags", ()):
            assert shown(before) and shown(after)
            continue
        assert NUMBER.sub("#", shown(after)) == NUMBER.sub("#", shown(before))
        numbers = [list(map(float, NUMBER.findall(shown(c)))) for c in (before, after)]
        # Errors of exact formulas are rounding, which differs between machines.
        assert numbers[1] == pytest.approx(numbers[0], rel=1e-5, abs=1e-9)


@pytest.fixture(scope="module")
def executed():
    return execute("discovery.ipynb")


@pytest.mark.slow
def test_it_prints_what_it_shows(executed):
    check_outputs("discovery.ipynb", executed)


@pytest.mark.slow
def test_it_finds_what_it_promises(executed):
    """However formulas are written, these are the laws."""
    code = [shown(cell) for cell in executed.cells if cell.cell_type == "code"]
    verified = r"^(\w+) = (.*)\n(within tolerance|exact on this data)$"
    pairs = re.findall(verified, "\n".join(code), re.MULTILINE)
    found = [(target, sympify(text), verdict) for target, text, verdict in pairs]
    first, second = (" + ".join(f"x{i}" for i in r) for r in (SUMMED, MULTIPLIED))
    laws = [
        ("period", "distance**(3/2)", "within tolerance"),
        ("P", "8.314462618*n*T/V", "exact on this data"),
        ("y", f"({first})*({second})", "exact on this data"),
        ("P", "0.21*rho*A*v**3", "within tolerance"),
    ]
    for (target, formula, verdict), law in zip(found, laws, strict=True):
        assert (target, verdict) == (law[0], law[2])
        ratio = expand(formula) / expand(sympify(law[1]))
        assert float(simplify(ratio)) == pytest.approx(1.0, abs=2e-3)
    assert "NotFoundWarning not found" in "\n".join(code)


@pytest.mark.slow
def test_a_network_that_multiplies_digits():
    """The NMU is right on products that it never saw, where an MLP is not."""
    notebook = execute("digits.ipynb")
    check_outputs("digits.ipynb", notebook)
    code = "\n".join(shown(c) for c in notebook.cells if c.cell_type == "code")
    assert "output = digit1*digit2" in code
    rows = dict(re.findall(r"^(NMU|MLP) +([\d. ]+)$", code, re.MULTILINE))
    errors = {kind: list(map(float, row.split())) for kind, row in rows.items()}
    assert errors["NMU"][0] < 1 and errors["NMU"][1] < 3
    assert errors["MLP"][1] > 2 * errors["NMU"][1]
    exact = dict(re.findall(r"(NMU|MLP): (\d+)% of products above", code))
    assert int(exact["NMU"]) > 50 > 20 > int(exact["MLP"])
    outputs = [o for c in notebook.cells for o in c.get("outputs", ())]
    assert sum("image/png" in o.get("data", {}) for o in outputs) == 3


def test_pages_of_notebooks_take_the_place_of_no_other():
    """A page that is made would silently replace one that is written."""
    from notebook_page import NOTEBOOKS, notebook_page

    written = {path.name for path in (EXAMPLES.parent / "docs").glob("*.md")}
    assert not written & NOTEBOOKS.keys()
    for page in NOTEBOOKS:
        assert notebook_page(page).startswith("# ")
