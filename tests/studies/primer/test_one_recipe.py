"""One recipe: what is taken of several starts, and its tables."""

from pathlib import Path

import numpy as np
import pytest

from arithmax import NMU, Protocol
from arithmax.results import Results
from arithmax.statistics import overlap, success_rate
from arithmax.studies import Trained, studies, study
from arithmax.studies.primer import _taken as taken
from arithmax.studies.primer import one_recipe as recipe
from arithmax.tasks import Functions, SingleModule, Starts
from arithmax.training import SGD, Cell, Cosine, Joint, Measuring

RESULTS = Path(__file__).parents[3] / "results"


def runs():
    """Two networks, three problems, two starts: the best of each problem is known."""
    errors = np.array(
        [[[3.0, 1.0], [9.0, 9.0], [np.nan, 5.0]], [[2.0, 4.0], [8, 1], [7, 7]]]
    )
    solved = np.array([[[0, 1], [0, 0], [1, 0]], [[0, 0], [0, 1], [0, 1]]], bool)
    return taken.Runs(solved, solved, errors)


def test_the_least_error_is_taken_of_all_networks():
    both, _ = runs().taken(2)
    assert both.tolist() == [True, True, False]  # NaN is no error to be taken
    first, _ = runs().taken(1)
    assert first.tolist() == [False, False, False]


def test_rows_become_cells_again():
    row = taken.summary(
        [
            {
                "outcome": "solved",
                "rounded": 0.0,
                "threshold": 1e-5,
                "interpolation": 0,
            },
            {
                "outcome": "diverged",
                "rounded": np.nan,
                "threshold": 1,
                "interpolation": np.nan,
            },
        ]
    )
    assert row == ("10", "10", "0 nan")
    rows = [
        (10, "×", "[1, 2)", network, problem, *row)
        for network in ("NAU", "NMRU")
        for problem in range(3)
    ]
    (cell,) = taken.by_cell(rows, 2).values()
    assert cell.solved.shape == (2, 2, 2) and cell.taken(2)[0].all()


def test_the_stored_runs_are_right_in_every_cell():
    """At least 99 of 100 problems, by the benchmark's criterion."""
    tables = study("one-recipe")
    assert tables.compute is not None
    results = Results([], RESULTS)
    computed = tables.compute(Trained(tables, [], results))
    rates = [int(text.split(" %")[0]) for text in computed.tables["cells"]["solved"]]
    assert len(rates) == 2 * 4 * 9 and min(rates) >= 99
    starts = computed.tables["starts"]
    fewer = [
        s
        for s, n in zip(starts["worst cell, %"], starts["starts"], strict=True)
        if n == 1
    ]
    assert min(fewer) < 70  # one start is not enough


def test_a_study_by_the_recipe_keeps_its_tasks_and_measures():
    published, ours = study("simple-mul"), study("simple-mul-recipe")
    assert ours.name == "simple-mul-recipe" and not ours.claims
    for before, after in zip(published.arms, ours.arms, strict=True):
        assert after.labels == before.labels and not after.published
        one, other = before.cell, after.cell
        assert (one.network, one.task, one.seeds) == (
            other.network,
            other.task,
            other.seeds,
        )
        assert other.protocol.measuring == one.protocol.measuring
        assert other.protocol.criterion == one.protocol.criterion
        steps = one.protocol.steps
        assert other.protocol.schedule == Cosine(0, steps, 1e-4)
        assert other.protocol.composition == Joint() and other.protocol.steps == steps


def test_every_study_with_runs_can_be_trained_by_the_recipe():
    """Whatever its steps and intervals are."""
    for name, published in studies().items():
        if published.arms:
            assert len(study(f"{name}-recipe").arms) == len(published.arms)
    odd = Protocol.recipe(300, measuring=Measuring(100))
    assert odd.schedule == Cosine(0, 300, 1e-4) and odd.steps == 300


def test_a_study_without_runs_has_none_by_the_recipe():
    with pytest.raises(
        ValueError, match=r"`recipe` \(=True\) is for studies that train"
    ):
        study("interval-coverage-recipe")


