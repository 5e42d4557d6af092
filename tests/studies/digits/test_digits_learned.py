"""Sums of handwritten digits, learned from ten images and right on a hundred."""

from dataclasses import replace

import pytest

from arithmax.studies import study
from arithmax.studies.digits import limit
from arithmax.studies.digits._runs import REFERENCE
from arithmax.training import train_cells

SEEDS = {"NAU": 10, REFERENCE: 5, "LSTM": 1}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*cannot represent")
def test_a_unit_below_which_a_reader_learns_is_right_on_longer_rows():
    """Most seeds are no worse than exact arithmetic, where an LSTM is."""
    own, cells = study("digits-sum"), {}
    for model, count in SEEDS.items():
        (arm,) = own.only({"images": "5,000", "model": model}).arms
        cells[model] = replace(arm.cell, seeds=tuple(range(count)))
    rows = iter(train_cells(list(cells.values())).rows)
    errors = {m: [next(rows)["length_100"] for _ in range(n)] for m, n in SEEDS.items()}
    bound = limit(errors[REFERENCE])
    assert sum(error < bound for error in errors["NAU"]) >= 8, errors
    assert min(errors["LSTM"]) > bound, errors
