"""Values of another type than the annotations allow, without the hook that sees it."""

from typing import Any

import numpy as np
import pytest

from arithmax import Linear
from arithmax.bayes import ARD, network_laplace, nuts, variational

X = np.arange(12.0).reshape(6, 2)
Y = np.arange(6.0)
ONE: Any = 1
WORD: Any = "ignore"


def test_words_and_numbers_in_place_of_choices():
    with pytest.raises(TypeError, match=r"`correlated` \(=1\) must be True or False"):
        variational(Linear(), X, Y, correlated=ONE)
    with pytest.raises(ValueError, match=r"`bad` \(='ignore'\) must be one of"):
        nuts(Linear(), X, Y, bad=WORD)
    with pytest.raises(ValueError, match=r"`scale` \(='ignore'\)"):
        ARD(scale=WORD)
    with pytest.raises(TypeError, match=r"`params` \(=1\) must be a dictionary"):
        network_laplace(Linear(), ONE, X, Y)
    with pytest.raises(TypeError, match=r"`start` \(=1\) must be a dictionary"):
        nuts(Linear(), X, Y, start=ONE)
