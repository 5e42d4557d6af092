"""Every field of every part enters a run as it is declared, and changes it.

The table below has each registered part with another value for each of its fields; a
part or a field that is missing from it fails a test, and so does a number that is
declared as traced and ignored.
"""

from dataclasses import dataclass, fields
from typing import Any

import pytest

from arithmax import NMU
from arithmax._identity import describe
from arithmax.tasks import SingleModule
from arithmax.training import (
    COMPOSITIONS,
    L1,
    LOSSES,
    OPTIMISERS,
    PENALTIES,
    RESTARTS,
    SCHEDULES,
    SGD,
    TRANSFORMS,
    Adam,
    ArrayNorms,
    Batches,
    Cell,
    ClipNorm,
    ClipValue,
    CorrelationThenSquaredError,
    Cosine,
    Criterion,
    Exponential,
    InputPenalty,
    Joint,
    LevenbergMarquardt,
    Measuring,
    Part,
    Protocol,
    RMSProp,
    SmoothL1,
    SquaredError,
    Stalled,
    UnitPenalty,
    traced,
    train_cells,
)
from arithmax.training._declared import numbers, use_of
from arithmax.training.recipes.inalu import (
    Alternate,
    HalvesOfLosses,
    PenaltyApart,
    PenaltyOnceBelow,
    TensorFlowSlots,
)

TASK = SingleModule("mul")
SEEDS = (0, 1)
# Plain descent, for which the scale of a gradient matters; judged at the last step.
BASE = Protocol(50, optimiser=SGD(1e-3), measuring=Measuring(50, 100, 1))
PENALISED = BASE.updated(penalties=(UnitPenalty(),))  # as a composition may need
# The setting of a protocol that a part is for, the part, and another value of each of
# its fields; as `Protocol` is a part itself, the last rows are of no setting.
TABLE: list[tuple[str, Part, dict[str, Any]]] = [
    ("optimiser", Adam(), dict(learning_rate=0.1, beta1=0.5, beta2=0.9, epsilon=0.1)),
    (
        "optimiser",
        RMSProp(),
        dict(learning_rate=0.1, decay=0.5, epsilon=0.1, within_root=True, initial=1.0),
    ),
    ("optimiser", SGD(), dict(learning_rate=0.1, momentum=0.9)),
    ("optimiser", LevenbergMarquardt(), dict(damping=100.0, projection=False)),
    ("loss", SquaredError(), {}),
    ("loss", SmoothL1(), {}),
    ("loss", CorrelationThenSquaredError(40), dict(switch=20)),
    ("penalties", UnitPenalty(1.0, 10, 30), dict(strength=2.0, start=20, end=50)),
    ("penalties", InputPenalty(1.0), dict(strength=2.0)),
    ("penalties", L1(0.1, 10.0, 20), dict(strength=0.2, end=0.5, every=10, of="G")),
    (
        "penalties",
        ArrayNorms(0.1, 10.0, 20),
        dict(strength=0.2, end=0.5, every=10, of="G"),
    ),
    (
        "penalties",
        PenaltyOnceBelow(0.5, 10, 1e3),
        dict(strength=1.0, start=30, below=1e-9, loss_of="validation", of="all"),
    ),
    ("transforms", ClipValue(0.01), dict(limit=0.02)),
    ("transforms", ClipNorm(0.01), dict(limit=0.02)),
    ("transforms", Alternate(), dict(gates=5)),
    ("composition", Joint(), {}),
    ("composition", PenaltyApart(), {}),
    ("composition", TensorFlowSlots(), {}),
    ("schedule", Exponential(10, 30, 0.1), dict(start=20, end=40, least=0.5)),
    ("schedule", Cosine(10, 30, 0.1), dict(start=20, end=40, least=0.0)),
    (
        "restart",
        Stalled(10, patience=5, above=0.0),
        dict(every=20, until=25, patience=1000, above=1e9),
    ),
    (
        "restart",
        HalvesOfLosses(1000, patience=1000, above=0.0),
        dict(every=500, until=1500, patience=9000, above=1e9)
        | dict(loss_of="validation", redraw="start", keep_optimiser=True),
    ),
    ("batches", Batches(64), dict(size=32, repeat=128, full=True)),
    ("measuring", Measuring(50, 100, 1), dict(interval=25, validation=50, window=2)
     | dict(keep=(0, 50))),
    ("criterion", Criterion(), dict(epsilon=1e-3, threshold=0.5, rule="authors")),
    ("", PENALISED, dict(steps=100, project=False, precision="float64")
     | dict(generator="threefry")
     | dict(batches=Batches(32), optimiser=Adam(), loss=SmoothL1(), restart=Stalled())
     | dict(penalties=(L1(),), transforms=(ClipNorm(),), measuring=Measuring(25))
     | dict(composition=PenaltyApart(), criterion=Criterion(1e-3))
     | dict(schedule=Cosine())),
]  # fmt: skip
IDS = [type(part).__name__ for _, part, _ in TABLE]
REGISTERED = (OPTIMISERS, LOSSES, PENALTIES, TRANSFORMS, COMPOSITIONS)
REGISTERED += (SCHEDULES, RESTARTS)
TRACED = [
    row
    for row in TABLE
    if any(use_of(f) == "traced" for f in fields(row[1]))
]  # fmt: skip


