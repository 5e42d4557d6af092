"""iNALU's experiments: their data, their runs, and the comparisons."""

import warnings
from dataclasses import replace

import pytest

from arithmax.results import read
from arithmax.studies import Trained, Verdict, evaluate, find
from arithmax.studies.inalu import experiments
from arithmax.studies.inalu import inalu_initialisation as starts
from arithmax.studies.inalu._counts import published_rows
from arithmax.studies.inalu._runs import OPERATIONS, UNITS, network
from arithmax.training import train_cells

# What the studies say.


def test_published_counts_add_up():
    """The paper's totals over seven distributions: NALU, shared W, independent W."""
    expected = {
        "minimal": [(30, 60, 70), (0, 53, 70), (33, 34, 50), (0, 24, 24)],
        "simple": [(27, 70, 70), (1, 38, 70), (17, 60, 60), (0, 3, 6)],
        "function": [(0, 20, 16), (0, 13, 17), (0, 0, 0), (0, 0, 0)],
    }
    for name, totals in expected.items():
        for operation, counts in zip(OPERATIONS, totals, strict=True):
            for model, count in zip(UNITS, counts, strict=True):
                rows = [
                    r["extrapolation"]
                    for r in published_rows(f"inalu-{name}")
                    if (r["operation"], r["model"]) == (operation, model)
                ]
                assert sum(rows) == count, (name, operation, model)


def test_the_mean_of_m_decides():
    """Published shares of experiment 3: 87, 31 and 0 % for +, 84, 35 and 0 % for −."""
    claims = starts.claims()
    for operation, shares in (("add", (87, 31, 0)), ("sub", (84, 35, 0))):
        for mean, share in zip((-1, 0, 1), shares, strict=True):
            found = claims[starts.claim(operation, "extrapolation", M=mean)]
            assert round(100 * found.value) == share
    rows = published_rows("inalu-initialisation")
    assert len(rows) == 108 and sum(r["runs"] for r in rows) == 562 + 524


@pytest.mark.parametrize(
    ("study", "arms", "seeds", "steps"),
    [
        (experiments.minimal, 84, 10, 100_000),
        (experiments.simple, 84, 10, 100_000),
        (experiments.function, 24, 10, 100_000),
        (starts.study, 216, 10, 201_000),
    ],
)
def test_the_runs_are_the_published_ones(study, arms, seeds, steps):
    made = study()
    assert len(made.arms) == arms
    cells = [arm.cell for arm in made.arms]
    assert min(len(c.seeds) for c in cells) == seeds
    assert max(c.protocol.steps for c in cells) == steps
    assert all(
        c.protocol.measuring.window == 1 for c in cells
    )  # judged at the last step


def test_one_program_trains_all_starts():
    """54 starts of 4 operations differ in numbers alone."""
    from arithmax.training._replicas import replicas

    cells = [arm.reduced(1).cell for arm in starts.study().arms]
    assert len({r.program for r in replicas(cells, 32)}) == 1


def test_starts_are_those_of_the_grid():
    means = {"G": 1.0, "M": -1.0, "W": 0.0}
    net = network("iNALU (iw)", 2, sd=0.5, **means)  # type: ignore[arg-type]  # means
    for name, parameter in net.parameters(100, 1).items():
        drawn = parameter.distribution
        assert (drawn.mean, drawn.std) == (means[name.split(".")[-1][0]], 0.5)  # type: ignore[union-attr]  # normal


# What they compute.


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """Experiment 1's iNALU (iw) on U(−5, 5), trained for an epoch and a half."""
    folder = tmp_path_factory.mktemp("inalu")
    study = experiments.minimal()
    chosen = [
        a
        for a in study.arms
        if a.labels["distribution"] == "U(−5, 5)" and a.labels["model"] == "iNALU (iw)"
    ]
    changes = {"penalties__0__start": 499, "steps": 2000}
    cells = [
        replace(a.cell, seeds=(0, 1), protocol=a.cell.protocol.updated(**changes))
        for a in chosen
    ]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*cannot represent.*")
        train_cells(cells, out=folder)
    arms = tuple(
        replace(a, cell=replace(c, seeds=(0, 1)))
        for a, c in zip(chosen, cells, strict=True)
    )
    return replace(study, arms=arms), read(folder)


def test_counts_stand_beside_the_published_ones(tiny):
    study, results = tiny
    found = find(study, results)
    computed = study.compute(Trained(study, found, results))
    table = computed.tables["counts"]
    assert table["operation"] == ["+", "−", "×", "÷"] and table["seeds"] == [2] * 4
    assert table["published"] == [10, 10, 10, 3]
    for found_arm, solved in zip(found, table["solved"], strict=True):
        errors = [row["extrapolation"] for row in found_arm.rows]
        assert solved == sum(e < 1e-5 for e in errors)
        assert all(row["best_step"] == 2000 for row in found_arm.rows)
    assert table["ε = 1e-4"][3] is None
    name = "÷, iNALU (iw): solved in extrapolation"
    assert computed.figures[name].value == table["solved"][3] / 2
    verdicts = evaluate(study, results, computed).comparisons
    assert all(c.verdict in Verdict for c in verdicts) and len(verdicts) == 4 + 24


def test_a_sum_is_nearly_learned_in_two_epochs(tiny):
    """The loss falls, and the penalty drives parameters away from zero."""
    study, results = tiny
    row = find(study, results)[0].rows[0]
    curve = results.curves([row["run"]])[row["run"]]
    assert curve["interpolation"][-1] < 0.05 * curve["interpolation"][0]
    gate = results.weights(row["run"])["0.G"]
    assert gate[0] > 1.0  # open for the sum
