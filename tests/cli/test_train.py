"""`arithmax train TASK`: a task first, and defaults that are true."""

import json
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from arithmax import NALU, NAU, NMRU, NMU, UNITS, Dense, cli, published
from arithmax.cli._settings import kinds, with_kinds
from arithmax.cli._task_options import TABLE, options_of, tasks_by_name
from arithmax.cli._train import errors_table, median_errors, order
from arithmax.cli._units import given_unit
from arithmax.tasks import TASKS, Dataset, SingleModule
from arithmax.training import (
    L1,
    SGD,
    Adam,
    Batches,
    ClipNorm,
    ClipValue,
    Protocol,
    Stalled,
    UnitPenalty,
)


def asked(text: str):
    """What a command line asks for."""
    name, *arguments = text.split()
    return order(name, arguments)


def help_of(text: str, capsys) -> str:
    """The help of a task, in one line."""
    with pytest.raises(SystemExit) as ended:
        asked(f"{text} --help")
    assert not ended.value.code
    return " ".join(re.sub("[│╭╮╰╯─]", " ", capsys.readouterr().out).split())


def test_train(capsys, tmp_path):
    arguments = ["train", "single-module", "--unit", "nau", "--operation", "add"]
    arguments += ["--seeds", "3", "--steps", "6000", "--out", str(tmp_path)]
    cli.main([*arguments, "--json"])
    (summary,) = json.loads(capsys.readouterr().out)
    assert summary["total"] == summary["solved"] == 3
    assert 0 <= summary["errors"]["interpolation"] < 1e-5
    assert summary["success"]["low"] < summary["success"]["value"] == 1.0
    cli.main([*arguments, "--quiet"])
    assert "3 of 3" in capsys.readouterr().out


def test_errors_of_digits_at_some_lengths():
    """Of 20 lengths five fit into 80 characters; a run that diverged is the worst."""
    lengths = [f"length_{n}" for n in range(1, 21)]
    errors = ("interpolation", "extrapolation", *lengths)
    rows = [dict.fromkeys(errors, e) for e in (0.5, float("nan"), 0.25)]
    mixed = [
        dict(sorted((row | {"seed": 0, "task_length": 2}).items())) for row in rows
    ]
    found = median_errors(mixed)  # as JAX sorts them
    assert found == dict.fromkeys(errors, 0.5)
    drawn = errors_table(found)
    lengths = [f"length {n}" for n in (1, 5, 10, 15, 20)]
    assert drawn.columns == ["held out", *lengths] and drawn.rows == [["0.5"] * 6]
    assert median_errors([]) == {}


def test_a_warning_is_a_note(monkeypatch, capsys):
    """Without the file and the line of code that Python prints."""

    def run(arguments):
        warnings.warn("NMU() cannot represent it.", stacklevel=1)
        return 0

    monkeypatch.setattr(cli, "_run", run)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        cli.main(["train"])
    assert capsys.readouterr().err == "Note: NMU() cannot represent it.\n"


@pytest.mark.parametrize(
    ("operation", "unit"), [("product", NMU), ("sum", NAU), ("count", NAU)]
)
def test_the_unit_of_digits_is_one_that_can(operation, unit, capsys):
    assert type(asked(f"digits --operation {operation}").network.last) is unit
    given = asked(f"digits --operation {operation} --unit nmu")
    assert type(given.network.last) is NMU
    name = unit.__name__.lower()
    assert f"(default: {name})" in help_of(f"digits --operation {operation}", capsys)


def test_help_says_when_digits_are_solved(capsys):
    text = help_of("digits", capsys)
    assert "A run is solved if its error on rows of `--test-length` images" in text
    assert "A run is solved" not in help_of("single-module", capsys)


@pytest.mark.parametrize("arguments", [["train", "--help"], ["train", "-h"]])
def test_help_lists_the_tasks(arguments, capsys):
    cli.main(arguments)
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in (*TASKS, TABLE))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("unit", ["nmu", "inalu", "real-npu", "nmru", "nalu"])
def test_what_is_not_given_is_the_recipe(task, unit):
    found = asked(f"{task} --unit {unit}")
    assert found.task == TASKS[task]()
    assert (found.network, found.protocol) == published(UNITS[unit](), found.task)


def test_help_prints_the_defaults_that_will_be_used(capsys):
    shown = help_of("single-module --unit nmru", capsys)
    assert "How many steps to train. (default: 50000)" in shown
    assert "The learning rate. (default: 0.01)" in shown
    assert "begins to grow. (default: 20000)" in shown
    assert "--transforms.0.limit FLOAT The greatest norm. (default: 1.0)" in shown
    assert "--input-size" in shown and "--subset-ratio" not in shown
    redundant = help_of("single-module --unit nmru --input-size 10", capsys)
    assert "How many steps to train. (default: 100000)" in redundant
    assert "begins to grow. (default: 50000)" in redundant


def test_help_follows_the_kinds_of_parts(capsys):
    shown = help_of("single-module --optimiser rmsprop --restart stalled", capsys)
    assert "--optimiser.within-root" in shown and "--optimiser.beta1" not in shown
    assert "--restart.patience" in shown


