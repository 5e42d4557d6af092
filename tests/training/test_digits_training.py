"""Networks over images in the fleet: R_z, further measures, blocks, checkpoints."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from arithmax import (
    NAC,
    NALU,
    NAU,
    NMRU,
    NMU,
    NPU,
    NRU,
    MultiplicativeNAC,
    published,
)
from arithmax.networks import CNN, LSTM, Accumulator, Recurrent, Stack
from arithmax.results import pack, read
from arithmax.tasks import Digits, SingleModule
from arithmax.training import (
    Adam,
    Batches,
    Cell,
    InputPenalty,
    Measuring,
    Protocol,
    UnitPenalty,
    block_size,
    train_cells,
)
from arithmax.training._measures import check_further
from short_runs import at, bound

SMALL = CNN(channels=(2, 3), hidden=8)
TASK = Digits("product")
PRODUCT = Recurrent(NMU(), SMALL)
SHORT = Protocol(
    4,
    batches=Batches(4),
    penalties=(UnitPenalty(0.1), InputPenalty()),
    measuring=Measuring(2),
)


@pytest.mark.parametrize(("unit", "neutral"), [(NMU(), 1.0), (NAU(), 0.0)])
def test_r_z_is_the_published_formula(unit, neutral):
    rng = np.random.default_rng(0)
    w = rng.uniform(0.1, 0.9, (1, 2)) * ([[1, -1]] if neutral == 0 else 1)
    z = rng.normal(3, 1, (2, 5, 7))
    expected = (
        sum((1 - abs(w[0, i])) * (z[i].mean() - neutral) ** 2 for i in range(2)) / 2
    )
    network = Recurrent(unit)
    moment = at(0, inputs=jnp.asarray(z))
    found = bound(InputPenalty()).value(network, {"cell.W": jnp.asarray(w)}, moment)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.slow
def test_r_z_reaches_the_reader():
    """Its slope is that of the whole network: it draws unused readings to 1."""
    task, rng = Digits("product"), np.random.default_rng(1)
    declared = PRODUCT.parameters(task.in_features, task.out_features)
    with jax.enable_x64(True):
        params = {
            n: jnp.asarray(rng.normal(0, 0.2, p.shape)) for n, p in declared.items()
        }
        params["cell.W"] = jnp.asarray([[0.2, 0.7]])
        x = jnp.asarray(rng.normal(0, 1, (2, 28, 28, 3)))

        @jax.jit
        def value(params):
            _, inputs = PRODUCT.observe(params, x, training=True, noise=None, xp=jnp)
            part = bound(InputPenalty())
            return part.value(PRODUCT, params, at(0, inputs=inputs))

        slopes = jax.grad(value)(params)
        for name in ("reader.out.b", "reader.conv1.W", "cell.W"):
            step = jnp.zeros_like(params[name]).at[(0,) * params[name].ndim].set(1e-6)
            high = value(params | {name: params[name] + step})
            low = value(params | {name: params[name] - step})
            slope = slopes[name][(0,) * params[name].ndim]
            np.testing.assert_allclose((high - low) / 2e-6, slope, rtol=1e-4)


def test_r_z_is_refused_where_it_has_no_meaning():
    for unit in (NALU(), Accumulator("product"), NPU(), NMRU()):
        with pytest.raises(ValueError, match="either adds or multiplies"):
            Cell(Recurrent(unit, SMALL), TASK, SHORT, (0,))
    for unit in (NAC(), MultiplicativeNAC(weight_map="clipped"), NRU()):
        Cell(Recurrent(unit, SMALL), TASK, SHORT, (0,))


def test_the_recipe_has_r_z_where_there_is_a_weight_for_each_input():
    assert published(NRU(), TASK)[1].penalties[1:] == (InputPenalty(),)
    (only,) = published(NMRU(), TASK)[1].penalties
    assert isinstance(only, UnitPenalty)


@pytest.mark.slow
def test_r_z_is_for_stacks_too():
    """It looks at what the last unit is given."""
    network, task = Stack((NAU(), NMU()), (2,)), SingleModule("mul")
    cell = Cell(network, task, SHORT.updated(measuring__validation=100), (0, 1))
    plain = Cell(network, task, cell.protocol.updated(penalties=()), (0, 1))
    rows = train_cells([cell, plain]).rows
    assert rows[0]["interpolation"] != rows[2]["interpolation"]


@pytest.mark.slow
def test_r_z_of_a_padded_stack_is_that_of_the_stack():
    """Padding is no weight: the mean is over the others, or the penalty is weaker."""
    task, strong = SingleModule("mul"), (InputPenalty(10.0),)
    protocol = SHORT.updated(
        penalties=strong, steps=100, measuring=Measuring(50, 100), batches__size=32
    )
    stacks = [Stack((NAU(), NMU()), (2,), padded) for padded in ((), (8,))]
    alone, filled = (train_cells([Cell(s, task, protocol, (0,))]).rows for s in stacks)
    assert filled[0]["interpolation"] == pytest.approx(
        alone[0]["interpolation"], rel=1e-3
    )


def test_the_recipe_is_the_published_one():
    network, protocol = published(NMU(), Digits("product", images="full"))
    assert network == Recurrent(NMU(), CNN(), start=1.0)
    assert protocol.penalties == (UnitPenalty(10.0, 10_000, 100_000), InputPenalty())
    assert (protocol.steps, protocol.measuring.interval) == (388_000, 1_940)
    assert protocol.batches.size == 64 and protocol.optimiser == Adam(1e-3)
    added, sums = published(NAU(), Digits("sum", images="full"))
    assert added == Recurrent(NAU(), CNN(), start=0.0)
    assert (sums.steps, sums.measuring.interval) == (86_000, 430)
    assert published(NALU(), Digits("sum", images="full"))[1].penalties == ()
    assert published(LSTM(16, CNN()), TASK)[0] == LSTM(16, CNN())
    for task, size in ((TASK, 64), (Digits("sum"), 16), (Digits("sum", 200), 1)):
        assert published(NAU(), task)[1].batches.size == size
    counted, _ = published(NAU(), Digits("count"))
    assert counted.parameters((10, 28, 28), 10)["cell.W"].shape == (10, 20)


@dataclass(frozen=True)
class Few(Digits):
    """A task from outside, of Digits at few lengths: a program has a part for each."""

    @property
    def lengths(self):
        return FEW


def test_h0_is_1_where_a_unit_multiplies_alone():
    starts = {NMU(): 1.0, MultiplicativeNAC(): 1.0, NALU(): 0.0, NAU(): 0.0}
    for unit, start in starts.items():
        network: Any = published(unit, TASK)[0]
        assert network.start == start


@pytest.mark.parametrize(
    ("operation", "each", "when"),
    [("product", True, "every image"), ("count", False, "the last image alone")],
)
def test_outputs_at_other_steps_than_asked_for_are_refused(operation, each, when):
    """Products failed in JAX when they were measured, counts had other meanings."""
    wrong = Recurrent(NMU(), SMALL, every_step=not each)
    task, protocol = Digits(operation), SHORT.updated(penalties=())
    words = f"`network`.*must have `every_step={each}`.*'{operation}'.*after {when}"
    with pytest.raises(ValueError, match=words):
        Cell(wrong, task, protocol, (0,))
    right = Recurrent(NMU(), SMALL, every_step=each)
    assert Cell(right, task, protocol, (0,)).network == right


def test_few_networks_over_images_make_a_block():
    assert [block_size(TASK, n, "cpu") for n in (1, 10, 100)] == [1, 1, 1]
    assert [block_size(TASK, n, "gpu") for n in (1, 2, 3, 10, 25)] == [1, 2, 5, 10, 10]
    table = SingleModule("mul")
    assert block_size(table, 10, "cpu") == 64 and block_size(table, 10, "gpu") == 32


FEW = (1, 7, 20)
OWN = Few("product")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("digits")
    cells = [Cell(n, OWN, _for(n), (0, 1)) for n in NETWORKS]
    with pytest.warns(UserWarning, match="LSTM.* cannot represent"):
        return train_cells(cells, out=folder), folder


NETWORKS = (PRODUCT, LSTM(4, SMALL))


def _for(network):
    return SHORT if network == PRODUCT else SHORT.updated(penalties=())


@pytest.mark.slow
def test_rows_and_curves_have_the_error_at_each_length(trained):
    """Also on rows that are longer than those of training, of a task of one's own."""
    results, _ = trained
    assert len(results.rows) == 4
    curves = results.curves([row["run"] for row in results.rows])
    for row in results.rows:
        curve = curves[row["run"]]
        (best,) = np.flatnonzero(curve["step"] == row["best_step"])
        assert [n for n in range(1, 21) if f"length_{n}" in row] == list(FEW)
        for n in FEW:
            assert 0 < row[f"length_{n}"] == curve[f"length_{n}"][best] < np.inf
        assert row["extrapolation"] == pytest.approx(row["length_20"], rel=1e-4)


