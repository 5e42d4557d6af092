"""A unit, or another network, as an `equinox.Module`."""

from collections.abc import Mapping, Sequence
from typing import Any

from jaxtyping import PRNGKeyArray

from .._extras import extras
from .._inputs import check_plain
from .._layers import check_unit
from .._network import Network
from ..readout import Reading, expressions_of, readout
from ..units import Array, Hazard, Params

with extras():
    import equinox as eqx
    import jax
    import jax.numpy as jnp

    from ..training._initialise import draw, initialise


class Layer(eqx.Module):
    """A unit, or another network, with its parameters.

    As in `equinox.nn.Dropout`, `inference` says whether the layer is being used or
    trained, and `equinox.nn.inference_mode` switches it; this matters to the units that
    compute something else while they are trained (sNMU, NRU, NMRU).

    Args:
        unit: the unit or network.
        in_features: how many inputs it has; a shape, where an input has several axes.
        out_features: how many outputs it has.
        key: a JAX random key for the parameters.
        dtype: their floating-point format; JAX's default if None.
        inference: whether the layer is used rather than trained.

    Examples:
        >>> import jax, jax.numpy as jnp, arithmax.equinox
        >>> layer = arithmax.equinox.NMU(2, 1, key=jax.random.key(0))
        >>> layer = layer.with_parameters({"W": [[1.0, 1.0]]})
        >>> layer(jnp.array([-300.0, 20.0])).tolist()
        [-6000.0]
    """

    params: Params
    unit: Network = eqx.field(static=True)
    in_features: Any = eqx.field(static=True)
    out_features: int = eqx.field(static=True)
    inference: bool

    def __init__(
        self,
        unit: Network,
        in_features: Any,
        out_features: int,
        *,
        key: PRNGKeyArray,
        dtype: Any = None,
        inference: bool = False,
    ) -> None:
        check_unit(unit)
        self.unit, self.inference = unit, inference
        self.in_features, self.out_features = in_features, out_features
        self.params = initialise(unit, in_features, out_features, key=key, dtype=dtype)

    def __call__(self, x: Array, *, key: PRNGKeyArray | None = None) -> Array:
        """[..., in] to [..., out]; `key` is for units that need noise in training."""
        check_plain("x", x)
        x, noise = jnp.asarray(x), None
        if not self.inference and self.unit.noise(self.in_features):
            noise = self._drawn(x, key)
        return self.unit.apply(self.params, x, training=not self.inference, noise=noise)

    def _drawn(self, x: Array, key: PRNGKeyArray | None) -> tuple[Array, ...]:
        """The noise that the network declares, for inputs `x` [*batch, *in]."""
        if key is None:
            raise ValueError(
                f"`key` (=None) must be given while {self.unit} is trained. Pass "
                "one, or switch to `equinox.nn.inference_mode`."
            )
        pieces = self.unit.noise(self.in_features)
        keys = [key] if len(pieces) == 1 else jax.random.split(key, len(pieces))
        batch = x.shape[: x.ndim - self.unit.input_axes]
        shapes = [(*batch, *p.shape) if p.each_sample else p.shape for p in pieces]
        return tuple(
            draw(piece.distribution, shape, key=k, dtype=x.dtype)
            for piece, shape, k in zip(pieces, shapes, keys, strict=True)
        )

    def with_parameters(self, params: Mapping[str, Any]) -> "Layer":
        """This layer with other parameters, taken by name from arrays of any kind."""
        for name, value in params.items():
            check_plain(f"params[{name!r}]", value)
        arrays = {
            name: jnp.asarray(
                value.detach().cpu().double().numpy()
                if hasattr(value, "detach")
                else value,
                dtype=next(iter(self.params.values())).dtype,
            )
            for name, value in params.items()
        }
        self.unit.check_parameters(arrays, (self.in_features, self.out_features))
        return eqx.tree_at(lambda layer: layer.params, self, arrays)

    def penalty(self) -> Array:
        """The unit's regulariser, without its strength."""
        return self.unit.penalty(self.params)

    def project(self) -> "Layer":
        """This layer under the unit's hard constraint; call it after each step."""
        projected = self.unit.project(self.params)
        return eqx.tree_at(lambda layer: layer.params, self, projected)

    def sparsity_error(self) -> Array:
        """The distance of the worst weight from −1, 0 and 1."""
        return self.unit.sparsity_error(self.params)

    def weights(self) -> Params:
        """The effective weight matrices."""
        return self.unit.weights(self.params)

    def diagnose(self, x: Array) -> dict[Hazard, Array]:
        """Which inputs the layer silently gets wrong, and why."""
        return self.unit.diagnose(self.params, x)

    def expression(self, names: Sequence[str] | None = None) -> list[Any]:
        """What the layer computes, one SymPy expression for each output.

        Weights are taken as they are: `discretise` a layer first to see whole ones.

        Args:
            names: the names of the inputs; x1, x2, … if None.
        """
        return expressions_of(self.unit, self.params, names)

    def discretise(self) -> "Layer":
        """This layer at the nearest parameters at which the unit is exact."""
        whole = self.unit.discretise(self.params)
        return eqx.tree_at(lambda layer: layer.params, self, whole)

    def readout(self, x: Any, y: Any, **options: Any) -> Reading:
        """The formula that the layer has learned: see `arithmax.readout.readout`.

        Args:
            x: inputs [row, column] on which it is judged.
            y: their targets [row].
            options: names of columns, and the other options of `readout`.
        """
        return readout(self.unit, self.params, x, y, **options)
