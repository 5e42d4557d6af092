"""A formula as a `torch.nn.Module`."""

from typing import Any

from ..discover import Formula
from ._arguments import check_formula


def torch_module(formula: Formula, *, device: Any = None, dtype: Any = None) -> Any:
    """A module `[..., column]` to `[...]` whose fitted constants can be trained on.

    Constants that were fitted are the parameter `free`, those with a name (½, 3π/4) the
    buffer `exact`, both in the order of `formula.numbers`. Whole exponents and square
    roots are a part of what is computed, so that negative inputs have whole powers.
    Where the formula is undefined the module gives NaN or an infinity.

    Args:
        formula: the formula.
        device: where the constants are.
        dtype: their floating-point format, PyTorch's default if None; in
            `torch.float64` the module computes what `Formula.evaluate` does.

    Returns:
        A `torch.nn.Module`. Its method `fitted` gives the formula with the constants of
        the moment.

    Examples:
        >>> import torch
        >>> from arithmax.readout import parse, torch_module
        >>> energy = torch_module(parse("0.4*m*v**2", ["m", "v"]), dtype=torch.float64)
        >>> energy(torch.tensor([[1.0, 2.0]], dtype=torch.float64)).tolist()
        [1.6]
        >>> energy.load_state_dict({"free": torch.tensor([0.5]), "exact": energy.exact})
        <All keys matched successfully>
        >>> print(energy.fitted())
        0.5*m*v**2
    """
    check_formula(formula)
    from ._torch_module import FormulaModule

    return FormulaModule(formula, device, dtype)
