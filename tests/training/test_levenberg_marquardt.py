"""Levenberg–Marquardt in the fleet: what it solves, its bits, and full batches."""

from dataclasses import dataclass
from threading import Event
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from arithmax import (
    NAU,
    NMU,
    NRU,
    Linear,
    Network,
    RealNaiveNPU,
    RealNPU,
    Stack,
    StochasticNMU,
    train,
)
from arithmax.cli._train import order
from arithmax.tasks import Dataset, SingleModule, Subsets
from arithmax.training import (
    L1,
    Adam,
    Batches,
    Cell,
    ClipNorm,
    Criterion,
    LevenbergMarquardt,
    Measuring,
    Protocol,
    SmoothL1,
    UnitPenalty,
    _block,
    _replicas,
    train_cells,
)
from arithmax.training._machine import pinned
from arithmax.training._plan import needed
from arithmax.training._replica import Training, cast, numbers_of
from arithmax.units import Uniform
from short_runs import measured

FULL = Batches(full=True)
EXACT = Criterion(threshold=1e-9)
SETTINGS: dict[str, Any] = {"precision": "float64", "criterion": EXACT}
LM = Protocol(60, FULL, LevenbergMarquardt(), measuring=Measuring(20, 1000), **SETTINGS)
SUMS = Stack((RealNaiveNPU(), Linear(bias=False)), hidden=(3,))
PRODUCT = Stack((NAU(), NMU()), hidden=(2,))
HUNDRED = Stack((NAU(), NMU()), hidden=(2,), starts=(("0.W", Uniform(0.0, 0.5)),))


def table(function, rows=200, inputs=3) -> Dataset:
    x = np.random.default_rng(0).uniform(0.5, 2.0, (rows, inputs))
    return Dataset.from_arrays(x, function(*x.T))


MONOMIALS = table(lambda a, b, c: 1.5 * a / b + a * c**2 - 3 * b)


def solved(network, task, protocol=LM, seeds=range(16)) -> int:
    rows = train(network, task, protocol, seeds, block=16).rows
    return sum(row["outcome"] == "solved" for row in rows)


@pytest.mark.parametrize(
    ("network", "function", "least"),
    [
        (PRODUCT, lambda a, b, c: (a + b) * (b + c), 5),
        (NRU(), lambda a, b, c: a / b, 16),
        pytest.param(
            RealNPU(clip=True), lambda a, b, c: a / b, 16, marks=pytest.mark.slow
        ),
        pytest.param(
            Stack((RealNaiveNPU(), NAU()), hidden=(2,)),
            lambda a, b, c: a**2 / b - b * c,
            15,
            marks=pytest.mark.slow,
        ),
    ],
    ids=["product of sums", "NRU", "RealNPU", "monomials and NAU"],
)
def test_exact_in_sixty_steps(network, function, least):
    """Of 16 seeds on 120 rows, to a mean squared error below 1e-9 outside of them."""
    assert solved(network, table(function)) >= least


@pytest.mark.slow
@pytest.mark.parametrize("projection", [True, False])
def test_sums_of_monomials_with_coefficients(projection):
    """Half of 16 seeds, whether the coefficients are solved for exactly or damped."""
    how = LM.updated(optimiser__projection=projection)
    assert solved(SUMS, MONOMIALS, how) >= 8


@pytest.mark.slow
def test_the_product_of_two_sums_of_a_hundred_inputs():
    """Most of 8 seeds are exact in 60 steps; none is after 5,000 steps of Adam."""
    how, task = LM.updated(batches__size=1000), Subsets("mul", input_size=100)
    rows = train(HUNDRED, task, how, range(8), block=8).rows
    assert sum(row["outcome"] == "solved" for row in rows) >= 6
    first = {"optimiser": Adam(1e-2), "steps": 5_000, "measuring__interval": 5_000}
    rows = train(HUNDRED, task, how.updated(**first), range(8), block=8).rows
    assert not any(row["outcome"] == "solved" for row in rows)
    assert min(row["extrapolation"] for row in rows) > 1e-3


def test_bits(tmp_path):
    """Stopped and resumed, alone or among others: the same numbers, and names."""
    cell = Cell(SUMS, MONOMIALS, LM, tuple(range(8)))
    whole = measured(train_cells([cell], block=16))
    [job] = _replicas.jobs(_replicas.replicas([cell], 16), tmp_path, 0.0)
    stop = Event()
    _block.train_job(job, jax.devices()[0], stop, lambda *_: stop.set())
    assert list(tmp_path.glob("*.checkpoint"))
    assert measured(train_cells([cell], out=tmp_path, block=16)) == whole
    few = Cell(SUMS, MONOMIALS, LM, (5, 2))
    alone = measured(train_cells([few], block=16))
    assert alone.items() <= whole.items() and len(alone) == 2
    damped = Cell(SUMS, MONOMIALS, LM.updated(optimiser__damping=10.0), (5, 2))
    assert not measured(train_cells([damped], block=16)).keys() & whole.keys()


