"""The study of what decides success: its cells, and tables of stored outcomes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arithmax import NAU, Stack
from arithmax.results import Results, read
from arithmax.statistics import success_rate
from arithmax.studies import Trained, find, stored_tables, studies
from arithmax.studies._evaluate import ArmRuns
from arithmax.studies._kept import Kept
from arithmax.studies._study import columns
from arithmax.studies.success import KEYS, NAMES, arms, basin, chosen
from arithmax.studies.success import _remedies as r
from arithmax.studies.success import what_decides as s
from arithmax.tasks import SingleModule
from arithmax.training import UnitPenalty, first_parameters

CELL = ("NMU", "×", "[-1.2, -1.1)")
RESULTS = Path(__file__).parents[3] / "results"


def test_the_range_is_that_of_the_rate_nearest_to_a_half():
    rates = {"[1, 2)": 1000, "[-2, -1)": 832, "[-1.2, -1.1)": 644, "[10, 20)": 0}
    rows = [("NMU", "×", n, "ε = 1e-4", 1000, c) for n, c in rates.items()]
    rows += [("NMU", "×", "[1, 2)", "flat 1e-5", 1000, 500)]  # another criterion
    rows += [("NAU", "+", "[1, 2)", "ε = 1e-4", 1000, 1000)]  # it never fails
    names = (*KEYS, "criterion", "seeds", "solved")
    assert list(chosen(columns(names, rows))) == [CELL]


def test_a_cell_is_one_of_the_single_module_task():
    cell = basin(CELL, range(3))
    assert cell.task == SingleModule("mul", 2, (-1.2, -1.1), (-6.1, -1.2))
    assert cell.seeds == (0, 1, 2)
    assert cell.protocol.steps == 50_000


def runs_of(arm, outcomes, rounded, errors):
    rows = [
        {"outcome": o, "rounded": e, "threshold": 0.5, "interpolation": error}
        for o, e, error in zip(outcomes, rounded, errors, strict=True)
    ]
    return ArmRuns(arm, rows, "", None)


def arm(training):
    return next(a for a in arms() if a.labels["training"] == training)


def test_success_has_intervals_by_both_criteria():
    done = ["solved"] * 30 + ["not solved"] * 70
    runs = runs_of(arm(s.RECIPE), done, [0.0] * 50 + [1.0] * 50, [0.1] * 100)
    table = s.scaling([runs])
    row = {name: values[0] for name, values in table.items()}
    rate = success_rate(30, 100)
    assert (row["solved"], row["low"], row["high"]) == (rate.value, rate.low, rate.high)
    short = s.sizes(table)
    assert short["k = 2"] == ["30 (50 exact)"] and short["k = 3"] == [""]
    assert row["exact"] == 0.5 and row["runs"] == 100 and row["line"] == "NAU, k = 2"


def test_of_several_short_runs_that_of_the_least_training_error_counts():
    done = ["solved", *["not solved"] * 4, "solved", *["not solved"] * 2]
    errors = [0.1, 0.2, np.nan, 0.4, 0.5, 0.2, 0.3, 0.4]
    runs = runs_of(arm(r.SEVERAL), done, [0.0] * 8, errors)
    table = s.ways([runs])
    assert (table["trials"], table["solved"]) == ([2], [1.0])


@pytest.mark.parametrize("hard", r.HARD, ids=lambda hard: type(hard.unit).title)
def test_every_way_has_the_same_steps(hard):
    for name, cell in r.ways(hard):
        trials = len(cell.seeds) // (r.RUNS if name == r.SEVERAL else 1)
        assert trials == r.SEEDS
        assert len(cell.seeds) * cell.protocol.steps == r.SEEDS * r.STEPS
        (penalty,) = cell.protocol.penalties
        assert isinstance(penalty, UnitPenalty) and penalty.end < cell.protocol.steps


@pytest.mark.parametrize("hard", r.HARD, ids=lambda hard: type(hard.unit).title)
def test_a_wide_network_is_exact_if_one_output_is(hard):
    """Whatever the others compute, if the NAU has the weight 1 for that one alone."""
    made = dict(r.ways(hard))
    network = made[r.WIDE].network
    assert network == Stack((hard.unit, NAU()), hidden=(r.WIDTH,))
    assert made[r.WIDE].protocol == made[r.ONCE].protocol
    n, power = hard.task.input_size, {"mul": 1.0, "div": -1.0}[hard.task.operation]
    right = hard.unit.encode(np.array([[1.0, power, *np.zeros(n - 2)]]), "product")["W"]
    others = np.full((r.WIDTH - 1, right.shape[1]), 0.3)
    last = np.array([[1.0, *np.zeros(r.WIDTH - 1)]])
    params = {"0.W": np.concatenate([right, others]), "1.W": last}
    x = np.linspace(1.1, 1.9, n)
    np.testing.assert_allclose(network.apply(params, x), [x[0] * x[1] ** power], 1e-12)


@pytest.mark.slow
def test_what_the_page_says_of_wide_networks():
    """They are solved less often, and what they learn is right inside."""
    table = stored_tables("what-decides", RESULTS)["ways"]
    solved = {
        (unit, training): rate
        for unit, training, rate in zip(
            *(table[k] for k in ("unit", "training", "solved")), strict=True
        )
    }
    wide, once = (f"{100 * solved['NMU', way]:.0f} %" for way in (r.WIDE, r.ONCE))
    prose = " ".join(s.SHEET.prose.split())
    assert f"{wide} of the wide NMUs are solved instead of {once}" in prose
    made = s.study()
    (arm,) = [
        arm
        for arm in made.arms
        if (arm.labels["unit"], arm.labels["training"]) == ("NMU", r.WIDE)
    ]
    (found,) = find(replace(made, arms=(arm,)), read(RESULTS))
    failed = [row for row in found.rows if row["outcome"] != "solved"]
    inside = np.median([row["interpolation"] for row in failed])
    outside = np.median([row["extrapolation"] for row in failed])
    assert len(found.rows) == r.SEEDS
    assert f"a median error of 2·10⁻⁸ inside and {outside:.0f} outside" in prose
    assert f"{inside:.0e}" == "2e-08"
    done = s.solved(found)
    least = done[s.chosen_runs([row["interpolation"] for row in found.rows], 4)]
    any_, best = (
        100 * rate for rate in (done.reshape(-1, 4).any(1).mean(), least.mean())
    )
    assert f"there is a solved one in {any_:.0f} % of the cases" in prose
    assert f"inside is solved in {best:.0f} %" in prose
    for hard in r.HARD:
        wide, once = (solved[type(hard.unit).title, way] for way in (r.WIDE, r.ONCE))
        assert wide < once


def test_tables_of_stored_outcomes(tmp_path):
    pytest.importorskip("sklearn")
    start = first_parameters(basin(CELL, range(200)))["W"][:, 0]
    solved = start.sum(axis=1) > 2 / 2.15
    text = "".join("01"[int(done)] for done in solved)
    kept = Kept(tmp_path, s.SHEET.name, "outcomes", NAMES, len(KEYS))
    kept.add((*CELL, text, "0" * 200))
    kept.write()
    study = studies()[s.SHEET.name]
    tables = s.compute(Trained(study, [], read(tmp_path))).tables
    assert tables["rates"]["solved"] == [solved.mean()]
    assert tables["rates"]["exact"] == [0.0]
    assert tables["rules"]["rule"][0].startswith("W₁ + W₂ > ")
    assert tables["rules"]["rule"][1] == ""
    assert tables["theory"]["runs it is right about"] == [1.0]
    assert set(tables["maps"]["map"]) == {"NMU × [-1.2, -1.1): W₂ over W₁"}
    assert len(tables["maps"]["x"]) == s.FINE**2
    assert tables["outcomes"]["solved"] == [text]


def test_without_outcomes_tables_are_empty():
    study = studies()[s.SHEET.name]
    tables = s.compute(Trained(study, [], Results([]))).tables
    measured = [table for name, table in tables.items() if name != "saturation"]
    assert all(not values for table in measured for values in table.values())


def test_signs_are_those_of_the_operation():
    params = {"W_hat": np.array([[[1.0, -2.0]], [[1.0, 3.0]], [[-1.0, 3.0]]])}
    ended = np.array([True, False, False]), np.array([True, True, False])
    rows = list(s.signs(("NAC₊", "−", "[1, 2)"), params, *ended))
    assert [(row[3], row[4], row[5], row[8]) for row in rows] == [
        ("both", 1, 1.0, 1.0),
        ("one", 1, 0.0, 1.0),
        ("none", 1, 0.0, 0.0),
    ]
    assert not list(s.signs(CELL, {"W": params["W_hat"]}, *ended))
