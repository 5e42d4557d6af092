"""The loop that everybody writes: a network and a table in, a formula out."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from jaxtyping import PRNGKeyArray

from .._checks import shown
from .._extras import extras
from .._network import Network
from ..fitting import Fit, Settings, Split, search
from ._classes import LAYERS
from ._engine import JaxEngine, in_its_units, like, redrawn
from ._whole import check_transformation, layers_of

with extras():
    import equinox as eqx
    import jax
    import optax


def fit(
    net: Any,
    x: Any,
    y: Any,
    *,
    key: PRNGKeyArray,
    names: Sequence[str] | None = None,
    seeds: int = 16,
    restarts: int = 2,
    steps: int | None = None,
    penalty: float = 0.1,
    scale: bool = True,
    optimiser: optax.GradientTransformation | None = None,
    batch: int | None = None,
    hold_out: float = 0.2,
    tolerance: float = 0.125,
    progress: bool = True,
) -> Fit:
    """Train a network on a table with several seeds, and read its formula.

    As `arithmax.torch.fit`, in JAX. Where a module is given, the other starts have its
    arithmetic layers drawn afresh and everything else as it is; a function from a key
    to a module draws all of it.

    Args:
        net: a module with arithmetic layers in it, a function from a key to one, or a
            unit or stack.
        x: inputs [row, ...]: an array or a table of pandas. The module is called with
            one row.
        y: targets [row] or [row, output].
        key: a JAX random key for the starts, and for which rows are held out.
        names: the names of the columns; x1, x2, … if neither these nor a table's are
            there.
        seeds: how many starts are trained side by side.
        restarts: how often all begin anew where no formula was verified.
        steps: steps of each; None for 120 of second order, or 3000 of an optimiser.
        penalty: the strength of the layers' regularisers, once they set in.
        scale: whether inputs and outputs are divided by their sizes.
        optimiser: a transformation of optax; None to choose.
        batch: rows of a step of an optimiser; None for 256.
        hold_out: the share of the rows that choose among seeds, and train none.
        tolerance: the relative error up to which a formula may count as found.
        progress: whether a bar is shown.

    Returns:
        The trained network, what was read from it, and the errors on the way.

    Examples:
        >>> import jax, numpy as np, arithmax.equinox
        >>> from arithmax import RealNPU
        >>> x = np.random.default_rng(0).uniform(1, 2, (500, 2))
        >>> result = arithmax.equinox.fit(
        ...     RealNPU(), x, 0.5 * x[:, 0] * x[:, 1] ** 2, names=["m", "v"],
        ...     key=jax.random.key(0), progress=False)
        >>> print(result.formula.sympy(), "|", result.verdict)
        m*v**2/2 | exact on this data
    """
    options = locals()
    if optimiser is not None:
        check_transformation(optimiser)
    draw, start = jax.random.split(key)
    options["seed"] = int(jax.random.randint(draw, (), 0, 2**31 - 1))
    settings = Settings(
        **{field.name: options[field.name] for field in dataclasses.fields(Settings)}
    )
    split = Split.of(x, y, names, hold_out, settings.seed)
    draws = _maker(net, split)

    def make(key: PRNGKeyArray) -> Any:
        return in_its_units(draws(key), split, scale)

    whole = (
        in_its_units(net, split, scale) if isinstance(net, eqx.Module) else make(start)
    )
    dtype = jax.tree.leaves(eqx.filter(whole, eqx.is_inexact_array))[0].dtype
    with jax.enable_x64(True), jax.numpy_dtype_promotion("standard"):
        engine = JaxEngine(whole, split, settings, optimiser, start, make)
        found = search(engine, split, settings)
        discrete = None if found.discrete is None else like(found.discrete, dtype)
        return dataclasses.replace(found, net=like(found.net, dtype), discrete=discrete)


def _maker(net: Any, split: Split) -> Callable[[PRNGKeyArray], Any]:
    """A function from a key to a start of the network."""
    if isinstance(net, Network):
        shape = split.x.shape[1:]
        sizes = shape[0] if net.input_axes == 1 else tuple(shape)
        return lambda key: LAYERS.of(net, sizes, split.y.shape[1], key=key)
    if isinstance(net, eqx.Module):
        layers_of(net)
        return lambda key: redrawn(net, key)
    if not callable(net):
        raise TypeError(
            f"`net` (={shown(net)}) must be an `equinox.Module`, a function from a key "
            "to one, or a unit or stack of arithmax."
        )
    return net
