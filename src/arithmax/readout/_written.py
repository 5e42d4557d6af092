"""What a network computes with the parameters it has, as formulas."""

from collections.abc import Mapping, Sequence
from typing import Any

from .._extras import extras
from .._network import Network
from ..discover import Formula
from ._arguments import as_array, column_names
from ._sympy import from_sympy


def written_formulas(
    network: Network, params: Mapping[str, Any], names: Sequence[str] | None = None
) -> list[Formula]:
    """What a network computes, one formula for each output; nothing is rounded.

    Args:
        network: a unit, a stack, or another network with an `expression`.
        params: its parameters by name, arrays of any framework.
        names: the names of the inputs; x1, x2, … if None.

    Examples:
        >>> import numpy as np
        >>> from arithmax import NMU
        >>> from arithmax.readout import written_formulas
        >>> print(*written_formulas(NMU(), {"W": np.array([[1.0, 1.0, 0.0]])}))
        x1*x2
    """
    expressions = expressions_of(network, params, names)
    known = _names(network, params, names)
    return [from_sympy(expression, known) for expression in expressions]


def expressions_of(
    network: Network, params: Mapping[str, Any], names: Sequence[str] | None = None
) -> list[Any]:
    """The same as SymPy expressions of real symbols."""
    with extras():
        import sympy
    known = _names(network, params, names)
    symbols = [sympy.Symbol(name, real=True) for name in known]
    arrays = {name: as_array(value) for name, value in params.items()}
    return network.expression(arrays, symbols)


def _names(network: Network, params: Any, names: Sequence[str] | None) -> Any:
    """The names of the inputs, as many as the parameters are for."""
    arrays = {name: as_array(value) for name, value in params.items()}
    sizes = network.check_parameters(arrays)
    # A sequence has as many inputs as it is long, which parameters do not tell.
    count = None if sizes is None or network.input_axes != 1 else sizes[0]
    if names is not None:
        return column_names(names, count)
    if count is None:
        raise ValueError(
            f"`names` (=None) must be given: the parameters of {network} do not tell "
            "how many inputs it has."
        )
    return tuple(f"x{i + 1}" for i in range(count))
