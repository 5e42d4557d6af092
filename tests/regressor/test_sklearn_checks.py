"""scikit-learn's own checks of an estimator, all of them."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from arithmax import ArithmeticRegressor

# Most tables of the checks are noise, and small; there is no formula to wait for.
MODEL = ArithmeticRegressor(candidates=8)


@pytest.mark.filterwarnings("ignore::arithmax.sklearn.NotFoundWarning")
@parametrize_with_checks([MODEL])
def test_the_estimator_passes(estimator, check):
    check(estimator)
