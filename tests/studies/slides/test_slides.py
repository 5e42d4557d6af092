"""The NAU/NMU paper's studies: their figures, starts and protocols."""

import csv
import json
import math
from dataclasses import astuple
from pathlib import Path

import numpy as np

from arithmax import Protocol
from arithmax.results import Results
from arithmax.statistics import Interval, Range, median, sparsity, steps
from arithmax.studies import Trained, find, study
from arithmax.studies.slides import published_rows
from arithmax.studies.slides.simple_mul import (
    SHEET,
    chance_of_starts,
    luck,
    starts_of_layer_two,
)
from arithmax.tasks import Subsets
from arithmax.training import SGD, Adam, UnitPenalty, first_parameters
from fake_rows import fake

RUNS = Path(__file__).with_name("published-runs.csv")  # those that were solved


def test_table_2_has_its_eleven_rows():
    own = study("arithmetic-dataset")
    rows = own.only({"table": "2"}).arms
    assert len(rows) == 11 and len(own.arms) == 66
    assert all(len(arm.cell.seeds) == 100 for arm in own.arms)
    assert all(arm.cell.protocol.steps == 5_000_000 for arm in own.arms)


def test_published_figures_are_those_of_the_authors_rows():
    cells: dict[tuple[str, str], list[dict[str, str]]] = {}
    with RUNS.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cells.setdefault((row["model"], row["operation"]), []).append(row)
    for typed in published_rows("arithmetic-dataset"):
        solved = cells.pop((typed["model"], typed["operation"]), [])
        assert (typed["solved"], typed["runs"]) == (len(solved), 100)
        if not solved:
            continue
        at = [float(row["solved_at"]) for row in solved]
        errors = [min(float(row["sparsity_error"]), 0.5) for row in solved]
        assert typed["median"] == median(at)
        for name, ours in (("solved_at", steps(at)), ("sparsity", sparsity(errors))):
            if isinstance(ours, Range):  # too few of the authors' runs
                assert typed[name][1:] == [None, None]
            expected = astuple(ours)[: 1 if isinstance(ours, Range) else 3]
            for a, b in zip(typed[name], expected, strict=False):
                assert math.isclose(a, b, rel_tol=1e-3)
    assert not cells


def test_the_starts_of_layer_two_decide():
    """NAC• is solved where both Ŵ start positive: the claim's figures add up."""
    own = study("simple-mul")
    nac = own.only({"model": "NAC•"})
    rows = fake(nac, [True] * 5 + [False] * 195)
    found = find(nac, Results(rows))
    cell = nac.arms[0].cell
    first = first_parameters(cell, range(200))["1.W_hat"][:, 0]
    assert first.shape == (200, 2) and abs((first > 0).mean() - 0.5) < 0.1
    again = first_parameters(cell, range(3))["1.W_hat"][:, 0]
    np.testing.assert_array_equal(first[:3], again)  # a seed's start is its own
    computed = starts_of_layer_two(Trained(nac, found, Results(rows)))
    table = computed.tables["starts"]
    assert sum(table["seeds"]) == 200 and sum(table["solved"]) == 5
    share = computed.figures[SHEET.claim("share")]
    assert isinstance(share, Interval)
    assert share.low < 0.25 < share.high


def test_the_luck_of_a_hundred_seeds():
    """Both probabilities, counted one by one."""
    quarter = sum(math.comb(100, k) * 3 ** (100 - k) for k in range(15)) / 4**100
    assert math.isclose(chance_of_starts(), quarter, rel_tol=1e-9)
    ways = sum(math.comb(244, k) * math.comb(856, 100 - k) for k in range(14))
    fisher = ways / math.comb(1100, 100)
    table = luck(right=231, total=1000)
    np.testing.assert_allclose(table["probability"], [quarter, fisher], rtol=1e-9)
    reason = study("simple-mul").claims[SHEET.claim("share")].reason
    assert f"{quarter:.2g}" in reason and "no more than 14" in reason


def strength(protocol):
    """How strong the penalties are together."""
    return sum(penalty.strength for penalty in protocol.penalties)


