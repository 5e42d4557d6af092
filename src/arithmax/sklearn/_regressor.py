"""`ArithmeticRegressor`: the formula behind a table, as scikit-learn's users fit it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from .._checks import check_whole, plain
from ..discover import Formula, domain_cases, domain_values
from ..readout import latex
from ._frames import diagnosis, equations, front
from ._given import by_target, new_rows, outside_rows, training_rows, weights_of
from ._names import numbered, target_names
from ._not_found import warn_of
from ._plot import drawn
from ._searched import all_searched
from ._settings import check_settings, searches_of, seed_of, share_of
from ._sureness import (
    constants_frame,
    extent_of,
    plotted,
    relevance_frame,
    spread_of,
    sure_of,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure


class ArithmeticRegressor(RegressorMixin, MultiOutputMixin, BaseEstimator):
    r"""The formula behind a table, verified on rows that did not fit it.

    Formulas are sums of products of powers of sums,
    $y = \sum_t C_t x^{a_t} \prod_f (\sum_k c_{fk} x^{w_{fk}})^{e_f}$, and functions of
    them. A fifth of the rows is held out: it fits nothing, and a formula is verified
    only if it holds there. If none is, `fit` warns (`NotFoundWarning`), and predictions
    are those of the best candidate.

    The formula depends on the rows and on `random_state` alone: not on the order of
    the rows, on whether a row is repeated or has a weight, on the number of cores, or
    on the other targets. Linear algebra runs on one thread. Only `max_seconds` can
    break this, and says so (`CutOffWarning`).

    Args:
        stages: the stages of the search, by name or as objects, in order; all if None.
        candidates: how many proposed formulas are judged at most, for each target.
        max_seconds: when to stop a search even so; None for never.
        tolerance: the root of the mean squared error, over the spread of the target,
            up to which a formula may count as found.
        domain: what `predict` answers where the formula has no value (roots and
            logarithms of negative numbers, divisions by zero): `"nan"`, which neither
            stops a program nor looks like a number; `"error"`, an error that names rows
            and the part of the formula; `"abs"`, roots and logarithms of absolute
            values, which is another formula, and NaN for divisions by zero.
        extrapolation: the share of rows, farthest from the middle of the table, that
            are taken out before the search and only measure `extrapolation_error`;
            None for none. Rows of one's own are given to `fit`.
        units: the units of each column and then of each target, such as `"kg*m/s^2"`;
            products that have the right ones are then tried first. None if unknown.
        uncertainty: whether the constants of each formula get a posterior, by Laplace's
            approximation on the rows that were given (`arithmax.bayes.laplace`): then
            there are `posterior_`, `uncertainty_` and `relevance_`, rivals have their
            evidence, and `predict` knows standard deviations.
        random_state: what random numbers are made of; None for others in each fit.
        n_jobs: how many targets are searched at a time, in processes of their own; None
            for one, −1 for as many as there are cores.
        verbose: 1 for a line per stage on the error stream; 2 for one per better
            formula too.

    Attributes:
        equations_: a data frame with a line for each formula of the front, simplest
            first.
        equation_: the best formula as text; a list for several targets.
        formula_: the best formula as an `arithmax.discover.Formula`; or a list.
        posterior_: what is known of the best formula's constants; a list for several
            targets; None where the rows give no posterior.
        uncertainty_: a data frame with a line for each constant: mean, standard
            deviation and 95 % interval, and whether it was held.
        relevance_: a data frame with the probability that each column matters.
        diagnose_: a data frame with a line for each training row and part of the
            formula that has no value there; empty if all is well.
        discoveries_: what each search found, tried, and why it stopped.
        symbols_: the names of the columns as formulas have them.
        outputs_: the names of the targets.
        n_features_in_: the number of columns.
        feature_names_in_: their names, if the table has any.

    Examples:
        >>> import numpy as np
        >>> from arithmax import ArithmeticRegressor
        >>> x = np.random.default_rng(0).uniform(1, 5, (100, 2))
        >>> model = ArithmeticRegressor().fit(x, x[:, 0] * x[:, 1] ** 2)
        >>> model.equation_
        'x0*x1**2'
        >>> model.predict([[-2.0, 30.0]])
        array([-1800.])
    """

    def __init__(
        self,
        *,
        stages: Any = None,
        candidates: Any = 2000,
        max_seconds: Any = None,
        tolerance: Any = 0.125,
        domain: Any = "nan",
        extrapolation: Any = None,
        units: Any = None,
        uncertainty: Any = False,
        random_state: Any = 0,
        n_jobs: Any = None,
        verbose: Any = 0,
    ) -> None:  # scikit-learn asks that any value is kept here, and refused by `fit`
        self.stages = stages
        self.candidates = candidates
        self.max_seconds = max_seconds
        self.tolerance = tolerance
        self.domain = domain
        self.extrapolation = extrapolation
        self.units = units
        self.uncertainty = uncertainty
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        X_outside: Any = None,
        y_outside: Any = None,
    ) -> "ArithmeticRegressor":
        """Searches for the formula of each target.

        Args:
            X: the inputs [row, column]: an array, or a data frame of pandas or polars.
            y: the targets [row], or [row, target] for several.
            sample_weight: what each row counts; a whole number counts as that many
                rows, and 0 as none.
            X_outside: inputs outside the range of the others. They decide nothing:
                their error is the `extrapolation_error` of `equations_`.
            y_outside: their targets.

        Returns:
            The model itself.

        Raises:
            ValueError: data or a parameter cannot be used.
            TypeError: they are of another kind than they must be.
        """
        check_settings(self)
        seed, share = seed_of(self.random_state), share_of(self.extrapolation)
        x, targets = training_rows(self, X, y)
        self._flat = targets.ndim == 1
        targets = targets.reshape(len(targets), -1)
        outside = outside_rows(self, X_outside, y_outside, targets)
        rows = by_target(x, targets, weights_of(sample_weight, x), outside, share)
        names = getattr(self, "feature_names_in_", numbered("x", x.shape[1]))
        self.outputs_ = target_names(y, targets.shape[1])
        searches = searches_of(self, x.shape[1], targets.shape[1])
        found = all_searched(self, rows, tuple(map(str, names)), searches, seed)
        self.discoveries_ = tuple(each.discovery for each in found)
        self._points = [each.points for each in found]
        self.symbols_ = self.discoveries_[0].formula.identifiers
        self._cases, self._domain = [each.cases for each in found], self.domain
        self._sure = [each.sure for each in found if each.sure is not None] or None
        self._extent = extent_of(x[rows[0].weight > 0])
        for each, name in zip(found, self.outputs_, strict=True):
            warn_of(each.discovery, name, sure=each.sure)
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """What the best formula gives on each row.

        Args:
            X: the inputs [row, column].
            return_std: whether to give standard deviations too: those of the posterior
                predictive distribution, noise included, if the formula is right.

        Returns:
            [row], or [row, target] if there are several; where a formula has no value,
            what `domain` says. With `return_std` a pair of these and of standard
            deviations of the same shape, NaN where they are not known.

        Raises:
            ValueError: `domain` is `"error"`, and a formula has no value on a row.
            NotFittedError: `return_std` needs `uncertainty=True` when it is fitted.
        """
        x = self._inputs(X)
        sure = sure_of(self, "predict(X, return_std=True)") if return_std else ()
        columns = [domain_values(each, x, self.domain) for each in self._formulas()]
        if not return_std:
            return self._shaped(columns)
        pairs = zip(sure, columns, strict=True)
        spreads = [spread_of(each, x, column) for each, column in pairs]
        return self._shaped(columns), self._shaped(spreads)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² of the predictions; NaN if a formula has no value on one of the rows.

        Args:
            X: the inputs [row, column].
            y: the targets.
            sample_weight: what each row counts.
        """
        predictions = self.predict(X)
        if np.isnan(predictions).any():
            return float("nan")
        return float(r2_score(y, predictions, sample_weight=sample_weight))

    def diagnose(self, X: Any) -> "DataFrame":
        """Where the formulas have no value, and what is answered there.

        Args:
            X: the inputs [row, column].

        Returns:
            A line for each row and part of a formula, with the sentence that says what
            is wrong, the number it is computed from, whether that has another sign in
            other rows, and what became of the answer.
        """
        x = self._inputs(X)
        cases = [domain_cases(each, x, self.domain) for each in self._formulas()]
        return diagnosis(cases, self._several(), self.domain)

    @property
    def diagnose_(self) -> "DataFrame":
        """The same for the rows of `fit`."""
        check_is_fitted(self)
        return diagnosis(self._cases, self._several(), self._domain)

    @property
    def equations_(self) -> "DataFrame":
        """The formulas of each front, simplest first."""
        check_is_fitted(self)
        return equations(self.discoveries_, self._several(), self._sure)

    @property
    def posterior_(self) -> Any:
        """What is known of the best formula's constants; a list for several targets."""
        check_is_fitted(self)
        known = [each.posterior for each in sure_of(self, "posterior_")]
        return known[0] if self._flat else known

    @property
    def uncertainty_(self) -> "DataFrame":
        """The constants of the best formulas, with 95 % intervals."""
        check_is_fitted(self)
        return constants_frame(sure_of(self, "uncertainty_"), self._several())

    @property
    def relevance_(self) -> "DataFrame":
        """For each column the probability that it matters."""
        check_is_fitted(self)
        return relevance_frame(sure_of(self, "relevance_"), self._several())

    @property
    def equation_(self) -> Any:
        """The best formula as text for Python and SymPy; a list for several targets."""
        texts = [str(each) for each in self._formulas()]
        return texts[0] if self._flat else texts

    @property
    def formula_(self) -> Any:
        """The best formula; a list for several targets."""
        formulas = self._formulas()
        return formulas[0] if self._flat else formulas

    def sympy(self, index: int | None = None) -> Any:
        """A formula as a SymPy expression.

        Args:
            index: a line of `equations_`; the best formula of each target if None.

        Returns:
            An expression; a list of them for several targets.
        """
        return self._exported(Formula.sympy, index)

    def latex(self, index: int | None = None) -> Any:
        r"""A formula as LaTeX.

        Args:
            index: a line of `equations_`; the best formula of each target if None.

        Returns:
            Text such as `\frac{m v^{2}}{2}`; a list for several targets.
        """
        return self._exported(latex, index)

    def plot(self) -> "Figure":
        """Predictions against the truth: rows that were fitted, held out, and outside.

        Returns:
            A Plotly figure, with a panel for each target.
        """
        formulas = self._formulas()
        named = zip(self.outputs_, formulas, strict=True)
        titles = [f"{name} = {formula}" for name, formula in named]
        return drawn(self._points, titles)

    def plot_uncertainty(self, column: Any = None, output: Any = None) -> "Figure":
        """The intervals of all constants, or the predictive band along a column.

        Args:
            column: a column, by name or position: the band goes from below the rows to
                above them, the other columns staying at their middle. None for the
                intervals of constants.
            output: a target, by name or position; the first if None.

        Returns:
            A Plotly figure.
        """
        check_is_fitted(self)
        sure = sure_of(self, "plot_uncertainty")
        return plotted(sure, self.outputs_, self._extent, column, output)

    def _shaped(self, columns: list[np.ndarray]) -> np.ndarray:
        """[row], or [row, target] if `y` had two axes."""
        return columns[0] if self._flat else np.column_stack(columns)

    def _inputs(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return new_rows(self, X)

    def _formulas(self) -> list[Formula]:
        check_is_fitted(self)
        return [each.formula for each in self.discoveries_]

    def _several(self) -> tuple[str, ...] | None:
        """The names of the targets, if `y` had two axes."""
        return None if self._flat else self.outputs_

    def _exported(self, export: Callable[[Formula], Any], index: int | None) -> Any:
        formulas = self._formulas()
        if index is not None:
            lines = [c.formula for found in self.discoveries_ for c in front(found)]
            check_whole("index", plain(index), 0, len(lines) - 1)
            return export(lines[index])
        exported = [export(each) for each in formulas]
        return exported[0] if self._flat else exported
