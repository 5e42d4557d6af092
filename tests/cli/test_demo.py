"""`arithmax demo`: what it trains, what it says, and that the leaderboard agrees."""

import io
import re

import numpy as np
import pytest

from arithmax import cli
from arithmax.benchmark import shipped
from arithmax.cli._showcase import FAR, off, samples, showcase, showcase_cells
from arithmax.studies import studies
from arithmax.studies.primer.demo import MODELS, TRAINED_ON
from arithmax.training import train_cells
from arithmax.training._progress import COMPILING, TRAINING, Bar, bar_columns


@pytest.mark.slow
def test_its_cells_are_those_of_the_leaderboard():
    known = {arm.name: arm.cell for arm in studies()["single-module"].arms}
    for arm in studies()["demo"].arms:
        assert arm.cell == known[arm.name]


def test_its_ranges_show_success_and_failure():
    """By the stored rates: none teaches that iNALU or RealNPU always succeed."""
    board = shipped()[0]

    def rate(unit, operation, where):
        return board.scores[unit, operation, where, board.criteria[0]].success.value

    for unit in ("iNALU", "RealNPU"):
        near, far = (rate(unit, "÷", where) for where in TRAINED_ON)
        assert near > 0.9 and far < 0.2
    of_arms = [rate(*arm.labels.values()) for arm in studies()["demo"].arms]
    assert min(of_arms) == 0 and max(of_arms) == 1
    assert sum(0.05 < r < 0.95 for r in of_arms) >= 10


@pytest.mark.slow
def test_it_trains_every_unit_and_writes_the_page(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    cli.main(["demo", "--seeds", "2", "--steps", "5000", "--out", str(tmp_path)])
    shown = capsys.readouterr().out
    assert all(unit in shown for unit in MODELS)
    arms = len(studies()["demo"].arms)
    assert shown.count("%") >= arms and "…" not in shown.split("Solved, of")[-1]
    assert max(map(len, shown.splitlines()[:-1])) <= 80
    page = tmp_path / "report.html"
    assert str(page.resolve()) in shown.replace("\n", "") and page.stat().st_size > 1e6


def test_the_formula_is_read_out_and_not_selected_by_what_is_far(tmp_path):
    trained = showcase_cells(20_000)
    results = train_cells([trained[0]], out=tmp_path)
    # An MLP that answers with nothing stands for one: its training is not asked about.
    weights = {"0.b": np.zeros(24), "0.W": np.zeros((24, 4))}
    weights |= {"1.W": np.zeros((1, 24)), "1.b": np.zeros(1)}
    found = showcase_with(trained, results, weights)
    assert str(found.reading.formula) == "(x1 + x2)*(x1 + x2 + x3 + x4)"
    assert found.reading.verified and list(found.errors) == list(FAR)
    for formula, mlp in found.errors.values():
        assert formula < 1e-9 and mlp == 1.0
    x, y = samples((1.0, 2.0))
    right = (x[:, 0] + x[:, 1]) * x.sum(1)
    assert off(y, right) < 1e-12 and x.shape == (1000, 4)


def showcase_with(trained, results, weights):
    """The showcase of the first cell, beside an MLP with the given weights."""
    from arithmax._identity import describe
    from arithmax.results import Results

    class Stored(Results):
        def weights(self, run):
            return weights if run == "mlp" else super().weights(run)

    names = ("network", "task", "protocol")
    things = trained[1].network, trained[1].task, trained[1].protocol
    row = dict(zip(names, map(describe, things), strict=True))
    rows = [*results.rows, row | {"run": "mlp", "interpolation": 1.0}]
    return showcase(trained, Stored(rows, results.folder))


def test_the_bar_says_that_it_compiles_before_it_trains():
    from rich.console import Console
    from rich.progress import Progress

    class Block:
        replicas, steps = [0, 1], 1000

    console = Console(width=80, file=io.StringIO())
    progress = Progress(*bar_columns(), console=console, auto_refresh=False)
    with Bar(progress, [Block()]) as advance:
        [task] = progress.tasks
        assert (task.description, task.completed, task.total) == (COMPILING, 0, 2000)
        with console.capture() as capture:
            console.print(progress)
        assert re.search(r"compiling .*0% \d:\d\d:\d\d", capture.get())  # a clock
        advance("a", 500, 1)
        assert (task.description, task.completed) == (TRAINING, 500)
        assert "1 solved" in task.fields["rate"]


def test_the_bar_has_a_line_for_each_machine_of_a_cluster():
    """Blocks that run and have finished; one that is lost goes on elsewhere."""
    from rich.console import Console
    from rich.progress import Progress

    class Block:
        replicas, steps = [0, 1], 1000

        def __init__(self, name: str) -> None:
            self.name = name

    console = Console(width=80, file=io.StringIO())
    progress = Progress(*bar_columns(), console=console, auto_refresh=False)
    with Bar(progress, [Block("a"), Block("b")]) as advance:
        advance("a", 500, 0, "10.0.0.1")
        advance("b", 1000, 0, "10.0.0.2")
        whole, first, second = progress.tasks
        assert (whole.completed, whole.total) == (1500, 4000)
        assert (second.description, second.completed) == ("10.0.0.2", 1000)
        advance("b", -200, 0, "10.0.0.1")  # its worker was lost after a checkpoint
        assert first.fields["rate"].endswith("2 running, 0 finished")
        assert second.fields["rate"].endswith("0 running, 0 finished")
        advance("a", 1500, 2, "10.0.0.1")
        advance("b", 1200, 1, "10.0.0.1")
        assert first.fields["rate"].endswith("0 running, 2 finished")
        assert (whole.completed, whole.fields["rate"][-8:]) == (4000, "3 solved")
        with console.capture() as capture:
            console.print(progress)
        lines = [line for line in capture.get().splitlines() if line.strip()]
        assert len(lines) == 3 and all("100%" in line for line in lines)
