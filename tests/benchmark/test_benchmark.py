"""A unit of one's own: how it is read, trained, compared and refused."""

import json
import shutil
from dataclasses import replace
from itertools import product
from math import comb
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from arithmax import NMU, cli
from arithmax import benchmark as stored
from arithmax.benchmark import (
    Board,
    Score,
    UserUnit,
    chance,
    holm,
    newcombe,
    paired_chance,
    paired_difference,
    rate,
    user_unit,
)
from arithmax.benchmark._benchmark import (
    STUDIES,
    Benchmark,
    arms,
    benchmark,
    claim_folder,
    counterpart,
    free_name,
)
from arithmax.statistics import success_rate
from arithmax.studies.primer import RANGES
from arithmax.tasks import SingleModule
from arithmax.training import UnitPenalty
from arithmax.units import MCFC

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_unit.py"
CRITERIA = ("ε = 1e-4", "ε = 1e-5", "flat 1e-5")
ROUNDED = "rounded"


# Differences.


def difference(one, other):
    """That of two counts, each of so many runs."""
    return newcombe(success_rate(*one), success_rate(*other))


def test_equal_pairs_have_the_width_of_their_seeds():
    """All solved against none: nothing varies, and that is no certainty."""
    found = paired_difference(["1" * 25] * 9, ["0" * 25] * 9)
    assert found == difference((25, 25), (0, 25)) and found.low < 1.0


def test_newcombes_interval_is_as_he_prints_it():
    # His example (a) and the one with a zero (e), method 10.
    for counts, ends in (
        (((56, 70), (48, 80)), (0.0524, 0.3339)),
        (((10, 10), (0, 20)), (0.6791, 1.0)),
        (((10, 10), (0, 10)), (0.6075, 1.0)),
    ):
        found = difference(*counts)
        assert (found.low, found.high) == pytest.approx(ends, abs=6e-5)


def test_fishers_test_sums_the_tables_that_are_no_likelier():
    for a, b in product(range(0, 7), range(0, 9)):
        total, solved = 6 + 8, a + b

        def likely(k: int, solved: int = solved, total: int = total) -> float:
            return comb(6, k) * comb(8, solved - k) / comb(total, solved)

        possible = range(max(0, solved - 8), min(6, solved) + 1)
        right = sum(p for k in possible if (p := likely(k)) <= likely(a) * (1 + 1e-7))
        assert chance((a, 6), (b, 8)) == pytest.approx(right)


def test_holms_correction_rejects_as_the_procedure_does():
    rng = np.random.default_rng(0)
    for _ in range(50):
        p = rng.uniform(size=6) ** 3
        order = np.argsort(p)
        rejected = []
        for k, i in enumerate(order):  # the smallest first, until one is too large
            if p[i] * (6 - k) >= 0.05:
                break
            rejected.append(i)
        corrected = holm(p.tolist())
        assert {i for i in range(6) if corrected[i] < 0.05} == set(rejected)
        assert np.all(np.diff(np.array(corrected)[order]) >= 0)
    assert holm([]) == []


def test_the_paired_test_counts_all_signs():
    rng = np.random.default_rng(1)
    for _ in range(20):
        one, other = (
            ["".join(rng.choice(list("01"), 6)) for _ in range(3)] for _ in range(2)
        )
        gaps = np.array([[int(s) for s in t] for t in one]).sum(0)
        gaps = gaps - np.array([[int(s) for s in t] for t in other]).sum(0)
        sums = [np.dot(signs, gaps) for signs in product((-1, 1), repeat=6)]
        expected = np.mean(np.abs(sums) >= abs(gaps.sum()))
        assert paired_chance(one, other) == pytest.approx(expected)
    assert paired_chance(["1" * 25], ["1" * 25]) == 1.0
    assert paired_chance(["1" * 25], ["0" * 25]) == 2**-24


def test_intervals_over_ranges_lie_between_runs_and_seeds():
    alone, once = success_rate(207, 225), success_rate(23, 25)
    spread, together = (
        rate(outcomes(f)) for f in ([1] * 18 + [0] * 7, [9, 9] + [0] * 23)
    )
    assert (together.low, together.high) == pytest.approx((once.low, once.high))
    assert once.low < spread.low <= alone.low and alone.high <= spread.high < once.high
    assert rate(["1" * 25]) == success_rate(25, 25)
    assert rate(outcomes([0] * 25)).low == success_rate(25, 25).low
    assert rate(["1-0", "1"]).value == 2 / 3  # a run that there is not does not count
    flipped = rate(
        [t.translate(str.maketrans("01", "10")) for t in outcomes([1, 2, 0])]
    )
    given = rate(outcomes([1, 2, 0]))
    assert (1 - flipped.high, 1 - flipped.low) == pytest.approx((given.low, given.high))


