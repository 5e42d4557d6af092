"""The authors' settings."""

import jax.numpy as jnp
import numpy as np
import pytest

from arithmax import (
    INALU,
    NAC,
    NALU,
    NAU,
    NMRU,
    NMU,
    NRU,
    SNALU,
    UNITS,
    Dense,
    GatedSignNMRU,
    HillSpace,
    Linear,
    MultiplicativeNAC,
    NALUSinh,
    RealNPU,
    Stack,
    published,
)
from arithmax.tasks import Dataset, Functions, Operands, SingleModule, Subsets
from arithmax.training import (
    L1,
    Adam,
    Batches,
    ClipNorm,
    ClipValue,
    Criterion,
    Protocol,
    RMSProp,
    SmoothL1,
    UnitPenalty,
    recipe,
    recipes,
    represents,
)
from arithmax.training._step import whole
from arithmax.training.recipes.inalu import Alternate, HalvesOfLosses, PenaltyApart
from short_runs import at, bound


@pytest.mark.parametrize(
    ("unit", "first", "second"),
    [
        (NMU(), NAU, NMU),
        (NAU(), NAU, NAU),
        (NAC(), NAC, NAC),
        (NALU(), NALU, NALU),
        (SNALU(), SNALU, SNALU),
        (NALUSinh(), NALUSinh, NALUSinh),
        (GatedSignNMRU(), NAU, GatedSignNMRU),
        (HillSpace(), HillSpace, HillSpace),
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
    assert protocol.steps == 5_000_000 and protocol.optimiser == Adam(1e-3)
    assert protocol.batches == Batches(128)
    assert protocol.criterion == Criterion(1e-5, rule="authors")


def test_published_settings():
    def settings(unit, task):
        return published(unit, task)[1]

    nmu = settings(NMU(), Subsets())
    assert nmu.penalties == (UnitPenalty(10.0, 10**6, 2 * 10**6),)
    nau = settings(NAU(), Subsets("add"))
    assert nau.penalties == (UnitPenalty(0.01, 5000, 50000),)
    assert settings(NMU(), Subsets(simple=True)).steps == 200_000
    assert settings(NRU(), SingleModule("div")).optimiser == Adam(1.0)
    assert settings(NRU(), SingleModule("div", 10)).optimiser == Adam(1e-3)
    nmru = settings(NMRU(), SingleModule("div"))
    assert nmru.optimiser == Adam(1e-2) and nmru.transforms == (ClipNorm(1.0),)
    npu = settings(RealNPU(), SingleModule("mul"))
    assert npu.optimiser == Adam(5e-3) and npu.penalties == (L1(1e-7, 1e-5),)
    assert settings(GatedSignNMRU(), SingleModule("div")) == nmru
    assert settings(SNALU(), SingleModule()) == settings(NALU(), SingleModule())
    hill = settings(HillSpace(), SingleModule())
    assert hill.optimiser == Adam(0.1, beta2=0.96) and hill.penalties == ()
    single = settings(NMU(), SingleModule())
    assert single.steps == 50000
    assert single.penalties == (UnitPenalty(10.0, 20000, 35000),)
    ten = settings(NMU(), SingleModule(input_size=10))
    assert ten.steps == 100_000
    assert ten.penalties == (UnitPenalty(10.0, 50_000, 75_000),)
    inalu = settings(INALU(), SingleModule())
    assert inalu.transforms == (ClipValue(0.1), Alternate())
    assert isinstance(inalu.restart, HalvesOfLosses)
    assert inalu.composition == PenaltyApart()
    operands = settings(NAC(), Operands())
    assert operands.optimiser == RMSProp(1e-2) and operands.loss == SmoothL1()
    functions = published(RealNPU(), Functions(("add", "mul", "div", "sqrt")))
    assert isinstance(functions[0], Stack) and functions[0].hidden == (6,)
    assert published(NMU(), Subsets(), steps=1000)[1].steps == 1000


def test_hill_space_adds_before_it_multiplies():
    network, _ = published(HillSpace(), Subsets())
    assert isinstance(network, Stack)
    assert network.units == (HillSpace("additive"), HillSpace())


@pytest.mark.parametrize(
    "unit", [cls() for cls in UNITS.values() if cls().sparse], ids=repr
)
@pytest.mark.parametrize("task", [SingleModule(), Subsets()], ids=["single", "subsets"])
def test_the_penalty_that_makes_weights_discrete_is_in_the_objective(unit, task):
    """At the end of training a step goes down the loss and the penalty."""
    network, protocol = published(unit, task)
    (part,) = protocol.penalties
    assert isinstance(part, UnitPenalty)
    declared = network.parameters(task.in_features, 1)
    rng = np.random.default_rng(0)
    params = {
        name: jnp.asarray(rng.uniform(0.1, 0.4, parameter.shape))
        for name, parameter in declared.items()
    }
    moment = at(protocol.steps, predict=lambda _: jnp.zeros(()), target=jnp.ones(()))
    objective = whole(network, protocol.loss, [bound(part)])(moment, None)
    value, loss = objective.total(params)
    assert np.isclose(value - loss, part.strength * network.penalty(params), rtol=1e-5)
    assert value > loss


def test_a_task_without_a_recipe_asks_for_a_protocol(monkeypatch):
    rows = [[float(n)] for n in range(20)]
    table = Dataset.from_arrays(rows, rows)
    monkeypatch.setattr(recipes, "_RECIPES", list(recipes._RECIPES))
    with pytest.raises(ValueError, match=r"`task` .* has no published recipe.*Give"):
        published(NAU(), table)
    recipe(NAU, Dataset)(lambda unit, task: (unit, Protocol(optimiser=Adam(0.5))))
    network, protocol = published(NAU(), table, steps=7000)
    assert network == NAU() and protocol == Protocol(7000, optimiser=Adam(0.5))


def test_representation():
    assert represents(NMU(), SingleModule("mul"))
    assert not represents(NMU(), SingleModule("div"))
    assert represents(published(NMU(), Subsets("mul"))[0], Subsets("mul"))
    assert not represents(published(NMU(), Subsets("div"))[0], Subsets("div"))


def test_a_stack_does_what_its_units_do_together():
    task = Functions(("add", "mul"))
    assert represents(Stack((NMU(), Linear()), (3,)), task)
    assert represents(Stack((NAU(), NMU()), (3,)), task)
    assert not represents(Stack((NMU(), NMU()), (3,)), task)
    assert not represents(Stack((NAU(), NMU()), (2,)), Subsets("div"))
    assert represents(NMU(), SingleModule("mul")) and not represents(NMU(), task)
