"""One meaning per name: no two modules define the same public class or function."""

import ast
from pathlib import Path

import arithmax

SOURCE = Path(arithmax.__file__).parent
# The folders of documents: their modules are read one by one, and each has a `study`.
DOCUMENTS = {p.parent for p in (SOURCE / "studies").glob("*/__init__.py")}

COMMANDS = "a command does what the function of its name does"
EXCEPTIONS = {
    "benchmark": COMMANDS,
    "discover": COMMANDS,
    "leaderboard": COMMANDS,
    "reproduce": COMMANDS,
    "studies": COMMANDS,
    "train": COMMANDS,
    "functions": "the recipes of two papers for the same task",
    "to_json": "summaries as JSON, and a formula as JSON: each for readers elsewhere",
    "readout": "of a network, and of a module of PyTorch that is one",
    "describe": "what a layer prints of itself, and what names a run: each is a `repr`",
}


def definitions(path: Path) -> set[str]:
    """The public classes and functions of a module."""
    nodes = ast.parse(path.read_text(encoding="utf-8")).body
    named = [n for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    return {node.name for node in named if node.name[0] != "_"}


def homes() -> dict[str, list[str]]:
    """The modules that define each name, but for those of documents."""
    modules: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for name in definitions(path) if path.parent not in DOCUMENTS else ():
            modules.setdefault(name, []).append(str(path.relative_to(SOURCE)))
    return modules


def alike(files: list[str]) -> list[str]:
    """The same without Equinox's, where PyTorch's layers have a call of that name."""
    if any(file.startswith("torch/") for file in files):
        return [file for file in files if not file.startswith("equinox/")]
    return files


def test_a_name_has_one_meaning():
    twice = {name: files for name, files in homes().items() if len(alike(files)) > 1}
    assert {n: f for n, f in twice.items() if n not in EXCEPTIONS} == {}
    assert EXCEPTIONS.keys() <= twice.keys(), "an exception that is none any more"


def test_classes_have_one_meaning_in_documents_too():
    classes: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name[0] != "_":
                home = path.relative_to(SOURCE).as_posix()
                classes.setdefault(node.name, []).append(home)
    twice = [name for name, files in classes.items() if len(alike(files)) > 1]
    assert [name for name in twice if name not in EXCEPTIONS] == []
