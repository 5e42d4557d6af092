"""The estimator of scikit-learn: `ArithmeticRegressor` finds the formula of a table."""

from .._extras import extras

with extras():
    from ._not_found import CutOffWarning as CutOffWarning
    from ._not_found import NoIntervalWarning as NoIntervalWarning
    from ._not_found import NotFoundWarning as NotFoundWarning
    from ._regressor import ArithmeticRegressor as ArithmeticRegressor
