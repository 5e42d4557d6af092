"""The authors' settings."""

import pytest

from arithmax import (
    INALU,
    NAC,
    NALU,
    NAU,
    NMRU,
    NMU,
    NRU,
    Dense,
    Linear,
    MultiplicativeNAC,
    RealNPU,
    Stack,
    published,
)
from arithmax.protocol import represents
from arithmax.tasks import Functions, Operands, SingleModule, Subsets


@pytest.mark.parametrize(
    ("unit", "first", "second"),
    [
        (NMU(), NAU, NMU),
        (NAU(), NAU, NAU),
        (NAC(), NAC, NAC),
        (NALU(), NALU, NALU),
        (MultiplicativeNAC(), NAC, MultiplicativeNAC),
        (MultiplicativeNAC("sigmoid"), NAC, MultiplicativeNAC),
        (MultiplicativeNAC("clipped"), NAU, MultiplicativeNAC),
        (Dense("relu"), Dense, Linear),
        (Linear(), Linear, Linear),
    ],
)
def test_published_networks_on_subsets(unit, first, second):
    network, protocol = published(unit, Subsets())
    assert isinstance(network, Stack) and network.hidden == (2,)
    assert [type(u) for u in network.units] == [first, second]
    assert protocol.steps == 5_000_000 and protocol.learning_rate == 1e-3
    assert protocol.batch == 128 and protocol.epsilon == 1e-5
    assert protocol.rule == "authors"


def test_published_settings():
    def settings(unit, task):
        return published(unit, task)[1]

    nmu = settings(NMU(), Subsets())
    assert (nmu.penalty, nmu.penalty_start, nmu.penalty_end) == (10.0, 10**6, 2 * 10**6)
    nau = settings(NAU(), Subsets("add"))
    assert (nau.penalty, nau.penalty_start, nau.penalty_end) == (0.01, 5000, 50000)
    assert settings(NMU(), Subsets(simple=True)).steps == 200_000
    assert settings(NRU(), SingleModule("div")).learning_rate == 1.0
    assert settings(NRU(), SingleModule("div", 10)).learning_rate == 1e-3
    nmru = settings(NMRU(), SingleModule("div"))
    assert (nmru.learning_rate, nmru.clip_norm) == (1e-2, 1.0)
    npu = settings(RealNPU(), SingleModule("mul"))
    assert (npu.learning_rate, npu.l1, npu.l1_end) == (5e-3, 1e-7, 1e-5)
    single = settings(NMU(), SingleModule())
    assert (single.steps, single.penalty_start, single.penalty_end) == (
        50000,
        20000,
        35000,
    )
    ten = settings(NMU(), SingleModule(input_size=10))
    assert (ten.steps, ten.penalty_start, ten.penalty_end) == (100_000, 50_000, 75_000)
    inalu = settings(INALU(), SingleModule())
    assert inalu.alternate and inalu.restart == "inalu" and inalu.clip_value == 0.1
    operands = settings(NAC(), Operands())
    assert (operands.optimiser, operands.loss) == ("rmsprop", "smooth-l1")
    functions = published(RealNPU(), Functions(("add", "mul", "div", "sqrt")))
    assert isinstance(functions[0], Stack) and functions[0].hidden == (6,)
    assert published(NMU(), Subsets(), steps=1000)[1].steps == 1000


def test_representation():
    assert represents(NMU(), SingleModule("mul"))
    assert not represents(NMU(), SingleModule("div"))
    assert represents(published(NMU(), Subsets("mul"))[0], Subsets("mul"))
    assert not represents(published(NMU(), Subsets("div"))[0], Subsets("div"))
