"""What a posterior predicts on rows, and how sure it is."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float


class Band(NamedTuple):
    """Predictions on some rows with their intervals.

    `mean` and `std` are those of the posterior predictive distribution, and `low` and
    `high` the ends of its interval on each row.
    """

    mean: Float[np.ndarray, " row"]
    std: Float[np.ndarray, " row"]
    low: Float[np.ndarray, " row"]
    high: Float[np.ndarray, " row"]
