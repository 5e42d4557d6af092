"""Units whose one weight matrix is held between bounds."""

from typing import ClassVar

from .._arrays import Params, clip, namespace
from ._unit import Unit


class AbstractClipped(Unit):
    """A unit with one matrix `W`, clipped to [least, 1], and a penalty on it."""

    least: ClassVar[float]
    """The least weight; the greatest is 1."""

    @property
    def sparse(self) -> bool:
        return vars(self)["penalty"] is not None

    def project(self, params: Params) -> Params:
        w = params["W"]
        return {"W": clip(w, self.least, 1.0, namespace(w))}

    def weights(self, params: Params) -> Params:
        return self.project(params)

    def encode(self, w, path="product") -> Params:
        return {"W": w}