def test_options_of_parts():
    found = asked(
        "single-module --unit nmru --steps 2000 --batches.size 64 --precision float64"
        " --optimiser.learning-rate 0.5 --penalties.0.strength 3 --no-project"
        " --measuring.interval 500 --measuring.keep 0 500 --criterion.epsilon 1e-3"
    )
    _, base = published(NMRU(), SingleModule())
    assert found.protocol == base.updated(
        steps=2000,
        batches=Batches(64),
        precision="float64",
        optimiser=Adam(0.5),
        penalties__0__strength=3.0,
        project=False,
        measuring__interval=500,
        measuring__keep=(0, 500),
        criterion__epsilon=1e-3,
    )


def test_kinds_of_parts():
    found = asked(
        "single-module --unit nmu --optimiser sgd --optimiser.momentum 0.9"
        " --penalties l1 unit --penalties.0.end 1e-3 --restart stalled"
        " --transforms clip-value clip-norm --transforms.1.limit 2"
    ).protocol
    assert found.optimiser == SGD(momentum=0.9)
    # A kind that the recipe has stays as it is there.
    assert found.penalties == (L1(end=1e-3), UnitPenalty(10.0, 20_000, 35_000))
    assert found.transforms == (ClipValue(), ClipNorm(2.0))
    assert found.restart == Stalled()


def test_nothing_can_be_asked_for_as_well():
    given = kinds()(penalties=("none",), transforms=("none",), restart="none")
    protocol = Protocol(
        penalties=(L1(), L1(of="W")), transforms=(ClipNorm(),), restart=Stalled()
    )
    assert with_kinds(protocol, given) == Protocol()
    twice = with_kinds(protocol, kinds()(penalties=("l1", "l1", "l1")))
    assert twice.penalties == (L1(), L1(of="W"), L1())


def test_every_field_of_a_task_is_an_option():
    for name, cls in tasks_by_name().items():
        made = options_of(cls)
        assert made.__doc__ and vars(made())  # all have defaults
        if name != TABLE:
            assert cls(**vars(made())) == cls()


def test_options_of_units():
    units = {
        "nalu:tied=false,eps=1e-5": NALU(tied=False, eps=1e-5),
        "dense:activation=tanh": Dense("tanh"),
        "nau:regulariser=none": NAU(regulariser=None),
    }
    for text, unit in units.items():
        assert given_unit(text)[0] == unit


UNIT = """
from arithmax import NMU
from arithmax.training import Adam

class Mine(NMU):
    recipe = {"optimiser": Adam(0.5)}
"""


def test_a_unit_from_a_file_brings_its_recipe(tmp_path):
    (tmp_path / "mine.py").write_text(UNIT)
    found = asked(f"single-module --unit {tmp_path / 'mine.py'}:Mine --steps 1000")
    assert found.protocol.optimiser == Adam(0.5) and found.protocol.steps == 1000
    assert type(found.network).__name__ == "Mine"


# Tables.


@pytest.fixture
def products(tmp_path) -> Path:
    """A table of products."""
    path = tmp_path / "data.csv"
    lines = [f"{a / 8},{b / 8},{a * b / 64}" for a in range(8, 17) for b in range(6, 9)]
    path.write_text("\n".join(["a,b,y", *lines]) + "\n")
    return path


def test_train_on_a_table(products, capsys):
    command = f"train table --file {products} --target y --unit nmu --seeds 2 --json"
    command += " --steps 3000 --optimiser.learning-rate 1e-2"
    cli.main(command.split())
    (summary,) = json.loads(capsys.readouterr().out)
    assert summary["total"] == summary["solved"] == 2
    assert "Dataset(input_names=('a', 'b')" in summary["cell"]["task"]


def test_options_of_a_table(products):
    found = asked(
        f"table --file {products} --target y --inputs b --held-out 0.5"
        " --extrapolation 0 --split-seed 3 --batches.size 4"
    )
    expected = Dataset.from_csv(
        products, "y", "b", held_out=0.5, extrapolation=None, seed=3
    )
    assert found.task == expected and found.protocol == Protocol(batches=Batches(4))


def test_a_parquet_table_whatever_it_is_called(products):
    import duckdb

    to = products.with_suffix(".data")
    with duckdb.connect() as database:
        database.read_csv(str(products)).write_parquet(str(to))
    found = asked(f"table --file {to} --target y --steps 1000")
    assert found.task == Dataset.from_parquet(to, "y")


def test_help_of_a_table_needs_none(capsys):
    shown = help_of("table", capsys)
    assert "--held-out" in shown and "--optimiser.learning-rate" in shown


def test_help_is_quick():
    """It loads neither JAX nor what reads and judges results."""
    heavy = "{'jax', 'optax', 'scipy', 'duckdb', 'safetensors', 'torch', 'sympy'}"
    code = f"""
import sys
import warnings
from arithmax.cli import main
for arguments in (["train", "--help"], ["train", "subsets", "--help"], ["--help"]):
    try:
        main(arguments)
    except SystemExit as ended:
        assert not ended.code
print(*({heavy} & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr.strip(), done.stderr
