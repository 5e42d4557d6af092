"""Variational inference: a posterior for each of several seeds, side by side."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._checks import WORD, check_number, check_whole, shown
from .._extras import extras
from ._marginal import check_level
from ._model import BayesModel
from ._models import checked_rows, model_of
from ._posterior import Posterior

PARTICLES = 8  # draws of which an estimate of the bound is the mean


def variational(
    what: Any,
    x: Any,
    y: Any,
    *,
    prior: Any = None,
    names: Sequence[str] | None = None,
    seeds: int = 8,
    steps: int = 3000,
    learning_rate: float = 0.02,
    draws: int = 1000,
    batch: int | None = None,
    correlated: bool = True,
    level: float = 0.95,
    seed: int = 0,
    progress: bool = False,
) -> tuple[Posterior, ...]:
    r"""The normal distributions nearest to the posterior, one for each seed.

    The evidence lower bound is climbed by Adam, with gradients through draws $w = \mu +
    s\epsilon$. Hyper-parameters and the noise take their likeliest values. In the first
    quarter of the steps the prior and the entropy fade in, so that a network finds the
    rows before it is drawn to zero; in the last two fifths the learning rate falls to a
    thousandth, so that spreads settle. All seeds are trained side by side in one
    compiled program, and each ends as it would alone. A seed that diverges keeps
    −∞ as its `log_evidence`.

    The normal distribution has full rank by default, which costs little for up to some
    hundred weights. Mean field (`correlated=False`) finds the right weights, too, and
    which of them matter; but where weights depend on each other its intervals are too
    narrow: the standard deviation of each is that which it would have if all others
    were known.

    Args:
        what: a network over columns: a unit, a stack, a scaled one; or a formula.
        x: the inputs [row, column].
        y: the targets [row].
        prior: the prior of weights: `ARD()` (if None), `StudentT()` or `Gaussian()`.
        names: the names of the columns; x1, x2, … if None.
        seeds: how many seeds are trained.
        steps: how many steps of Adam each of them takes.
        learning_rate: that of Adam.
        draws: how many draws each posterior keeps.
        batch: how many rows are drawn for each step; all of them if None.
        correlated: whether weights may depend on each other (full rank); otherwise they
            are independent (mean field).
        level: the share of the posterior inside intervals.
        seed: the number of the first seed.
        progress: whether a progress bar is shown.

    Returns:
        One posterior for each seed, each with its evidence lower bound as
        `log_evidence`; the best is that of the greatest.

    Examples:
        >>> import numpy as np
        >>> from arithmax import RealNaiveNPU
        >>> from arithmax.bayes import variational
        >>> rng = np.random.default_rng(0)
        >>> x = rng.uniform(0.5, 3.0, (200, 3))
        >>> y = x[:, 0] ** 2 / x[:, 1] + 0.05 * rng.standard_normal(200)
        >>> found = variational(RealNaiveNPU(), x, y, seeds=2)
        >>> best = max(found, key=lambda p: p.log_evidence)
        >>> best.relevance
        {'x1': 1.0, 'x2': 1.0, 'x3': 0.0}
        >>> best.marginal("W[0, 0]").contains(2.0)
        True
    """
    x, y = checked_rows(x, y)
    check_level(level)
    _check_sizes(seeds, steps, draws, batch, seed, len(y))
    if check_number("learning_rate", learning_rate, 0) == 0:
        raise ValueError("`learning_rate` (=0) must be greater than 0, such as 0.02.")
    for name, value in (("correlated", correlated), ("progress", progress)):
        if not isinstance(value, bool):
            raise TypeError(f"`{name}` (={shown(value)}) must be True or False.")
    options = {"prior": prior, "names": names, "correlated": correlated}
    model = model_of(what, x, y, **options)
    with extras():
        from ._svi import Plan, inferred
    data = model.data(x, y)
    starts = {s: model.starts(s, data) for s in range(seed, seed + seeds)}
    plan = Plan(steps, PARTICLES, None if batch == len(y) else batch, correlated)
    with _bar(progress, seeds) as watch:
        found = inferred(model, plan, data, starts, learning_rate, draws, watch)
    return tuple(_posteriors(model, data, *found, correlated, level))


def _posteriors(
    model: BayesModel,
    data: dict[str, np.ndarray],
    drawn: dict[str, np.ndarray],
    bounds: np.ndarray,
    correlated: bool,
    level: float,
) -> Iterator[Posterior]:
    """What is told of each seed."""
    method = "full-rank variational" if correlated else "mean-field variational"
    for i, bound in enumerate(bounds):
        draws = {name: values[i] for name, values in drawn.items()}
        evidence = float(bound) if np.isfinite(bound) else -np.inf
        yield model.posterior(
            draws, data, method=method, level=level, log_evidence=evidence
        )


def _check_sizes(seeds, steps, draws, batch, seed, rows) -> None:
    """Whole numbers that can be run."""
    check_whole("seeds", seeds, 1, 10**6)
    check_whole("steps", steps, 1, WORD)
    check_whole("draws", draws, 2, 10**7)
    check_whole("seed", seed, 0, WORD - seeds)
    if batch is not None:
        check_whole("batch", batch, 1, rows)


@contextmanager
def _bar(show: bool, seeds: int) -> Iterator[Callable[[float], None]]:
    """A progress bar that hears the share that is done; or nothing."""
    if not show:
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(f"variational inference, {seeds} seeds", total=1.0)
        yield lambda done: progress.update(task, completed=done)
