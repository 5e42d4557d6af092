"""A replica's numbers depend on its configuration and its seed, and on nothing else."""

import errno
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from threading import Event

import duckdb
import jax
import numpy as np
import pytest
import torch

import arithmax.equinox
import arithmax.torch
from arithmax import (
    INALU,
    NMU,
    NRU,
    RealNPU,
    Stack,
    _blocks,
    _files,
    _machine,
    _training,
    results,
)
from arithmax.fleet import Cell, train, train_cells
from arithmax.protocol import Protocol, published
from arithmax.tasks import SingleModule, Subsets, Task
from arithmax.units import Unit

# What a row says of how a run went; the rest is cost, and who trained it.
MEASURED = ["outcome", "solved_at", "diverged_at", "best_step", "interpolation"]
MEASURED += ["extrapolation", "sparsity", "threshold"]

FLEET_PAGE = Path(__file__).parents[1] / "docs" / "fleet.md"
TASK = SingleModule("mul")
SHORT = {"steps": 3000, "interval": 500, "validation": 1000}


def cell(unit: Unit | None = None, task: Task = TASK, seeds=(0, 1, 2), **changes):
    network, protocol = published(unit or NMU(), task, **{**SHORT, **changes})
    return Cell(network, task, protocol, tuple(seeds))