def test_several_starts_have_one_problem():
    ten = SingleModule("div", input_size=10)
    several = Starts(ten, 3)
    for seed in range(9):
        given, wanted = several.replica(seed), ten.replica(seed // 3)
        assert given.keys() == wanted.keys()
        assert all(np.array_equal(given[name], wanted[name]) for name in given)
    assert several.threshold(1e-4) == ten.threshold(1e-4)
    assert several.structure == ten.structure


def test_wrong_starts_are_refused():
    with pytest.raises(ValueError, match=r"`starts` \(=0\)"):
        Starts(SingleModule(), 0)
    with pytest.raises(ValueError, match=r"`steps` \(=2\)"):
        Protocol.recipe(2)


def test_the_recipe_suits_every_task_it_is_given():
    protocol = Protocol.recipe(1000).updated(optimiser=SGD())
    Cell(NMU(), Starts(SingleModule(), 2), protocol, (0, 1))
    assert Starts(Functions(), 2).out_features == Functions().out_features


def small(monkeypatch, steps):
    """Two inputs on one range, and one part to leave out."""
    monkeypatch.setattr(recipe, "SIZES", (2,))
    monkeypatch.setattr(recipe, "AMONG", 2)
    monkeypatch.setattr(recipe, "RANGES", {"[1, 2)": recipe.RANGES["[1, 2)"]})
    monkeypatch.setattr(recipe, "STEPS", steps)
    monkeypatch.setattr(recipe, "WITHOUT", {"no penalty": {"penalties": ()}})


@pytest.mark.slow
def test_a_small_one_is_trained_and_goes_on(tmp_path, monkeypatch):
    """What is stored is not trained again, and more problems are."""
    small(monkeypatch, 4000)
    this = study("one-recipe")
    given = Trained(this, [], Results([], tmp_path), seeds=1)
    computed = recipe.compute(given)
    assert len(computed.tables["runs"]["problem"]) == 2 * 4  # networks and operations
    assert set(computed.tables["cells"]["best published"]) == {"not run"}
    assert computed.tables["without"]["the recipe, one start"] == ["no penalty"]
    monkeypatch.setattr(taken, "train_cells", None)  # all is there
    assert recipe.compute(given).tables["runs"] == computed.tables["runs"]


@pytest.mark.slow
def test_what_was_finished_is_kept_when_it_is_interrupted(tmp_path, monkeypatch):
    small(monkeypatch, 1000)
    calls, train = [], taken.train_cells

    def second_time(cells, **options):
        calls.append(cells)
        done = train(cells, **options)
        return Results(done.rows[:3], None, True) if len(calls) == 2 else done

    monkeypatch.setattr(taken, "train_cells", second_time)
    given = Trained(study("one-recipe"), [], Results([], tmp_path), seeds=1)
    with pytest.raises(KeyboardInterrupt):
        recipe.compute(given)
    assert (tmp_path / "one-recipe.runs.table.parquet").exists()
    recipe.compute(given)
    assert len(calls) == 2 + (2 * 4 - 1) + 2 * 4  # the first cell is not trained again


def test_every_part_of_the_recipe_is_needed():
    """With ten inputs and one start, as stored: without any part fewer are solved."""
    given = Trained(study("one-recipe"), [], Results([], RESULTS))
    without = recipe.compute(given).tables["without"]
    solved = dict(
        zip(without["the recipe, one start"], without["solved, %"], strict=True)
    )
    whole = solved.pop("as it is")
    assert len(solved) == 4 and all(whole > share + 3 for share in solved.values())
    words = "without the one {:.0f} % are solved, without the other {:.0f} %, "
    words += "with both {:.0f} %"
    prose = " ".join(study("one-recipe").about.split())
    words = words.format(solved["no falling rate"], solved["no penalty"], whole)
    assert words in prose
    rounded = dict(
        zip(without["the recipe, one start"], without["rounded, %"], strict=True)
    )
    fewer = [
        rounded["as it is"] - rounded[n] for n in ("no falling rate", "no penalty")
    ]
    assert max(map(abs, fewer)) < 0.5
    # One start of each problem is another seed than the first of eight.
    starts = recipe.compute(given).tables["starts"]
    first = dict(
        zip(
            zip(starts["inputs"], starts["starts"], strict=True),
            starts["solved, %"],
            strict=True,
        )
    )["10 inputs", 1]
    assert f"by starts, of which {first:.0f} % are solved" in prose
    runs = recipe.PROBLEMS * 36
    both = (success_rate(round(s * runs / 100), runs) for s in (whole, first))
    assert overlap(*both)
