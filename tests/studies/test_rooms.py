"""Documents use public names and the studies' shared files, not each other."""

import ast
from pathlib import Path

import pytest

import arithmax.studies

STUDIES = Path(arithmax.studies.__file__).parent
DOCUMENTS = sorted(p.parent.name for p in STUDIES.glob("*/__init__.py"))
FILES = sorted(p for name in DOCUMENTS for p in (STUDIES / name).glob("*.py"))


def imported(path: Path) -> list[tuple[int, str]]:
    """How far up each relative import of a file begins, and which module it names."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    found = [n for n in nodes if isinstance(n, ast.ImportFrom) and n.level]
    return [
        (node.level, node.module or alias.name)
        for node in found
        for alias in node.names
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(STUDIES)))
def test_a_document_uses_public_names_of_the_core(path):
    for level, module in imported(path):
        if level == 3:
            assert not any(part.startswith("_") for part in module.split(".")), module
        if level == 2:
            assert module.split(".")[0] not in DOCUMENTS, module


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(STUDIES)))
def test_a_study_imports_no_other(path):
    """What several studies share is in a file whose name begins with a `_`."""
    for level, module in imported(path):
        if level == 1 and path.name != "__init__.py":
            assert module.startswith("_"), module


def test_every_sheet_belongs_to_a_study():
    sheets = {p.stem for name in DOCUMENTS for p in (STUDIES / name).glob("*.md")}
    assert sheets == set(arithmax.studies.studies())
