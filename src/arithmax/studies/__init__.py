"""Published tables and figures as studies: data, and the runs that reproduce them."""

from ._evaluate import Comparison as Comparison
from ._evaluate import Evaluation as Evaluation
from ._evaluate import Found as Found
from ._evaluate import Trained as Trained
from ._evaluate import Verdict as Verdict
from ._evaluate import evaluate as evaluate
from ._plots import Bars as Bars
from ._plots import Convergence as Convergence
from ._plots import Grid as Grid
from ._plots import Lines as Lines
from ._plots import Measured as Measured
from ._plots import Plot as Plot
from ._plots import Seeds as Seeds
from ._plots import Surface as Surface
from ._plots import Weights as Weights
from ._registry import studies as studies
from ._registry import study as study
from ._run import Reproduction as Reproduction
from ._run import load as load
from ._run import reproduce as reproduce
from ._study import MEASURES as MEASURES
from ._study import Arm as Arm
from ._study import Computed as Computed
from ._study import Published as Published
from ._study import Study as Study
from ._study import Table as Table
