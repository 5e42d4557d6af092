"""The kernel of a GPU, computed on a CPU, against the program that it stands for."""

import threading
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from arithmax import NALU, NAU, NMRU, NMU, UNITS, StochasticNMU, train_cells
from arithmax.tasks import Dataset, Digits, SingleModule, Subsets
from arithmax.training import (
    L1,
    SGD,
    ClipNorm,
    CorrelationThenSquaredError,
    Measuring,
    Protocol,
    SmoothL1,
    SquaredError,
    Stalled,
    _block,
    published,
)
from arithmax.training._block import train_jobs
from arithmax.training._checkpoint import saved_step
from arithmax.training._engine import Local, bundles
from arithmax.training._kernel_choice import kernel_lacks
from arithmax.training._machine import pinned
from arithmax.training._pieces import mean_in_pieces
from arithmax.training._program import Configuration, program, run_together
from arithmax.training._random import Key, Piece
from arithmax.training._replica import batch_pieces, numbers_of, samples_at_once
from arithmax.training._replicas import jobs, replicas
from short_runs import MEASURED, cell

HUNDRED = {"measuring__interval": 100, "measuring__validation": 1000, "steps": 100}
TWO, TEN, MANY = SingleModule("mul"), SingleModule("mul", 10), Subsets("mul")


def trained(network, task, protocol, kernel, seeds=range(3), first=0):
    """A block after one interval, and what was measured before it."""
    made = program(Configuration(network, task, protocol), kernel)
    each = [numbers_of(task, protocol, seed) for seed in seeds]
    with pinned(protocol.precision):
        given = jax.tree.map(lambda *v: jnp.asarray(np.stack(v)), *each)
        state, targets = made.start(given), made.targets(given, {})
        begin = jnp.uint32(first), jnp.asarray(True)
        return made.interval(state, given, {}, targets, *begin)


def check_alike(network, task, protocol, rtol=1e-5, **options):
    (ours, errors), (theirs, other) = (
        trained(network, task, protocol, kernel, **options) for kernel in (True, False)
    )
    for name, value in theirs.params.items():
        np.testing.assert_allclose(ours.params[name], value, rtol, 1e-5)
    assert errors.keys() == other.keys()
    for name, value in other.items():
        np.testing.assert_allclose(errors[name], value, 1e-4, err_msg=name)
    return ours, theirs


def protocol_of(network, task, **changes):
    return published(network, task, **HUNDRED | changes)


QUICK = [(NMU(), MANY)]
QUICK += [
    pytest.param(unit, task, marks=pytest.mark.slow)
    for unit, task in ((NALU(), TWO), (StochasticNMU(), TEN))
]


@pytest.mark.parametrize(("unit", "task"), QUICK, ids=lambda v: str(v)[:20])
def test_parameters_after_a_hundred_steps(unit, task):
    check_alike(*ordered(task, *protocol_of(unit, task)))


def ordered(task, network, protocol):
    return network, task, protocol