def test_protocols_of_sweeps_are_the_authors():
    strengths = {
        a.labels["strength"]: a.cell.protocol for a in study("regularisation").arms
    }
    (penalty,) = strengths["100"].penalties
    assert isinstance(penalty, UnitPenalty) and penalty.strength == 100.0
    assert not strength(strengths["0"])
    for arm in study("ablation").arms:
        free = "no clamp" in str(arm.labels["model"])
        assert arm.cell.protocol.project is not free
        penalised = "no R_sparse" not in str(arm.labels["model"])
        assert (strength(arm.cell.protocol) > 0) is penalised
    sizes = {
        a.labels["inputs"]: a.cell.protocol.steps for a in study("input-size").arms
    }
    assert (sizes[100], sizes[200], sizes[300]) == (5_000_000, 10_000_000, 15_000_000)
    assert json.dumps(published_rows("input-size")[0])  # plain data
    assert isinstance(study("gate").arms[0].cell.protocol, Protocol)


RATIOS = {"subset-ratio": "subset_ratio", "overlap-ratio": "overlap_ratio"}


def test_every_published_row_is_that_of_one_arm():
    for name in (*RATIOS, "learning-rate"):
        arms, rows = study(name).arms, published_rows(name)
        rates = {labelled(arm): arm.published["success"].value for arm in arms}
        assert len(rates) == len(arms)
        assert rates == {listed(row): row["solved"] / row["runs"] for row in rows}


def labelled(arm):
    """What a row of a figure says, as an arm does it."""
    optimiser, model = arm.labels.get("optimiser"), arm.labels["model"]
    x = arm.labels.get("ratio", arm.cell.protocol.optimiser.learning_rate)
    return arm.cell.task.operation, model, optimiser, x


def listed(row):
    """The same of the row."""
    operation = row.get("operation", "mul")
    return operation, row["model"], row.get("optimiser"), float(row["x"])


def test_ratios_are_those_of_the_data_set():
    for name, field in RATIOS.items():
        for arm in study(name).arms:
            assert getattr(arm.cell.task, field) == arm.labels["ratio"]
            assert arm.cell.protocol.steps == 5_000_000 and len(arm.cell.seeds) == 50
    first, second = Subsets(overlap_ratio=1.0).places(3)
    assert first == second and len(first) == 25  # the square of a sum
    first, second = Subsets(overlap_ratio=0.0).places(3)
    assert not set(first) & set(second)


def test_the_default_ratios_are_the_runs_of_table_2():
    table = {
        arm.labels["model"]: arm.cell
        for arm in study("arithmetic-dataset").only({"operation": "×"}).arms
    }
    for name, default in (("subset-ratio", "0.25"), ("overlap-ratio", "0.5")):
        for arm in study(name).only({"ratio": default}).arms:
            cell = table[arm.labels["model"]]
            same = (cell.network, cell.task, cell.protocol)
            assert (arm.cell.network, arm.cell.task, arm.cell.protocol) == same
    usual = study("learning-rate").only({"optimiser": "Adam", "rate": "0.001"}).arms
    assert {arm.cell.protocol for arm in usual} == {table["NAC•"].protocol}


def test_optimisers_of_the_learning_rates_are_the_authors():
    kinds = {}
    for arm in study("learning-rate").arms:
        optimiser = arm.cell.protocol.optimiser
        kinds[arm.labels["optimiser"]] = (
            type(optimiser),
            vars(optimiser).get("momentum"),
        )
    assert kinds == {"Adam": (Adam, None), "SGD": (SGD, 0.0), "Momentum": (SGD, 0.9)}


def test_ramps_that_have_figures_are_those_of_the_recipes():
    arms = study("regularisation-scaling").arms
    ramps = {tuple(map(ramp, a.cell.protocol.penalties)) for a in arms if a.published}
    late, early = (10.0, 1_000_000, 2_000_000), (0.01, 5_000, 50_000)
    assert ramps == {(), (late,), (early,)}
    figures = {arm.cell: arm.published for arm in study("regularisation").arms}
    assert all(a.published == figures[a.cell] for a in arms if a.published)
    assert len(arms) == 15 and sum(bool(arm.published) for arm in arms) == 6


def ramp(penalty):
    """How strong a penalty becomes, from when to when."""
    return penalty.strength, penalty.start, penalty.end
