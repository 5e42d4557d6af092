"""A padded network is the network: same output, same penalty, same training."""

import numpy as np
import pytest

from arithmax import NAC, NAU, NMU, MultiplicativeNAC, Stack
from arithmax._identity import describe
from arithmax.tasks import SingleModule, Subsets
from arithmax.training import (
    Adam,
    Cell,
    Measuring,
    Protocol,
    Stalled,
    UnitPenalty,
    train_cells,
)
from arithmax.training._replicas import jobs, replicas

TASK = Subsets("mul", input_size=10)
RAMP = {"penalties": (UnitPenalty(10.0, 100, 400),)}
SHORT = Protocol(500, measuring=Measuring(500, 1000), precision="float64")
CLIPPED = MultiplicativeNAC(weight_map="clipped")
PAIRS = {
    "NMU": (NAU(), NMU()),
    "NAC•": (NAC(), MultiplicativeNAC()),
    "NAC•,NMU": (NAU(), CLIPPED),
}


def cells(units, padded, **changes):
    protocol = SHORT.updated(**changes)
    return [Cell(Stack(units, (h,), padded), TASK, protocol, (0, 1)) for h in (2, 3, 5)]


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_padding_changes_nothing_but_the_rounding(name, tmp_path):
    # Later on, one of NAC•'s hidden numbers comes so near zero that rounding decides.
    earlier = {"steps": 300, "measuring": Measuring(300, 1000)}
    changes = RAMP if name in ("NMU", "NAC•,NMU") else earlier
    plain = train_cells(cells(PAIRS[name], (), **changes), out=tmp_path / "plain")
    filled = train_cells(cells(PAIRS[name], (5,), **changes), out=tmp_path / "filled")
    for a, b in zip(plain.rows, filled.rows, strict=True):
        for measure in ("interpolation", "extrapolation", "sparsity"):
            np.testing.assert_allclose(a[measure], b[measure], rtol=1e-7)
        own, cut = plain.weights(a["run"]), filled.weights(b["run"])
        assert {n: v.shape for n, v in own.items()} == {
            n: v.shape for n, v in cut.items()
        }
        for parameter in own:
            np.testing.assert_allclose(own[parameter], cut[parameter], atol=1e-8)


def test_sizes_share_a_program_and_padding_is_no_part_of_a_name():
    together = jobs(replicas(cells(PAIRS["NMU"], (5,)), None), None, 30)
    apart = jobs(replicas(cells(PAIRS["NMU"], ()), None), None, 30)
    assert (len(together), len(apart)) == (1, 3)
    padded, plain = Stack((NAU(), NMU()), (3,), (5,)), Stack((NAU(), NMU()), (3,))
    assert describe(padded) == describe(plain)  # it is no part of a run's name
    names = [[job.first.name for job in work] for work in (together, apart)]
    assert names[0] == names[1][:1]


@pytest.mark.slow
def test_alone_or_beside_other_sizes():
    many = train_cells(cells(PAIRS["NMU"], (5,), **RAMP))
    for cell in cells(PAIRS["NMU"], (5,), **RAMP):
        for row in train_cells([cell]).rows:
            other = next(r for r in many.rows if r["run"] == row["run"])
            assert row["interpolation"] == other["interpolation"]


@pytest.mark.parametrize(
    ("network", "changes", "message"),
    [
        (
            Stack((NAC(), MultiplicativeNAC(weight_map="sigmoid")), (2,), (4,)),
            {},
            "ignore",
        ),
        (Stack((NAU(), NAU(), NMU()), (2, 2), (4, 2)), {}, "two layers"),
        (Stack((NAU(), NMU()), (2,), (4,)), {"restart": Stalled()}, "`restart`"),
    ],
)
def test_what_cannot_be_padded_is_refused(network, changes, message):
    with pytest.raises(ValueError, match=message):
        train_cells(
            [Cell(network, SingleModule("mul"), SHORT.updated(**changes), (0,))]
        )


@pytest.mark.parametrize("padded", [(1,), (4, 4), (2, 3, 4)])
def test_sizes_must_fit(padded):
    with pytest.raises(ValueError, match=r"`padded` \(="):
        Stack((NAU(), NMU()), (2,), padded)


def test_without_projection_weights_leave_their_bounds(tmp_path):
    """The ablation without a clamp: clipped in the formula, never put back."""
    protocol = SHORT.updated(optimiser=Adam(0.1), project=False)
    free = train_cells([Cell(NMU(), SingleModule("mul"), protocol, (0,))], out=tmp_path)
    (weights,) = free.weights(free.rows[0]["run"]).values()
    assert np.max(weights) > 1.0
