"""`--sweep`: names, values, and a grid as one fleet."""

import json
from typing import Any

import pytest

from arithmax import NMU, Stack, cli
from arithmax.cli._order import Arguments, order
from arithmax.cli._sweep import (
    _say_missing,
    evaluation_of,
    orders,
    spreads,
    study_of,
)
from arithmax.cli._swept import Setting, place_of, swept_places, swept_values
from arithmax.results import Results
from arithmax.training import _fleet, train_cells
from arithmax.training._replicas import jobs, replicas

SHORT = ["--unit", "nmu", "--steps", "2000", "--seeds", "3", "--quiet"]
SHORT += ["--measuring.validation", "1000"]


def settings(*texts: str, task: str = "single-module", options=()) -> list[Any]:
    reading = Arguments(task, [*SHORT, *options])
    return [found for _, found in orders(reading, swept_values(texts))]


def test_every_combination():
    found = settings("learning_rate=1e-3,1e-2", "batches.size=32,64,128")
    pairs = [
        (o.protocol.optimiser.learning_rate, o.protocol.batches.size) for o in found
    ]
    assert pairs == [(r, n) for r in (1e-3, 1e-2) for n in (32, 64, 128)]
    assert {o.protocol.steps for o in found} == {2000}  # the options hold


def test_two_names_of_one_setting_are_refused():
    said = r"`sweep` \(=optimiser__learning_rate\) is the setting that learning_rate"
    with pytest.raises(ValueError, match=said):
        settings("learning_rate=1e-3,1e-2", "optimiser__learning_rate=1e-4,1e-1")


def test_a_unit_without_a_swept_setting_is_named():
    reading = Arguments("single-module", SHORT)
    said = r"`sweep` \(=eps\) is no setting of `unit` \(='nmu'\)"
    with pytest.raises(ValueError, match=said):
        [*orders(reading, swept_values(["unit=nalu,nmu", "eps=1e-5,1e-7"]))]
    both = settings("unit=nmu,nau", "learning_rate=1e-3,1e-2")
    assert len(both) == 4


def test_names():
    known = swept_places(order("subsets", ["--unit", "nmu", "--simple"]))
    for name in ("learning_rate", "optimiser__learning_rate", "learning-rate"):
        assert place_of(name, known).path == "optimiser__learning_rate"
    assert place_of("optimiser.learning-rate", known).group == "protocol"
    assert place_of("penalties__0__strength", known).value == 10.0
    assert place_of("strength", known).path == "penalties__0__strength"
    assert place_of("input_size", known).group == "task"
    assert place_of("hidden", known) == Setting("network", "hidden", (2,))
    assert place_of("steps", known).value == 200_000
    with pytest.raises(ValueError, match=r"optimiser__epsilon or criterion__epsilon"):
        place_of("epsilon", known)
    with pytest.raises(ValueError, match=r"\(='lerning'\) must name one of unit, .*"):
        place_of("lerning", known)
    for wrong in ("lr", "lerning_rate"):
        with pytest.raises(ValueError, match=r"Did you mean learning_rate\?$"):
            place_of(wrong, known)
    for listed in ("learning_rate", "hidden", "input_size", "criterion__epsilon"):
        with pytest.raises(ValueError, match=rf"[ ,]{listed}[,.]"):
            place_of("nonsense", known)


def test_values():
    assert swept_values(
        ["a=1e-3,none", "b=(1,2),(3, 4)", "unit=nmu,nalu:tied=false"]
    ) == {
        "a": [1e-3, None],
        "b": [(1, 2), (3, 4)],
        "unit": ["nmu", "nalu:tied=false"],
    }
    for bad in ("rate", "rate=", "=1", "rate=1,1"):
        with pytest.raises(ValueError, match=r"`sweep` \(="):
            swept_values([bad])
    assert Setting("protocol", "steps", 5).fitted(1e4) == 10_000
    assert Setting("network", "hidden", (2,)).fitted(3) == (3,)


def test_tasks_networks_and_units_are_swept_with_their_recipes():
    one, ten = settings("input_size=2,10", options=["--steps", "100000"])
    assert (one.task.input_size, ten.task.input_size) == (2, 10)
    starts = [o.protocol.penalties[0].start for o in (one, ten)]
    assert starts == [20_000, 50_000]  # that of the recipe among ten inputs
    two, four = settings("hidden=2,4", task="subsets", options=["--simple"])
    assert isinstance(four.network, Stack)
    assert (two.network.hidden, four.network.hidden) == ((2,), (4,))
    nmu, nau = settings("unit=nmu,nau", options=["--operation", "mul"])
    assert type(nmu.network) is NMU and type(nau.network).__name__ == "NAU"
    assert nmu.protocol != nau.protocol


def test_a_grid_is_one_fleet(monkeypatch, tmp_path, capsys):
    """Learning rates share a program: all runs are in one block."""
    reading = Arguments("single-module", SHORT)
    cells = [a.cell for a in study_of(reading, ["learning_rate=1e-3,3e-3,1e-2"]).arms]
    assert len(jobs(replicas(cells, None), None, 30.0)) == 1
    calls = []
    run = _fleet._run
    monkeypatch.setattr(
        _fleet,
        "_run",
        lambda work, *rest: (calls.append(len(work)), run(work, *rest))[1],
    )
    command = ["train", "single-module", *SHORT, "--out", str(tmp_path)]
    command += ["--sweep", "learning_rate=1e-4,1e-2"]
    cli.main(command)
    assert calls == [1]
    shown = capsys.readouterr().out
    rates, _, _ = shown.partition("exact after rounding")
    lines = [line for line in rates.splitlines() if "of 3" in line]
    assert [line.split()[0] for line in lines] == ["0.0001", "0.01"]
    assert "0 of 3" in lines[0] and "3 of 3" in lines[1]
    page = (tmp_path / "sweep.html").read_text(encoding="utf-8")
    assert "success by learning_rate" in page and '"type":"log"' in page
    cli.main([*command, "--json"])
    first, second = json.loads(capsys.readouterr().out)
    assert first["cell"] == {"learning_rate": 1e-4} and first["solved"] == 0
    assert second["success"]["value"] == 1.0 and second["success"]["low"] < 0.6


def test_settings_that_are_not_finished_have_no_line(capsys):
    """Runs with fewer steps are those of another setting."""
    study = study_of(Arguments("single-module", SHORT), ["steps=1000,2000"])
    short = train_cells([study.arms[0].cell])
    done = evaluation_of(study, short)
    assert [bool(runs.summary) for runs in done.arm_runs] == [True, False]
    assert done.computed.tables["rates"]["steps"] == [1000]
    _say_missing(done)
    assert capsys.readouterr().out == "Not finished: steps=2000.\n"
    few = evaluation_of(study, Results(short.rows[:2]))  # of three seeds
    assert not any(runs.summary for runs in few.arm_runs)


def test_where_a_logarithmic_axis_fits():
    assert spreads([1e-4, 1e-2]) and not spreads([1, 2, 3])
    assert not spreads(["adam", "sgd"]) and not spreads([0.0, 1.0])


def test_help_tells_of_it(capsys):
    cli.main(["train", "single-module", "--sweep", "learning_rate=1", "--help"])
    assert "learning_rate=1e-3,1e-2" in capsys.readouterr().out
