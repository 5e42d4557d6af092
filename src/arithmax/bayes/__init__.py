"""Posteriors over the constants of formulas and the weights of networks."""

from ._band import Band as Band
from ._chains import ChainError as ChainError
from ._chains import ChainWarning as ChainWarning
from ._chains import Diagnostics as Diagnostics
from ._evidence import Evidence as Evidence
from ._evidence import evidences as evidences
from ._formula_posterior import FormulaPosterior as FormulaPosterior
from ._laplace import laplace as laplace
from ._marginal import Marginal as Marginal
from ._marginal import marginal_of as marginal_of
from ._marginal import plus_minus as plus_minus
from ._model import BayesModel as BayesModel
from ._network_laplace import network_laplace as network_laplace
from ._network_model import NetworkModel as NetworkModel
from ._nuts import nuts as nuts
from ._posterior import Posterior as Posterior
from ._priors import ARD as ARD
from ._priors import Gaussian as Gaussian
from ._priors import StudentT as StudentT
from ._priors import WeightPrior as WeightPrior
from ._variational import variational as variational
from ._weight_posterior import WeightPosterior as WeightPosterior
