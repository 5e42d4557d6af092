"""The array operations whose slopes or speed the frameworks do not agree on.

Every unit is written once, in the functions that the array API gives to NumPy, JAX
and PyTorch alike. The few that differ live here. Where an argument ties with a bound
the frameworks disagree about the derivative; we pin the one of the PyTorch that the
papers used, because published runs project weights onto their bounds after each step
and so meet ties all the time.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, TypeAlias

from array_api_compat import array_namespace

from ._extras import extras

# An array of NumPy, JAX or PyTorch; the array API has no common base class.
Array: TypeAlias = Any
Namespace: TypeAlias = Any
Params: TypeAlias = dict[str, Array]
LONG = 32  # features from which a matrix product pays on an accelerator
FEW = 2  # outputs of which a CPU computes the slopes one by one
UNROLLED = 16  # the most steps of a sequence that are compiled one by one


def namespace(*arrays: Array) -> Namespace:
    """The array-API namespace of `arrays`, which must all be of one framework."""
    try:
        return array_namespace(*arrays)
    except TypeError:
        kinds = sorted({f"{type(a).__module__}.{type(a).__name__}" for a in arrays})
        raise TypeError(
            "the input and the parameters must be arrays of one framework (NumPy, JAX "
            f"or PyTorch), but they are {', '.join(kinds)}. Convert them with "
            "`numpy.asarray`, `jax.numpy.asarray` or `torch.as_tensor`."
        ) from None


def is_jax(xp: Namespace) -> bool:
    """Whether a namespace is JAX's; by name, which compilers can trace."""
    return xp.__name__.startswith("jax.")


def is_torch(xp: Namespace) -> bool:
    """Whether a namespace is PyTorch's."""
    return xp.__name__.endswith("torch")


# Whether what is computed is a part of a kernel, which suits no CPU.
_KERNEL: ContextVar[bool] = ContextVar("kernel", default=False)


@contextmanager
def as_kernel() -> Iterator[None]:
    """Formulas are written as they suit a kernel, whatever the machine is."""
    before = _KERNEL.set(True)
    try:
        yield
    finally:
        _KERNEL.reset(before)


def _on_cpu() -> bool:
    """Whether JAX computes on a CPU."""
    import jax

    return jax.default_backend() == "cpu" and not _KERNEL.get()


def clip(x: Array, low: float, high: float, xp: Namespace) -> Array:
    """`x` limited to [low, high], with slope 1 at the bounds and 0 outside them."""
    return xp.where(x < low, low, xp.where(x > high, high, x))


def absolute(x: Array, xp: Namespace) -> Array:
    """|x|, with slope 0 at zero."""
    return x * xp.sign(x) if is_jax(xp) else xp.abs(x)


def sign(x: Array, xp: Namespace) -> Array:
    """−1, 0 or 1."""
    # array-api-compat's own looks for NaN in a way that PyTorch's vmap refuses.
    return x.sign() if is_torch(xp) else xp.sign(x)


def relu(x: Array, xp: Namespace) -> Array:
    """max(x, 0), with slope 0 at zero."""
    return xp.where(x <= 0, xp.zeros_like(x), x)  # so that NaN stays NaN


def tanh(x: Array, xp: Namespace) -> Array:
    """tanh(x), rounded as PyTorch rounds it, with the slope 1 − tanh².

    XLA's float32 tanh is exactly ±1 from |x| ≈ 8, PyTorch's from 9.01. There the slope
    is zero and a weight is frozen, so that it matters where it begins: NAC weights of a
    small layer start up to 9.47.
    """
    if not is_jax(xp):
        return xp.tanh(x)
    return _jax_tanh()(x)


