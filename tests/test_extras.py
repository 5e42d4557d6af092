"""The base install: what works without an extra, and what says which one helps."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from arithmax._extras import EXTRAS, extras, install

FLEET = [package for package, extra in EXTRAS.items() if extra == "fleet"]


def without(packages: list[str], code: str) -> str:
    """What code prints in a fresh interpreter where some packages are missing."""
    blocked = f"import sys; sys.modules.update(dict.fromkeys({packages}))\n"
    done = subprocess.run(
        [sys.executable, "-c", blocked + code], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


LAYERS = """
import numpy as np, sympy, torch
import arithmax, arithmax.torch
from arithmax import NAU, NMU, Scaled, Stack
assert NMU().apply({"W": np.ones((1, 2))}, np.array([3.0, 4.0]))[0] == 12
stack = Stack((NAU(), NMU()), hidden=(2,))
params = {"0.W": np.eye(2), "1.W": np.ones((1, 2))}
print(stack.expression(params, sympy.symbols("a b")))
layer = arithmax.torch.Layer(Scaled(stack), 2, 1)
layer(torch.ones(5, 2)).sum().backward()
print(arithmax.torch.NMU(2, 1).unit.title)
"""


def test_layers_and_formulas_need_no_fleet():
    shown = without([*FLEET, "equinox", "plotly"], LAYERS)
    assert shown.splitlines() == ["[a*b]", "NMU"]


COMMANDS = """
from arithmax.cli import main
for arguments in (["units"], ["tasks"], ["version"], ["train", "--help"],
                  ["train", "subsets", "--help"], ["train", "table", "--help"]):
    main(arguments)
try:
    main(["--help"])
except SystemExit as ended:
    assert not ended.code
assert "torch" not in sys.modules
"""


def test_commands_that_train_nothing_need_no_fleet():
    shown = without([*FLEET, "equinox", "plotly", "sympy"], COMMANDS)
    assert "--optimiser.learning-rate" in shown


ERRORS = """
import arithmax
for name in NAMES:
    try:
        eval(name)
        exec(f"import {name}")
    except ImportError as error:
        print(name, error)
"""


@pytest.mark.parametrize(
    ("extra", "names"),
    [
        ("fleet", ["arithmax.train", "arithmax.statistics", "arithmax.results"]),
        ("torch", ["arithmax.torch"]),
        ("equinox", ["arithmax.equinox"]),
        ("report", ["arithmax.report"]),
        ("discover", ["arithmax.sklearn", "arithmax.ArithmeticRegressor"]),
    ],
)
def test_what_is_missing_says_which_command_helps(extra, names):
    packages = [package for package, of in EXTRAS.items() if of == extra]
    shown = without(packages, ERRORS.replace("NAMES", repr(names))).splitlines()
    assert len(shown) == len(names)
    for name, line in zip(names, shown, strict=True):
        assert line.startswith(name)
        assert line.endswith(f"Install it with {install(extra)}.")


def test_a_direct_import_says_so_too():
    for name in ("arithmax.statistics", "arithmax.results"):
        assert install("fleet") in without(["scipy"], TRIED.format(name))
    for name in ("torch", "equinox"):
        shown = without([name], TRIED.format(f"arithmax.{name}"))
        assert shown.startswith(f"{name} is not installed") and install(name) in shown


TRIED = """
try:
    import {}
except ImportError as error:
    print(error)
"""


def test_the_commands_are_those_of_a_clone():
    """Each extra is one of the package's, and the constraint lies in its root."""
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    known = project["project"]["optional-dependencies"]
    assert set(EXTRAS.values()) <= set(known)
    assert (root / "constraints.txt").is_file()
    for package, extra in EXTRAS.items():
        needs = " ".join(_all_of(extra, known)).replace("-", "_").lower()
        spelled = {"sklearn": "scikit_learn", "markdown_it": "markdown_it_py"}
        assert spelled.get(package, package).removesuffix("lib") in needs


def _all_of(extra: str, known: dict[str, list[str]]) -> list[str]:
    needs = known[extra]
    inner = [n for need in needs for n in known if f"[{n}]" in need]
    return [*needs, *(need for name in inner for need in known[name])]


