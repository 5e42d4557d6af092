"""The model of a network or of a formula, and the rows it is given."""

from typing import Any

import numpy as np

from .._checks import shown
from .._network import Network
from ..discover import Formula
from ..discover._given import given_names
from ..readout._arguments import finite_array
from ._formula_model import formula_model
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
    what: Any,
    x: np.ndarray,
    y: np.ndarray,
    *,
    prior: Any = None,
    names: Any = None,
    integrated: bool = False,
    correlated: bool = True,
) -> BayesModel:
    """The model of a network with a prior over its weights, or of a formula.

    Args:
        what: the network, or the formula.
        x: the inputs [row, column].
        y: the targets [row].
        prior: the prior of a network's weights; `ARD()` if None.
        names: the names of a network's columns; x1, x2, … if None.
        integrated: whether hyper-parameters are integrated out, as NUTS needs it.
        correlated: whether the coordinates of a formula know correlations.
    """
    if isinstance(what, Formula):
        options = {"prior": prior, "names": names, "correlated": correlated}
        return formula_model(what, x, y, **options)
    if not isinstance(what, Network):
        raise TypeError(
            f"`what` (={shown(what)}) must be a network over columns, such as "
            "`NaiveNPU()`, or a formula, such as that of a discovery."
        )
    network, columns = check_columns_network(what), x.shape[1]
    prior = check_prior(prior)
    prior = prior.integrated if integrated else prior
    return NetworkModel(network, prior, columns, given_names(names, columns))