@pytest.mark.slow
def test_what_a_task_measures_takes_the_place_of_no_other_column(trained):
    results, _ = trained
    for name in results.rows[0].keys() | {"step"}:
        if name.startswith("length_"):
            check_further(TASK, [name])
            continue
        with pytest.raises(ValueError, match=f"with '{name}'.*another name"):
            check_further(TASK, [name])


@dataclass(frozen=True)
class Outcomes(Digits):
    """It measures what it calls as a row calls how the run ended."""

    def further(self, network, params, arrays):
        return {"outcome": jnp.zeros(())}


def test_a_task_with_such_a_measure_is_not_trained():
    with pytest.raises(ValueError, match=r"`further` of Outcomes \(with 'outcome'\)"):
        train_cells([Cell(PRODUCT, Outcomes("product", test_length=2), SHORT, (0,))])


@pytest.mark.slow
def test_packed_beside_others_they_keep_their_lengths(trained, tmp_path):
    results, folder = trained
    table = SingleModule("mul")
    _, protocol = published(NMU(), table, steps=200, measuring__interval=100)
    (other,) = train_cells([Cell(NMU(), table, protocol, (0,))], out=folder).rows
    pack(folder, tmp_path, "all")
    again = read(tmp_path)
    kept = {row["run"]: row for row in again.rows}
    curves = again.curves(list(kept))
    for row in results.rows:
        assert kept[row["run"]]["length_20"] == row["length_20"]
        assert "reader.out.W" in again.weights(row["run"])
        assert np.isfinite(curves[row["run"]]["length_7"]).all()
    assert "length_7" not in kept[other["run"]]
    assert np.isnan(curves[other["run"]]["length_7"]).all()