def batches_of(protocol, task, steps):
    """The inputs of some steps of a replica."""
    kind = protocol.precision
    with pinned(kind):
        shared = {name: cast(v, kind) for name, v in task.shared().items()}
        training = Training(PRODUCT, task, protocol, shared)
        given = numbers_of(task, protocol, 7)
        return [np.array(training._batch(given, jnp.uint32(s))[0]) for s in steps]


def test_a_full_batch_is_every_row_once():
    """Of a table, whatever the size; of a generated task one sample, drawn once."""
    rows = MONOMIALS.shared()["training_x"]
    for x in batches_of(LM, MONOMIALS, (0, 3)):
        np.testing.assert_array_equal(x, rows)
    some = batches_of(
        LM.updated(optimiser=Adam(), batches=Batches(100)), MONOMIALS, (0, 3)
    )
    assert not np.array_equal(some[0], some[1]) and some[0].shape == (3, 100)
    generated = SingleModule("mul", input_size=3)
    first, again = batches_of(LM.updated(batches__size=50), generated, (0, 9))
    np.testing.assert_array_equal(first, again)
    assert first.shape == (3, 50) and len(np.unique(first)) == 150
    assert Batches(50, full=True).count(None) == 50
    assert Batches(50, full=True).count(200) == 200
    kinds = (Batches(), Batches(64, 640), Batches(64, 64), FULL)
    assert [batches.repeated for batches in kinds] == [0, 10, 1, 1]


def test_on_the_command_line():
    """Choosing it chooses full batches and float64, too; both can be changed."""
    words = ["--unit", "nmu", "--optimiser", "levenberg-marquardt", "--steps", "40"]
    words += ["--measuring.interval", "20", "--batches.size", "300"]
    found = order("single-module", words).protocol
    assert found.optimiser == LevenbergMarquardt()
    assert found.batches == Batches(300, full=True) and found.precision == "float64"
    more = ["--optimiser.no-projection", "--precision", "float32"]
    found = order("single-module", [*words, *more]).protocol
    assert found.optimiser == LevenbergMarquardt(projection=False)
    assert found.precision == "float32"
    with pytest.raises(ValueError, match=r"`batches`.*same samples in each step"):
        order("single-module", [*words, "--batches.no-full"])


def test_a_step_is_counted_in_the_memory():
    parts = needed(PRODUCT, Subsets("mul"), LM.updated(batches__size=1000))
    [name] = [name for name in parts if "a step of `optimiser`" in name]
    assert parts[name] == 8 * 202 * (2 * 1000 + 3 * 202)
    parts = needed(PRODUCT, Subsets("mul"), Protocol())
    assert parts["a step of `optimiser` (=Adam())"] == 0


@dataclass(frozen=True)
class Misnamed(Network):
    """A network that declares a parameter which it does not have."""

    title = "Misnamed"
    linear_parameters = ("W", "c")  # type: ignore[assignment]  # a fixed tuple will do

    def parameters(self, in_features, out_features):
        return Linear().parameters(in_features, out_features)

    def compute(self, params, x, *, training=False, noise=None, xp=None):
        return params["W"] @ x


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"batches": Batches(64)},
            r"`batches` \(=Batches\(size=64\)\) must be the same",
        ),
        (
            {"batches": Batches(64, 640)},
            r"`batches` .*Use `Batches\(1000, full=True\)`",
        ),
        ({"loss": SmoothL1()}, r"`loss` \(=SmoothL1\(\)\) must be `SquaredError\(\)`"),
        ({"transforms": (ClipNorm(),)}, r"`transforms` .*must be empty"),
        (
            {"optimiser__damping": 0.0},
            r"`damping` \(=0.0\) must be a finite number, at",
        ),
        ({"batches__repeat": 128}, r"`repeat` \(=128\) must be 0 with `full`"),
    ],
    ids=lambda value: "" if isinstance(value, str) else repr(value),
)
def test_what_does_not_suit_it_is_refused(changes, message):
    with pytest.raises((ValueError, TypeError), match=message):
        LM.updated(**changes)


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (StochasticNMU(), r"`network` \(=StochasticNMU.*must have no noise"),
        (Misnamed(), r"`linear_parameters` of `network`.*'c', which is no parameter"),
    ],
)
def test_networks_that_do_not_suit_it_are_refused(network, message):
    with pytest.raises(ValueError, match=message):
        Cell(network, MONOMIALS, LM, (0,))


def test_repeated_samples_and_penalties_are_taken():
    """A sample that repeats as a whole is a full batch; penalties count."""
    assert LM.updated(batches=Batches(64, 64)).batches.repeated == 1
    assert LM.updated(penalties=(UnitPenalty(), L1())).penalties
