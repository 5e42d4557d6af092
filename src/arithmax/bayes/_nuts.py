"""The no-U-turn sampler, for small problems, with chains that are looked at."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from .._checks import WORD, check_whole, choose, shown
from .._extras import extras
from ._chains import diagnosed, judge_chains
from ._marginal import check_level
from ._model import BayesModel
from ._models import checked_rows, model_of
from ._posterior import Posterior

SHORT, RATE, PARTICLES = 1500, 0.02, 8  # of the search for where chains start


def nuts(
    what: Any,
    x: Any,
    y: Any,
    *,
    prior: Any = None,
    names: Sequence[str] | None = None,
    chains: int = 4,
    warmup: int = 500,
    draws: int = 500,
    start: Mapping[str, Any] | None = None,
    bad: Literal["error", "warn"] = "error",
    level: float = 0.95,
    seed: int = 0,
    progress: bool = False,
) -> Posterior:
    """Draws of the posterior itself, by Markov chains (NUTS): exact, and slow.

    Chains start around one solution: that of the greatest evidence lower bound which a
    short variational inference finds, from `start` or from as many seeds as there are
    chains. They run side by side, in coordinates in which that solution is a standard
    normal distribution, and adapt a full mass matrix. A posterior with
    several solutions that are far apart is not explored, and neither is one with
    directions that nothing holds: R̂ and the effective size show it. Worse than an R̂
    of 1.01 or an effective size of 400, and trajectories that diverge, are warned
    about (`ChainWarning`); worse than 1.1 or 50 is refused (`ChainError`).

    Args:
        what: a network over columns: a unit, a stack, a scaled one; or a formula.
        x: the inputs [row, column].
        y: the targets [row].
        prior: the prior of weights: `ARD()` (if None), `StudentT()` or `Gaussian()`;
            variances of ARD are integrated out.
        names: the names of the columns; x1, x2, … if None.
        chains: how many chains are drawn.
        warmup: how many steps each chain adapts in, which are not kept.
        draws: how many draws each chain keeps.
        start: values by the names of parameters, near which chains start.
        bad: "warn" keeps chains that have not mixed.
        level: the share of the posterior inside intervals.
        seed: the number that random numbers start from.
        progress: whether a progress bar is shown.

    Returns:
        The posterior, with `diagnostics`.

    Examples:
        >>> import numpy as np
        >>> from arithmax import Linear
        >>> from arithmax.bayes import Gaussian, nuts
        >>> rng = np.random.default_rng(0)
        >>> x = rng.normal(size=(50, 1))
        >>> y = 3 * x[:, 0] + 0.1 * rng.normal(size=50)
        >>> found = nuts(Linear(bias=False), x, y, prior=Gaussian())
        >>> found.marginal("W[0, 0]").contains(3.0), found.diagnostics.divergences
        (True, 0)
    """
    x, y = checked_rows(x, y)
    check_level(level)
    check_whole("chains", chains, 2, 1000)
    check_whole("warmup", warmup, 1, WORD)
    check_whole("draws", draws, 4, WORD)
    check_whole("seed", seed, 0, WORD - chains)
    choose("bad", bad, ("error", "warn"))
    if not isinstance(progress, bool):
        raise TypeError(f"`progress` (={shown(progress)}) must be True or False.")
    model = model_of(what, x, y, prior=prior, names=names, integrated=True)
    data = model.data(x, y)
    with extras():
        first = [model.starts(seed + i, data) for i in range(chains)]
        if start is not None:
            first = [_given(first[0], start)]
        sizes = chains, warmup, draws
        drawn, divergences = _chains(model, data, first, sizes, progress, seed)
    diagnostics = diagnosed(model.told(drawn, data), divergences)
    judge_chains(diagnostics, bad)
    flat = {n: v.reshape(-1, *v.shape[2:]) for n, v in drawn.items()}
    method = f"NUTS, {chains} chains"
    found = model.posterior(
        flat, data, method=method, level=level, log_evidence=float("nan")
    )
    return replace(found, diagnostics=diagnostics)  # type: ignore[type-var]  # posteriors are dataclasses


def _given(values: dict[str, np.ndarray], start: Any) -> dict[str, np.ndarray]:
    """The values that a seed starts from, with those that are given instead."""
    if not isinstance(start, Mapping):
        raise TypeError(
            f"`start` (={shown(start)}) must be a dictionary of values by name."
        )
    values = dict(values)
    for name, value in start.items():
        choose("start", name, values)
        given = np.asarray(value, np.float64)
        if given.shape != np.shape(values[name]) or not np.isfinite(given).all():
            raise ValueError(
                f"`start[{name!r}]` (={shown(value)}) must be finite numbers of shape "
                f"{np.shape(values[name])}."
            )
        values[name] = given
    return values


def _chains(
    model: BayesModel,
    data: dict[str, np.ndarray],
    first: list[dict[str, np.ndarray]],
    sizes: tuple[int, int, int],
    progress: bool,
    seed: int,
) -> tuple[dict[str, np.ndarray], int]:
    """Draws of each site [chain, draw, …], and how many trajectories diverged.

    Chains move in the coordinates in which the best solution of a short search is a
    standard normal distribution, so that they need not learn its shape.
    """
    import jax
    import jax.numpy as jnp
    from numpyro.infer import MCMC, NUTS

    from ._sites import Sites, float64
    from ._svi import Plan, moved, solution

    chains, warmup, draws = sizes
    # Trajectories are thousands of small steps, one after the other.
    with float64(), jax.default_device(jax.devices("cpu")[0]):
        arrays = {name: jnp.asarray(value) for name, value in data.items()}
        sites = Sites(model, arrays, None, whole=True)
        starts = {seed + i: values for i, values in enumerate(first)}
        plan = Plan(SHORT, PARTICLES, None, correlated=True, whole=True)
        guide = solution(model, plan, arrays, starts, RATE)
        key = jax.random.key(seed)

        def place(z: Any) -> Any:
            return moved(guide, sites.drawn, z)

        def energy(z: Any) -> Any:
            return -sum(sites.log_joint(place(z), key))

        sampler = MCMC(
            NUTS(potential_fn=energy, dense_mass=True),
            num_warmup=warmup,
            num_samples=draws,
            num_chains=chains,
            chain_method="vectorized",
            progress_bar=progress,
        )
        z = jax.random.normal(jax.random.fold_in(key, 1), (chains, sites.size))
        sampler.run(key, init_params=z, extra_fields=("diverging",))
        drawn = sampler.get_samples(group_by_chain=True)
        values = jax.vmap(jax.vmap(lambda z: sites.values(place(z))))(drawn)
        diverging = sampler.get_extra_fields()["diverging"]
        return {n: np.asarray(v) for n, v in values.items()}, int(np.sum(diverging))