def test_the_design_effect_is_its_formula():
    failed = np.array([3] * 6 + [1] * 4 + [0] * 15)
    p = 1 - failed.sum() / 225
    spread = 25 / 24 * ((9 - failed - 9 * p) ** 2).sum() / 225**2
    effect, t = spread / (p * (1 - p) / 225), stats.t.ppf(0.975, 9)
    n = 225 / effect
    assert effect > 1.5
    centre = (p + t**2 / (2 * n)) / (1 + t**2 / n)
    half = t * np.sqrt(p * (1 - p) / n + t**2 / (4 * n**2)) / (1 + t**2 / n)
    found = rate(outcomes(failed.tolist()))
    assert (found.low, found.high) == pytest.approx((centre - half, centre + half))
    gap = paired_difference(["1" * 25] * 9, outcomes(failed.tolist()))
    assert gap.high - gap.value == pytest.approx(t * np.sqrt(spread))


def test_no_difference_at_all_is_as_sure_as_the_seeds_are_many():
    full = ["1" * 25] * 9
    found = paired_difference(full, full)
    assert found == difference((25, 25), (25, 25)) and found.low < 0 < found.high
    one, other = outcomes([1] * 18 + [0] * 7), outcomes([0] * 7 + [2] * 18)
    there, back = paired_difference(one, other), paired_difference(other, one)
    assert (-back.high, -back.low) == pytest.approx((there.low, there.high))


# The comparison.


def made(solved: dict[str, int], seeds: int = 25, name: str = "single-module") -> Board:
    """A board on which each unit has solved so many seeds of each range."""
    return Board(
        name,
        "Two inputs",
        {
            (unit, "×", where, criterion): Score(seeds, n, 1000.0 if n else None)
            for unit, n in solved.items()
            for where in RANGES
            for criterion in CRITERIA
        },
    )


OWN = UserUnit(NMU(), "mine", "")


def test_places_and_significant_differences():
    others = made({"perfect": 25, "close": 15, "poor": 3})
    done = Benchmark(OWN, [made({"mine": 16})], "", False, False)
    (place,) = done.places([others])
    assert place.place == 2 and place.criterion == CRITERIA[0]
    assert [a.unit for a in place.rivals] == ["perfect", "close", "poor"]
    said = {a.unit: a.verdict for a in place.rivals}
    assert said == {
        "perfect": "yours is worse",
        "close": "no significant difference",
        "poor": "yours is better",
    }
    poor = place.rivals[2]
    # A seed starts alike on all nine ranges, and counts once.
    assert poor.difference == difference((16, 25), (3, 25))
    raw = [chance((16, 25), (n, 25)) for n in (25, 15, 3)]
    assert [a.chance for a in place.rivals] == holm(raw)
    (merged,) = done.among([others])
    assert [u for u, _ in merged.standing(CRITERIA[0])] == [
        "perfect",
        "mine",
        "close",
        "poor",
    ]


def outcomes(failures: list[int]) -> list[str]:
    """Nine ranges on which each seed fails so often."""
    return ["".join("10"[r < n] for n in failures) for r in range(9)]


def with_outcomes(failures: dict[str, list[int]]) -> Board:
    """A board that says which seeds failed."""
    scores = {
        (unit, "×", where, CRITERIA[0]): Score(
            len(text), text.count("1"), 1000.0, outcomes=(text,)
        )
        for unit, failed in failures.items()
        for where, text in zip(RANGES, outcomes(failed), strict=True)
    }
    return Board("single-module", "Two inputs", scores)


def test_the_same_runs_are_told_apart_if_failures_are_spread_over_seeds():
    """All of 225 runs against 207 of them."""
    others = {"spread": [1] * 18 + [0] * 7, "together": [9, 9] + [0] * 23}
    own = with_outcomes({"mine": [0] * 25})
    done = Benchmark(OWN, [own], "", False, False)
    (place,) = done.places([with_outcomes(others)])
    found = {a.unit: a for a in place.rivals}
    assert {a.score.solved for a in place.rivals} == {207}
    assert found["spread"].chance == 2 * 2 * 2**-18  # and Holm's factor
    assert found["spread"].verdict == "yours is better"
    assert found["together"].chance == 0.5
    assert found["together"].verdict == "no significant difference"
    spread, together = (found[n].difference for n in ("spread", "together"))
    assert 0 < spread.low < spread.value == together.value < spread.high
    assert together.low < 0 and together.high > spread.high


