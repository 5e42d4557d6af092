"""A formula as a NumPyro model: its constants have a prior, its noise is learned."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._checks import shown
from .._extras import extras
from ..discover import Formula
from ._evidence import NOISE_SPREAD
from ._fitted import FittedFormula, check_columns, fitted
from ._formula_posterior import (
    FormulaPosterior,
    formula_posterior,
)
from ._function import FormulaFunction
from ._model import BayesModel, Data

LOWEST = -1e10  # the likelihood of a row where the formula is undefined


@dataclass(frozen=True)
class FormulaModel(BayesModel):
    r"""The constants of a formula in coordinates in which they are told apart.

    $\phi = \hat\phi + L z$ and $\log\sigma = \log\hat\sigma + u / \sqrt{2n}$, where $L
    L^\top$ is the covariance of Laplace's approximation: were the posterior normal, the
    numbers $z$ and $u$ would be independent and standard normal. Mean-field inference
    then knows correlations, and chains need no long warm-up.

    Args:
        function: the formula without its numbers; programs are compiled for it.
        fit: the formula where it fits best.
        correlated: whether $L$ knows correlations; otherwise it only scales, and
            mean-field inference is what its name says.
    """

    function: FormulaFunction
    fit: FittedFormula = field(compare=False, repr=False)
    correlated: bool = field(default=True, compare=False)

    def data(self, x: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
        fit = self.fit
        covariance = (fit.covariance + fit.covariance.T) / 2
        half = np.linalg.cholesky(covariance)
        if not self.correlated:
            half = np.diag(np.sqrt(np.diag(covariance)))
        return {
            "x": fit.x,
            "y": fit.y,
            "weight": fit.weight,
            "held": fit.held,
            "middle": fit.middle,
            "best": fit.best,
            "half": half,
            "prior_std": fit.prior_std,
            "log_noise": np.log(fit.squares / fit.rows) / 2,
        }

    def sample(self, data: Data, batch: int | None = None) -> None:
        with extras():
            import numpyro
        import jax.numpy as jnp
        from numpyro import distributions as dist

        count = len(self.function.free)
        flat = dist.Normal(0.0, 1.0).expand((count,)).to_event().mask(False)
        moved = data["best"] + data["half"] @ numpyro.sample("z", flat)
        rows = data["weight"].sum()
        off = numpyro.sample(
            "noise", dist.Normal(0.0, NOISE_SPREAD * (2 * rows) ** 0.5)
        )
        log_noise = data["log_noise"] + off / (2 * rows) ** 0.5
        prior = dist.Normal(0.0, data["prior_std"]).log_prob(moved).sum()
        numpyro.factor("prior", prior + jnp.log(jnp.diag(data["half"])).sum())
        with numpyro.plate("rows", len(data["y"]), subsample_size=batch) as chosen:
            x, y, weight = (data[name][chosen] for name in ("x", "y", "weight"))
            numbers = self.function.numbers(moved, data["held"], data["middle"], jnp)
            value = self.function.value(numbers, x.T, jnp)
            density = dist.Normal(value, jnp.exp(log_noise)).log_prob(y)
            density = jnp.where(jnp.isfinite(density), density, LOWEST)
            numpyro.factor("likelihood", weight * density)

    def starts(self, seed: int, data: Data) -> dict[str, np.ndarray]:
        count = len(self.function.free)
        return {"z": np.zeros(count), "noise": np.zeros(())}

    def told(self, draws: Mapping[str, np.ndarray], data: Data) -> dict[str, Any]:
        moved = self._moved(draws, data)
        middle, held = np.asarray(data["middle"]), np.asarray(data["held"])
        numbers = self.function.numbers(np.moveaxis(moved, -1, 0), held, middle, np)
        places = self.function.free
        named = {
            self.function.constants[place].name: numbers[place] for place in places
        }
        return {**named, "noise": np.asarray(draws["noise"])}

    def _moved(self, draws: Mapping[str, np.ndarray], data: Data) -> np.ndarray:
        """Draws of the free numbers, coefficients being those of the middle."""
        half = np.asarray(data["half"])
        return np.asarray(data["best"]) + np.asarray(draws["z"]) @ half.T

    def posterior(
        self,
        draws: Mapping[str, np.ndarray],
        data: Data,
        *,
        method: str,
        level: float,
        log_evidence: float,
    ) -> FormulaPosterior:
        off = np.asarray(draws["noise"]) / np.sqrt(2 * self.fit.rows)
        return formula_posterior(
            self.fit,
            self._moved(draws, data),
            np.exp(data["log_noise"] + off),
            method=method,
            level=level,
            log_evidence=log_evidence,
        )


def formula_model(
    formula: Formula,
    x: np.ndarray,
    y: np.ndarray,
    *,
    prior: Any = None,
    names: Any = None,
    correlated: bool = True,
) -> FormulaModel:
    """The model of a formula on some rows.

    Args:
        formula: the formula.
        x: the columns [row, column].
        y: the targets [row].
        prior: must be None, since the constants of a formula have their own.
        names: must be None, since a formula has its own.
        correlated: as that of `FormulaModel`.
    """
    check_no_other(prior=prior, names=names)
    check_columns(formula, x)
    fit = fitted(formula, x, y)
    return FormulaModel(fit.function, fit, correlated)


def check_no_other(**given: Any) -> None:
    """What only networks have must be None."""
    for argument, value in given.items():
        if value is not None:
            raise ValueError(
                f"`{argument}` (={shown(value)}) must be None: `what` is a formula, "
                "which has its constants and names."
            )