def measured(found):
    """{run: measures}, exactly."""
    return {row["run"]: [row[name] for name in MEASURED] for row in found.rows}


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
        cell(learning_rate=1e-2, seeds=range(10)),
        cell(task=SingleModule("add"), penalty=1.0, seeds=range(10)),
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
    jobs = _blocks.jobs(
        _blocks.replicas(
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
    other = Cell(network, TASK, replace(protocol, optimiser="sgd"), (0,))
    both = _blocks.jobs(_blocks.replicas([cell(RealNPU()), other], None), None, 30)
    assert len(both) == 2


def test_on_one_or_two_workers():
    one = train_cells([cell(seeds=range(130))], workers=1)
    two = train_cells([cell(seeds=range(130))], workers=2)
    assert measured(one) == measured(two)


def test_divergence_stays_where_it_is():
    """NaN in one replica never touches its neighbours, and is an outcome."""
    calm = cell(RealNPU(), seeds=(0, 1))
    exploding = replace(calm, protocol=replace(calm.protocol, learning_rate=1e30))
    together = train_cells([exploding, calm])
    assert measured(train_cells([calm])).items() <= measured(together).items()
    row = next(row for row in together.rows[:2] if row["outcome"] == "diverged")
    assert row["sentence"] == f"diverged at step {row['diverged_at']}"
    assert row["diverged_at"] % 500 == 0 and row["diverged_at"] > 0


def test_a_run_follows_plain_torch():
    """The whole loop, data apart, is the one that one would write in PyTorch."""
    import jax.numpy as jnp

    from arithmax._program import batch_of, configuration, program

    task = Subsets("mul", input_size=10)
    network, protocol = published(
        NMU(), task, steps=200, interval=200, validation=1000, precision="float64",
        penalty_start=50, penalty_end=150, penalty=0.3, learning_rate=1e-2,
    )  # fmt: skip
    numbers = configuration(task, protocol, 5)
    stacked = jax.tree.map(lambda v: jnp.asarray(v)[None], numbers)
    with jax.numpy_dtype_promotion("standard"):
        made = program(network, task, protocol)
        state, stacked = made.start(stacked), made.prepare(stacked)
        start = {n: np.array(v[0]) for n, v in state.params.items()}
        state, _ = made.interval(state, stacked, jnp.uint32(0), jnp.asarray(True))
    assert isinstance(network, Stack)
    net = arithmax.torch.sequential(network, 10, 1).double()
    net.load_state_dict({n: torch.tensor(v) for n, v in start.items()})
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-2)
    rows, own = task.places(5), {k: jnp.asarray(v) for k, v in numbers.items()}
    for step in range(200):
        x, _ = batch_of(task, protocol, own, jnp.uint32(step))
        x = torch.tensor(np.asarray(x).T)
        t = x[:, rows[0]].sum(1, keepdim=True) * x[:, rows[1]].sum(1, keepdim=True)
        ramp = min(max((step - 50) / 100, 0.0), 1.0)
        penalty = sum(layer.penalty() for layer in net)  # type: ignore[operator]  # layers
        optimiser.zero_grad()
        ((net(x) - t).square().mean() + 0.3 * ramp * penalty).backward()
        optimiser.step()
        for layer in net:
            layer.project_()  # type: ignore[operator]  # layers
    for name, value in net.state_dict().items():
        np.testing.assert_allclose(state.params[name][0], value, rtol=1e-7, atol=1e-10)


def test_a_second_run_finishes_at_once(tmp_path, monkeypatch):
    first = train_cells([cell(seeds=range(5))], out=tmp_path)
    before = {p.name: p.stat().st_mtime_ns for p in tmp_path.iterdir()}

    def never(*args):
        raise AssertionError("trained again")

    monkeypatch.setattr(_training, "train_block", never)
    again = train_cells([cell(seeds=range(5))], out=tmp_path)
    assert measured(first) == measured(again)
    assert before == {p.name: p.stat().st_mtime_ns for p in tmp_path.iterdir()}


def test_more_seeds_and_other_settings_are_added(tmp_path):
    train_cells([cell(seeds=range(3))], out=tmp_path)
    more = train_cells([cell(seeds=range(6))], out=tmp_path)
    assert len(more) == 6 and len(results.read(tmp_path)) == 6
    train_cells([cell(seeds=range(3), learning_rate=2e-3)], out=tmp_path)
    everything = results.read(tmp_path)
    assert len(everything) == 9
    assert measured(everything).items() >= measured(more).items()
    rates = everything.query(
        "SELECT protocol_learning_rate AS rate, count(*) AS n FROM runs "
        "GROUP BY 1 ORDER BY 1"
    )
    assert rates == [{"rate": 1e-3, "n": 6}, {"rate": 2e-3, "n": 3}]


def test_rows_have_the_whole_configuration(tmp_path):
    found = train_cells([cell(seeds=[3])], out=tmp_path)
    row = found.rows[0]
    assert eval(row["network"], {"NMU": NMU}) == NMU()
    assert eval(row["protocol"], {"Protocol": Protocol}) == cell().protocol
    assert row["seed"] == 3 and row["version"] == arithmax.__version__
    assert (
        row["threshold"] == TASK.threshold(1e-4) and row["threshold_rule"] == "authors"
    )
    assert row["block"] == 64 and row["platform"] == "cpu" and row["seconds"] > 0
    assert measured(results.read(tmp_path)) == measured(found)


def test_weights_of_the_best_step_load_into_pytorch(tmp_path):
    """They give the interpolation error that the row has, on other data."""
    task = Subsets("mul", simple=True)
    found = train_cells([cell(task=task, seeds=[0], validation=10_000)], out=tmp_path)
    row = found.rows[0]
    weights = found.weights(row["run"])
    network = published(NMU(), task)[0]
    assert isinstance(network, Stack)
    net = arithmax.torch.sequential(network, 4, 1)
    net.load_state_dict({name: torch.tensor(v) for name, v in weights.items()})
    layer = arithmax.equinox.Layer(network, 4, 1, key=jax.random.key(0), inference=True)
    x = np.random.default_rng(0).uniform(1, 2, (9, 4)).astype("float32")
    same = layer.with_parameters(weights)(x.astype("float64"))
    np.testing.assert_allclose(same, net(torch.tensor(x)).detach(), rtol=1e-5)
    x = torch.rand(200_000, 4) + 1
    error = (net(x)[:, 0] - x.sum(1) * x[:, :2].sum(1)).square().mean().item()
    assert np.isclose(error, row["interpolation"], rtol=0.1)


def test_curves_are_beside_the_rows(tmp_path):
    import duckdb

    found = train_cells([cell(seeds=[0, 1])], out=tmp_path)
    with duckdb.connect() as database:
        sql = f"SELECT run, step, interpolation FROM '{tmp_path}/*.curves.parquet'"
        curves = database.sql(sql).fetchall()
    assert len(curves) == 2 * 7
    for row in found.rows:
        own = {step: error for run, step, error in curves if run == row["run"]}
        assert sorted(own) == list(range(0, 3001, 500))
        assert (
            own[row["best_step"]]
            == min(own.values())
            == np.float32(row["interpolation"])
        )


KILLED = """
import sys
from arithmax import NMU
from arithmax.fleet import train_cells, Cell
from arithmax.protocol import published
from arithmax.tasks import Subsets
task = Subsets("mul", input_size=20)
network, protocol = published(
    NMU(), task, steps=50_000, interval=100, validation=1000, penalty_start=1000,
    penalty_end=5000)
if "full" in sys.argv:
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))  # as a disk that is full
train_cells([Cell(network, task, protocol, tuple(range(40)))], out=sys.argv[1],
            checkpoint_seconds=0.0)
"""


def killed_cell():
    task = Subsets("mul", input_size=20)
    network, protocol = published(
        NMU(), task, steps=50_000, interval=100, validation=1000, penalty_start=1000,
        penalty_end=5000,
    )  # fmt: skip
    return Cell(network, task, protocol, tuple(range(40)))


def start(folder, *more):
    return subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder), *more],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def newest_checkpoint(folder):
    return max((p.stat().st_mtime for p in folder.glob("*.checkpoint")), default=0.0)


