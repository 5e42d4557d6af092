"""Networks trained on a table, whatever the framework: what the layers' `fit` share."""

from ._descent import LeastSquares as LeastSquares
from ._descent import Tools as Tools
from ._engine import Engine as Engine
from ._first_order import BATCH as BATCH
from ._first_order import PARAMETERS as PARAMETERS
from ._first_order import RATE as RATE
from ._first_order import STEPS as STEPS
from ._first_order import rate_factor as rate_factor
from ._first_order import strength as strength
from ._outcome import Fit as Fit
from ._search import search as search
from ._settings import Settings as Settings
from ._split import Split as Split
