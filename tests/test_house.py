"""How the package is laid out: who imports whom, how long files are, what they name."""

import ast
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

import arithmax
from arithmax import UNITS, networks, tasks

SOURCE = Path(arithmax.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))

# Files of the root and packages; each imports only from those above it.
ROOMS = [
    "_extras",
    "_json",
    "_own_code",
    "_arrays",
    "_images",
    "_gauss_newton",
    "_identity",
    "_files",
    "_checks",
    "_held",
]
ROOMS += ["_parameters", "_inputs", "_hazards", "_network", "units", "networks"]
ROOMS += ["tasks", "_profile", "statistics", "results", "training", "discover"]
ROOMS += ["readout", "fitting", "bayes", "studies", "benchmark", "report", "cluster"]
ROOMS += ["cli", "__main__"]
ROOMS += ["_layers", "torch", "equinox", "sklearn"]
# What looks at studies and layers stands beside, not above, each other.
APART = {("cli", "torch"), ("cli", "equinox"), ("torch", "equinox"), ("cli", "_layers")}

# A room is used through its public names. Where one reads a file of another that begins
# with a `_`, the two were written as one, and this is the whole list.
INSIDE = {
    ("networks", "units"),  # a network prints formulas as its units do
    ("training", "units"),  # recipes are for the family of the NPU
    ("training", "tasks"),  # how long a seed may be
    ("equinox", "training"),  # draws parameters as the fleet does
    ("bayes", "readout"),  # asks the same of a table
    ("cluster", "training"),  # trains blocks as the fleet does
    ("bayes", "discover"),  # checks rows as a search does
    ("benchmark", "studies"),
    ("report", "studies"),
    ("cli", "studies"),
    ("cli", "report"),
}

LONGEST = 350
SHORTER = {"training/_program.py": 200}

Module = tuple[str, ...]


