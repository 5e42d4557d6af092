"""Convolutions and pooling of images, features first: `[channel, row, column, *batch]`.

One formula for all frameworks: a convolution is a matrix product with patches, and
pooling is a maximum of strided slices. The batch is the last axis, over which compilers
vectorise.
"""

from ._arrays import Array, Namespace, align, is_jax


def patches(x: Array, kernel: int, xp: Namespace) -> Array:
    """Every square of `kernel` by `kernel` pixels, as a column of numbers.

    Args:
        x: images `[channel, row, column, *batch]`.
        kernel: rows and columns of a square.
        xp: the array namespace.

    Returns:
        `[channel · kernel², row, column, *batch]`, with `kernel` − 1 fewer rows and
        columns; squares are ordered as the weights of PyTorch's `Conv2d` are.
    """
    if is_jax(xp):
        import jax

        # Otherwise the compiler computes the images anew for each of the slices.
        x = jax.lax.optimization_barrier(x)
    rows, columns = (n - kernel + 1 for n in x.shape[1:3])
    slices = [
        x[:, i : i + rows, j : j + columns]
        for i in range(kernel)
        for j in range(kernel)
    ]
    stacked = xp.stack(slices, axis=1)
    return stacked.reshape(x.shape[0] * kernel**2, *stacked.shape[2:])


def pool(x: Array, xp: Namespace) -> Array:
    """The greatest number of each square of 2 by 2 pixels; an odd last one is dropped.

    Args:
        x: images `[channel, row, column, *batch]`.
        xp: the array namespace.

    Returns:
        `[channel, row // 2, column // 2, *batch]`.
    """
    x = x[:, : x.shape[1] // 2 * 2, : x.shape[2] // 2 * 2]
    columns = xp.maximum(x[:, :, 0::2], x[:, :, 1::2])
    return xp.maximum(columns[:, 0::2], columns[:, 1::2])


def linear_map(w: Array, x: Array, b: Array, xp: Namespace) -> Array:
    """`w` [out, in] times `x` [in, *batch], plus `b` [out]: see `weigh`."""
    y = weigh(w, x, xp)
    return y + align(b, y)


def weigh(w: Array, x: Array, xp: Namespace) -> Array:
    """`w` [out, in] times `x` [in, *batch], as precise as the framework's default.

    Reading an image is no arithmetic that must be exact: on accelerators factors are
    rounded to a shorter format, as PyTorch's convolutions round them.
    """
    return xp.tensordot(w, x, axes=1)
