"""What a network of several layers needs: the same calls as one layer has."""

from collections.abc import Callable, Sequence
from typing import Any

from .._checks import shown
from .._extras import extras
from ..discover import Formula
from ..readout import Reading, written_formulas
from ..readout import readout as read
from ..units import Array
from ._layer import Layer
from ._tree import network_of

with extras():
    import equinox as eqx
    import jax
    import optax


def penalty(net: Any) -> Array:
    """The regularisers of all arithmetic layers in a module, added up.

    Args:
        net: any module; its other layers have none.

    Returns:
        A scalar, without its strength: 0.01 to 0.1 times the loss is usual.
    """
    return sum(layer.penalty() for layer in layers_of(net))


def project(net: Any) -> Any:
    """A module under the hard constraints of all its arithmetic layers."""
    return every_layer(Layer.project, net)


def attach(optimiser: optax.GradientTransformation) -> optax.GradientTransformation:
    """An optimiser whose steps end within the constraints of arithmetic layers.

    Args:
        optimiser: any transformation of optax.

    Returns:
        The same, whose `update` needs the parameters as its third argument.

    Examples:
        >>> import equinox as eqx, jax, jax.numpy as jnp, optax, arithmax.equinox
        >>> net = arithmax.equinox.NMU(2, 1, key=jax.random.key(0))
        >>> optimiser = arithmax.equinox.attach(optax.sgd(100.0))
        >>> state = optimiser.init(eqx.filter(net, eqx.is_inexact_array))
        >>> slopes = eqx.filter_grad(lambda n: n(jnp.array([2.0, 3.0])).sum())(net)
        >>> updates, state = optimiser.update(slopes, state, net)
        >>> eqx.apply_updates(net, updates).params["W"].tolist()
        [[0.0, 0.0]]
    """
    check_transformation(optimiser)

    optimiser = optax.with_extra_args_support(optimiser)

    def update(
        updates: Any, state: Any, params: Any = None, **more: Any
    ) -> tuple[Any, Any]:
        if params is None:
            raise ValueError(
                "`params` (=None) must be given to `update`: `optimiser.update("
                "gradients, state, net)`."
            )
        updates, state = optimiser.update(updates, state, params, **more)
        params = eqx.filter(params, eqx.is_inexact_array)
        after = project(eqx.apply_updates(params, updates))
        return jax.tree.map(lambda new, old: new - old, after, params), state

    return optax.GradientTransformationExtraArgs(optimiser.init, update)


def check_transformation(optimiser: Any) -> None:
    """`optimiser` must be a transformation of optax, not a function that makes one."""
    if not isinstance(optimiser, optax.GradientTransformation):
        raise TypeError(
            f"`optimiser` (={shown(optimiser)}) must be a transformation of optax, "
            "such as `optax.adam(1e-2)`."
        )


def discretise(net: Any) -> Any:
    """A module whose arithmetic layers have weights at which they are exact.

    Everything else, such as a coefficient, stays. Compare its error with that of the
    module before you use it: `readout` does, and fits constants again.
    """
    layers_of(net)
    return every_layer(Layer.discretise, net)


def formula(net: Any, names: Sequence[str] | None = None) -> list[Formula]:
    """What a module computes, one formula for each output.

    Nothing is rounded: `formula(discretise(net))` shows whole weights, and
    `readout(net, x, y)` rounds, fits constants and says what that costs.

    Args:
        net: a layer, or a `Sequential` of layers and of `equinox.nn.Linear`.
        names: the names of the inputs; x1, x2, … if None.

    Examples:
        >>> import jax, arithmax.equinox
        >>> net = arithmax.equinox.NMU(3, 1, key=jax.random.key(0))
        >>> net = net.with_parameters({"W": [[0.97, 1.0, 0.02]]})
        >>> whole = arithmax.equinox.discretise(net)
        >>> print(arithmax.equinox.formula(whole, ["a", "b", "c"])[0])
        a*b
    """
    return written_formulas(*network_of(net), names)


def readout(net: Any, x: Any, y: Any, **options: Any) -> Reading:
    """The formula that a module has learned: see `arithmax.readout.readout`.

    Args:
        net: a layer, or a `Sequential` of layers and of `equinox.nn.Linear`.
        x: inputs [row, column] on which it is judged.
        y: their targets [row].
        options: names of columns, and the other options of `readout`.
    """
    return read(*network_of(net), x, y, **options)


def is_layer(part: Any) -> bool:
    """Whether a part of a tree is an arithmetic layer."""
    return isinstance(part, Layer)


def every_layer(change: Callable[[Layer], Any], net: Any) -> Any:
    """A module with each arithmetic layer changed."""
    return jax.tree.map(
        lambda part: change(part) if is_layer(part) else part, net, is_leaf=is_layer
    )


def layers_of(net: Any) -> list[Layer]:
    """All arithmetic layers in a module; there must be one."""
    layers = [p for p in jax.tree.leaves(net, is_leaf=is_layer) if is_layer(p)]
    if not layers:
        raise ValueError(
            f"`net` (a {type(net).__name__}) must have an arithmetic layer in it, such "
            "as `arithmax.equinox.NMU(2, 1, key=key)`."
        )
    return layers
