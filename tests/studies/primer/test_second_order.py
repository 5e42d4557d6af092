"""Steps of second order: what the stored runs say, the saddle, and a small one."""

from pathlib import Path

import numpy as np
import pytest

from arithmax import NAU, NMU, Protocol
from arithmax.networks import Stack
from arithmax.results import Results
from arithmax.studies import Trained, study
from arithmax.studies._kept import Kept
from arithmax.studies._published import figures_file
from arithmax.studies.primer import _taken as taken
from arithmax.studies.primer import second_order
from arithmax.tasks import NumpyKey, Subsets
from arithmax.training import LevenbergMarquardt, Measuring
from arithmax.units import Uniform

RESULTS = Path(__file__).parents[3] / "results"
PROSE = " ".join(second_order.SHEET.prose.split())


@pytest.fixture(scope="module")
def tables():
    given = Trained(study("second-order"), [], Results([], RESULTS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(taken, "train_cells", None)  # all is there
        return second_order.compute(given).tables


def cells(tables):
    """The per cent of each cell that are solved, by a column."""
    keys = zip(*(tables["cells"][n] for n in taken.KEYS[:3]), strict=True)
    return dict(zip(keys, zip(*tables["cells"].values(), strict=True), strict=True))


def percent(text):
    return int(text.split(" %")[0])


def test_all_cells_but_four_are_solved(tables):
    found = cells(tables)
    assert len(found) == 2 * 36 + 35 + 2  # ÷ of sums around zero has no threshold
    names = list(tables["cells"])
    solved = {k: percent(row[names.index("solved")]) for k, row in found.items()}
    hard = {k for k, share in solved.items() if share < 99}
    assert hard == {
        (2, "÷", "[-2, 2)"),
        (10, "÷", "[-2, 2)"),
        (100, "÷", "[1.1, 1.2)"),
        (100, "÷", "[-1.2, -1.1)"),
    }
    listed = zip(*(tables["resisting"][n] for n in taken.KEYS[:3]), strict=True)
    assert set(listed) == hard


def test_both_recipes_together_solve_two_and_ten_inputs(tables):
    names = list(tables["cells"])
    both = [
        percent(row[names.index("both")])
        for key, row in cells(tables).items()
        if key[0] < 100
    ]
    assert len(both) == 72 and min(both) >= 99


def test_quotients_that_hardly_any_published_run_learned_are_solved(tables):
    names, row = list(tables["cells"]), cells(tables)[100, "÷", "[1, 2)"]
    assert row[names.index("best")] == "4 % (NAC•)"
    assert percent(row[names.index("solved")]) > 98
    files = [figures_file("slides", name) for name in second_order.ON_ONE_RANGE]
    rows = (row for file in files for row in file["rows"])
    tried = [row for row in rows if row["operation"] == "div"]
    assert {row["model"] for row in tried if row["solved"]} == {"NAC•"}
    solved, runs = (sum(row[name] for row in tried) for name in ("solved", "runs"))
    assert (
        solved == 2 and f"{runs:,} published runs of quotients two are solved" in PROSE
    )


def test_the_best_published_products_are_those_of_the_page(tables):
    names = list(tables["cells"])
    ranges = ("[1.1, 1.2)", "[-1.2, -1.1)")
    best = [
        percent(cells(tables)[100, "×", where][names.index("best")]) for where in ranges
    ]
    assert "at best {} % and {} % of the published runs".format(*best) in PROSE


def test_squares_and_roots_of_a_sum_of_a_hundred_inputs(tables):
    """The page's words, and by which networks."""
    names, found = list(tables["cells"]), cells(tables)
    square, root = (found[100, sign, "[1, 2)"] for sign in ("z²", "√"))
    assert [percent(row[names.index("solved")]) for row in (square, root)] == [100, 100]
    best = root[names.index("best")]
    assert f"the best published unit has {best}" in PROSE
    table = tables["hundred"]
    columns = (table[n] for n in ("operation", "network", "solved, %"))
    share = {(sign, name): value for sign, name, value in zip(*columns, strict=True)}
    assert share["z²", "NAU→NMU"] == 100 and "in every run of the NMU" in PROSE
    roots = {name for sign, name in share if sign == "√" and share[sign, name] > 0}
    assert roots == {second_order.ROOTS}
    assert {name for sign, name in share if sign == "√"} == {
        "NAU→NAU",
        "NAU→NMU",
        second_order.ROOTS,
    }


def test_a_fourth_network_neither_helps_nor_harms():
    """What is taken of two and ten inputs is solved as often without that of roots."""
    stored = Kept(RESULTS, "second-order", "runs", taken.NAMES, len(taken.KEYS))
    listed = [
        c for c in second_order.cells(second_order.PROBLEMS) if c[0][0] in (2, 10)
    ]
    rows = taken.kept_rows(stored, listed, second_order.PROBLEMS)
    others = [row for row in rows if row[3] != second_order.ROOTS]
    counts = [
        {key: int(runs.taken(8)[0].sum()) for key, runs in taken.by_cell(some).items()}
        for some in (rows, others)
    ]
    assert len(rows) > len(others) and len(counts[0]) == 72
    assert counts[0] == counts[1]


def test_as_many_starts_as_the_page_says(tables):
    """Of a chance of one in eleven: so many that 99 % of problems have one."""
    names = ("inputs", "operation", "range")
    keys = zip(*(tables["resisting"][n] for n in names), strict=True)
    shares = tables["resisting"]["starts of the best network, %"]
    share = dict(zip(keys, shares, strict=True))[100, "÷", "[1.1, 1.2)"] / 100
    assert round(1 / share) == 11
    assert round(np.log(0.01) / np.log(1 - share)) == 50
    assert "one of the NRU in eleven right, about fifty are needed" in PROSE


def runs_changed(tables):
    """How many runs are solved and exact after rounding, by setting and operation."""
    table = tables["runs-changed"]
    counts = {}
    names = ("changed", "operation", "solved", "rounded")
    for *key, solved, rounded in zip(*(table[name] for name in names), strict=True):
        some = counts.setdefault(tuple(key), np.zeros(3, int))
        some += (solved == "1", rounded == "1", 1)
    return counts


def test_what_the_page_says_of_changed_parts(tables):
    found = runs_changed(tables)
    changed = list(second_order.CHANGED)
    assert list(found) == [(name, sign) for name in changed for sign in "+−×÷"]
    assert all(runs == second_order.CHANGED_SEEDS for *_, runs in found.values())
    solved = {key: count[0] for key, count in found.items()}
    *others, adam = changed
    assert all(solved[name, sign] == 32 for name in others for sign in "+−")
    few, usual, all_ = (
        solved[name, "×"] for name in ("250 samples", "as it is", "1,000 samples")
    )
    assert all_ == 32
    assert f"{few} of 32 are solved with 250, {usual} with 500 and all" in PROSE
    names = ("the NAU's own start", "100 steps", "single precision")
    start, short, single = (solved[name, "÷"] for name in names)
    assert (
        f"own start {start} of 32 are solved, with 100 steps {short} and in "
        f"single precision {single}" in PROSE
    )
    count, rounded, _ = found[adam, "+"]
    assert f"({count} of 32 are solved, {rounded} exact after rounding)" in PROSE
    assert [solved[adam, sign] for sign in "×÷"] == [0, 0]


def test_what_a_solved_problem_costs():
    """Of two networks with three starts each, in one of two problems."""
    solved = np.zeros((2, 2, 3), bool)
    errors = np.ones((2, 2, 3))
    solved[0, 1, 2], errors[0, 1, 2] = True, 0.5
    runs = taken.Runs(solved, solved, errors)
    assert runs.cost(100) == 2 * 2 * 3 * 100
    assert taken.Runs(~solved, solved, errors).cost(100) == 2 * 2 * 3 * 100
    assert taken.Runs(solved & False, solved, errors).cost(100) == np.inf


def test_costs_are_those_of_all_starts(tables):
    of_cell = cells(tables)
    names = list(tables["cells"])
    cost = {key: row[names.index("thousand steps")] for key, row in of_cell.items()}
    assert cost[2, "+", "[1, 2)"] == 4 * 8 * 0.5 and cost[100, "+", "[1, 2)"] == 6
    assert cost[10, "÷", "[-2, 2)"] == np.inf  # none is solved


def test_first_order_ends_at_the_saddle(tables):
    """All runs of both starts have the error of sums that are learned alike."""
    saddle = tables["saddle"]
    assert saddle["solved"] == [0, 0] and saddle["runs"] == [16, 16]
    for name in ("least error", "median error", "largest error"):
        ratios = np.array(saddle[name]) / saddle["error of the saddle"]
        assert (abs(ratios - 1) < 0.1).all()


def test_the_saddle_has_no_slope_and_that_error():
    """Two equal rows of weights ½(a + b): the slope along their difference is zero."""
    task = Subsets("mul")
    x, t = task.draw("training", task.replica(0), NumpyKey(0), 20_000)
    rows = np.zeros((2, 100))
    for k, places in enumerate(task.places(0)):
        rows[k, places] = 1.0
    mean, apart = rows.mean(axis=0), (rows[0] - rows[1]) / 2

    def error(out):
        first = np.stack([mean + out * apart, mean - out * apart])
        params = {"0.W": first, "1.W": np.ones((1, 2))}
        y = Stack((NAU(), NMU()), (2,)).compute(params, np.asarray(x))
        return np.mean((y - t - np.mean(y - t)) ** 2)  # a constant apart

    a, b = (np.asarray(x)[places].sum(axis=0) for places in task.places(0))
    np.testing.assert_allclose(error(0.0), np.var((a - b) ** 2 / 4), 1e-9)
    assert error(1e-3) < error(0.0) and abs(error(1e-3) - error(-1e-3)) < 1e-9
    np.testing.assert_allclose(error(1.0), 0.0, atol=1e-18)


def test_the_error_of_the_saddle_is_that_of_uniform_numbers():
    """(a − b)² of n numbers that are not shared: its variance, from their moments."""
    task = Subsets("mul")
    for seed in range(2):
        one, other = (set(places) for places in task.places(seed))
        n = len(one ^ other)
        square = (n / 12) ** 2  # of the variance of a − b
        exact = square * (2 - 1.2 / n) / 16
        assert second_order.saddle_error(task, seed) == pytest.approx(exact, rel=0.1)


@pytest.mark.slow
def test_an_interruption_keeps_what_the_recipe_of_first_order_had(
    tmp_path, monkeypatch
):
    calls, train = [], taken.train_cells

    def second_time(cells, **options):
        calls.append(cells)
        done = train(cells, **options)
        return Results([], None, True) if len(calls) == 2 else done

    monkeypatch.setattr(second_order, "FIRST_STEPS", 1000)
    monkeypatch.setattr(taken, "train_cells", second_time)
    given = Trained(study("second-order"), [], Results([], tmp_path), seeds=1)
    with pytest.raises(KeyboardInterrupt):
        second_order.by_first_order(given)
    table = second_order.by_first_order(given)
    assert len(calls) == 3 and table["runs"] == [1, 1]  # the first is not repeated


def test_the_protocol():
    protocol = Protocol.second_order(200, measuring=Measuring(50))
    assert protocol.optimiser == LevenbergMarquardt() and not protocol.penalties
    assert protocol.batches.full and protocol.precision == "float64"
    with pytest.raises(ValueError, match=r"`steps` \(=250\)"):
        Protocol.second_order(250)


def test_the_first_layer_starts_between_a_quarter_and_three():
    network = second_order.network("NAU→NRU")
    drawn = network.parameters(100, 1)["0.W"].distribution
    assert drawn == Uniform(0.25, 0.75)


def test_a_divisor_that_crosses_zero_is_left_out():
    assert second_order.problem("div", "[-2, 2)", 100) is None
    assert second_order.problem("div", "[-2, 2)", 10) is not None
    assert second_order.problem("mul", "[-2, 2)", 100) is not None


@pytest.mark.slow
def test_a_small_one_is_trained_and_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(second_order, "STARTS", {2: 2})
    monkeypatch.setattr(
        second_order, "RANGES", {"[1, 2)": second_order.RANGES["[1, 2)"]}
    )
    monkeypatch.setattr(second_order, "STEPS", 100)
    monkeypatch.setattr(second_order, "FIRST_STEPS", 1000)
    few = {"as it is": {}, "250 samples": second_order.CHANGED["250 samples"]}
    monkeypatch.setattr(second_order, "CHANGED", few)
    monkeypatch.setattr(second_order, "HAS", {"add": "NAU→NAU"})
    given = Trained(study("second-order"), [], Results([], tmp_path), seeds=1)
    computed = second_order.compute(given).tables
    assert len(computed["runs"]["problem"]) == 4 * 4  # networks and operations
    assert set(computed["cells"]["first order"]) == {"not run"}
    assert computed["saddle"]["runs"] == [1, 1] and computed["saddle"]["solved"] == [
        0,
        0,
    ]
    solved = dict(
        zip(computed["cells"]["operation"], computed["cells"]["solved"], strict=True)
    )
    assert [percent(solved[sign]) for sign in "+−"] == [100, 100]
    assert computed["parts"]["setting, one start"] == list(few)
    assert list(map(percent, computed["parts"]["+"])) == [100, 100]
    monkeypatch.setattr(taken, "train_cells", None)  # all is there
    assert second_order.compute(given).tables == computed


def test_runs_of_both_recipes_are_beside_each_other():
    def runs(errors):
        errors = np.array(errors, dtype=float)[None, :, None]
        return taken.Runs(errors < 1, errors < 1, errors)

    both = runs([5.0, 0.5]).beside(runs([0.1, 2.0]))
    assert both.solved.shape == (2, 2, 1) and both.taken(1)[0].all()
