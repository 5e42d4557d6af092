"""The direction in which files import each other, and what an import costs."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import arithmax

SOURCE = Path(arithmax.__file__).parent

# A file imports only from files above it.
ORDER = ["_extras", "_json", "_memory", "_own_code", "_arrays", "_identity", "_files"]
ORDER += ["_checks", "_parameters", "_inputs", "_hazards", "_network", "units"]
ORDER += ["_initialise", "_random", "_noise", "networks", "tasks", "_limits"]
ORDER += ["_recipes"]
ORDER += ["protocol", "_descent", "_padding", "_program", "measures", "_profile"]
ORDER += ["equinox", "cli", "__main__"]
DOORS = {"torch", "equinox"}


def imports(path: Path) -> set[str]:
    """The top-level modules of this package that a file imports."""
    package = path.relative_to(SOURCE).parts[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            full = [*base, *(node.module.split(".") if node.module else ())]
            names = [full[0]] if full else [alias.name for alias in node.names]
            found |= {n for n in names if n in ORDER}
    return found


@pytest.mark.parametrize(
    "path",
    [p for p in SOURCE.rglob("*.py") if p != SOURCE / "__init__.py"],
    ids=lambda path: str(path.relative_to(SOURCE)),
)
def test_files_import_from_above_only(path):
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    for other in imports(path) - {own}:
        assert ORDER.index(other) < ORDER.index(own), (own, other)
        assert not (own in DOORS and other in DOORS)


def test_every_file_has_its_place():
    names = {p.name.removesuffix(".py") for p in SOURCE.iterdir() if p.name[0] != "_"}
    assert names - {"py.typed"} <= set(ORDER)


def loaded_by(code: str) -> set[str]:
    """Which heavy packages a fresh interpreter has loaded after running `code`."""
    heavy = "{'jax', 'torch', 'equinox', 'sympy', 'plotly'}"
    code = f"import sys; {code}; print(*({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import arithmax", set()),
        ("from arithmax import NMU, UNITS; NMU().parameters(2, 1)", set()),
        ("import arithmax.cli", set()),
        ("from arithmax import initialise", {"jax"}),
    ],
)
def test_imports_are_light(code, expected):
    assert loaded_by(code) == expected


def test_public_names_are_there():
    tree = ast.parse((SOURCE / "__init__.py").read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    names = [a.asname for node in block.body for a in node.names]  # type: ignore[attr-defined]  # imports only
    for name in names:
        assert getattr(arithmax, name) is not None
    assert {cls.__name__ for cls in arithmax.UNITS.values()} <= set(names)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = arithmax.nonsense
