"""One recipe: what is taken of several starts, and its tables."""

from pathlib import Path

import numpy as np
import pytest

from arithmax import NMU, Protocol
from arithmax.results import Results
from arithmax.statistics import overlap, success_rate
from arithmax.studies import Trained, studies, study
from arithmax.studies._kept import Kept
from arithmax.studies.primer import _recipe as of_recipe
from arithmax.studies.primer import _taken as taken
from arithmax.studies.primer import one_recipe as recipe
from arithmax.tasks import Functions, SingleModule, Starts
from arithmax.training import SGD, Cell, Cosine, Joint, Measuring

RESULTS = Path(__file__).parents[3] / "results"


@pytest.fixture(scope="module")
def tables():
    given = Trained(study("one-recipe"), [], Results([], RESULTS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(taken, "train_cells", None)  # all is there
        return recipe.compute(given).tables


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
        (10, "×", "[1, 2)", network, problem, "a hash", *row)
        for network in ("NAU", "NMRU")
        for problem in range(2)
    ]
    (cell,) = taken.by_cell(rows).values()
    assert cell.solved.shape == (2, 2, 2) and cell.taken(2)[0].all()


def test_the_stored_runs_are_right_in_every_cell(tables):
    """At least 99 of 100 problems, by the benchmark's criterion."""
    rates = [int(text.split(" %")[0]) for text in tables["cells"]["solved"]]
    assert len(rates) == 2 * 4 * 9 and min(rates) >= 99
    starts = tables["starts"]
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
    monkeypatch.setattr(of_recipe, "RANGES", {"[1, 2)": of_recipe.RANGES["[1, 2)"]})
    monkeypatch.setattr(of_recipe, "STEPS", steps)
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


def pretended(monkeypatch, stops_at=None):
    """Training that gives rows at once; the seeds that were asked for, by call."""
    asked = []

    def train_cells(cells, **options):
        (cell,) = cells
        asked.append(cell.seeds)
        row = {"outcome": "solved", "rounded": 0.0, "threshold": 1, "interpolation": 0}
        rows = [{"seed": seed, **row} for seed in cell.seeds[:stops_at]]
        return Results(rows, None, stops_at is not None)

    monkeypatch.setattr(taken, "train_cells", train_cells)
    return asked


def kept_of(steps, folder, problems):
    """The rows of one cell with two starts of each problem."""
    kept = Kept(folder, "one-recipe", "runs", taken.NAMES, len(taken.KEYS))
    seeds = tuple(range(2 * problems))
    cell = Cell(NMU(), Starts(SingleModule(), 2), Protocol.recipe(steps), seeds)
    labels = (2, "×", "[1, 2)", "NMU")
    return taken.keep_trained(kept, [(labels, 2, cell)], problems, False)


def test_problems_that_were_finished_before_an_interruption_are_kept(
    tmp_path, monkeypatch
):
    asked = pretended(monkeypatch, stops_at=5)  # the third problem has one of its two
    with pytest.raises(KeyboardInterrupt):
        kept_of(1000, tmp_path, 4)
    asked = pretended(monkeypatch)
    rows = kept_of(1000, tmp_path, 4)
    assert asked == [(4, 5, 6, 7)] and [row[4] for row in rows] == [0, 1, 2, 3]
    assert len(kept_of(1000, tmp_path, 2)) == 2 and len(asked) == 1


def test_rows_of_another_setting_are_kept_and_not_read(tmp_path, monkeypatch):
    asked = pretended(monkeypatch)
    rows = [kept_of(steps, tmp_path, 1) for steps in (1000, 2000, 1000)]
    assert asked == [(0, 1), (0, 1)]  # the first setting's are still there
    assert rows[0] == rows[2] and rows[0][0][5] != rows[1][0][5]


def test_every_part_of_the_recipe_is_needed(tables):
    """With ten inputs and one start, as stored: without any part fewer are solved."""
    without = tables["without"]
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
    changes = recipe.WITHOUT["no clipping"]
    listed = of_recipe.cells((10,), recipe.PROBLEMS, 1, **changes)
    names = ("runs-no-clipping", taken.NAMES, len(taken.KEYS))
    unclipped = taken.kept_rows(
        Kept(RESULTS, "one-recipe", *names), listed, recipe.PROBLEMS
    )
    lost = {
        key: [int(part.sum()) for part in runs.taken(1)]
        for key, runs in taken.by_cell(unclipped).items()
        if not runs.taken(1)[0].any()
    }
    assert lost == {(10, "÷", "[-2, 2)"): [0, 1]} and "quotients on [−2, 2)" in prose
    # One start of each problem is another seed than the first of eight.
    starts = tables["starts"]
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
