"""What a unit can be given: arrays of one framework, of numbers, without masks."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._arrays import Array, Namespace, Params, is_torch, namespace
from ._checks import shown


def check_names(params: Any) -> None:
    """`params` must be arrays by name."""
    if not isinstance(params, Mapping):
        raise TypeError(
            f"`params` (={shown(params)}) must be a dictionary of arrays by name, as "
            "`arithmax.initialise` gives it."
        )
    for name, value in params.items():
        check_array(f"params[{name!r}]", value)


def check_array(name: str, value: Any) -> None:
    """`value` must be an array."""
    if not hasattr(value, "ndim") or not hasattr(value, "dtype"):
        raise TypeError(
            f"`{name}` (={shown(value)}) must be an array of NumPy, JAX or PyTorch. "
            "Convert it, for example with `numpy.asarray`."
        )
    check_plain(name, value)


def check_plain(name: str, value: Any) -> None:
    """An array whose formulas mean something else is refused: masks, matrices."""
    if isinstance(value, np.ma.MaskedArray | np.matrix):
        raise TypeError(
            f"`{name}` (a {type(value).__name__}) must be a plain array: a unit would "
            "ignore its mask or its products. Drop or fill masked entries, or convert "
            "it with `numpy.asarray`."
        )


def common_namespace(params: Params, x: Array) -> Namespace:
    """The array namespace of parameters and inputs, which must be plain arrays."""
    check_names(params)
    check_array("x", x)
    return namespace(x, *params.values())


def check_floating(name: str, value: Array, xp: Namespace) -> None:
    """An array must be of floating-point numbers."""
    if not xp.isdtype(value.dtype, "real floating"):
        raise TypeError(
            f"`{name}` (dtype {value.dtype}) must be floating-point. Convert it, for "
            "example with `x.astype('float32')` or `x.float()`."
        )


def check_input(x: Array, in_features: int, dtype: Any, xp: Namespace) -> None:
    """`x` must be floating-point, end in `in_features`, and suit the parameters."""
    check_floating("x", x, xp)
    if x.ndim == 0 or x.shape[-1] != in_features:
        raise ValueError(
            f"`x` (shape {tuple(x.shape)}) must have {in_features} features on its "
            "last axis."
        )
    # NumPy and JAX promote mixed dtypes; PyTorch's matrix product fails obscurely.
    if is_torch(xp) and x.dtype != dtype and not _autocast(x):
        raise TypeError(
            f"`x` (dtype {x.dtype}) must have the dtype of the parameters ({dtype}). "
            f"Convert one of them, for example with `x.to({dtype})`."
        )


def _autocast(x: Array) -> bool:
    import torch

    return torch.is_autocast_enabled(x.device.type)
