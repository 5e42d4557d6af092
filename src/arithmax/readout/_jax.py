"""A formula as a function of JAX arrays."""

from collections.abc import Callable
from typing import Any

from .._extras import extras
from ..discover import Formula
from ._arguments import check_formula
from ._instructions import carry_out, lowered

FUNCTIONS = ("sqrt", "sin", "cos", "exp", "log")


def jax_function(formula: Formula) -> Callable[[Any], Any]:
    """A function `[..., column]` to `[...]` under `jit`, `grad` and `vmap`.

    Constants have the format of the inputs: with 64 bits enabled and inputs in float64
    it computes what `Formula.evaluate` does. Where the formula is undefined it gives
    NaN or an infinity.

    Args:
        formula: the formula.

    Returns:
        A pure function of one array.

    Examples:
        >>> import jax, jax.numpy as jnp
        >>> from arithmax.readout import jax_function, parse
        >>> energy = jax_function(parse("m*v**2/2", ["m", "v"]))
        >>> jax.jit(energy)(jnp.array([[2.0, 3.0]])).tolist()
        [9.0]
        >>> jax.grad(energy)(jnp.array([2.0, 3.0])).tolist()
        [4.5, 6.0]
    """
    check_formula(formula)
    with extras():
        import jax.numpy as jnp

    program = lowered(formula)
    values = [number.value for number in formula.numbers]
    functions = {name: getattr(jnp, name) for name in FUNCTIONS}

    def function(x: Any) -> Any:
        x = jnp.asarray(x)
        if not jnp.issubdtype(x.dtype, jnp.floating):
            x = x.astype(jnp.result_type(float))
        numbers = [jnp.asarray(value, x.dtype) for value in values]
        operations: dict[str, Callable[..., Any]] = {
            "column": lambda index: x[..., index],
            "number": numbers.__getitem__,
            "whole": lambda value: jnp.asarray(value, x.dtype),
            "add": jnp.add,
            "multiply": jnp.multiply,
            "power": lambda base, k: jnp.power(base, numbers[k]),
            "whole_power": lambda base, exponent: base**exponent,
            **functions,
        }
        return jnp.broadcast_to(carry_out(program, operations), x.shape[:-1])

    function.__doc__ = str(formula)
    return function
