"""The solved accumulator: a product or a sum, with nothing to learn."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from .._arrays import Namespace, Params, move_axis, namespace, product
from .._checks import check_fields, check_whole, plain
from .._network import Draws, Network
from .._parameters import Parameter
from ..units._operations import REALS, Domain
from ..units._symbolic import Expression, Symbols, times, total


@dataclass(frozen=True)
class Accumulator(Network):
    """Multiplies or adds its inputs: what a unit computes once it is right.

    It has no parameters. In a recurrence it shows what the reader alone can reach:
    `Recurrent(Accumulator("product"), reader=CNN())` is the published reference.

    Args:
        operation: `"product"` or `"sum"`.
        outputs: how many outputs there are; with s of them output j is made of the
            inputs j, j + s, j + 2s, ….

    Examples:
        >>> import numpy as np
        >>> from arithmax.networks import Accumulator
        >>> Accumulator("product").apply({}, np.array([2.0, 3.0, 4.0]))
        array([24.])
        >>> Accumulator("sum", outputs=2).apply({}, np.array([1.0, 2.0, 10.0, 20.0]))
        array([11., 22.])

    Reference:
        A. Madsen and A. R. Johansen, "Neural Arithmetic Units", ICLR 2020.
    """

    title: ClassVar[str] = "Accumulator"
    operation: Literal["product", "sum"] = "product"
    outputs: int = 1

    def __post_init__(self) -> None:
        check_fields(self, {"outputs": (1, None)})

    @property
    def smallest(self) -> tuple[Any, int]:
        return self.outputs, self.outputs

    @property
    def operations(self) -> dict[str, Domain]:
        return {"mul" if self.operation == "product" else "add": REALS}

    def parameters(self, in_features: Any, out_features: int) -> dict[str, Parameter]:
        check_whole("in_features", plain(in_features), 1)
        self._check_inputs(in_features)
        if plain(out_features) != self.outputs:
            raise ValueError(
                f"`out_features` (={out_features}) must be the `outputs` of {self}. "
                f"Use `Accumulator({self.operation!r}, outputs={out_features})`."
            )
        return {}

    def _check_inputs(self, count: int) -> None:
        if count % self.outputs:
            raise ValueError(
                f"`in_features` (={count}) must be a multiple of the `outputs` of "
                f"{self}."
            )

    def compute(
        self,
        params: Params,
        x: Any,
        *,
        training: bool = False,
        noise: Draws | None = None,
        xp: Namespace = None,
    ) -> Any:
        xp = xp or namespace(x)
        self._check_inputs(x.shape[0])
        groups = x.reshape(x.shape[0] // self.outputs, self.outputs, *x.shape[1:])
        if self.operation == "sum":
            return xp.sum(groups, axis=0)
        return product(move_axis(groups, 0, 1, xp), xp)

    def discretise(self, params: Params) -> Params:
        """It is exact as it is."""
        return dict(params)

    def expression(self, params: Params, symbols: Symbols) -> list[Expression]:
        self._check_inputs(len(symbols))
        combine = times if self.operation == "product" else total
        return [combine(symbols[j :: self.outputs]) for j in range(self.outputs)]
