"""What the sheets say of the runs that are stored."""

import csv
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import row_order

from arithmax.results import exact_after_rounding, read
from arithmax.statistics import Interval, overlap
from arithmax.studies import Trained, Verdict, evaluate, find, stored_tables, study
from arithmax.studies.slides import entry
from arithmax.studies.slides.gate import gate_values

RESULTS = Path(__file__).parents[3] / "results"
RUNS = Path(__file__).with_name("published-runs.csv")


@cache
def stored():
    return read(RESULTS)


def runs_of(name, **labels):
    """The stored runs of the one arm with these labels, and its published figures."""
    (found,) = [
        found
        for found in find(study(name), stored())
        if labels.items() <= found.arm.labels.items()
    ]
    assert not found.reduced
    return found


def numbers(found, column):
    """A column of the solved runs of an arm, in order."""
    solved = [row for row in found.rows if row["outcome"] == "solved"]
    return np.sort([row[column] for row in solved])


def about(name):
    """The prose of a study, in one line."""
    return " ".join(study(name).about.split())


def solved_by(name, **labels):
    """How many runs of an arm are solved, exact after rounding, and there at all."""
    rows = runs_of(name, **labels).rows
    solved = sum(row["outcome"] == "solved" for row in rows)
    return solved, sum(map(exact_after_rounding, rows)), len(rows)


def test_three_of_the_authors_runs_make_a_mean():
    found = runs_of("arithmetic-dataset", operation="z²", model="NMU")
    with RUNS.open(encoding="utf-8") as file:
        theirs = np.sort(
            [
                float(row["sparsity_error"])
                for row in csv.DictReader(file)
                if (row["model"], row["operation"]) == ("NMU", "square")
            ]
        )
    ours = numbers(found, "sparsity")
    assert len(theirs) == len(ours) == 100
    few = f"have {theirs[-3]:.1e} to {theirs[-1]:.1e} and make the mean"
    rest = f"it is {theirs[:-3].mean():.1e}; ours, {ours.mean():.1e}, is of that size"
    for words in (few, rest):
        assert words.replace("e-0", "e-") in found.arm.published["sparsity"].reason


def test_three_of_our_differences_are_best_at_whole_weights():
    found = runs_of("regularisation", strength="0.1", model="NAU, −")
    rows = sorted(found.rows, key=lambda row: row["sparsity"])
    late, others = rows[:3], rows[3:]
    assert len(others) == 47 and all(row["sparsity"] < 2e-5 for row in late)
    assert all(0.48 < row["sparsity"] < 0.5 for row in others)
    steps = [row["best_step"] for row in late], [row["best_step"] for row in others]
    reason = found.arm.published["sparsity"].reason
    for some in steps:
        assert f"{min(some):,} to {max(some):,}" in reason
    chance = (1 - len(late) / len(rows)) ** len(rows)
    assert "one case in twenty" in reason and 0.04 < chance < 0.06


def test_sums_with_a_strong_penalty_are_solved_soon_or_never():
    strong = runs_of("regularisation", strength="10", model="NAU, +")
    assert numbers(strong, "solved_at").max() == 20_000
    steps = numbers(
        runs_of("regularisation", strength="1", model="NAU, +"), "solved_at"
    )
    late = steps[steps > 1_000_000]
    tried = strong.arm.published["solved_at"].tried
    assert (len(late), len(steps)) == (8, 41) and "eight of our 41" in tried
    ends = [f"{end / 1e6:.2f}" for end in (late.min(), late.max())]
    assert "({} to {} million)".format(*ends) in tried


def test_seven_late_steps_of_22_give_the_printed_mean():
    """By the fit of the authors: seven at four million, the others at 17,000."""
    row = entry("regularisation", operation="add", x="10", model="NAU")
    assert row is not None and row["solved"] == 22
    fitted = row_order.held([17e3] * 15 + [4e6] * 7)
    given = [fitted.value, fitted.low, fitted.high]
    np.testing.assert_allclose(given, row["solved_at"], rtol=0.03)


