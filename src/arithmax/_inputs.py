"""What a network can be given: arrays of one framework, of numbers, without masks."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._arrays import Array, Namespace, Params, is_torch, move_axis, namespace
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


def check_input(
    x: Array, in_features: Any, dtype: Any, xp: Namespace, axes: int = 1, free: int = 0
) -> None:
    """`x` must be floating-point, end in `in_features`, and suit the parameters.

    `in_features` is None where it is not known; `dtype` where there is no parameter.
    The first `free` of the `axes` of an input may have any length of at least 1.
    """
    check_floating("x", x, xp)
    if axes == 1 and in_features is not None:
        if x.ndim == 0 or x.shape[-1] != in_features:
            raise ValueError(
                f"`x` (shape {tuple(x.shape)}) must have {in_features} features on its "
                "last axis."
            )
    elif x.ndim < axes or not _ends_in(tuple(x.shape[-axes:]), in_features, free):
        sizes = shape_of(in_features or ())[free:]
        words = (*("any",) * free, *map(str, sizes))
        shape = f" of the shape ({', '.join(words)})" if sizes else ""
        long = ", and have a step or more" if 0 in x.shape[-axes:][:free] else ""
        raise ValueError(
            f"`x` (shape {tuple(x.shape)}) must end in the {axes} axes of an "
            f"input{shape}{long}."
        )
    # NumPy and JAX promote mixed dtypes; PyTorch's matrix product fails obscurely.
    if is_torch(xp) and dtype not in (None, x.dtype) and not _autocast(x):
        raise TypeError(
            f"`x` (dtype {x.dtype}) must have the dtype of the parameters ({dtype}). "
            f"Convert one of them, for example with `x.to({dtype})`."
        )


def _ends_in(shape: tuple[int, ...], in_features: Any, free: int) -> bool:
    """Whether a shape is that of an input, but for its first `free` lengths."""
    fits = in_features is None or shape[free:] == shape_of(in_features)[free:]
    return fits and 0 not in shape[:free]


def _autocast(x: Array) -> bool:
    import torch

    return torch.is_autocast_enabled(x.device.type)


def check_axes(network: Any, params: Params, declared: Params) -> None:
    """Names and numbers of axes must be those that a network declares."""
    check_names(params)
    if set(params) != set(declared):
        raise ValueError(
            f"`params` has the names {sorted(params)}, but {network} has the "
            f"parameters {sorted(declared)}."
        )
    for name, parameter in declared.items():
        if params[name].ndim != len(parameter.shape):
            raise ValueError(
                f"`params[{name!r}]` has the shape {tuple(params[name].shape)}, "
                f"but must have {len(parameter.shape)} axes."
            )


def check_shapes(network: Any, params: Params, sizes: tuple[Any, int]) -> None:
    """Shapes must be those that a network of these sizes declares."""
    for name, parameter in network.parameters(*sizes).items():
        if tuple(params[name].shape) != parameter.shape:
            raise ValueError(
                f"`params[{name!r}]` has the shape {tuple(params[name].shape)}, "
                f"but {network} with {sizes[0]} inputs and {sizes[1]} outputs needs "
                f"{parameter.shape}."
            )


def check_noise(network: Any, noise: Any, declared: tuple[Any, ...]) -> None:
    """`noise` must be one array for each piece that a network declares."""
    fits = isinstance(noise, tuple) and len(noise) == len(declared)
    if not fits or not all(hasattr(n, "ndim") for n in noise):
        shapes = ", ".join(str(piece.shape) for piece in declared) or "none"
        raise TypeError(
            f"`noise` (={shown(noise)}) must be a tuple with one array for each piece "
            f"that {network} declares; their shapes are {shapes}."
        )
    for piece, value in zip(declared, noise, strict=True):
        last = tuple(value.shape[value.ndim - len(piece.shape) :])
        if last != piece.shape:
            raise ValueError(
                f"`noise` (shape {tuple(value.shape)}) must end in {piece.shape}, as "
                f"{network} declares it."
            )


def features_first(x: Array, axes: int, xp: Namespace) -> Array:
    """`x` [*batch, *shape] as [*shape, samples], where `shape` has so many axes."""
    if axes == 1:
        rows = x if x.ndim == 2 else x.reshape(-1, x.shape[-1])
        return rows.T
    return move_axis(x.reshape(-1, *x.shape[-axes:]), 0, -1, xp)


def in_features_of(x: Array, axes: int) -> Any:
    """The `in_features` of inputs `x` [*batch, *in]."""
    return x.shape[-1] if axes == 1 else tuple(x.shape[-axes:])


def shape_of(in_features: Any) -> tuple[int, ...]:
    """The shape of one input."""
    return (in_features,) if isinstance(in_features, int) else tuple(in_features)
