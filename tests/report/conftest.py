"""Two studies that the tests of a report share: one trained, one of tables alone."""

import pytest

from arithmax import NALU, NMU, Unit
from arithmax.results import Results, read
from arithmax.statistics import Interval
from arithmax.studies import (
    Arm,
    Bars,
    Computed,
    Convergence,
    Evaluation,
    Grid,
    Heat,
    ImageRow,
    Lines,
    Measured,
    Published,
    Seeds,
    Study,
    Surface,
    Weights,
    evaluate,
)
from arithmax.tasks import SingleModule
from arithmax.training import Cell, Measuring, published, train_cells
from pages import IMAGE, NASTY


def cell(unit: Unit, task: SingleModule | None = None) -> Cell:
    task = task or SingleModule("mul")
    network, protocol = published(
        unit, task, steps=3000, measuring=Measuring(500, validation=1000)
    )
    return Cell(network, task, protocol, (0, 1, 2))


@pytest.fixture(scope="session")
def trained(tmp_path_factory) -> Evaluation:
    """Three arms: one is solved, one is not, one was not run."""
    theirs = {
        "success": Published(0.5, 0.1, 1.0, note=f"a note {NASTY}"),
        "median": Published(3000.0),
        "sparsity": Published(0.3, 0.2, 0.4, reason=f"a reason {IMAGE}"),
    }
    high = {"success": Published(1.0, 0.99, 1.0), "solved_at": Published(10.0)}
    arms = (
        Arm({"model": NASTY, "size": 2}, cell(NMU()), theirs),
        Arm({"model": "NALU", "size": 2}, cell(NALU()), high),
        Arm({"model": "NALU", "size": 3}, cell(NALU(), SingleModule("add")), theirs),
    )
    study = Study(
        "trained",
        f"Title {NASTY}",
        f"Source {IMAGE}",
        f"About *this*: {NASTY}\n\n{IMAGE}\n\n![fetched](http://example.org/a.png)",
        arms,
        plots=(
            Measured(f"Rates {NASTY}", "success", "model", "size"),
            Measured("Steps.", "solved_at", "size", "model", log=True),
            Measured("Twice at a place: a menu.", "success", "size"),
            Grid("Grid.", "size", "model"),
            Convergence("Curves."),
            Seeds("Seeds.", "model"),
            Weights("Solved.", {"model": NASTY}),
            Weights("Unsolved.", {"model": "NALU"}),
            Weights("No such arm.", {"model": "none"}),
        ),
    )
    out = tmp_path_factory.mktemp("runs")
    train_cells([arm.cell for arm in arms[:2]], out=out)
    told = {"command": f"arithmax study {NASTY}", "version": "9.8.7", "seconds": 75}
    more = {"device": f"a machine {IMAGE}", "when": "2025-11-15", "seeds": 3}
    return evaluate(study, read(out), history=[told | more, {"command": "again"}])


@pytest.fixture(scope="session")
def computed() -> Evaluation:
    """A study of tables alone."""
    grid = [(x, y) for x in range(6) for y in range(5)]
    x, y = (list(column) for column in zip(*grid, strict=True))
    z = [float("nan") if a + b > 7 else float(a * b) for a, b in grid]
    tables = {
        "surface": {
            "x": x + x,
            "y": y + y,
            "z": z + [-v for v in z],
            "unit": ["NAC"] * len(x) + [NASTY] * len(x),
        },
        "bars": {
            "gate": [0.1, 0.5, 0.9] * 3,
            "seeds": [1, 2, 3] * 3,
            "arm": ["a"] * 3 + ["b"] * 3 + [NASTY] * 3,
        },
        "lines": {
            "n": [1, 10, 100] * 2,
            "v": [1.0, 2.0, 4.0] * 2,
            "low": [0.5, 1.0, 2.0] * 2,
            "high": [2.0, 4.0, 8.0] * 2,
            "theory": [1.0, 2.0, None] * 2,
            "unit": ["NAC"] * 3 + [NASTY] * 3,
        },
        "images": {
            "image": ["00ff8001", "01020304", "ff" * 4],
            "digit": [1, NASTY, 3],
            "read": [1.25, float("nan"), 3.0],
            "of": ["a", "a", "b"],
        },
        "shown": {NASTY: [1, None, True], "b|c": [IMAGE, float("nan"), 1e-9]},
    }
    study = Study(
        "computed",
        "Computed",
        "Somewhere",
        "Nothing is trained.",
        compute=lambda trained: Computed(),
        claims={
            f"slope {NASTY}": Published(1.0, 0.9, 1.1),
            "rest": Published(2.0),
            "inside": Published(1.0),
            "never": Published(0.0, note="“never”", statement=True),
            "off": Published(2.0),
        },
        shown={"shown": f"A table {NASTY}", "absent": "not computed"},
        plots=(
            Surface("Surface.", "surface", choice="unit"),
            Heat("Map.", "surface", choice="unit", log=True),
            Bars("Bars.", "bars", "gate", "seeds", "arm"),
            Lines("L.", "lines", "n", "v", "unit", "low", "high", "theory", True, True),
            Lines("Not computed.", "absent"),
            ImageRow("I.", "images", label="digit", below=("read",), only={"of": "a"}),
        ),
    )
    one = Interval(1.0, 0.95, 1.05)
    figures = {f"slope {NASTY}": one, "inside": one, "never": one, "off": one}
    told = [{"command": "arithmax study computed", "seconds": 2.0}]
    return Evaluation(study, [], Computed(tables, figures), Results([]), told)
