"""What can be asked for: good input is taken, and what is estimated holds."""
# pyright: reportArgumentType=false, reportCallIssue=false
# because numbers of NumPy, lists and ranges become plain tuples

import json
import math
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pytest

from arithmax import NALU, NAU, NMU, UNITS, Cell, Protocol, Stack, published
from arithmax._identity import describe
from arithmax._json import dumps
from arithmax.results import Results, to_json
from arithmax.studies import studies
from arithmax.tasks import TASKS, Functions, Operands, SingleModule, Subsets
from arithmax.training import Adam, Batches, Measuring
from arithmax.training._memory import check_fits
from arithmax.training._plan import check_network, needed
from short_runs import evaluated

RESULTS = Path(__file__).parents[2] / "results"
GIBIBYTE = 2**30


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("unit", UNITS)
def test_every_recipe_can_be_trained(unit, task):
    if task == "digits" and UNITS[unit]().noise(2):
        with pytest.raises(ValueError, match=r"needs noise.*Use `NMU\(\)`"):
            published(UNITS[unit](), TASKS[task]())
        return
    network, protocol = published(UNITS[unit](), TASKS[task]())
    assert Cell(network, TASKS[task](), protocol, range(3)).seeds == (0, 1, 2)


def test_the_runs_of_every_study_fit_into_a_small_machine():
    """`studies` makes their cells, which refuse what cannot be trained."""
    arms = [arm for study in studies().values() for arm in study.arms]
    # All of MNIST is not here; its arms need what those of 5,000 images do.
    cells = {a.cell for a in arms if getattr(a.cell.task, "images", "") != "full"}
    sizes = [
        64 * sum(needed(cell.network, cell.task, cell.protocol).values())
        for cell in cells
    ]
    assert len(sizes) > 1000 and max(sizes) < 8 * GIBIBYTE


def test_what_was_trained_can_be_asked_for_again():
    files = [str(f) for f in sorted(RESULTS.rglob("*.rows.parquet"))]
    query = "SELECT DISTINCT network, task, protocol "
    query += "FROM read_parquet(?, union_by_name=true)"
    with duckdb.connect() as database:
        rows = database.execute(query, [files]).fetchall()
    assert len(rows) > 500
    for texts in rows:
        things = tuple(map(evaluated, texts))
        Cell(*things, (0,))
        assert tuple(map(describe, things)) == texts


def test_numbers_of_numpy_and_lists_are_named_as_plain_ones():
    """A run is named by the `repr` of its settings."""
    steps, rate = np.int64(2000), np.float64(0.01)
    asked = Protocol(
        steps, optimiser=Adam(rate), measuring=Measuring(keep=[np.int32(1000)])
    )
    plain = Protocol(2000, optimiser=Adam(0.01), measuring=Measuring(keep=(1000,)))
    assert repr(asked) == repr(plain)
    low, high = np.float32(1.0), np.float32(2.0)
    for given in ([1.0, 2.0], np.array([1.0, 2.0]), (low, high)):
        assert repr(SingleModule(interpolation=given)) == repr(SingleModule())
    assert repr(Subsets(input_size=np.uint8(100))) == repr(Subsets())
    stack = Stack([NAU(), NMU()], hidden=np.array([2]))
    assert repr(stack) == repr(Stack((NAU(), NMU()), hidden=(2,)))
    seeds = Cell(NMU(), SingleModule(), Protocol(), np.arange(3)).seeds
    assert seeds == (0, 1, 2) and {type(s) for s in seeds} == {int}
    assert {type(n) for n in vars(NALU(eps=np.float32(0.5))).values()} == {bool, float}


@pytest.mark.parametrize(
    "task",
    [
        SingleModule("div", interpolation=(-2.0, 2.0)),
        SingleModule("sqrt", extrapolation=((1.0, 2.0), (-1.0, 1.0))),
        SingleModule("sqrt", interpolation=(0.0, 1.0)),
        Subsets("mul", powers=(2.0, -1.0), interpolation=(-2.0, 2.0)),
        Functions(("exp",), extrapolation=(-1000.0, 10.0)),
        Functions(("log", "sqrt"), distribution="benford"),
        Operands("mul", 20),
    ],
)
def test_what_is_defined_is_not_refused(task):
    Cell(NMU(), task, Protocol(), (0,))


def test_a_wider_format_holds_more():
    task = SingleModule(extrapolation=(1.0, 1e30))
    with pytest.raises(ValueError, match=r"up to 1e\+60, above the 3.4e\+38"):
        Cell(NMU(), task, Protocol(), (0,))
    Cell(NMU(), task, Protocol(precision="float64"), (0,))


def test_estimated_memory_is_no_more_than_what_arrays_take():
    """Parameters with their gradient, best and optimiser; inputs; both targets."""
    protocol = Protocol(batches=Batches(50), measuring=Measuring(validation=2000))
    found = needed(NMU(), SingleModule(), protocol)
    parameters, step, batch, validation, sums, steps, _ = found.values()
    assert step == 0  # Adam needs no more than its parameters
    assert parameters == 4 * 4 * 2 and batch == 4 * 2 * 50
    assert validation == 4 * (2 * 1000 + 2 * 2000) and sums == 2 * 4 * 2 * 2
    assert steps == 4 * 3 * 51
    twice = needed(NMU(), SingleModule(), protocol.updated(precision="float64"))
    assert list(twice.values())[:6] == [2 * n for n in list(found.values())[:6]]


def test_memory_is_refused_with_the_estimate(monkeypatch):
    monkeypatch.setattr("arithmax.training._memory.memory", lambda: 3 * GIBIBYTE)
    check_fits(3 * GIBIBYTE, "it", "")
    with pytest.raises(ValueError, match=r"it needs 4 GiB .* there are 3 GiB\. Less!"):
        check_fits(4 * GIBIBYTE, "it", "Less!")


def test_a_network_from_outside_that_is_right_is_taken():
    @dataclass(frozen=True)
    class Twice(NMU):
        def compute(self, params, x, **options):
            return 2 * NMU.compute(self, params, x, **options)

    for precision in ("float32", "float64"):
        protocol = Protocol(precision=precision)
        check_network(Stack((NAU(), Twice()), hidden=(3,)), Subsets(), protocol)


def test_json_has_no_infinity():
    """A single solved run has an interval without end."""

    def constant(text):
        raise AssertionError(text)

    values = [1.0, math.inf, {"a": -math.inf, "b": [math.nan, "NaN"]}]
    expected = [1.0, None, {"a": None, "b": [None, "NaN"]}]
    assert json.loads(dumps(values), parse_constant=constant) == expected
    row = {"network": "n", "task": "t", "protocol": "p", "outcome": "solved"}
    row |= {"solved_at": 5000, "sparsity": 0.1, "extrapolation": 0.0}
    row |= {"platform": "cpu"}
    (summary,) = json.loads(
        to_json(Results([row]).summaries()), parse_constant=constant
    )
    assert summary["solved"] == 1