def test_gates_go_where_they_go_whatever_the_task():
    sides = stored_tables("gate", RESULTS)["sides"]
    rows = list(zip(*sides.values(), strict=True))
    multiplies = {row[:2]: row[3] for row in rows if row[2].startswith("multiplies")}
    for model, words in (
        ("Gated NAU/NMU", "71 and 72 of 100 runs"),
        ("NALU shared", "the NALU 60 and 53"),
        ("NALU separate", "separate weights 41 and 38"),
    ):
        pair = multiplies["×", model], multiplies["+", model]
        assert "{} and {}".format(*pair) in words and words in about("gate")
    right = {"×": "multiplies", "+": "adds"}
    for operation, model, side, seeds, solved in rows:
        if not side.startswith(right[operation]):
            assert solved == 0
        elif operation == "+":
            assert solved == seeds
        elif model == "Gated NAU/NMU":
            assert solved / seeds > 0.9
        else:
            assert 0.25 < solved / seeds < 0.4  # every third


def test_of_short_runs_no_gate_is_said_to_be_right():
    found = find(study("gate"), stored())
    whole = replace(found[0], reduced="")
    short = replace(whole, reduced="1,000 of 5,000,000 steps", summary=None)
    assert short.too_short and not whole.too_short
    for runs, kind in ((whole, int), (short, type(None))):
        given = Trained(study("gate"), [runs], stored())
        told = gate_values(given).tables["sides"]["solved"]
        assert told and all(isinstance(value, kind) for value in told)


def test_the_sparsity_errors_of_the_table_of_gates_were_halved():
    """Doubled they overlap ours; as printed, four of six would not."""
    apart = 0
    for found in find(study("gate"), stored()):
        assert found.summary is not None
        figure, ours = found.arm.published["sparsity"], found.summary.sparsity
        assert isinstance(ours, Interval) and figure.interval is not None
        assert overlap(ours, figure.interval) and "doubled" in figure.note
        theirs = figure.interval
        ends = (theirs.value / 2, theirs.low / 2, theirs.high / 2)
        apart += not overlap(ours, Interval(*ends))
    assert apart == 4


def test_all_figures_of_learning_rates_overlap():
    found = evaluate(study("learning-rate"), stored())
    verdicts = [compared.verdict for compared in found.comparisons]
    assert len(verdicts) == 120 and set(verdicts) == {Verdict.OVERLAPS}


def test_what_the_page_says_of_learning_rates():
    asked = {"operation": "+", "model": "NAC+", "optimiser": "SGD", "rate": 0.01}
    assert solved_by("learning-rate", **asked) == (0, 24, 25)
    assert "and 24 have weights that are exact" in about("learning-rate")
    asked = {"operation": "×", "model": "NAC•", "optimiser": "Adam"}
    counts = [solved_by("learning-rate", **asked, rate=rate) for rate in (0.01, 0.001)]
    assert [(solved, runs) for solved, _, runs in counts] == [(19, 25), (45, 100)]
    assert "19 of 25 and 45 of 100" in about("learning-rate")
    quotients = {}
    for found in find(study("learning-rate"), stored()):
        labels = found.arm.labels
        solved = sum(row["outcome"] == "solved" for row in found.rows)
        if labels["optimiser"] != "Adam" and solved:
            assert (labels["operation"], labels["model"]) == ("−", "NAC+")
        if labels["operation"] == "÷":
            key = labels["model"], labels["optimiser"], labels["rate"]
            quotients[key] = solved, len(found.rows)
        if (labels["operation"], labels["optimiser"]) == ("×", "SGD"):
            assert not any(map(exact_after_rounding, found.rows))

    best = max(quotients, key=lambda key: quotients[key][0])
    assert (best, quotients[best]) == (("NAC•", "Adam", 0.01), (5, 25))
    assert "more than five runs of 25" in about("learning-rate")
    assert "five of 25 NAC• at another" in about("arithmetic-dataset")


def test_what_the_pages_say_of_ratios_and_ranges():
    halves = {"ratio": 0.5}
    counts = {
        model: solved_by("subset-ratio", model=model, **halves)
        for model in ("NAC•", "NAC•,NMU", "NAC•,σ")
    }
    assert [solved for solved, *_ in counts.values()] == [0, 0, 0]
    assert [exact for _, exact, _ in counts.values()] == [17, 29, 50]
    few = [solved_by("subset-ratio", model="NALU", ratio=r)[0] for r in (0.05, 0.1)]
    many = [solved_by("subset-ratio", model="NALU", ratio=r)[0] for r in (0.25, 0.5)]
    assert min(few) > 0 and many == [0, 0]
    for name in ("overlap-ratio", "input-range"):
        for found in find(study(name), stored()):
            if found.arm.labels["model"] == "NALU":
                assert found.rows
                assert all(row["outcome"] != "solved" for row in found.rows)


