"""A module in other units of measurement, with a coefficient."""

from typing import Any

from .._extras import extras
from ..networks import check_scale
from ..units import Array

with extras():
    import equinox as eqx
    import jax.numpy as jnp


class ScaledModule(eqx.Module):
    r"""A module whose inputs and outputs are scaled by constants.

    $$ y = c \cdot s_y \cdot f(x / s_x) $$

    It is `arithmax.Scaled` around a module instead of a network. $f$ is `module`, $s_x$
    is `inputs`, $s_y$ is `outputs`, and $c$ is `coefficient`, which is trained and
    starts at 1.

    Args:
        module: the module.
        inputs: what inputs are divided by: a number, or one for each feature.
        outputs: what outputs are multiplied by: a number, or one for each output.
        out_features: how many outputs there are; each has a coefficient.

    Examples:
        >>> import jax, jax.numpy as jnp, arithmax.equinox
        >>> layer = arithmax.equinox.NMU(2, 1, key=jax.random.key(0))
        >>> layer = layer.with_parameters({"W": [[1.0, 1.0]]})
        >>> from arithmax.equinox import ScaledModule
        >>> net = ScaledModule(layer, inputs=[0.001, 1e4], outputs=10.0)
        >>> net(jnp.array([0.002, 3e4])).round(3).tolist()       # 10 · 2 · 3
        [60.0]
    """

    module: Any
    inputs: Any = eqx.field(static=True)
    outputs: Any = eqx.field(static=True)
    coefficient: Array

    def __init__(
        self, module: Any, inputs: Any, outputs: Any, out_features: int = 1
    ) -> None:
        self.module = module
        self.inputs = check_scale("inputs", inputs)
        self.outputs = check_scale("outputs", outputs)
        self.coefficient = jnp.ones(out_features)

    def __call__(self, x: Array, **options: Any) -> Array:
        x = jnp.asarray(x)
        inputs, outputs = (
            jnp.asarray(scale, x.dtype) for scale in (self.inputs, self.outputs)
        )
        y = self.module(x / _over(inputs, x), **options)
        factor = self.coefficient.astype(y.dtype) * outputs
        return _over(factor, y) * y


def _over(scale: Array, x: Array) -> Array:
    """A scale with as many axes as what it scales; a strict JAX adds none itself."""
    return jnp.broadcast_to(scale, x.shape)