@pytest.mark.slow
def test_a_seed_is_the_same_alone_and_beside_others(trained):
    results, _ = trained
    cells = [Cell(PRODUCT, OWN, SHORT, (1,))]
    (alone,) = train_cells(cells).rows
    beside = next(r for r in results.rows if r["run"] == alone["run"])
    for name in ("interpolation", "length_1", "length_20"):
        assert alone[name] == beside[name]


@pytest.mark.slow
def test_a_run_that_was_stopped_goes_on(trained, tmp_path):
    """Stopped after its first interval, it ends as if it had not been."""
    results, _ = trained
    import threading

    from arithmax.training import _block
    from arithmax.training._replicas import jobs, replicas

    stop = threading.Event()
    (replica,) = replicas([Cell(PRODUCT, OWN, SHORT, (0,))], None)
    device = jax.devices()[0]
    (job,) = jobs([replica], tmp_path, 0.0)
    assert _block.train_job(job, device, stop, lambda *_: stop.set()) == []
    assert list(tmp_path.glob("*checkpoint*"))
    (row,) = train_cells([Cell(PRODUCT, OWN, SHORT, (0,))], out=tmp_path).rows
    whole = next(r for r in results.rows if r["run"] == row["run"])
    assert row["length_20"] == whole["length_20"] and row["best_step"] in (0, 2, 4)