def protocol_with(setting: str, part: Part) -> Protocol:
    """A protocol in which a part matters."""
    if not setting:
        assert isinstance(part, Protocol)
        return part
    made = (part,) if setting in ("penalties", "transforms") else part
    more: dict[str, Any] = {}
    if setting == "composition":
        more = {"penalties": (UnitPenalty(),)}
    if isinstance(part, HalvesOfLosses):  # of 500 losses each, which must not fall
        more = {"steps": 2000, "measuring": Measuring(1000, 100, 1)}
        more |= {"optimiser": SGD(0.0)}
    if isinstance(part, LevenbergMarquardt):  # which is soon at the end of its way
        more = {"batches": Batches(64, full=True)}
        more |= {"steps": 2, "measuring": Measuring(2, 100, 1)}
    return BASE.updated(**{setting: made}, **more)


def changed(part: Any, name: str, value: Any) -> Any:
    made = {f.name: getattr(part, f.name) for f in fields(part)} | {name: value}
    return type(part)(**made)


def test_the_table_has_every_part_and_every_field():
    listed = {type(part) for _, part, _ in TABLE}
    registered = {cls for registry in REGISTERED for cls in registry.values()}
    assert listed == registered | {Batches, Measuring, Criterion, Protocol}
    for _, part, others in TABLE:
        assert others.keys() == {f.name for f in fields(part)}, part
        for f in fields(part):
            assert "use" in f.metadata, f"{part} declares {f.name} as nothing"
            assert getattr(part, f.name) != others[f.name]


@pytest.mark.parametrize(("setting", "part", "others"), TABLE, ids=IDS)
def test_a_field_enters_as_it_is_declared(setting, part, others):
    """As a number of the replica, as structure of its program, or in neither."""
    before = protocol_with(setting, part)
    for f in fields(part):
        after = protocol_with(setting, changed(part, f.name, others[f.name]))
        other_numbers = numbers(before) != numbers(after)
        other_program = before.structure != after.structure
        assert describe(after) != describe(before)  # another run, in any case
        # Other parts bring other numbers with them.
        inner = isinstance(others[f.name], Part | tuple) and f.name != "keep"
        match use_of(f):
            case "traced":
                assert other_numbers and not other_program, f.name
            case "compiled" if f.name == "criterion":  # all of it is outside
                assert not other_numbers and not other_program
            case "compiled":
                assert other_program and (inner or not other_numbers), f.name
            case "outside":
                assert not other_numbers and not other_program, f.name


def results_of(protocols: list[Protocol]) -> list[list[float]]:
    """The errors at the end of each protocol; those of one structure share a block."""
    cells = [Cell(NMU(), TASK, protocol, SEEDS) for protocol in protocols]
    rows = train_cells(cells, block=2 * len(SEEDS)).rows
    assert len(rows) == len(SEEDS) * len(cells)
    count = len(SEEDS)
    errors = [row["interpolation"] for row in rows]
    return [errors[i : i + count] for i in range(0, len(errors), count)]


def check_numbers_matter(setting: str, part: Part, others: dict[str, Any]) -> None:
    """Every traced number of a part changes results, of each seed."""
    names = [f.name for f in fields(part) if use_of(f) == "traced"]
    parts = [part, *(changed(part, name, others[name]) for name in names)]
    before, *after = results_of([protocol_with(setting, p) for p in parts])
    for name, errors in zip(names, after, strict=True):
        pairs = zip(before, errors, strict=True)
        assert all(a != b for a, b in pairs), f"`{name}` of {part} changes nothing"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "part", "others"), TRACED, ids=[type(row[1]).__name__ for row in TRACED]
)
def test_every_traced_number_changes_results(setting, part, others):
    check_numbers_matter(setting, part, others)


def test_a_number_that_is_ignored_would_be_noticed():
    @dataclass(frozen=True)
    class Ignoring(SquaredError):
        weight: float = traced(1.0)

    with pytest.raises(AssertionError, match=r"`weight` .* changes nothing"):
        check_numbers_matter("loss", Ignoring(), {"weight": 2.0})


COMPILED = [
    ("optimiser__momentum", 0.9),
    ("batches__repeat", 128),
    ("loss", SmoothL1()),
    ("transforms", (Alternate(),)),
    ("generator", "threefry"),
]


@pytest.mark.slow
def test_choices_change_results():
    """One of each kind without numbers: that structure changes is seen above."""
    before, *after = results_of([BASE, *(BASE.updated(**{n: v}) for n, v in COMPILED)])
    for (name, _), errors in zip(COMPILED, after, strict=True):
        assert all(a != b for a, b in zip(before, errors, strict=True)), name


def test_what_is_outside_changes_rows(tmp_path):
    """Thresholds, lengths and what is stored, by one program."""
    changes: list[dict[str, Any]] = [
        {},
        {"criterion__epsilon": 1e-3},
        {"criterion__threshold": 0.5},
        {"criterion__rule": "authors"},
        {"steps": 100},
        {"measuring__keep": (0, 50)},
    ]
    cells = [Cell(NMU(), TASK, BASE.updated(**c), (0,)) for c in changes]
    assert len({cell.protocol.structure for cell in cells}) == 1
    done = train_cells(cells, out=tmp_path, block=4)
    plain, *others, longer, kept = done.rows
    rules = {(row["threshold"], row["threshold_rule"]) for row in (plain, *others)}
    assert len(rules) == 4 and plain["interpolation"] == kept["interpolation"]
    assert longer["best_step"] == 100 and plain["best_step"] == 50
    assert done.path(kept["run"])[0].tolist() == [0, 50]


def test_a_rule_with_a_memory_of_the_whole_run_depends_on_its_length():
    rule = {"restart": HalvesOfLosses(10)}
    short, long = (BASE.updated(steps=n, **rule) for n in (50, 100))
    assert short.structure != long.structure
    assert BASE.structure == BASE.updated(steps=100).structure
