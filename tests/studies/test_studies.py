"""Studies: their data, their verdicts, and that nothing is lost or misread."""

import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from arithmax import NAU, Cell, published, results, train_cells
from arithmax.results import Results
from arithmax.statistics import Interval, Range, success_rate
from arithmax.studies import (
    Arm,
    Computed,
    Published,
    Study,
    Verdict,
    evaluate,
    load,
    reproduce,
    studies,
    study,
)
from arithmax.studies._run import compute, computed
from arithmax.tasks import Operands, SingleModule
from fake_rows import fake

SHORT = {"steps": 2000, "measuring__validation": 1000}


def small(name="mine", seeds=4, published_figures=None, **changes):
    network, protocol = published(NAU(), SingleModule("add"), **{**SHORT, **changes})
    cell = Cell(network, SingleModule("add"), protocol, tuple(range(seeds)))
    arm = Arm({"model": "NAU"}, cell, published_figures or {})
    return Study(name, "A title", "a source", "About.", (arm,))


FILE = """
from arithmax import NAU, Cell, published
from arithmax.studies import Arm, Computed, Published, Study
from arithmax.statistics import Interval
from arithmax.tasks import SingleModule

TASK = SingleModule("add")
NETWORK, PROTOCOL = published(NAU(), TASK, steps=4000, measuring__validation=1000)

def compute(trained):
    rows = trained.arm(model="NAU").rows
    one = Interval(1.0, 0.9, 1.1)
    return Computed({"counts": {"seeds": [len(rows)]}}, {"one": one})

MINE = Study(
    "my-study", "Mine", "nowhere", "About *mine*.",
    (Arm({"model": "NAU"}, Cell(NETWORK, TASK, PROTOCOL, (0, 1, 2)),
         {"success": Published(1.0, 0.5, 1.0), "median": Published(3000.0)}),),
    compute=compute, claims={"one": Published(1.0, 1.0, 1.0), "two": Published(2.0)},
    shown={"counts": "How many."},
)
"""


def verdicts(study_of, rows):
    found = evaluate(study_of, Results(rows)).comparisons
    return {c.measure: c for c in found}


def test_verdicts():
    figures = {
        "success": Published(0.5, 0.4, 0.6),
        "median": Published(1000.0),
        "solved_at": Published(900.0, 800.0, 990.0, reason="of a reason"),
        "sparsity": Published(1e-3, 9e-4, 1.1e-3),
    }
    own = small(seeds=10, published_figures=figures)
    found = verdicts(own, fake(own, [True] * 5 + [False] * 5, spread=0.01))
    assert {m: c.verdict for m, c in found.items()} == {
        "success": Verdict.OVERLAPS,
        "median": Verdict.NO_INTERVAL,
        "solved_at": Verdict.DIFFERS,
        "sparsity": Verdict.OVERLAPS,
    }
    assert found["solved_at"].sentence == "differs: of a reason"
    assert all(not c.reduced for c in found.values())
    assert verdicts(own, fake(own, [True] * 10))["success"].verdict is Verdict.DIFFERS


@pytest.mark.parametrize(("solved", "spread"), [(4, 0.01), (10, 0.0)])
def test_runs_that_are_few_or_equal_decide_nothing(solved, spread):
    figures = {
        "solved_at": Published(5000.0, 4000.0, 6000.0),
        "sparsity": Published(1e-3),
        "success": Published(0.0, 0.0, 0.01),
    }
    own = small(seeds=10, published_figures=figures)
    rows = fake(own, [True] * solved + [False] * (10 - solved), spread=spread)
    found = verdicts(own, rows)
    assert {m: c.verdict for m, c in found.items()} == {
        "solved_at": Verdict.OURS_WITHOUT_INTERVAL,
        "sparsity": Verdict.NO_INTERVAL,
        "success": Verdict.DIFFERS,  # a rate has its interval whatever the number
    }
    assert isinstance(found["solved_at"].ours, Range)
    assert found["solved_at"].sentence == "no interval of ours"
    assert found["sparsity"].remark.startswith("equal" if not spread else "ours × 1.0")


def test_ranges_are_ranges_again_when_they_are_read(tmp_path):
    figures = {"one": Interval(1.0, 0.9, 1.1), "two": Range(2.0, 1.0, 4.0)}
    made = Computed({"counts": {"seeds": [3]}}, figures)
    own = replace(small(seeds=1), compute=lambda trained: made)
    compute(own, Results([]), tmp_path)
    assert computed(own, tmp_path) == made


