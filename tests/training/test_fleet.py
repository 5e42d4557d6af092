"""A replica's numbers depend on its configuration and its seed, and on nothing else."""

import random
from dataclasses import replace

import jax
import numpy as np
import pytest

from arithmax import INALU, NAU, NMU, NRU, RealNPU
from arithmax.tasks import SingleModule, Subsets
from arithmax.training import (
    SGD,
    Cell,
    _machine,
    _replicas,
    published,
    train,
    train_cells,
)
from short_runs import SHORT, TASK, cell, measured


def test_alone_or_in_a_fleet():
    """Bit for bit, whichever replicas run beside it, in whichever order."""
    alone = train_cells([cell(seeds=[7])])
    many = train_cells([cell(seeds=range(100))])
    shuffled = train_cells([cell(seeds=random.Random(0).sample(range(100), 100))])
    name = alone.rows[0]["run"]
    assert measured(alone)[name] == measured(many)[name] == measured(shuffled)[name]
    assert measured(many) == measured(shuffled)
    assert len({tuple(map(str, v)) for v in measured(many).values()}) > 50


def test_among_other_cells():
    """Other ranges, operations, rates and penalties in the block change nothing."""
    cells = [
        cell(seeds=range(10)),
        cell(task=SingleModule("mul", interpolation=(-2.0, 2.0)), seeds=range(10)),
        cell(optimiser__learning_rate=1e-2, seeds=range(10)),
        cell(task=SingleModule("add"), penalties__0__strength=1.0, seeds=range(10)),
    ]
    with pytest.warns(UserWarning, match="cannot represent `operation`"):
        together = train_cells(cells)
    apart = {}
    for one in cells[:3]:
        apart |= measured(train_cells([one]))
    assert measured(together).items() >= apart.items()


def test_one_program_for_many_cells():
    """Ranges and operations share a program; optimisers do not."""
    network, protocol = published(RealNPU(), TASK, **SHORT)
    jobs = _replicas.jobs(
        _replicas.replicas(
            [
                Cell(
                    network,
                    SingleModule(op, interpolation=r),
                    protocol,
                    tuple(range(4)),
                )
                for op in ("mul", "div")
                for r in ((1.0, 2.0), (-2.0, 2.0), (0.1, 0.2))
            ],
            None,
        ),
        None,
        30,
    )
    assert len(jobs) == 1 and len(jobs[0].replicas) == 24
    other = Cell(network, TASK, protocol.updated(optimiser=SGD()), (0,))
    both = _replicas.jobs(_replicas.replicas([cell(RealNPU()), other], None), None, 30)
    assert len(both) == 2


def test_on_one_or_two_workers():
    one = train_cells([cell(seeds=range(130))], workers=1)
    two = train_cells([cell(seeds=range(130))], workers=2)
    assert measured(one) == measured(two)


def test_divergence_stays_where_it_is():
    """NaN in one replica never touches its neighbours, and is an outcome."""
    calm = cell(RealNPU(), seeds=(0, 1))
    exploding = replace(
        calm, protocol=calm.protocol.updated(optimiser__learning_rate=1e30)
    )
    together = train_cells([exploding, calm])
    assert measured(train_cells([calm])).items() <= measured(together).items()
    row = next(row for row in together.rows[:2] if row["outcome"] == "diverged")
    assert row["sentence"] == f"diverged at step {row['diverged_at']}"
    assert row["diverged_at"] % 500 == 0 and row["diverged_at"] > 0


def test_settings_of_jax_change_nothing():
    """Neither its generators nor its promotion of types reach a run."""
    plain = measured(train_cells([cell(seeds=range(4))]))
    settings = {"jax_default_prng_impl": "rbg", "jax_threefry_partitionable": False}
    settings |= {"jax_random_seed_offset": 7, "jax_enable_x64": False}
    before = {name: getattr(jax.config, name) for name in settings}
    try:
        for name, value in settings.items():
            jax.config.update(name, value)
        assert measured(train_cells([cell(seeds=range(4))])) == plain
    finally:
        for name, value in before.items():
            jax.config.update(name, value)


def test_what_decides_bits_is_recorded(tmp_path):
    [row] = train_cells([cell(seeds=(0,))]).rows
    assert row["compiler"].startswith("jaxlib ") and row["instructions"]
    info = tmp_path / "cpuinfo"
    info.write_text("processor\t: 0\nflags\t\t: fpu sse4_2 avx avx2 avx512f\n")
    assert _machine.instructions([], info) == "AVX512"
    assert _machine.instructions(["--xla_cpu_max_isa=AVX2"], info) == "AVX2"
    info.write_text("Features\t: fp asimd\n")
    assert _machine.instructions([], info) == "NEON"
    assert _machine.instructions([], tmp_path / "none") == "unknown"


def test_published_units_learn():
    """A short run of several kinds of protocol: loss falls, nothing is NaN."""
    mul, div = SingleModule("mul"), SingleModule("div")
    for unit, task in ((INALU(), mul), (NRU(), div), (RealNPU(), div)):
        done = train_cells([cell(unit, task, seeds=range(4))])
        assert all(row["outcome"] != "diverged" for row in done.rows)
        assert np.median([row["interpolation"] for row in done.rows]) < 0.5


@pytest.mark.slow
def test_the_four_input_task_matches_the_paper():
    """94 % +3 −6 of 100 seeds solved, median step 1.4e4 ± 10 %."""
    done = train(NMU(), Subsets("mul", simple=True), seeds=range(100))
    (summary,) = done.summaries()
    assert summary.success.low <= 0.97 and summary.success.high >= 0.88
    assert summary.solved_at_median is not None
    assert abs(summary.solved_at_median / 1.4e4 - 1) <= 0.1


def test_the_same_seed_gives_the_same_row_whatever_it_is_run_with():
    """Two ranges together and alone, with other operations and seeds."""

    def rows(cells):
        made = train_cells(cells).rows
        free = ("seconds", "cpu_seconds", "finished")  # when it was, and what it took
        return {r["run"]: {k: v for k, v in r.items() if k not in free} for r in made}

    def of(operation, inner, outer, seeds=(0, 1, 2)):
        task = SingleModule(operation, 2, inner, outer)
        _, protocol = published(NAU(), task, steps=2000, measuring__validation=1000)
        return Cell(NAU(), task, protocol, tuple(seeds))

    first = of("add", (1.0, 2.0), (2.0, 6.0))
    second = of("add", (-0.2, -0.1), (-2.0, -0.2))
    other = of("sub", (1.0, 2.0), (2.0, 6.0), seeds=range(70))
    together = rows([first, second, other])
    alone = rows([first]) | rows([second])
    assert len(alone) == 6 and {run: together[run] for run in alone} == alone
    fewer = rows([replace(second, seeds=(2,))])
    assert fewer.items() <= alone.items()
