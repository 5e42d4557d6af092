"""Published figures of digits in a row, and the arms that stand beside them."""

import json
from importlib import resources

import pytest

from arithmax.networks import LSTM, Accumulator, Recurrent
from arithmax.studies import study
from arithmax.studies.digits._runs import COUNT, FULL, PRODUCT, REFERENCE, SUM
from arithmax.tasks import Digits
from arithmax.training import InputPenalty

MODELS = {"product": PRODUCT, "sum": SUM, "count": COUNT}
# Solved runs over all lengths. They pin the files, and are no second reading of the
# figures: both come from one text that was read back from these.
SOLVED = {
    "product": {
        "NMU": 183,
        "NMU, no R_z": 177,
        "NAC•,NMU": 153,
        "NAC•,NMU, no R_z": 147,
        "NAC•,σ": 64,
        "NAC•": 61,
        "NALU": 0,
        "LSTM": 0,
    },
    "sum": {
        "NAU": 86,
        "NAU, no R_z": 36,
        "NAC+": 2,
        "NAC+, R_z": 59,
        "NALU": 0,
        "LSTM": 0,
    },
}
LENGTHS = {
    "product": list(range(1, 21)),
    "sum": [1, 10, *range(100, 1001, 100)],
}


def published(operation):
    file = resources.files("arithmax.studies") / "digits" / f"digits-{operation}.json"
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("operation", SOLVED)
def test_every_length_and_model_has_a_published_count(operation):
    rows = published(operation)["rows"]
    totals = {}
    for row in rows:
        assert row["runs"] == 10
        assert ("solved_at" in row) == ("sparsity" in row) == (row["solved"] > 0)
        totals[row["model"]] = totals.get(row["model"], 0) + row["solved"]
    assert totals == SOLVED[operation]
    for model in totals:
        lengths = [row["length"] for row in rows if row["model"] == model]
        assert lengths == LENGTHS[operation]


def test_single_published_figures():
    rows = published("product")["rows"]
    (row,) = [r for r in rows if (r["model"], r["length"]) == ("NMU", 12)]
    assert row["solved"] == 7 and row["solved_at"] == [22700.0, 15800.0, 30100.0]
    (row,) = [r for r in rows if (r["model"], r["length"]) == ("NAC•", 19)]
    assert row["solved_at"] == [295000.0, None, None]  # of a single run
    errors = published("sum")["errors"] + published("count")["errors"]
    assert [e["length"] for e in errors] == [10, 100, 1000] * 6


@pytest.mark.parametrize("operation", MODELS)
def test_arms_are_every_model_on_both_sets_of_images(operation):
    own = study(f"digits-{operation}")
    assert own.labels == ("images", "model")
    assert len(own.arms) == 2 * len(MODELS[operation])
    for arm in own.arms:
        cell, model = arm.cell, str(arm.labels["model"])
        assert isinstance(cell.task, Digits)
        few = {"product": 7, "sum": 9}[operation] if model == REFERENCE else 10
        full = arm.labels["images"] == FULL
        assert cell.seeds == tuple(range(few if full else 10))
        assert cell.task.images == ("full" if full else "bundled")
        penalised = any(isinstance(p, InputPenalty) for p in cell.protocol.penalties)
        assert penalised == MODELS[operation][model].r_z
        network = cell.network
        if model == "LSTM":
            assert isinstance(network, LSTM)
        else:
            assert isinstance(network, Recurrent)
            exact = isinstance(network.unit, Accumulator)
            assert exact == (model == REFERENCE)


def test_claims_are_named_by_model_and_length():
    product, total = study("digits-product"), study("digits-sum")
    assert len(product.claims) == 160 and len(total.claims) == 72 + 9
    figure = product.claims["NMU, length 12"]
    assert figure.value == 0.7
    assert figure.low == pytest.approx(0.397, abs=1e-3)
    assert figure.high == pytest.approx(0.892, abs=1e-3)
    error = total.claims["NAC+, length 100: mean absolute error"]
    assert (error.value, error.interval) == (7.88, None)
    assert "recalled" in error.note
    counts = study("digits-count").claims
    assert len(counts) == 9 and all("recalled" in c.note for c in counts.values())