AMONG_TEN = ("nmu", "nalu", "inalu", "npu", "nmru", "snmu")
EVERY = [(name, TWO) for name in UNITS] + [(name, TEN) for name in AMONG_TEN]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "task"), EVERY, ids=str)
def test_every_unit(name, task):
    # In double precision: of slopes near zero, rounding decides where Adam goes.
    network, protocol = protocol_of(UNITS[name](), task, precision="float64")
    check_alike(network, task, protocol, 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nac-mul", "real-npu", "linear", "nalu"])
def test_many_inputs(name):
    network, protocol = protocol_of(UNITS[name](), MANY, precision="float64")
    check_alike(network, MANY, protocol, 1e-9)


PARTS: list[dict[str, Any]] = [
    {"penalties": (L1(1e-3, 1e-1, 20),), "transforms": (ClipNorm(0.5),)},
    {"optimiser": SGD(1e-3, 0.9), "loss": SmoothL1()},
    {"loss": CorrelationThenSquaredError(50)},
]


@pytest.mark.slow
@pytest.mark.parametrize("parts", PARTS, ids=[", ".join(p) for p in PARTS])
def test_parts_of_protocols(parts):
    protocol = Protocol(100, measuring=Measuring(100, 1000), **parts)
    check_alike(NMU(), TWO, protocol)


def test_the_ramp_of_a_penalty_and_a_later_step():
    network, protocol = protocol_of(NMU(), MANY)
    check_alike(network, MANY, protocol, first=1_500_000)


@pytest.mark.slow
def test_replicas_are_drawn_afresh_between_kernels():
    rule = Stalled(every=20, patience=0, above=0.0)
    protocol = Protocol(100, restart=rule, measuring=Measuring(100, 1000))
    ours, theirs = check_alike(NMU(), TWO, protocol)
    assert ours.restarts and theirs.restarts
    np.testing.assert_array_equal(ours.restarts.count, theirs.restarts.count)
    assert np.max(theirs.restarts.count) > 1


@pytest.mark.parametrize("shape", [(3, 8), (2, 5, 8), (8,)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_piece_has_the_numbers_of_the_batch(shape, dtype):
    with pinned(dtype):

        def drawn(shape, piece):
            kind = jnp.dtype(dtype)
            key = Key("hash", jnp.uint32(7), 0, jnp.uint32(3), kind, piece=piece)
            return np.asarray([key.uniform(shape), key.uniform(shape)])

        whole = drawn(shape, None)
        for first in (0, 2, 6):
            piece = drawn((*shape[:-1], 2), Piece(jnp.uint32(first), shape[-1]))
            np.testing.assert_array_equal(piece, whole[..., first : first + 2])


def test_the_mean_over_pieces_has_the_slope_of_the_whole():
    x = np.random.default_rng(0).normal(size=(4, 3, 5))

    def value(params, i):
        return jnp.mean(jnp.sin(params["w"] @ jnp.asarray(x)[i]) ** 2)

    def whole(params):
        return sum(value(params, i) for i in range(4)) / 4

    with jax.enable_x64(True):
        params = {"w": jnp.asarray([[0.3, -0.2, 0.9]])}
        mean = mean_in_pieces(value, 4)

        def slope(mean):
            return jax.value_and_grad(lambda p: 3 * mean(p) + 1)(params)

        both = slope(mean), slope(whole)
        np.testing.assert_allclose(both[0][0], both[1][0], 1e-12)
        np.testing.assert_allclose(both[0][1]["w"], both[1][1]["w"], 1e-12)
        np.testing.assert_allclose(mean(params), whole(params), 1e-12)


def test_pieces_fit_the_registers():
    assert samples_at_once(published(NMU(), MANY)[0], MANY, 128) == 8
    assert samples_at_once(published(NALU(), MANY)[0], MANY, 128) == 4
    assert samples_at_once(NMU(), TWO, 128) == 128
    assert samples_at_once(NMU(), TWO, 1000) == 125  # 128 do not divide a thousand
    assert batch_pieces(NMU(), TWO, Protocol(1000)) == 1
    network, protocol = published(NMU(), MANY)
    assert batch_pieces(network, MANY, protocol) == 16


def lacks(network, task, protocol):
    return kernel_lacks(Configuration(network, task, protocol))


def lowered(network, task, protocol):
    """What a GPU is given, as text; nothing is compiled."""
    made = program(Configuration(network, task, protocol), kernel=True, gpu=True)
    with pinned(protocol.precision):
        given = jax.tree.map(lambda v: v[None], numbers_of(task, protocol, 0))
        state = jax.eval_shape(made.start, given)
        step, eligible = np.zeros((), np.uint32), np.ones((), bool)
        traced = jax.jit(made.traced).trace(state, given, {}, {}, step, eligible)
        return traced.lower(lowering_platforms=("cuda",)).as_text()


def test_what_a_gpu_is_given():
    given = ordered(TEN, *published(NMRU(), TEN))
    assert lacks(*given) == ""
    assert lowered(*given).count("triton") >= 3  # steps, and errors on two sets


@pytest.mark.slow
@pytest.mark.parametrize("task", [TWO, TEN, MANY], ids=str)
@pytest.mark.parametrize("name", UNITS)
def test_every_unit_can_be_a_kernel(name, task):
    # Products of a hundred signs are no operation of kernels.
    long = name in ("inalu", "snalu", "gated-nau-nmu") and task is MANY
    given = ordered(task, *published(UNITS[name](), task))
    if long:
        assert "reduce_prod" in lacks(*given)
    else:
        assert lacks(*given) == ""
        assert "triton" in lowered(*given)


@dataclass(frozen=True)
class Centred(NAU):
    """A unit whose outputs depend on the whole batch."""

    def compute(self, params, x, *, training=False, noise=None, xp=None):
        return NAU.compute(self, params, x - jnp.mean(x), xp=jnp)


@dataclass(frozen=True)
class Worst(SquaredError):
    """A loss that is no mean, of a class that is one."""

    def value(self, y, t, now):
        return jnp.max((y - t) ** 2)


@pytest.mark.slow
def test_samples_that_depend_on_each_other_are_found():
    network, protocol = published(NMU(), MANY)
    assert "depend on each other" in lacks(Centred(), MANY, protocol)
    # Its batch is computed whole, but not what it is measured on.
    assert "depend on each other" in lacks(Centred(), TWO, Protocol(1000))
    loss = protocol.updated(loss=Worst())
    assert "depend on each other" in lacks(network, MANY, loss)


def test_what_is_no_kernel_says_why():
    network, protocol = published(NMU(), MANY)
    x = np.random.default_rng(0).uniform(1, 2, (50, 2))
    table = Dataset.from_arrays(x, x[:, 0] * x[:, 1])
    assert "table" in lacks(NMU(), table, protocol)
    loss = protocol.updated(loss=CorrelationThenSquaredError())
    assert "too large" in lacks(network, MANY, loss)
    threefry = Protocol(1000, generator="threefry")
    assert "rule" in lacks(NMU(), TWO, threefry)
    assert "axes" in lacks(NMU(), Digits("product"), protocol)


def test_the_platform_says_what_trained_a_run():
    cells = [cell(NMU()), cell(NMU(), generator="threefry")]

    def platforms(**options):
        return [r.platform for r in replicas(cells, None, **options)[::3]]

    assert platforms(platform="gpu") == ["gpu-kernel", "gpu"]
    assert platforms(platform="gpu", kernel=False) == ["gpu", "gpu"]
    assert platforms(platform="cpu") == ["cpu", "cpu"]
    sizes = {r.platform: r.block for r in replicas(cells, None, "gpu")}
    assert sizes == {"gpu-kernel": 3, "gpu": 32}  # a kernel needs no others beside it
    spread = {r.platform: r.block for r in replicas(cells, None, "gpu", devices=2)}
    assert spread == {"gpu-kernel": 2, "gpu": 32}


class Pretended(Local):
    """A machine that says that it has a GPU; its kernels are computed on a CPU."""

    platform = "gpu"  # type: ignore[assignment]  # not a property


def test_a_fleet_by_kernels_has_the_results_of_one_without(tmp_path):
    cells = [cell(NMU())]
    ours = train_cells(cells, out=tmp_path, engine=Pretended(1))
    theirs = train_cells(cells)
    assert {row["platform"] for row in ours.rows} == {"gpu-kernel"}
    for a, b in zip(ours.rows, theirs.rows, strict=True):
        assert a["run"] == f"{b['run']}-gpu-kernel"
        assert (a["outcome"], a["solved_at"]) == (b["outcome"], b["solved_at"])
        np.testing.assert_allclose(a["interpolation"], b["interpolation"], 1e-3, 1e-7)
    again = train_cells(cells, out=tmp_path, engine=Pretended(1))
    assert again.rows == ours.rows  # nothing was trained again


def few(count, platform="gpu", **changes):
    cells = [cell(NMU(), seeds=range(count), **changes)]
    return jobs(replicas(cells, None, platform), None, 30.0)


def test_blocks_of_kernels_are_bundled():
    alike = [*few(3), *few(5), *few(4)]
    assert [len(b) for b in bundles(alike)] == [3]
    assert [len(b) for b in bundles(alike, devices=3)] == [1, 1, 1]
    assert [len(b) for b in bundles([*few(3), *few(3, steps=4000)])] == [1, 1]
    assert [len(b) for b in bundles([*few(800), *few(801), *few(5)])] == [1, 2]
    between = [*few(3), *few(3, "cpu"), *few(4)]
    assert [len(b) for b in bundles(between)] == [2, 1]
    assert [len(b) for b in bundles([*few(3, "cpu"), *few(3, "cpu")])] == [1, 1]


@pytest.mark.slow
def test_side_by_side_each_program_is_as_alone():
    configurations = [
        Configuration(unit, task, Protocol(100, measuring=Measuring(100, 1000)))
        for unit, task in ((NMU(), TWO), (NAU(), SingleModule("add")))
    ]
    programs = tuple(program(of, kernel=True) for of in configurations)
    given = []
    with pinned("float32"):
        for of, made in zip(configurations, programs, strict=True):
            each = [numbers_of(of.task, of.protocol, seed) for seed in range(3)]
            numbers = jax.tree.map(lambda *v: jnp.asarray(np.stack(v)), *each)
            begin = jnp.uint32(0), jnp.asarray(True)
            given.append((lambda m=made, n=numbers: m.start(n), numbers, begin))
        alone = [
            made.interval(start(), numbers, {}, {}, *begin)
            for made, (start, numbers, begin) in zip(programs, given, strict=True)
        ]
        arguments = [(start(), n, {}, {}, *begin) for start, n, begin in given]
        together = run_together(programs)(*zip(*arguments, strict=True))
    for a, b in zip(alone, together, strict=True):
        for one, other in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True):
            np.testing.assert_array_equal(one, other)


def two_jobs(folder=None):
    """Two blocks of kernels, of two seeds and of one."""
    cells = [
        cell(NMU(), seeds=(0, 1), steps=1500),
        cell(NAU(), SingleModule("add"), seeds=(0,), steps=1500),
    ]
    return jobs(replicas(cells, None, "gpu"), folder, 1e9)


def quiet(name, steps, solved):
    """Nobody looks at the progress."""


@pytest.mark.slow
def test_blocks_of_a_bundle_may_be_at_different_steps(tmp_path, monkeypatch):
    straight = train_jobs(two_jobs(), jax.devices()[0], threading.Event(), quiet)
    first, _ = two_jobs(tmp_path)
    stop = threading.Event()
    train_jobs([first], jax.devices()[0], stop, lambda *_: stop.set())
    assert saved_step(first) == 500  # the other has not begun
    seen, advance = [], _block.advance_together

    def noted(blocks):
        seen.append([block.step for block in blocks])
        advance(blocks)

    monkeypatch.setattr(_block, "advance_together", noted)
    again = train_jobs(two_jobs(tmp_path), jax.devices()[0], threading.Event(), quiet)
    assert seen == [[0], [500, 500], [1000, 1000]]
    names = [*MEASURED, "run"]
    assert [[r[n] for n in names] for r in again] == [
        [r[n] for n in names] for r in straight
    ]


@pytest.mark.slow
def test_the_seconds_of_a_bundle_are_shared_by_its_runs(monkeypatch):
    count = iter(range(10**6))
    clock = SimpleNamespace(monotonic=lambda: float(next(count)))  # JAX has its own
    monkeypatch.setattr(_block, "time", clock)
    rows = train_jobs(two_jobs(), jax.devices()[0], threading.Event(), quiet)
    # A second for each of three intervals of three runs, and one at the end of a block.
    assert [row["seconds"] for row in rows] == [1.5, 1.5, 2.0]