@cache
def _jax_tanh() -> Any:
    import jax
    import jax.numpy as jnp

    @jax.custom_jvp
    def accurate(x):
        far = absolute(x, jnp) > 4
        size = jnp.where(far, absolute(x, jnp), jnp.full_like(x, 4))
        return jnp.where(
            far, jnp.sign(x) * (1 - 2 / (jnp.exp(2 * size) + 1)), jnp.tanh(x)
        )

    @accurate.defjvp
    def _(primals, tangents):
        y = accurate(*primals)
        return y, (1 - y * y) * tangents[0]

    return accurate


def sigmoid(x: Array, xp: Namespace) -> Array:
    """1 / (1 + exp(-x)), accurate in both tails."""
    if is_jax(xp):
        import jax

        return jax.nn.sigmoid(x)
    if is_torch(xp):
        return xp.sigmoid(x)
    small = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, 1 / (1 + small), small / (1 + small))


def softmax(x: Array, axis: int, xp: Namespace) -> Array:
    """exp(x) divided by its sum over `axis`."""
    exponentials = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    return exponentials / xp.sum(exponentials, axis=axis, keepdims=True)


def stop_gradient(x: Array, xp: Namespace) -> Array:
    """`x` as a constant: no derivative flows through it."""
    if is_jax(xp):
        import jax

        return jax.lax.stop_gradient(x)
    return x.detach() if is_torch(xp) else x


def align(v: Array, x: Array) -> Array:
    """`v` with trailing axes of length 1 added until it has as many axes as `x`."""
    return v.reshape(v.shape + (1,) * (x.ndim - v.ndim))


def move_axis(x: Array, source: int, destination: int, xp: Namespace) -> Array:
    """`x` with one axis moved elsewhere."""
    # PyTorch's vmap has no rule for the name that the array API gives it.
    if is_torch(xp):
        return x.movedim(source, destination)
    return xp.moveaxis(x, source, destination)


def contract(w: Array, x: Array, xp: Namespace) -> Array:
    """Sum over features: `w` is [out, in], `x` is [in, *batch]; gives [out, *batch].

    A matrix product, except in JAX on an accelerator, where multiplying and summing is
    faster for the short axes of most arithmetic units.
    """
    if is_jax(xp):
        if not _on_cpu() and w.shape[1] < LONG:
            return xp.sum(spread(w, x) * x[None], axis=1)
        if _on_cpu() and x.ndim == 2 and w.shape[0] <= FEW:
            return _product_of_few()(w, x)
        # Otherwise accelerators round what they multiply to a shorter format.
        return xp.tensordot(w, x, axes=1, precision="highest")
    return w @ x if x.ndim <= 2 else xp.tensordot(w, x, axes=1)


@cache
def _product_of_few() -> Any:
    """A matrix product whose derivative by the weights is a product for each output.

    XLA multiplies two rows with a matrix that is read along its last axis, as the
    derivative does, half as fast as one row after the other.
    """
    import jax
    import jax.numpy as jnp

    @jax.custom_jvp
    def multiplied(w, x):
        return jnp.matmul(w, x, precision="highest")

    @multiplied.defjvp
    def _(primals, tangents):
        (w, x), (dw, dx) = primals, tangents
        by_w = jnp.stack([jnp.matmul(row, x, precision="highest") for row in dw])
        return multiplied(w, x), by_w + multiplied(w, dx)

    return multiplied


def spread(w: Array, x: Array, xp: Namespace = None) -> Array:
    """`w` [out, in] with an axis for each batch axis of `x`, to multiply it with `x`.

    In JAX on a CPU it is an outer product with ones: its derivative is then a matrix
    product, where that of a broadcast is a sum over the batch which the compiler does
    not vectorise (three times slower for an NMU of two inputs).
    """
    if xp is not None and is_jax(xp) and x.ndim == 2 and _on_cpu():
        ones = xp.ones((1, x.shape[1]), x.dtype)
        spread_out = xp.matmul(w.reshape(-1, 1), ones, precision="highest")
        return spread_out.reshape(*w.shape, x.shape[1])
    return w.reshape(w.shape + (1,) * (x.ndim - 1))


