"""The table of cells that rounding lifts, which the documentation has."""

import pytest
import rounding_tables as tables

from arithmax import NMU
from arithmax.results import Results
from arithmax.studies import Arm, Study, evaluate
from arithmax.tasks import SingleModule
from arithmax.training import Cell, published
from fake_rows import fake


def cell() -> Cell:
    task = SingleModule("mul")
    network, protocol = published(NMU(), task)
    return Cell(network, task, protocol, tuple(range(10)))


def test_what_luck_gives_is_that_of_the_initial_weights():
    # Both weights of an NMU begin above one half with probability a quarter.
    share = tables.at_the_start(cell(), 1e-5)
    assert share == pytest.approx(0.25, abs=0.13)  # three deviations of 100 draws


@pytest.mark.parametrize("solved, exact, listed", [(0, 5, 1), (0, 4, 0), (1, 10, 0)])
def test_rare_cells_with_many_exact_seeds_are_listed(solved, exact, listed):
    arm = Arm({"unit": "NMU", "operation": "×", "range": "[1, 2)"}, cell())
    study = Study("redundancy", "One", "", "", (arm,))
    rows = fake(study, [True] * solved + [False] * (10 - solved))
    for row in rows:
        row["rounded"] = 0.0 if row["seed"] < exact else 1.0
    page = "<!-- lifted: counts -->\n<!-- lifted: table -->"
    made = tables.with_lifted(page, lambda: [evaluate(study, Results(rows))])
    assert made.startswith(f"{int(solved < 1)} cells") and f"; in {listed} of" in made
    assert ("| 0 of 10 | 5 of 10 |" in made) == bool(listed)


def test_pages_without_markers_cost_nothing():
    def never():
        raise AssertionError

    assert tables.with_lifted("text", never) == "text"
