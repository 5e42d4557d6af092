"""The weights of runs in a folder to which several fleets wrote."""

import pytest

from arithmax import NAC
from arithmax.tasks import Operands
from arithmax.training import Cell, Measuring, Protocol, train_cells


def test_weights_are_found_in_files_that_came_later(tmp_path):
    protocol = Protocol(1000, measuring=Measuring(validation=1000))
    cells = [Cell(NAC(), Operands(), protocol, (seed,)) for seed in (0, 1)]
    first = train_cells(cells[:1], out=tmp_path)
    early = first.weights(first.rows[0]["run"])
    second = train_cells(cells[1:], out=tmp_path)
    later = second.weights(second.rows[0]["run"])
    assert early.keys() == later.keys() == {"W_hat", "M_hat"}
    assert (early["W_hat"] != later["W_hat"]).any()
    with pytest.raises(KeyError, match="has no weights"):
        second.weights("unknown")