def module_of(path: Path) -> Module:
    """`training/_step.py` as ("training", "_step"), an `__init__.py` as its room."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def shown(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


MODULES = {module_of(path): path for path in FILES}
every_file = pytest.mark.parametrize("path", FILES, ids=shown)


@lru_cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def for_types(tree: ast.Module) -> set[ast.AST]:
    """What is under `if TYPE_CHECKING`, which is never run."""
    checked = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {
        below for node in checked for child in node.body for below in ast.walk(child)
    }


@lru_cache
def imports(path: Path) -> frozenset[Module]:
    """The modules of this package that a file imports, at its top or in a function."""
    package = path.relative_to(SOURCE).parts[:-1]
    tree, modules = tree_of(path), set()
    for node in set(ast.walk(tree)) - for_types(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            base += tuple(node.module.split(".")) if node.module else ()
            named = [(*base, alias.name) for alias in node.names]
            modules |= {name if name in MODULES else base for name in named}
    return frozenset(modules - {()})  # the root has the version, and loads lazily


def room(module: Module) -> str:
    return module[0]


@every_file
def test_rooms_import_from_above_only(path):
    importer = module_of(path)
    if not importer:
        return  # the root gives names of every room
    for module in imports(path):
        if room(module) != room(importer):
            pair = room(importer), room(module)
            assert ROOMS.index(pair[1]) < ROOMS.index(pair[0]), pair
            assert not {pair, pair[::-1]} & APART, pair


@every_file
def test_rooms_are_used_through_public_names(path):
    importer = module_of(path)
    for module in imports(path):
        if importer and room(module) != room(importer):
            private = any(part.startswith("_") for part in module[1:])
            assert not private or (room(importer), room(module)) in INSIDE, module


def test_every_exception_is_needed():
    used = {
        (room(importer), room(module))
        for importer, path in MODULES.items()
        for module in imports(path)
        if importer and any(part.startswith("_") for part in module[1:])
    }
    assert used >= INSIDE


@every_file
def test_the_package_imports_itself_relatively(path):
    """So that the tests of the direction see every import."""
    for node in ast.walk(tree_of(path)):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        assert not any(name.partition(".")[0] == "arithmax" for name in names)


def test_no_file_imports_itself_through_others():
    """Files of a room form no circle, even by imports inside functions."""
    finished: set[Module] = set()

    def walk(module: Module, path: tuple[Module, ...]) -> None:
        assert module not in path, (*path, module)
        if module not in finished and module in MODULES:
            for below in imports(MODULES[module]):
                walk(below, (*path, module))
            finished.add(module)

    for module in MODULES:
        walk(module, ())


def test_every_file_has_its_place():
    here = {
        p.name.removesuffix(".py") for p in SOURCE.iterdir() if p.suffix != ".typed"
    }
    assert here - {"__pycache__", "__init__"} == set(ROOMS)


@every_file
def test_files_are_short(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST
    assert lines < SHORTER.get(shown(path), LONGEST + 1)


CLASSES = {cls.__name__ for cls in UNITS.values()} | {"AbstractNPU", "AbstractNALU"}
CLASSES |= {
    name
    for home, base in ((networks, networks.Network), (tasks, tasks.Task))
    for name, value in vars(home).items()
    if isinstance(value, type) and issubclass(value, base) and value is not base
}


def questions(path: Path) -> list[ast.Call]:
    """Where a file asks for the class of something, other than in an assertion."""
    tree = tree_of(path)
    assertions = [n.test for n in ast.walk(tree) if isinstance(n, ast.Assert)]
    asserted = {below for test in assertions for below in ast.walk(test)}
    names = {"isinstance", "issubclass", "type"}
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and n not in asserted]
    return [n for n in calls if isinstance(n.func, ast.Name) and n.func.id in names]


@pytest.mark.parametrize(
    "path", [p for p in FILES if "recipes" not in p.parts], ids=shown
)
def test_nothing_depends_on_the_class_of_a_unit_or_a_task(path):
    """They are asked what they do. Recipes are registered by class, and may look."""
    defined = {n.name for n in ast.walk(tree_of(path)) if isinstance(n, ast.ClassDef)}
    for call in questions(path):
        kinds = {n.id for n in ast.walk(call) if isinstance(n, ast.Name)}
        assert not kinds & (CLASSES - defined), ast.unparse(call)
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.MatchClass):
            assert ast.unparse(node.cls) not in CLASSES


def test_the_classes_that_are_looked_for_are_there():
    assert {"NMU", "RealNPU", "Stack", "SingleModule", "Dataset"} <= CLASSES
    assert not {"Unit", "Network", "Task"} & CLASSES


def test_one_file_of_the_training_names_a_paper_with_ways_of_its_own():
    naming = [
        shown(path)
        for path in (SOURCE / "training").rglob("*.py")
        if "inalu" in f"{path.name} {path.read_text(encoding='utf-8')}".lower()
    ]
    assert naming == ["training/recipes/inalu.py"]


HEAVY = ("jax", "optax", "scipy", "duckdb", "safetensors", "torch", "equinox", "sympy")
HEAVY += ("plotly", "onnx", "onnxruntime", "sklearn", "pandas", "ray")


def loaded_by(code: str) -> set[str]:
    """Which heavy packages a fresh interpreter has loaded after running `code`."""
    code = f"import sys\n{code}\nprint(*({set(HEAVY)} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


NOTHING_HEAVY = """
import arithmax.cli
import arithmax.networks
import arithmax.discover
import arithmax.readout
import arithmax.tasks
import arithmax.training._cell
import arithmax.training._protocol
import arithmax.training.recipes
from arithmax import NMU, UNITS, published
from arithmax.tasks import SingleModule
from arithmax.training import Adam, Protocol, Stalled
NMU().parameters(2, 1)
published(NMU(), SingleModule())
arithmax.cli.main(["units"])
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (NOTHING_HEAVY, set()),
        ("from arithmax import initialise", {"jax"}),
    ],
    ids=["what trains nothing", "what draws parameters"],
)
def test_imports_are_light(code, expected):
    assert loaded_by(code) == expected


@pytest.mark.parametrize("name", ["", "training"])
def test_public_names_are_there(name):
    tree = tree_of(SOURCE / name / "__init__.py")
    block = next(node for node in tree.body if isinstance(node, ast.If))
    names = [a.asname for node in block.body for a in node.names]  # type: ignore[attr-defined]  # imports only
    home = getattr(arithmax, name) if name else arithmax
    for public in names:
        assert getattr(home, public) is not None
    assert set(names) <= set(dir(home))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = home.nonsense


def test_every_unit_is_public():
    assert {cls.__name__ for cls in UNITS.values()} <= set(dir(arithmax))


def test_results_are_at_most_25_megabytes():
    shipped = Path(__file__).parents[1] / "results"
    assert sum(file.stat().st_size for file in shipped.iterdir()) <= 25e6
