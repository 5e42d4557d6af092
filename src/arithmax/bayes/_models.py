"""The model of a network or of a formula, and the rows it is given."""

from typing import Any

import numpy as np

from .._checks import shown
from .._network import Network
from ..readout._arguments import column_names, finite_array
from ._model import BayesModel
from ._network_model import NetworkModel, check_columns_network
from ._priors import check_prior

FEWEST = 3  # rows


def checked_rows(x: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Inputs [row, column] and targets [row] in float64, as many as each other."""
    x, y = finite_array("x", x, 2), finite_array("y", y, 1)
    if len(x) != len(y) or len(y) < FEWEST or x.shape[1] == 0:
        raise ValueError(
            f"`x` (shape {x.shape}) and `y` (shape {y.shape}) must have as many rows "
            f"as each other, at least {FEWEST}, and `x` at least one column."
        )
    if np.ptp(y) == 0:
        raise ValueError(
            f"`y` (={y[0]} on all rows) must vary, or there is nothing to infer."
        )
    return x, y


def model_of(
    what: Any, prior: Any, names: Any, columns: int, integrated: bool = False
) -> BayesModel:
    """The model of a network with a prior over its weights.

    Args:
        what: the network.
        prior: the prior of its weights; `ARD()` if None.
        names: the names of the columns; x1, x2, … if None.
        columns: how many there are.
        integrated: whether hyper-parameters are integrated out, as NUTS needs it.
    """
    if not isinstance(what, Network):
        raise TypeError(
            f"`what` (={shown(what)}) must be a network over columns, such as "
            "`NaiveNPU()`."
        )
    network = check_columns_network(what)
    if names is None:
        names = [f"x{i + 1}" for i in range(columns)]
    prior = check_prior(prior)
    prior = prior.integrated if integrated else prior
    return NetworkModel(network, prior, columns, column_names(names, columns))
