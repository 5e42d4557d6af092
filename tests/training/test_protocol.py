"""A protocol of parts: its name, its program, and how single settings are changed."""

import pytest

from arithmax.training import (
    L1,
    Adam,
    ClipNorm,
    ClipValue,
    Measuring,
    Protocol,
    RMSProp,
    UnitPenalty,
)
from arithmax.training._declared import bind, numbers
from arithmax.training.recipes.inalu import TensorFlowSlots
from short_runs import evaluated


def test_settings_at_their_defaults_are_no_part_of_a_name():
    assert repr(Protocol()) == "Protocol()"
    slots = Protocol(composition=TensorFlowSlots(), penalties=(UnitPenalty(),))
    assert "composition=TensorFlowSlots()" in repr(slots)
    assert "of" not in repr(L1()) and "of='W'" in repr(L1(of="W"))
    for protocol in (Protocol(), slots, Protocol(7000, optimiser=RMSProp(0.5))):
        assert evaluated(repr(protocol)) == protocol


def test_which_parameters_have_an_l1_norm_is_a_part_of_the_program():
    strong = Protocol(penalties=(L1(1.0, 1.0),))
    assert strong.structure != strong.updated(penalties__0__of="W").structure
    assert strong.structure == strong.updated(penalties__0__strength=0.5).structure
    assert Protocol().structure != strong.structure


def test_single_settings_are_changed_by_their_paths():
    before = Protocol(penalties=(L1(), UnitPenalty(1.0)), transforms=(ClipValue(),))
    after = before.updated(
        steps=500,
        measuring__interval=50,
        measuring__window=3,
        penalties__1__strength=2.0,
        optimiser=RMSProp(),
        optimiser__learning_rate=0.5,
        transforms__0=ClipNorm(),
    )
    assert after == Protocol(
        500,
        penalties=(L1(), UnitPenalty(2.0)),
        transforms=(ClipNorm(),),
        optimiser=RMSProp(0.5),
        measuring=Measuring(50, window=3),
    )
    assert before == Protocol(
        penalties=(L1(), UnitPenalty(1.0)), transforms=(ClipValue(),)
    )
    for path in ({"penalties__2__strength": 1.0}, {"restart__every": 5}):
        with pytest.raises((TypeError, ValueError), match=r"`\w+`"):
            before.updated(**path)


def test_numbers_are_put_back_by_their_paths():
    """What a replica brings takes the place of every traced field, and of no other."""
    protocol = Protocol(optimiser=Adam(0.1), penalties=(UnitPenalty(2.0), L1(1e-3, 1)))
    given = numbers(protocol)
    assert given["optimiser.learning_rate"] == 0.1
    assert given["penalties.0.strength"] == 2.0 and given["penalties.1.end"] == 1
    assert bind(protocol, given) == protocol
    other = bind(protocol, {path: value + 1 for path, value in given.items()})
    assert other.optimiser == Adam(1.1) and other.structure == protocol.structure
    assert numbers(other) == {path: value + 1 for path, value in given.items()}
