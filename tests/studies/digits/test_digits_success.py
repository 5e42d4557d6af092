"""When a run counts as right, from rows that nobody trained."""

import numpy as np
import pytest
from scipy import stats

from arithmax.results import Results
from arithmax.studies import Trained, Verdict, evaluate, find, study
from arithmax.studies.digits import limit
from arithmax.studies.digits._lengths import Judged, _first_below
from arithmax.studies.digits._runs import FULL, REFERENCE
from arithmax.studies.digits._threshold import readable, thresholds
from arithmax.studies.digits.experiments import READ
from arithmax.tasks import Digits
from fake_rows import fake

PRODUCT = study("digits-product")
LENGTHS = (1, 2, 20)


@pytest.fixture(autouse=True)
def _no_images(monkeypatch):
    """A row has a threshold of its own, for which images would have to be fetched."""
    monkeypatch.setattr(Digits, "threshold", lambda *_: 1.0)


def rows_of(own, model, errors, images=FULL, **changes):
    """Rows of one arm: a run for each error, the same at all lengths."""
    one = own.only({"model": model, "images": images})
    rows = fake(one, [False] * len(errors))
    return [
        row | {f"length_{n}": float(e) for n in LENGTHS} | changes
        for row, e in zip(rows, errors, strict=True)
    ]


def trained(own, rows):
    results = Results(rows)
    return Trained(own, find(own, results), results)


def computed(own, rows):
    made = own.compute(trained(own, rows))
    return made, {c.measure: c for c in evaluate(own, Results(rows), made).comparisons}


def test_the_limit_is_the_upper_end_of_the_interval():
    errors = np.array([1.0, 1.2, 0.9, 1.4, 1.1])
    half = stats.t.ppf(0.99, 8) * stats.sem(errors)
    assert limit(errors) == pytest.approx(errors.mean() + half, rel=1e-12)
    assert limit([2.0, 2.0]) == 2.0


def test_a_reference_that_does_not_read_is_left_out():
    errors = [1.0, 2.0, 3.0, 5.9, 6.1, float("nan")]
    known = readable([{"interpolation": e} for e in errors])  # their median is 3
    assert [row["interpolation"] for row in known] == errors[:4]
    assert readable([]) == []
    good = rows_of(PRODUCT, REFERENCE, [1.0, 2.0, 3.0], interpolation=2.0)
    lost = rows_of(PRODUCT, REFERENCE, [9e9] * 4, interpolation=4.1)[3:]
    found = thresholds(trained(PRODUCT, good + lost), FULL)
    assert list(found) == list(LENGTHS)
    assert found[2].left_out == 1
    assert found[2].limit == pytest.approx(limit([1.0, 2.0, 3.0]))


def test_one_reference_makes_no_threshold():
    rows = rows_of(PRODUCT, REFERENCE, [1.0]) + rows_of(PRODUCT, "NMU", [0.0] * 10)
    made, compared = computed(PRODUCT, rows)
    assert not made.figures and not made.tables
    assert compared["NMU, length 2"].verdict is Verdict.NOT_RUN


def test_runs_are_counted_against_the_references_of_their_images():
    references = rows_of(PRODUCT, REFERENCE, np.linspace(1, 2, 10))
    bound = limit(np.linspace(1, 2, 10))
    errors = [0.5] * 6 + [0.999 * bound, bound, 2 * bound, float("nan")]
    few = rows_of(PRODUCT, "NMU", [0.5] * 10, "5,000")  # has no references
    made, compared = computed(
        PRODUCT, references + rows_of(PRODUCT, "NMU", errors) + few
    )
    table = made.tables["success"]
    assert set(table["images"]) == {FULL} and table["length"] == list(LENGTHS)
    assert table["solved"] == [7, 7, 7] and table["published"] == [0.9, 1.0, 0.8]
    assert made.tables["lengths"]["NMU"] == [
        "7/10 (9/10)",
        "7/10 (10/10)",
        "7/10 (8/10)",
    ]
    assert made.tables["errors"]["solved"] == ([True] * 7 + [False] * 3) * 3
    assert made.tables["thresholds"]["threshold"] == pytest.approx([bound] * 3)
    assert made.tables["thresholds"]["references below"] == [8] * 3
    one = compared["NMU, length 2"]
    assert one.verdict is Verdict.OVERLAPS and one.ours.value == 0.7  # type: ignore[union-attr]
    assert not one.reduced
    assert compared["NAC•, length 2"].verdict is Verdict.NOT_RUN
    assert "steps" not in made.tables  # there are no curves
    assert not {"readings", "digits", "sequence"} & made.tables.keys()  # nor weights


def test_a_run_is_right_from_its_first_step_below_the_threshold():
    (runs,) = trained(
        PRODUCT.only({"model": "NMU", "images": FULL}), rows_of(PRODUCT, "NMU", [0.5])
    ).arms()
    protocol = runs.arm.cell.protocol
    steps = np.arange(0, protocol.steps + 1, protocol.measuring.interval)
    errors = np.full(len(steps), 9.0)
    errors[[3, 5]] = 0.5, np.nan
    errors[7:] = 0.5
    found = Judged(runs, 2, 1.0, np.array([0.5]))
    row = {"protocol_steps": protocol.steps}
    curve = {"step": steps, "length_2": errors}
    assert _first_below(curve, row, found) == steps[3]
    thinned = {name: values[::2] for name, values in curve.items()}
    assert _first_below(thinned, row, found) is None


def test_reduced_runs_and_references_are_named():
    short = rows_of(PRODUCT, "NMU", [0.5] * 3)
    rows = rows_of(PRODUCT, REFERENCE, [1.0, 2.0]) + short
    made, compared = computed(PRODUCT, rows)
    text = "3 of 10 seeds, references: 2 of 7 seeds"
    assert made.reduced["NMU, length 1"] == text
    assert compared["NMU, length 1"].sentence.endswith(f"(reduced: {text})")
    done = evaluate(PRODUCT, Results(rows), made)
    assert done.reduced == len(LENGTHS) and not done.verdicts[Verdict.OVERLAPS]


def test_a_run_that_diverged_is_not_right():
    rows = rows_of(PRODUCT, REFERENCE, [1.0, 2.0, 3.0])
    lost = rows_of(PRODUCT, "NMU", [0.5] * 4, interpolation=float("nan"))
    made, _ = computed(PRODUCT, rows + lost)
    assert made.tables["success"]["solved"] == [0, 0, 0]


def test_absolute_errors_are_means_over_seeds():
    own = study("digits-count")
    rows = [
        row | {"length_10": 1.0, "mae_10": e}
        for row, e in zip(rows_of(own, "NAC+", [1.0] * 3), (0.1, 0.2, 0.3), strict=True)
    ]
    made, compared = computed(own, rows)
    table = made.tables["absolute"]
    where = table["length"].index(10)
    assert table["absolute error"][where] == pytest.approx(0.2)
    assert table["published"][where] == 0.12
    one = compared["NAC+, length 10: mean absolute error"]
    assert one.verdict is Verdict.WITHIN and one.reduced == "3 of 10 seeds"


def test_models_with_pictures_are_models_of_the_study():
    for operation, models in READ.items():
        own = study(f"digits-{operation}")
        assert set(models) <= {arm.labels["model"] for arm in own.arms}