def kill(processes, folder, moment) -> bool:
    """SIGKILL, a moment after one of them has saved a checkpoint; not if it ended."""
    began = newest_checkpoint(folder)
    while newest_checkpoint(folder) == began:
        if any(process.poll() is not None for process in processes):
            break
        time.sleep(0.005)
    time.sleep(moment)
    for process in processes:
        process.send_signal(signal.SIGKILL)
    return all(process.wait() != 0 for process in processes)


def same_table(folder) -> None:
    """What is trained to its end after all that is what was never stopped."""
    resumed = train_cells([killed_cell()], out=folder)
    assert measured(resumed) == measured(train_cells([killed_cell()]))
    assert measured(results.read(folder)) == measured(resumed)
    assert not list(folder.glob("*.checkpoint")) and not list(folder.glob(".*"))


def test_killed_at_random_moments(tmp_path):
    moments = random.Random(0)
    for _ in range(3):
        assert kill([start(tmp_path)], tmp_path, moments.uniform(0, 0.08))
    same_table(tmp_path)


@pytest.mark.slow
def test_thirty_kills_two_processes_and_a_full_disk(tmp_path):
    """Whatever happens to a folder, its table is that of a run that was not stopped."""
    chance, kills = random.Random(0), 0
    while kills < 30:
        if chance.random() < 0.2:
            assert start(tmp_path, "full").wait() == 1  # and nothing is lost
        together = [start(tmp_path) for _ in range(chance.choice((1, 1, 2)))]
        assert kill(together, tmp_path, chance.uniform(0, 0.08)), "ended too soon"
        kills += 1
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = tmp_path / f".x.rows.parquet.{_files.HOST}.{gone.pid}.part"
    left.write_bytes(b"half a file")
    same_table(tmp_path)