def test_what_the_page_says_of_all_operations():
    for model in ("NMU", "NAC•", "NAC•,σ", "NAC•,NMU"):
        asked = {"model": model}
        assert solved_by("arithmetic-dataset", operation="÷", **asked)[0] == 0
        squares = solved_by("arithmetic-dataset", operation="z²", **asked)[0]
        assert (squares == 100) is (model != "NAC•")
    roots = [
        solved_by("arithmetic-dataset", operation="√", model=model)
        for model in ("NMU", "NAC•", "NAC•,σ", "NAC•,NMU")
    ]
    assert np.sum(roots, axis=0).tolist() == [6, 0, 400]
    assert "Of 400 runs of roots six come" in about("arithmetic-dataset")
    differences = runs_of("arithmetic-dataset", operation="−", model="NMU")
    steps = numbers(differences, "solved_at")
    assert 40 < len(steps) < 60 and steps.min() > 1_000_000


def test_what_the_page_says_of_late_ramps():
    """Of −: whole weights, or fractions that cancel, by when the penalty sets in."""
    fractions, steps = {}, {}
    for found in find(study("regularisation-scaling"), stored()):
        if found.arm.labels["model"] == "NAU, −":
            error, ramp = numbers(found, "sparsity"), found.arm.labels["penalty"]
            assert len(error) == len(found.rows)  # all are solved
            assert ((error < 0.01) | (error > 0.4)).all()
            fractions[ramp] = int((error > 0.4).sum()), len(error)
            steps[ramp] = np.median(numbers(found, "solved_at"))
    assert fractions["never"] == (50, 50) and fractions["from the start"] == (0, 50)
    late, authors = fractions["1 to 2 million"], fractions["5,000 to 50,000"]
    words = "without a penalty all 50 runs have them, with the latest ramp {} of {}, "
    words += "with the authors' {} of {}, and with a penalty from the start"
    assert words.format(*late, *authors) in about("regularisation-scaling")
    first = steps.pop("from the start")
    assert max(steps.values()) <= 6000 and 35 < first / max(steps.values()) < 50


def test_pages_say_which_runs_are_too_short():
    """With which of the labels of an arm all its steps were run."""
    full = {}
    for name, label in (("hidden-size", "hidden"), ("input-size", "inputs")):
        for found in find(study(name), stored()):
            if "steps" not in found.reduced:
                model = found.arm.labels["model"]
                full.setdefault((name, model), []).append(found.arm.labels[label])
    hidden = {m: sizes for (name, m), sizes in full.items() if name == "hidden-size"}
    assert hidden.pop("NAC•,σ") == hidden.pop("NALU") == [2]
    assert hidden and all(sizes == list(range(2, 11)) for sizes in hidden.values())
    inputs = {m: sizes for (name, m), sizes in full.items() if name == "input-size"}
    assert set(map(tuple, inputs.values())) == {(100,)}
    models = {arm.labels["model"] for arm in study("input-size").arms}
    assert models - inputs.keys() == {"Gated NAU/NMU"}
    for found in find(study("ablation"), stored()):
        model, hidden = found.arm.labels["model"], found.arm.labels["hidden"]
        full_length = model == "NMU" or (model, hidden) == ("NMU, no R_sparse", 2)
        assert full_length == ("steps" not in found.reduced)


def test_what_the_page_says_of_strengths():
    lost = {}
    for found in find(study("regularisation"), stored()):
        solved = sum(row["outcome"] == "solved" for row in found.rows)
        key = found.arm.labels["model"], found.arm.labels["strength"]
        lost[key] = len(found.rows) - solved, len(found.rows)
    assert lost["NMU, ×", "10"] == (4, 100) and lost["NAU, +", "1"] == (9, 50)
    assert lost["NMU, ×", "100"] == (19, 50)
    assert lost["NAU, +", "10"][0] > 25 and lost["NAU, +", "100"] == (50, 50)
    assert {lost["NAU, −", s] for s in ("1", "10", "100")} == {(3, 50)}
    weak = [s for m, s in lost if m == "NAU, −" and float(s) < 1]
    assert weak and {lost["NAU, −", s][0] for s in weak} == {0}