def product(factors: Array, xp: Namespace) -> Array:
    """Product over the second axis of `factors` [out, in, *batch].

    JAX differentiates short unrolled products far faster than `prod`, and PyTorch's
    compiler reduces over the last axis three times as fast as over another.
    """
    count = factors.shape[1]
    if is_jax(xp) and count <= (32 if _KERNEL.get() else 16):  # a kernel has no `prod`
        result = factors[:, 0]
        for i in range(1, count):
            result = result * factors[:, i]
        return result
    if is_torch(xp):
        return xp.prod(factors.movedim(1, -1), axis=-1)
    return xp.prod(factors, axis=1)


def constants(values: tuple[float, ...], like: Array, xp: Namespace) -> Array:
    """Numbers as an array of the framework, format and device of another."""
    if is_torch(xp):
        return like.new_tensor(values)
    return xp.asarray(values, dtype=like.dtype)


def full_of(
    shape: tuple[int, ...], value: float, like: tuple[Array, ...], xp: Namespace
) -> Array:
    """An array of one number, in the format that arrays `like` are computed in."""
    if is_torch(xp):
        return like[0].new_full(shape, value)
    return xp.full(shape, value, dtype=xp.result_type(*like))


def scan_steps(
    step: Callable[[Any, Array], tuple[Any, Array]],
    state: Any,
    xs: Array,
    xp: Namespace,
) -> tuple[Any, Array]:
    """A step after the other over the first axis of `xs`, each given what it left.

    A short sequence is a Python loop, which a compiler merges with what is around it.
    In JAX a long one is a `jax.lax.scan`, whose one step is compiled once: the time to
    compile a loop grows with its length.

    Args:
        step: from a state and one `x` to the next state and one output.
        state: the first state: an array, or a tuple of them.
        xs: what the steps are given, `[steps, ...]`.
        xp: the array namespace.

    Returns:
        The last state, and all outputs `[steps, ...]`.
    """
    if is_jax(xp) and xs.shape[0] > UNROLLED:
        import jax

        return jax.lax.scan(step, state, xs)
    outputs = []
    for t in range(xs.shape[0]):
        state, y = step(state, xs[t])
        outputs.append(y)
    return state, xp.stack(outputs)


def normal_quantile(u: Array, xp: Namespace) -> Array:
    """The quantiles of the standard normal distribution, finite at 0 and 1 too."""
    tiny = float(xp.finfo(u.dtype).eps) / 2
    u = u * (1 - tiny) + tiny / 2
    if is_jax(xp):
        import jax

        return jax.scipy.special.ndtri(u)
    if is_torch(xp):
        import torch

        return torch.special.ndtri(u)
    with extras():
        from scipy.special import ndtri

    return ndtri(u)


def beta_quantile(a: float, b: float, u: Array, xp: Namespace) -> Array:
    """The quantiles of Beta(a, b) on [0, 1]."""
    if is_jax(xp):
        return _jax_beta_quantile(a, b, u)
    with extras():
        from scipy.special import betaincinv

    if is_torch(xp):
        return u.new_tensor(betaincinv(a, b, u.detach().cpu().numpy()))
    return betaincinv(a, b, u).astype(u.dtype)


def _jax_beta_quantile(a: float, b: float, u: Array) -> Array:
    """JAX has the distribution function alone, which is inverted by bisection."""
    import jax
    import jax.numpy as jnp

    def halve(_, ends):
        low, high = ends
        middle = (low + high) / 2
        below = jax.scipy.special.betainc(a, b, middle) < u
        return jnp.where(below, middle, low), jnp.where(below, high, middle)

    bits = jnp.finfo(u.dtype).nmant + 2
    ends = jnp.zeros_like(u), jnp.ones_like(u)
    low, high = jax.lax.fori_loop(0, bits, halve, ends)
    return (low + high) / 2
