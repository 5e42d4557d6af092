"""A run is known by its configuration, and by the code behind it."""

import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from arithmax import NAU, NMU, Stack
from arithmax._identity import code_of, source_hash
from arithmax._own_code import load_module as load_own
from arithmax.studies import Arm, Study
from arithmax.studies._evaluate import find
from arithmax.tasks import SingleModule
from arithmax.training import Cell, published, train_cells

UNIT = """
from dataclasses import dataclass
from arithmax import NAU
{import_}
@dataclass(frozen=True)
class Mine(NAU):
    def compute(self, params, x, **options):
        return {factor} * super().compute(params, x, **options)
"""


def load(folder, factor="1.0", import_=""):
    """The unit of a file, as a fresh interpreter would load it."""
    import importlib.util

    (folder / "mine.py").write_text(UNIT.format(factor=factor, import_=import_))
    spec = importlib.util.spec_from_file_location("mine", folder / "mine.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mine"] = module
    exec(
        compile((folder / "mine.py").read_text(), folder / "mine.py", "exec"),
        module.__dict__,
    )
    return module.Mine()


@pytest.fixture(autouse=True)
def forget():
    yield
    sys.modules.pop("mine", None)


def test_the_packages_own_code_has_no_hash():
    assert code_of(Stack((NAU(), NMU()), hidden=(2,)), SingleModule("mul")) == ""


def test_an_edit_is_another_code(tmp_path):
    first = code_of(load(tmp_path))
    assert first and first == code_of(load(tmp_path))
    assert code_of(load(tmp_path, "2.0")) != first
    inside = Stack((load(tmp_path), NMU()), hidden=(2,))
    assert code_of(inside) == first  # it is found in the fields of others


def test_modules_beside_it_count_and_others_do_not(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "beside.py").write_text("from inner.deep import FACTOR\n")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "__init__.py").write_text("")
    (tmp_path / "inner" / "deep.py").write_text("FACTOR = 1.0\n")
    (tmp_path / "unused.py").write_text("x = 1\n")
    file = tmp_path / "mine.py"
    file.write_text("import beside, os\nfrom numpy import array\n")
    before = source_hash(file)
    (tmp_path / "unused.py").write_text("x = 2\n")
    assert source_hash(file) == before
    (tmp_path / "inner" / "deep.py").write_text("FACTOR = 2.0\n")
    changed = source_hash(file)
    assert changed != before
    (tmp_path / "inner" / "__init__.py").write_text("y = 1\n")
    assert source_hash(file) != changed


def test_code_without_a_file():
    """Typed at a prompt, a class has code but no source."""

    def made(factor):
        text = f"class Typed:\n    def compute(self, x):\n        return {factor} * x\n"
        scope: dict = {"__name__": "typed"}
        exec(text, scope)
        return scope["Typed"]()

    assert code_of(made(1)) == code_of(made(1)) != code_of(made(2))


TYPED = """
SCALE = {scale}

def helper(x, power={power}):
    return SCALE * x if x in {{"a", "b", "c", "d"}} else x ** power

class Typed:
    def compute(self, x):
        return helper(x)
"""


def test_code_without_a_file_is_all_that_it_names():
    def code(**given):
        scope: dict = {"__name__": "typed"}
        exec(TYPED.format(**({"scale": 2.0, "power": 1} | given)), scope)
        return code_of(scope["Typed"]())

    assert code() == code()
    assert len({code(), code(scale=3.0), code(power=2)}) == 3


def test_code_is_the_same_in_every_process():
    """Sets of texts have another order in each."""
    text = TYPED.format(scale=2.0, power=1)
    script = f"from arithmax._identity import code_of\nexec({text!r}, s := {{}})\n"
    script += "print(code_of(s['Typed']()))"
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(4)
    }
    assert len(found) == 1


def test_a_file_that_is_loaded_later_changes_nothing(tmp_path):
    """Modules beside it are forgotten then, for another folder may have their names."""
    for name, text in {
        "a.py": "from helper import Mine\nx = Mine()\n",
        "helper.py": UNIT.format(factor="1.0", import_=""),
        "b.py": "",
    }.items():
        (tmp_path / name).write_text(text)
    hashes = []
    for later in ((), ("b.py",)):
        module = load_own(tmp_path / "a.py", "unit")
        for name in later:
            load_own(tmp_path / name, "unit")
        hashes.append(code_of(module.x))
    assert hashes[0] == hashes[1] != ""


def test_an_edited_unit_is_trained_again(tmp_path):
    task, folder = SingleModule("add"), tmp_path / "runs"

    def cell(unit):
        network, protocol = published(
            unit, task, steps=200, measuring__interval=100, measuring__validation=100
        )
        return Cell(network, task, protocol, (0, 1))

    first = cell(load(tmp_path, "1.0"))
    assert len(train_cells([first], out=folder)) == 2
    second = cell(load(tmp_path, "-1.0"))
    assert repr(second.network) == repr(first.network)
    done = train_cells([second], out=folder)
    results = train_cells([first], out=folder)
    old, new = ({r["run"] for r in rows.rows} for rows in (results, done))
    assert not old & new and all(row["code"] for row in done.rows)
    # A study finds the runs of the unit as it is now.
    own = Study("mine", "Mine", "", "", (Arm({"unit": "Mine"}, second),))
    from arithmax.results import read

    assert len(read(folder)) == 4
    assert {r["run"] for r in find(own, read(folder))[0].rows} == new


@dataclass(frozen=True)
class Here(NAU):
    """A unit of a test, which is outside the package too."""


def test_a_class_of_a_test_has_a_hash():
    assert code_of(Here())
