"""Every unit, with every combination of its options, passes every check."""

import itertools

import numpy as np
import pytest

from conformance import (
    CHECKS,
    check_dtypes,
    check_gradient_is_finite_difference,
    is_default,
    variants,
)

# Of units with other options `slow`; their gradients are at once those of PyTorch.
LONG = (check_dtypes, check_gradient_is_finite_difference)


def cases():
    """Every unit, with every combination of its options, and every check."""
    for unit, check in itertools.product(variants(), CHECKS):
        is_slow = check in LONG and not is_default(unit)
        marks = pytest.mark.slow if is_slow else ()
        yield pytest.param(unit, check, marks=marks, id=f"{unit!r}-{check.__name__}")


@pytest.mark.parametrize(("unit", "check"), list(cases()))
def test_conformance(unit, check):
    check(unit)


@pytest.mark.parametrize("unit", list(variants()), ids=repr)
def test_signs_that_are_cosines_turn_as_the_unit_says(unit):
    """The sign of the result at −1 and 1 is that of cos(πt)."""
    rng = np.random.default_rng(0)
    declared = unit.parameters(3, 2)
    params = {n: rng.uniform(0.1, 0.9, p.shape) for n, p in declared.items()}
    if "w" in params:
        params["w"] += 50.0  # the mass of all outputs is let through
    turns = unit.turns(params)
    if turns is None:
        return
    for x in itertools.product((-1.0, 1.0), repeat=3):
        angle = np.pi * (np.asarray(turns) @ (np.array(x) < 0))
        assert (
            np.sign(unit.apply(params, np.array(x))) == np.sign(np.cos(angle))
        ).all()
