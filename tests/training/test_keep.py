"""Parameters that runs keep on the way."""

import jax
import numpy as np
import pytest

from arithmax import NAU, NMU, Stack
from arithmax.tasks import Subsets
from arithmax.training import Cell, Measuring, Protocol, _block, _replicas, train_cells
from short_runs import cell, evaluated

NETWORK = Stack((NAU(), NMU()), (2,))
KEPT = Protocol(1000, measuring=Measuring(100, 100, keep=(0, 200, 1000)))


def kept(protocol, folder, network=NETWORK, seeds=(0, 3)):
    task = Subsets("mul", simple=True)
    done = train_cells([Cell(network, task, protocol, seeds)], out=folder)
    return [done.path(row["run"]) for row in done.rows]


def test_parameters_are_kept_where_it_is_asked(tmp_path):
    for steps, params in kept(KEPT, tmp_path):
        assert steps.tolist() == [0, 200, 1000]
        assert params["0.W"].shape == (3, 2, 4) and params["1.W"].shape == (3, 1, 2)
        assert (np.abs(np.diff(params["0.W"], axis=0)).max(axis=(1, 2)) > 1e-3).all()


def test_kept_parameters_have_the_measured_error(tmp_path):
    x = np.random.default_rng(5).uniform(1, 2, (4, 100_000))
    cells = [Cell(NETWORK, Subsets("mul", simple=True), KEPT, (0, 3))]
    done = train_cells(cells, out=tmp_path)
    for run, curve in done.curves([row["run"] for row in done.rows]).items():
        steps, params = done.path(run)
        for k, step in enumerate(steps):
            y = NETWORK.compute({n: v[k] for n, v in params.items()}, x)[0]
            error = np.mean((y - x.sum(0) * x[:2].sum(0)) ** 2)
            (seen,) = curve["interpolation"][curve["step"] == step]
            assert error == pytest.approx(seen, rel=0.25)  # that of 100 samples


def test_a_short_run_is_the_beginning_of_a_long_one(tmp_path):
    long, short = kept(KEPT, tmp_path), kept(KEPT.updated(steps=200), tmp_path)
    for (_, whole), (steps, part) in zip(long, short, strict=True):
        assert steps.tolist() == [0, 200]  # later ones are not reached
        for name, value in part.items():
            np.testing.assert_array_equal(value, whole[name][:2])


@pytest.mark.slow
def test_a_padded_network_keeps_its_own_shapes(tmp_path):
    padded = Stack((NAU(), NMU()), (2,), (5,))
    for _, params in kept(KEPT, tmp_path, padded):
        assert params["0.W"].shape == (3, 2, 4)


def test_what_was_kept_survives_an_interruption(tmp_path):
    class Stop:
        asked = 0

        def is_set(self):
            self.asked += 1
            return self.asked > 5  # in the middle, after step 200

    cells = [Cell(NETWORK, Subsets("mul", simple=True), KEPT, (0, 3))]
    (job,) = _replicas.jobs(_replicas.replicas(cells, None), tmp_path, 30)
    assert _block.train_job(job, jax.devices()[0], Stop(), lambda *_: None) == []
    assert list(tmp_path.glob("*.checkpoint"))
    resumed, whole = kept(KEPT, tmp_path), kept(KEPT, tmp_path / "other")
    for (steps, params), (_, expected) in zip(resumed, whole, strict=True):
        assert steps.tolist() == [0, 200, 1000]
        for name, value in params.items():
            np.testing.assert_array_equal(value, expected[name])


def test_a_protocol_names_what_it_keeps():
    assert "keep" not in repr(Protocol())  # runs from before have the same name
    assert evaluated(repr(KEPT)) == KEPT and "keep=(0, 200, 1000)" in repr(KEPT)
    assert (
        KEPT.structure == KEPT.updated(measuring__keep=()).structure
    )  # the same program
    with pytest.raises(ValueError, match=r"`keep` \(with 150\) must hold multiples"):
        Measuring(100, keep=(100, 150))


def test_parameters_are_kept_on_the_way(tmp_path):
    """Those of the start, and those that a shorter run ends with."""
    one = cell(
        seeds=range(2), steps=2000, measuring__interval=500, measuring__keep=(0, 1000)
    )
    done = train_cells([one], out=tmp_path / "kept")
    assert "keep" not in repr(cell().protocol)  # runs from before keep their names
    short = cell(
        seeds=range(2), steps=1000, measuring__interval=500, measuring__keep=(1000,)
    )
    shorter = train_cells([short], out=tmp_path / "short")
    for row, other in zip(done.rows, shorter.rows, strict=True):
        at, path = done.path(row["run"])
        _, end = shorter.path(other["run"])
        assert at.tolist() == [0, 1000]
        for name, values in path.items():
            assert not np.array_equal(values[0], values[1])
            np.testing.assert_array_equal(values[1], end[name][0])
    with pytest.raises(ValueError, match=r"`keep` \(with 70\)"):
        Measuring(keep=(70,))
