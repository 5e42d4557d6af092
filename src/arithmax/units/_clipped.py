"""Units whose one weight matrix is held between bounds."""

from typing import ClassVar

from .._arrays import Array, Params, clip, namespace
from ._penalties import Shape, sparsity_penalty
from ._unit import Unit


class AbstractClipped(Unit):
    """A unit with one matrix `W`, clipped to [least, 1], and a penalty on it."""

    least: ClassVar[float]
    """The least weight; the greatest is 1."""
    regulariser: Shape
    """What the penalty on `W` is."""

    @property
    def sparse(self) -> bool:
        return self.regulariser is not None

    def penalty(self, params: Params) -> Array:
        return sparsity_penalty(self.regulariser, params["W"], self.least < 0)

    def project(self, params: Params) -> Params:
        w = params["W"]
        return {"W": clip(w, self.least, 1.0, namespace(w))}

    def weights(self, params: Params) -> Params:
        return self.project(params)

    def encode(self, w, path="product") -> Params:
        return {"W": w}
