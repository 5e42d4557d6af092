"""Posteriors over the constants of formulas and the weights of networks."""

from ._band import Band as Band
from ._marginal import Marginal as Marginal
from ._marginal import marginal_of as marginal_of
from ._marginal import plus_minus as plus_minus
from ._model import BayesModel as BayesModel
from ._posterior import Posterior as Posterior