def test_claims_of_reduced_runs_decide_nothing(tmp_path):
    figures = {"one": Interval(1.0, 0.9, 1.1), "two": Interval(2.0, 1.0, 4.0)}
    made = Computed({}, figures, {"two": "1 of 10 seeds"})
    claims = {name: Published(1.0, 1.0, 1.0) for name in ("one", "two")}
    own = replace(small(seeds=1), compute=lambda trained: made, claims=claims)
    compute(own, Results([]), tmp_path)
    again = computed(own, tmp_path)
    assert again == made
    done = evaluate(own, Results([]), again)
    assert [c.reduced for c in done.comparisons] == ["", "1 of 10 seeds"]
    assert (done.verdicts[Verdict.OVERLAPS], done.reduced) == (1, 1)
    assert done.comparisons[1].sentence == "overlaps (reduced: 1 of 10 seeds)"


@pytest.mark.parametrize(
    ("solved", "verdict"),
    [(None, "differs"), (9, "differs"), (1, "no interval of ours")],
)
def test_what_was_not_run_and_what_nobody_solved(solved, verdict):
    """That none of ten is solved is a difference where success rates differ."""
    figures = {"solved_at": Published(1.0, 0.5, 2.0)}
    if solved is not None:
        rate = success_rate(solved, 10)
        figures["success"] = Published(rate.value, rate.low, rate.high)
    own = small(seeds=10, published_figures=figures)
    assert verdicts(own, [])["solved_at"].verdict is Verdict.NOT_RUN
    none = verdicts(own, fake(own, [False] * 10))["solved_at"]
    assert none.sentence == f"{verdict} (no run of ours solved it)"


def test_a_reduced_run_says_so():
    own = small(seeds=10, published_figures={"success": Published(1.0, 0.9, 1.0)})
    few = verdicts(own, fake(own, [True] * 3))["success"]
    assert few.sentence == "overlaps (reduced: 3 of 10 seeds)"
    short = verdicts(own, fake(own, [True] * 10, steps=1000))["success"]
    assert short.reduced == "1,000 of 2,000 steps"
    longest = fake(own, [True] * 2) + fake(own, [False] * 10, steps=1000)
    found = evaluate(own, Results(longest)).arm_runs[0]
    assert len(found.rows) == 2 and found.reduced == "2 of 10 seeds"


def test_reduced_comparisons_are_counted_apart():
    figure = {"success": Published(1.0, 0.9, 1.0)}
    own = small(seeds=10, published_figures=figure)
    full = evaluate(own, Results(fake(own, [True] * 10))).tally
    assert full["overlaps"] == 1 and full["reduced"] == 0
    few = evaluate(own, Results(fake(own, [True] * 3))).tally
    assert few["overlaps"] == 0 and few["reduced"] == 1


def test_runs_of_other_settings_are_not_mixed_in():
    own = small(seeds=3)
    others = fake(own, [True] * 3, optimiser__learning_rate=0.5)
    longer = fake(own, [True] * 3, steps=9000)
    assert evaluate(own, Results(others + longer)).arm_runs[0].rows == []
    twice = fake(own, [True] * 3) * 2
    assert len(evaluate(own, Results(twice)).arm_runs[0].rows) == 3


def test_settings_that_a_row_does_not_have_were_the_defaults():
    """Runs of a version without some setting are still those of the same study."""
    own = small(seeds=3)
    rows = fake(own, [True] * 3)
    for row in rows:
        del row["protocol_project"], row["task_distribution"]
    assert len(evaluate(own, Results(rows)).arm_runs[0].rows) == 3
    other = small(seeds=3, project=False)
    assert evaluate(other, Results(rows)).arm_runs[0].rows == []


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "my_study.py"
    path.write_text(FILE)
    done = reproduce([str(path)], out=tmp_path / "runs", command="a command")
    (own,) = done.evaluations
    assert not done.interrupted and len(own.arm_runs[0].rows) == 3
    found = {c.measure: c.verdict.value for c in own.comparisons}
    assert found == {
        "success": "overlaps",
        "median": "no interval published",
        "one": "overlaps",
        "two": "not run",
    }
    (again,) = load(tmp_path / "runs", [path])
    assert again.computed == Computed(
        {"counts": {"seeds": [3]}}, {"one": Interval(1.0, 0.9, 1.1)}
    )
    assert (
        again.history[0]["command"] == "a command" and again.history[0]["seconds"] > 0
    )


