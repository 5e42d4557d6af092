"""Every unit, with every combination of its options, passes every check."""

import pytest

from conformance import CHECKS, variants


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("unit", list(variants()), ids=repr)
def test_conformance(unit, check):
    check(unit)
