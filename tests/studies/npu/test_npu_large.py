"""The NPU paper's large task: data, medians, and its solution."""

from pathlib import Path

import numpy as np
import pytest

from arithmax.studies import stored_tables
from arithmax.studies.npu import npu_large as large
from arithmax.training import L1, ArrayNorms

RESULTS = Path(__file__).parents[3] / "results"


def test_ranks_give_the_interval_of_a_median():
    """Of 20 values ranks 6 and 15 hold the median in 95.9 % of samples."""
    found = large.ranked(np.arange(1.0, 21.0), 1.0)
    assert (found.value, found.low, found.high) == (10.5, 6.0, 15.0)
    half = large.ranked([*np.arange(1.0, 11.0), *([np.inf] * 10)], 0.5)
    assert half.value == 5.5 and half.low <= 5 and half.high >= 6
    covered = [
        large.ranked(np.random.default_rng(s).exponential(size=10), 1.0)
        for s in range(500)
    ]
    share = np.mean([i.low <= np.log(2) <= i.high for i in covered])
    assert share > 0.94


def test_the_large_task_is_solved_by_its_solution():
    """Zero error at W = 1 on each sum and the powers 1, −1 or ½ behind them."""
    for operation, powers in (("×", (1.0, 1.0)), ("÷", (-1.0,)), ("√", (0.5,))):
        task, net = large.task(operation), large.network("RealNPU")
        params = {name: np.zeros(p.shape) for name, p in net.parameters(100, 1).items()}
        for k, (row, power) in enumerate(zip(task.places(5), powers, strict=True)):
            params["0.W"][k, row] = 1.0
            params["1.W"][0, k] = power
            params["1.g"][k] = 1.0
        low, high = task.extrapolation
        x = np.random.default_rng(0).uniform(low, high, (100, 50))
        y = net.compute(params, x)[0]
        np.testing.assert_allclose(y, large.answers(task, 5, x), rtol=1e-9)


def test_a_published_median_has_the_interval_of_its_mad():
    """1.2533 σ/√n is the error of a median, 0.6745 σ the MAD."""
    found = large.study().claims[large.claim("+", "NPU", "test")]
    half = 1.96 * 1.2533 / 10**0.5 / 0.6745 * 0.031
    assert found.low == pytest.approx(0.092 - half, rel=1e-4)
    naive = large.study().claims[large.claim("÷", "NaiveNPU", "test")]
    assert naive.interval is None and naive.value == 5.4e17


def test_the_runs_are_the_published_ones():
    cells = [arm.cell for arm in large.study().arms]
    assert len(cells) == 2 * 20 + 5 and {len(c.seeds) for c in cells} == {10, 20}
    assert max(c.protocol.steps for c in cells) == 100_000
    assert all(
        c.protocol.measuring.window == 1 for c in cells
    )  # judged at the last step


def test_the_penalty_is_that_of_the_scripts():
    """Σ‖array‖₂ is what is compared; L1, as printed, and none are beside it."""
    kinds = {
        (arm.labels["penalty"], *map(type, arm.cell.protocol.penalties))
        for arm in large.study().arms
    }
    assert kinds == {("norms of arrays", ArrayNorms), ("L1", L1), ("none",)}
    scripts, printed = (large.cell("NMU", "×", p) for p in ("norms of arrays", "L1"))
    (one,), (other,) = scripts.protocol.penalties, printed.protocol.penalties
    assert one == ArrayNorms(1e-9, 1e-4) and other == L1(1e-9, 1e-4)


def test_a_naive_npu_answers_zero_to_sums():
    """Its error is the mean square of the targets, to three errors of a mean."""
    weights = np.zeros(100)
    for row in large.task("+").places(0):
        weights[row] += 1
    square = float((weights**2).sum()) * 2**2 / 3  # of inputs uniform on (−2, 2)
    spread = square * (2 / 10_000) ** 0.5  # of 10,000 targets, nearly normal
    rows = stored_tables("npu-large", RESULTS)["errors"]
    found = [
        value
        for value, *labels in zip(
            *(rows[n] for n in ("median", "operation", "model")), strict=True
        )
        if labels == ["+", "NaiveNPU"]
    ]
    assert len(found) == 2 and square == pytest.approx(165.33, abs=0.01)
    assert all(abs(value - square) < 3 * spread for value in found)
    assert abs(161.65 - square) < 3 * spread


def test_what_was_tried_gave_what_is_said():
    """A RealNPU's × and a NALU's ÷ are open: our medians beside what is printed."""
    rows = stored_tables("npu-large", RESULTS)["errors"]
    which = zip(rows["model"], rows["operation"], rows["penalty"], strict=True)
    places = {key: at for at, key in enumerate(which)}
    claims = large.study().claims
    opened = [name for name, claim in claims.items() if claim.tried]
    pairs = (("×", "RealNPU"), ("÷", "NALU"))
    assert opened == [large.claim(*pair, "test") for pair in pairs]

    def ratio(model: str, operation: str, penalty: str) -> tuple[float, bool]:
        """Ours by what is printed, and whether the intervals overlap."""
        at = places[model, operation, penalty]
        printed = claims[large.claim(operation, model, "test")]
        assert printed.low is not None and printed.high is not None
        overlap = rows["low"][at] <= printed.high and rows["high"][at] >= printed.low
        return rows["compared"][at] / printed.value, overlap

    for penalty in large.PENALTIES:
        half, overlap = ratio("RealNPU", "×", penalty)
        assert 0.35 < half < 0.5 and not overlap
    assert ratio("RealNPU", "×", large.NONE)[1]
    other, overlap = ratio("NPU", "×", large.NONE)
    assert other > 100 and not overlap
    above, below = (ratio("NALU", "÷", penalty) for penalty in large.PENALTIES)
    assert above[0] > 2 and below[0] < 0.1 and not (above[1] or below[1])