def test_a_study_goes_on_and_keeps_what_it_has(tmp_path, monkeypatch):
    path = tmp_path / "my_study.py"
    path.write_text(FILE)
    reproduce([str(path)], out=tmp_path, seeds=2, command="first")
    before = {p.name for p in tmp_path.glob("*.rows.parquet")}
    done = reproduce([str(path)], out=tmp_path, command="second")
    assert len(done.evaluations[0].arm_runs[0].rows) == 3
    assert before < {p.name for p in tmp_path.glob("*.rows.parquet")}
    assert len(results.read(tmp_path)) == 3  # the first two were not trained again
    assert [e["command"] for e in done.evaluations[0].history] == ["first", "second"]
    before = done.evaluations[0].history[1]["seconds"]
    twice = reproduce([str(path)], out=tmp_path, command="second").evaluations[0]
    assert [e["command"] for e in twice.history] == ["first", "second"]
    assert twice.history[1]["seconds"] >= before  # one command, all its seconds
    reduced = reproduce([str(path)], out=tmp_path, seeds=1, steps=1000, command="third")
    assert (
        len(reduced.evaluations[0].arm_runs[0].rows) == 3
    )  # the full run is still there


LONG = """
from dataclasses import replace
longer = replace(PROTOCOL, steps=100_000)
arm = Arm({"model": "longer"}, Cell(NETWORK, TASK, longer, (0, 1)))
MINE = replace(MINE, arms=(*MINE.arms, arm))
"""


@pytest.mark.slow
def test_an_interrupted_study_goes_on(tmp_path):
    """Ctrl-C ends with a sentence; the same command ends where a straight run does."""
    path, out = tmp_path / "my_study.py", tmp_path / "runs"
    path.write_text(FILE + LONG)
    command = [sys.executable, "-m", "arithmax", "reproduce", str(path), "--quiet"]
    process = subprocess.Popen(
        [*command, "--out", str(out)], stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and not list(out.glob("*.rows.parquet")):
        time.sleep(0.1)  # until the short arm is there and the long one runs
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode in (130, 0) and "Traceback" not in said
    if process.returncode == 130:
        assert "Run the same command again" in said
    again = reproduce([str(path)], out=out).evaluations[0]
    straight = reproduce([str(path)], out=tmp_path / "straight").evaluations[0]
    kept = ("seed", "outcome", "solved_at", "interpolation", "extrapolation")
    for a, b in zip(again.arm_runs, straight.arm_runs, strict=True):
        pairs = zip(a.rows, b.rows, strict=True)
        assert all(one[k] == other[k] for one, other in pairs for k in kept)
    assert [len(f.rows) for f in again.arm_runs] == [3, 2]


def test_studies_share_their_runs(tmp_path, monkeypatch):
    for name in ("a", "b"):
        text = FILE.replace("my-study", f"study-{name}")
        (tmp_path / f"{name}.py").write_text(text)
    files = [str(tmp_path / f"{name}.py") for name in ("a", "b")]
    both = reproduce(files, out=tmp_path / "runs")
    assert [len(e.arm_runs[0].rows) for e in both.evaluations] == [3, 3]
    assert len(results.read(tmp_path / "runs")) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": 99, "study": "my-study", "history": []}', "another version"),
        ("nonsense", "no record of a study"),
        ("[]", "no record of a study"),
    ],
)
def test_a_foreign_record_is_refused_before_any_work(tmp_path, text, message):
    (tmp_path / "my_study.py").write_text(FILE)
    (tmp_path / "my-study.study.json").write_text(text)
    with pytest.raises(ValueError, match=message):
        reproduce([str(tmp_path / "my_study.py")], out=tmp_path)
    assert not list(tmp_path.glob("*.parquet"))
    with pytest.raises(ValueError, match=message):
        load(tmp_path)


def test_rows_of_another_format_are_refused(tmp_path):
    own = small(seeds=2)
    rows = [row | {"format": 99} for row in fake(own, [True] * 2)]
    results.write_rows(tmp_path, "x", rows)
    with pytest.raises(ValueError, match="another version of arithmax"):
        load(tmp_path)