def test_a_difference_is_that_of_the_rates_beside_it():
    rng = np.random.default_rng(0)
    for seeds in (5, 25, 30):
        own = with_outcomes({"mine": rng.integers(0, 4, seeds).tolist()})
        others = with_outcomes(
            {f"unit {k}": rng.integers(0, 9, 25).tolist() for k in range(5)}
        )
        (place,) = Benchmark(OWN, [own], "", False, False).places([others])
        for rival in place.rivals:
            gap = rival.yours.success.value - rival.score.success.value
            assert rival.difference.value == pytest.approx(gap, abs=1e-12)
            assert rival.yours.seeds == rival.score.seeds == 9 * min(seeds, 25)


def test_only_ranges_that_both_have_are_compared():
    others = made({"other": 25})
    some = {k: s for k, s in others.scores.items() if k[2] in list(RANGES)[:2]}
    done = Benchmark(OWN, [made({"mine": 5}, seeds=5)], "", False, False)
    (place,) = done.places([replace(others, scores=some)])
    (rival,) = place.rivals
    assert rival.score.seeds == 50
    assert rival.difference == difference((5, 5), (25, 25))
    assert done.places([]) == [replace(place, rivals=())]


def test_the_stored_board_of_a_study_with_further_labels_is_the_fullest():
    ten = made({"a": 1, "b": 2}, name="redundancy 10")
    hundred = made({"a": 1}, name="redundancy 100")
    own = made({"mine": 1}, name="redundancy")
    assert counterpart(own, [made({"c": 1}), hundred, ten]) is ten
    assert counterpart(own, []) is None
    assert free_name("a", [ten]) == "a (yours)" and free_name("c", [ten]) == "c"


# What is trained.


def test_every_operation_that_it_can_represent_is_trained_on_every_range():
    own = user_unit(f"{EXAMPLE}:SineNMU")
    for name, size in STUDIES.items():
        listed = arms(own, name, own.operations)
        assert len(listed) == 9 and {a.labels["operation"] for a in listed} == {"×"}
        protocol = listed[0].cell.protocol
        late = 50_000 if size > 2 else 20_000
        (penalty,) = protocol.penalties
        assert isinstance(penalty, UnitPenalty)
        assert (penalty.strength, penalty.start) == (10.0, late)
        assert protocol.steps == (100_000 if size > 2 else 50_000)
        assert len(listed[0].cell.seeds) == 25
    # An MC-FC of one output ignores no input.
    mass = UserUnit(MCFC(), "MC-FC", "")
    assert len(arms(mass, "single-module", mass.operations)) == 9
    assert arms(mass, "redundancy", mass.operations) == []


@pytest.mark.slow
def test_the_example_runs_and_has_its_place(tmp_path, monkeypatch, capsys):
    arguments = ["benchmark", f"{EXAMPLE}:SineNMU", "--seeds", "2", "--steps", "1000"]
    arguments += ["--out", str(tmp_path / "runs")]
    ten = made({"NMU": 24, "bad": 0}, name="redundancy 10")
    monkeypatch.setattr(stored, "shipped", lambda: [made({"NMU": 24, "bad": 0}), ten])
    page = tmp_path / "page.html"
    cli.main([*arguments, "--quiet", "--page", str(page)])
    shown = capsys.readouterr().out
    assert "▶ SineNMU" in shown and "of 3" in shown and "redundancy, ×" in shown
    assert "Reduced: 2 of 25 seeds, 1,000 of up to 100,000 steps" in shown
    assert "its place says little" in shown and "Holm" in shown
    assert page.read_text().count("SineNMU") > 10
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "runs").iterdir()}
    cli.main([*arguments, "--json"])  # nothing is trained twice
    assert before == {p: p.stat().st_mtime_ns for p in (tmp_path / "runs").iterdir()}
    found = json.loads(capsys.readouterr().out)
    assert found["unit"] == "SineNMU" and not found["interrupted"]
    assert len(found["places"]) == 2 * 4 and len(found["ranges"]) == 2 * 9 * 4
    for entry in found["ranges"]:
        share = success_rate(entry["solved"], 2)
        assert entry["success"] == [share.value, share.low, share.high]
        if entry["criterion"] == CRITERIA[0]:
            assert sum(entry["failures"].values()) == 2 - entry["solved"]
    first = found["places"][0]
    assert first["of"] == 3 and {a["unit"] for a in first["against"]} == {"NMU", "bad"}
    # Boards that do not know what rounding gives are compared by the other criteria.
    last = found["places"][-1]
    assert last["criterion"] == ROUNDED and last["of"] == 1 and not last["against"]
    cli.main([*arguments, "--quiet", "--criterion", "rounded"])
    assert "redundancy, ×, rounded: place 1 of 1" in capsys.readouterr().out


