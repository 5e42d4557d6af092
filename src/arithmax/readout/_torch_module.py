"""The `torch.nn.Module` of a formula; imported where one is asked for."""

from typing import Any

from .._extras import extras
from ..discover import Formula, Number
from ._instructions import carry_out, lowered

with extras():
    import torch
    from torch import Tensor, nn


class FormulaModule(nn.Module):
    """A formula as a module: see `torch_module`."""

    free: nn.Parameter
    exact: Tensor

    def __init__(
        self,
        formula: Formula,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.formula = formula
        self._program = lowered(formula)
        numbers = formula.numbers
        # Each constant is an entry of `free` or of `exact`: which, and where.
        counts = {True: 0, False: 0}
        self._places: list[tuple[bool, int]] = []
        for number in numbers:
            self._places.append((number.free, counts[number.free]))
            counts[number.free] += 1

        def vector(kind: bool) -> Tensor:
            values = [n.value for n in numbers if n.free is kind]
            return torch.tensor(values, device=device, dtype=dtype or _default())

        self.free = nn.Parameter(vector(True))
        self.register_buffer("exact", vector(False))

    def forward(self, x: Tensor) -> Tensor:
        """`[..., column]` to `[...]`."""
        operations = {
            "column": lambda index: x[..., index],
            "number": self._number,
            "whole": lambda value: self.exact.new_tensor(float(value)),
            "add": torch.add,
            "multiply": torch.mul,
            "power": lambda base, k: torch.pow(base, self._number(k)),
            "whole_power": torch.pow,
            "sqrt": torch.sqrt,
            "sin": torch.sin,
            "cos": torch.cos,
            "exp": torch.exp,
            "log": torch.log,
        }
        return carry_out(self._program, operations).expand(x.shape[:-1])

    def _number(self, k: int) -> Tensor:
        free, place = self._places[k]
        return (self.free if free else self.exact)[place]

    def fitted(self) -> Formula:
        """The formula with the constants that the module has now."""
        values = self.free.detach().cpu().double().tolist()
        pairs = zip(self.formula.numbers, self._places, strict=True)
        numbers = [Number(values[i]) if free else n for n, (free, i) in pairs]
        root = self.formula.root.replaced(iter(numbers))
        return Formula(root, self.formula.names)

    def extra_repr(self) -> str:
        return str(self.formula)


def _default() -> Any:
    return torch.get_default_dtype()