def test_wrong_names_and_settings(tmp_path):
    with pytest.raises(ValueError, match="Did you mean 'simple-mul'"):
        study("simple-mull")
    with pytest.raises(FileNotFoundError, match="is no file"):
        study(str(tmp_path / "none.py"))
    with pytest.raises(ValueError, match="must name a study or more"):
        reproduce([], out=tmp_path)
    for name in ("simple-mul", "second-order"):  # with arms, and without
        with pytest.raises(ValueError, match=r"`seeds` \(=0\)"):
            reproduce([name], out=tmp_path, seeds=0)
    with pytest.raises(ValueError, match=r"`steps` \(=1500\) must be a multiple"):
        reproduce(["simple-mul"], out=tmp_path, steps=1500)
    with pytest.raises(ValueError, match="must name a label"):
        reproduce(["simple-mul"], out=tmp_path, only={"unit": "NMU"})
    with pytest.raises(ValueError, match=r"leaves no arm; there are model='[^{}]*$"):
        reproduce(["simple-mul"], out=tmp_path, only={"model": "NMUU"})
    with pytest.raises(ValueError, match="holds no study"):
        load(tmp_path)
    two = FILE + FILE.replace("MINE", "YOURS").replace("my-study", "your-study")
    for text, message in [("x = 1", "holds none"), (two, "'my-study', 'your-study'")]:
        (tmp_path / "bad.py").write_text(text)
        with pytest.raises(ValueError, match=message):
            study(str(tmp_path / "bad.py"))
    (tmp_path / "bad.py").write_text(FILE.replace("my-study", "simple-mul"))
    with pytest.raises(ValueError, match="as one of the package's is"):
        study(str(tmp_path / "bad.py"))


def test_a_study_checks_itself():
    arm = small().arms[0]
    with pytest.raises(ValueError, match="small letters"):
        Study("A Name", "t", "s", "a", (arm,))
    with pytest.raises(ValueError, match="the same labels"):
        Study("x", "t", "s", "a", (arm, replace(arm, labels={"unit": "y"})))
    with pytest.raises(ValueError, match="'speed', which is none of"):
        bad = replace(arm, published={"speed": Published(1.0)})
        Study("x", "t", "s", "a", (bad,))
    with pytest.raises(ValueError, match="`arms` or `compute`"):
        Study("x", "t", "s", "a")
    with pytest.raises(ValueError, match="`tables`"):
        Computed({"a table": {}})


@pytest.mark.parametrize("name", list(studies()))
def test_every_study_is_whole(name):
    own = study(name)
    assert own.name == name and own.title and own.source and len(own.about) > 80
    assert len({tuple(arm.labels.items()) for arm in own.arms}) == len(own.arms)
    keys = [(repr(a.cell.network), str(a.cell.task), a.cell.protocol) for a in own.arms]
    assert len(set(keys)) == len(keys)  # no two arms are the same run
    for arm in own.arms:
        for measure, figure in arm.published.items():
            if figure.interval is None:
                continue
            # A median has none; means may lie outside a beta's interval, not far.
            assert figure.low <= figure.high  # type: ignore[operator]  # both are there
            if measure == "success":
                assert figure.low <= figure.value <= figure.high  # type: ignore[operator]
    for plot in own.plots:
        for field in ("x", "by", "y"):
            label = getattr(plot, field, "")
            if own.arms and label and not getattr(plot, "table", ""):
                assert label in own.labels, (plot, label)
        for label, value in getattr(plot, "only", {}).items():
            if getattr(plot, "table", ""):
                continue  # rows of a computed table
            meant = value if isinstance(value, list) else [value]
            assert set(meant) <= {arm.labels[label] for arm in own.arms}, (plot, value)


def test_packing_keeps_settings_apart(tmp_path):
    """Tasks of several kinds, and rows of other versions, stay what they were."""
    network, protocol = published(NAU(), SingleModule("add"), **SHORT)
    cells = [
        Cell(network, task, protocol, (0,))
        for task in (SingleModule("add"), Operands("add", interpolation=(1.0, 2.0)))
    ]
    done = train_cells(cells, out=tmp_path / "all")
    old = [row for row in done.rows if row["task"].startswith("Single")]
    for row in old:
        row |= {"seed": 1, "run": "of another version"}
        del row["protocol_project"]
    results.write_rows(tmp_path / "all", "old", old)
    results.pack(tmp_path / "all", tmp_path / "small", "packed")
    known = sorted(tuple(sorted(row)) for row in results.read(tmp_path / "all").rows)
    again = sorted(tuple(sorted(row)) for row in results.read(tmp_path / "small").rows)
    assert known == again and len(set(known)) == 3