def test_runs_of_another_version_are_not_mixed_in(tmp_path):
    file, out = tmp_path / "my_unit.py", tmp_path / "runs"
    shutil.copy(EXAMPLE, file)
    out.mkdir()
    claim_folder(user_unit(str(file)), out)
    claim_folder(user_unit(str(file)), out)  # the same goes on
    file.write_text(file.read_text(encoding="utf-8") + "# changed", encoding="utf-8")
    with pytest.raises(ValueError, match="as its file was before"):
        claim_folder(user_unit(str(file)), out)


def test_a_folder_of_other_runs_is_left_alone(tmp_path):
    (tmp_path / "a.rows.parquet").touch()
    with pytest.raises(ValueError, match="has runs of something else"):
        benchmark(user_unit(str(EXAMPLE)), out=tmp_path, seeds=1, steps=1000)


# What is refused.

HEAD = """
from dataclasses import dataclass
from arithmax.units import BINARY, NAU, NMU, REALS, Dense, Exactness, Unit

class Loose(NMU):
    title = "Loose"

@dataclass(frozen=True, kw_only=True)
class Needy(NMU):
    size: int

@dataclass(frozen=True)
class Wrong(NAU):
    exact = {"product": Exactness(BINARY, REALS)}

@dataclass(frozen=True)
class Greedy(NMU):
    recipe = {"steps": 10}

@dataclass(frozen=True)
class Odd(NMU):
    recipe = {"learning": 1}

@dataclass
class Thawed(Unit):
    exact = {}
    def parameters(self, in_features, out_features): ...
    def compute(self, params, x, **options): ...
    def weights(self, params): ...
    def encode(self, w, path): ...
    def expression(self, params, symbols): ...

class Half(Unit):
    pass

NUMBER, LAYER = 7, Dense()
"""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (":Missing", "has no 'Missing'; that file has Loose, Needy"),
        ("", "must say which unit is meant"),
        (":Needy", "cannot be made without arguments"),
        (":Half", "cannot be made without arguments"),
        (":NUMBER", "is 7, but must be an `arithmax.units.Unit`"),
        (":Thawed", "must be a frozen dataclass"),
        (":LAYER", "represents none of add, sub, mul, div"),
        (":Wrong", "states that it computes 'mul', but"),
    ],
)
def test_what_is_no_unit_is_refused(name, said, tmp_path, capsys):
    path = tmp_path / "mine.py"
    path.write_text(HEAD, encoding="utf-8")
    with pytest.raises(SystemExit):
        cli.main(["benchmark", f"{path}{name}"])
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Greedy", "sets 'steps', which is the benchmark's own"),
        ("Odd", "is no setting"),
    ],
)
def test_a_recipe_sets_what_is_the_units(name, said, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(HEAD, encoding="utf-8")
    own = user_unit(f"{path}:{name}")
    with pytest.raises(ValueError, match=said):
        own.recipe(SingleModule("mul"))


def test_files_that_are_missing_or_broken(tmp_path, capsys):
    (tmp_path / "broken.py").write_text("1 / 0", encoding="utf-8")
    for given, said in (
        (f"{tmp_path}/none.py:Unit", "is no file. Write FILE.py:NAME."),
        ("nonsense", "is no file"),
        (
            f"{tmp_path}/broken.py:Unit",
            "broken.py, line 1: ZeroDivisionError: division",
        ),
    ):
        with pytest.raises(SystemExit):
            cli.main(["benchmark", given])
        assert said in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["benchmark", str(EXAMPLE), "--operations", "div"])
    assert "must name some of those that SineNMU can" in capsys.readouterr().err


def test_an_instance_and_an_inherited_unit_are_taken(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(HEAD + "\nONE = NMU(regulariser=None)\n", encoding="utf-8")
    assert user_unit(f"{path}:ONE").unit == NMU(regulariser=None)
    loose = user_unit(f"{path}:Loose")
    assert loose.name == "Loose" and loose.operations == ("mul",)
    (first, *_) = arms(loose, "single-module", ["mul"])
    (penalty,) = first.cell.protocol.penalties
    assert isinstance(penalty, UnitPenalty) and penalty.strength == 10.0  # the NMU's