def test_interrupt_ends_cleanly(tmp_path):
    """Ctrl-C: status 130 and a sentence, and the same command goes on."""
    out = tmp_path / "runs"
    command = [sys.executable, "-m", "arithmax", "train", "subsets", "--unit", "nmu"]
    command += ["--input-size", "20", "--steps", "50000", "--seeds", "40", "--quiet"]
    command += ["--measuring.interval", "100", "--measuring.validation", "1000"]
    command += ["--penalties.0.start", "1000", "--penalties.0.end", "5000"]
    command += ["--out", str(out)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not out.exists():
        time.sleep(0.1)  # until it is about to train
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode in (130, 0) and "Traceback" not in said
    if process.returncode == 130:
        assert "Run the same command again" in said
    again = train_cells([killed_cell()], out=out)
    assert measured(again) == measured(train_cells([killed_cell()]))


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


def test_a_checkpoint_of_other_runs_is_refused(tmp_path):
    """One that was renamed into place has the right shapes and the wrong runs."""
    stopped = Event()
    for folder, seeds in (("a", (0, 1)), ("b", (2, 3))):
        (tmp_path / folder).mkdir()
        [job] = _blocks.jobs(
            _blocks.replicas([cell(seeds=seeds)], None), tmp_path / folder, 0.0
        )
        stopped.clear()
        _training.train_job(job, jax.devices()[0], stopped, lambda *_: stopped.set())
    [one] = (tmp_path / "a").glob("*.checkpoint")
    [other] = (tmp_path / "b").glob("*.checkpoint")
    other.rename(tmp_path / "a" / one.name)
    with pytest.raises(ValueError, match=r"checkpoint .* it is of other runs"):
        train_cells([cell(seeds=(0, 1))], out=tmp_path / "a")


def test_one_run_is_one_row(tmp_path):
    """In whatever blocks and files it is, and however often it is asked for."""
    first = train_cells([cell(seeds=range(3))], out=tmp_path, block=4)
    train_cells([cell(seeds=range(5))], out=tmp_path, block=8)
    for path in list(tmp_path.glob("*.*")):
        shutil.copy(path, tmp_path / f"again-{path.name}")
    names = sorted(path.name for path in tmp_path.iterdir())
    train_cells([cell(seeds=range(5))], out=tmp_path, block=16)  # all are known
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    found = results.read(tmp_path)
    assert sorted(row["seed"] for row in found.rows) == [0, 1, 2, 3, 4]
    # The run that was finished first counts.
    blocks = {row["seed"]: row["block"] for row in found.rows}
    assert blocks == {0: 4, 1: 4, 2: 4, 3: 8, 4: 8}
    [counted] = found.query("SELECT count(*) AS n FROM runs")
    assert counted == {"n": 5}
    documented = re.findall(r"```sql\n(.*?)```", FLEET_PAGE.read_text(), re.S)[0]
    documented = documented.replace("runs/", f"{tmp_path}/")
    with duckdb.connect() as database:
        answer = database.execute(f"SELECT sum(runs) FROM ({documented})").fetchall()
    assert answer == [(5,)]
    run = first.rows[0]["run"]
    curve = found.curves([run])[run]
    assert curve["step"].tolist() == sorted(set(curve["step"].tolist()))
    assert len(curve["step"]) == 7
    twice = train_cells([cell(seeds=range(3)), cell(seeds=(1, 2, 3))])
    assert [row["seed"] for row in twice.rows] == [0, 1, 2, 3]


def test_the_first_step_below_each_limit_is_stored(tmp_path):
    """From all measurements, since curves may be thinned later."""
    done = train_cells([cell(seeds=range(6))], out=tmp_path)
    curves = done.curves([row["run"] for row in done.rows])
    limits = TASK.limits()
    assert limits["eps_1e4"] == TASK.threshold(1e-4, "authors")
    for row in results.read(tmp_path).rows:
        curve = curves[row["run"]]
        for name, limit in limits.items():
            below = curve["step"][curve["extrapolation"] < limit]
            assert row[f"first_below_{name}"] == (below[0] if len(below) else None)
    assert any(row["first_below_flat_1e5"] is not None for row in done.rows)


TWO = """
import sys
from arithmax import NMU
from arithmax.fleet import Cell, train_cells
from arithmax.protocol import published
from arithmax.tasks import SingleModule
task = SingleModule("mul")
network, protocol = published(NMU(), task, steps=20_000, interval=500, validation=1000)
seeds = tuple(range(int(sys.argv[2]), int(sys.argv[3])))
train_cells([Cell(network, task, protocol, seeds)], out=sys.argv[1], block=4)
"""


@pytest.mark.slow
def test_two_processes_in_one_folder(tmp_path):
    """Both finish, and the table is that of one."""
    asked = [("0", "9"), ("3", "12")]
    command = [sys.executable, "-c", TWO, str(tmp_path / "both")]
    both = [subprocess.Popen([*command, *seeds]) for seeds in asked]
    assert [process.wait() for process in both] == [0, 0]
    found = results.read(tmp_path / "both")
    assert sorted(row["seed"] for row in found.rows) == list(range(12))
    for seeds in asked:
        subprocess.run([*command[:-1], str(tmp_path / "one"), *seeds], check=True)
    assert measured(found).keys() == measured(results.read(tmp_path / "one")).keys()
    assert measured(found) == measured(results.read(tmp_path / "one"))


def test_a_corrupt_checkpoint_is_named(tmp_path):
    job = _blocks.jobs(_blocks.replicas([killed_cell()], None), tmp_path, 30)[0]
    path = tmp_path / f"{job.name}.checkpoint"
    path.write_bytes(b"nonsense")
    with pytest.raises(ValueError, match=r"checkpoint .* cannot be read.*Delete it"):
        train_cells([killed_cell()], out=tmp_path)
    assert path.exists()


def test_a_full_disk_is_named_and_loses_nothing(tmp_path, monkeypatch):
    kept = train_cells([cell(seeds=[0])], out=tmp_path)

    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        with pytest.raises(
            OSError, match=r"`out` .*No space left.*choose another folder"
        ):
            train_cells([cell(seeds=[1])], out=tmp_path)
    assert measured(results.read(tmp_path)) == measured(kept)
    assert len(train_cells([cell(seeds=[0, 1])], out=tmp_path)) == 2


def test_foreign_files_are_refused(tmp_path):
    (tmp_path / "other.rows.parquet").write_bytes(b"PAR1 nonsense PAR1")
    with pytest.raises(ValueError, match=r"other\.rows\.parquet cannot be read"):
        results.read(tmp_path)
    (tmp_path / "other.rows.parquet").unlink()
    _files.write_table(tmp_path / "old.rows.parquet", {"format": np.array([0])})
    with pytest.raises(ValueError, match="another version of arithmax"):
        train_cells([cell()], out=tmp_path)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        results.read(tmp_path / "nowhere")


def test_published_units_learn():
    """A short run of several kinds of protocol: loss falls, nothing is NaN."""
    mul, div = SingleModule("mul"), SingleModule("div")
    for unit, task in ((INALU(), mul), (NRU(), div), (RealNPU(), div)):
        found = train_cells([cell(unit, task, seeds=range(4))])
        assert all(row["outcome"] != "diverged" for row in found.rows)
        assert np.median([row["interpolation"] for row in found.rows]) < 0.5


@pytest.mark.slow
def test_the_four_input_task_matches_the_paper():
    """94 % +3 −6 of 100 seeds solved, median step 1.4e4 ± 10 %."""
    found = train(NMU(), Subsets("mul", simple=True), seeds=range(100))
    (summary,) = found.summaries()
    assert summary.success.low <= 0.97 and summary.success.high >= 0.88
    assert summary.solved_at_median is not None
    assert abs(summary.solved_at_median / 1.4e4 - 1) <= 0.1


def test_parameters_are_kept_on_the_way(tmp_path):
    """Those of the start, and those that a shorter run ends with."""
    one = cell(seeds=range(2), steps=2000, interval=500, keep=(0, 1000))
    found = train_cells([one], out=tmp_path / "kept")
    assert "keep" not in repr(cell().protocol)  # runs from before keep their names
    short = cell(seeds=range(2), steps=1000, interval=500, keep=(1000,))
    shorter = train_cells([short], out=tmp_path / "short")
    for row, other in zip(found.rows, shorter.rows, strict=True):
        at, path = found.path(row["run"])
        _, end = shorter.path(other["run"])
        assert at.tolist() == [0, 1000]
        for name, values in path.items():
            assert not np.array_equal(values[0], values[1])
            np.testing.assert_array_equal(values[1], end[name][0])
    with pytest.raises(ValueError, match=r"`keep` \(with 70\)"):
        Protocol(keep=(70,))
