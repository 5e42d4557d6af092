"""Networks trained on a table, whatever the framework: what the layers' `fit` share."""

from ._descent import Replicas as Replicas
from ._descent import Tools as Tools
from ._engine import Engine as Engine
from ._outcome import Fit as Fit
from ._search import Found as Found
from ._search import search as search
from ._settings import Settings as Settings
from ._split import Split as Split