PAGES = """
import pathlib, tempfile
from arithmax.cli import main
sys.stderr = sys.stdout
folder = pathlib.Path(tempfile.mkdtemp())
try:
    main(["leaderboard", "--out", f"{folder}/board.html"])
except SystemExit as ended:
    print(ended.code, [*folder.iterdir()])
"""


def test_a_page_without_its_extra_says_which():
    first, status = without(["plotly", "markdown_it"], PAGES).splitlines()
    assert install("report") in first and "not written" in first
    assert status == "2 []"


FRAMELESS = """
import numpy as np
from arithmax import ArithmeticRegressor
x = np.random.default_rng(0).uniform(1, 5, (60, 2))
model = ArithmeticRegressor().fit(x, x[:, 0] * x[:, 1])
print(model.equation_, model.predict([[3.0, -7.0]]))
sys.modules["pandas"] = None
for what in (lambda: model.equations_, lambda: model.diagnose_, model.plot):
    try:
        what()
    except ImportError as error:
        print(error)
"""


def test_a_fit_needs_neither_data_frames_nor_plots():
    first, *others = without(["plotly"], FRAMELESS).splitlines()
    assert first == "x0*x1 [-21.]"
    assert ["pandas" in line and install("discover") in line for line in others] == [
        True,
        True,
        False,
    ]
    assert "plotly" in others[2] and install("report") in others[2]


DISCOVERY = """
import pathlib, tempfile
from arithmax.cli import main
folder = pathlib.Path(tempfile.mkdtemp())
rows = [(a, b, a * b) for a in (1.0, 2.0, 3.5, 5.0) for b in (1.0, 2.5, 4.0)]
lines = ["a,b,y", *(",".join(map(str, row)) for row in rows)]
(folder / "t.csv").write_text("\\n".join(lines))
(folder / "t.parquet").write_bytes(b"PAR1")
main(["discover", f"{folder}/t.csv", "--target", "y", "--out", f"{folder}/out"])
sys.stderr = sys.stdout
try:
    main(["discover", f"{folder}/t.parquet", "--target", "y"])
except SystemExit as ended:
    print(ended.code)
"""


def test_discovery_needs_no_fleet():
    shown = without([*FLEET, "equinox", "plotly", "markdown_it"], DISCOVERY)
    assert "y = a*b" in shown and "Exact on this data" in shown
    assert "index.html was not written" in shown and "pip install" in shown
    *_, parquet, status = shown.splitlines()
    assert "duckdb" in parquet and install("fleet") in parquet and status == "2"


FLEETLESS = """
from arithmax.cli import main
try:
    main(ARGUMENTS)
except SystemExit as ended:
    print(ended.code)
"""


@pytest.mark.parametrize(
    "arguments", [["train", "single-module", "--steps", "1000"], ["reproduce", "demo"]]
)
def test_a_command_without_the_fleet_ends_with_a_sentence(arguments):
    code = "sys.stderr = sys.stdout\n" + FLEETLESS.replace("ARGUMENTS", repr(arguments))
    first, status = without(FLEET, code).splitlines()
    assert install("fleet") in first and status == "2"


def test_other_missing_packages_are_left_alone():
    with pytest.raises(ModuleNotFoundError, match="nonsense"), extras():
        import nonsense  # type: ignore[import-not-found]  # there is none # noqa: F401


EXPORTS = """
from arithmax.discover import Formula, Variable
from arithmax import NMU, readout
import numpy as np
law = Formula(Variable(0), ("a",))
given = {"W": np.ones((1, 1))}, np.arange(1.0, 21.0)[:, None], np.arange(20.0)
calls = (readout.onnx_model, readout.torch_module, readout.jax_function)
pairs = [(call, [law]) for call in calls]
for call, arguments in [*pairs, (readout.readout, (NMU(), *given))]:
    try:
        call(*arguments)
    except ImportError as error:
        print(error)
print(readout.parse(readout.latex(law), ["a"]), readout.from_json(readout.to_json(law)))
"""


def test_exports_say_which_extra_they_need():
    shown = without(["onnx", "torch", "jax", "sympy"], EXPORTS).splitlines()
    for package, extra, line in zip(
        ("onnx", "torch", "jax", "sympy"),
        ("onnx", "torch", "fleet", "discover"),
        shown[:4],
        strict=True,
    ):
        assert package in line and install(extra) in line
    assert shown[4] == "a a"
