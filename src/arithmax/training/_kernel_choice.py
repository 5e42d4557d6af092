"""Whether a program can be a kernel of a GPU, and why not."""

from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np

from .._arrays import Array, Params, as_kernel
from .._identity import code_of
from ..tasks._task import Split
from ._declared import bind
from ._filled import Unsupported, side
from ._machine import pinned
from ._moment import Numbers
from ._program import Configuration, program
from ._replica import SETS, Training, batch_pieces, numbers_of

# What a step that is no kernel is met with; the last two by a JAX not known yet.
NO_KERNEL = (Unsupported, NotImplementedError, ValueError, TypeError)
NO_KERNEL += (KeyError, AttributeError)
WHOLE = 4096  # the most inputs of a batch that is not computed in pieces


@lru_cache(maxsize=4096)
def kernel_lacks(of: Configuration) -> str:
    """Why the program of a configuration is no kernel; "" if it is one.

    No kernel is compiled: it is looked whether all operations have a rule, and those
    that have one are operations of a GPU.

    Args:
        of: what the program is compiled for.
    """
    task, protocol = of.task, of.protocol
    if len(task.input_shape) > 1:
        return "its inputs have several axes"
    if of.padded:
        return "its network is padded"
    if task.rows("training") is not None or task.shared():
        return "its samples are rows of a table"
    pieces = batch_pieces(of.network, task, protocol)
    with pinned(protocol.precision):
        batch = protocol.batches.count(None)
        if pieces == 1 and side(batch) * side(task.in_features) > WHOLE:
            return "its batch is too large to be computed at once"
        try:
            _trace(of)
        except NO_KERNEL as error:
            return str(error).partition("\n")[0] or type(error).__name__
        # Measured sets are in pieces always; the package's networks are tested.
        own = code_of(of.network, task, protocol)
    if (own or pieces > 1) and not _is_separable(of, pieces):
        return "its samples depend on each other"
    return ""


def _trace(of: Configuration) -> None:
    """Make an interval of one replica, as a GPU is given it."""
    made = program(of, kernel=True, gpu=True)
    given = _kinds_of_block(_numbers(of))
    state = jax.eval_shape(made.start, given)
    step, eligible = np.zeros((), np.uint32), np.ones((), bool)
    jax.eval_shape(made.traced, state, given, {}, {}, step, eligible)


def _numbers(of: Configuration) -> Numbers:
    return numbers_of(of.task, of.protocol, 0)


def _kinds_of_block(numbers: Numbers) -> Numbers:
    return jax.tree.map(lambda v: jax.ShapeDtypeStruct((1, *v.shape), v.dtype), numbers)


def _is_separable(of: Configuration, pieces: int) -> bool:
    """Whether a batch and the measured sets give in pieces what they give whole.

    In double precision: a sum in another order may be far off where numbers cancel.
    """
    protocol = of.protocol.updated(precision="float64")
    things = of.network, of.task, protocol, {}
    training, plain = Training(*things, pieces), Training(*things)
    numbers = numbers_of(of.task, protocol, 0)

    def both(given):
        params = training.start(given).params
        step, error = jnp.uint32(1), jnp.zeros((), training.dtype)
        moment, cut = (one.moment(given, step, error) for one in (plain, training))
        assert cut.pieces is not None
        found = [cut.pieces.compute(params, jnp.uint32(i)) for i in range(pieces)]
        parts = [jnp.concatenate(part, axis=1) for part in zip(*found, strict=True)]
        loss = bind(protocol, given.protocol).loss.value
        mean = sum(loss(*one, moment.now) for one in found) / pieces
        whole = moment.predict(params), moment.target
        pairs = [*zip(whole, parts, strict=True), (loss(*whole, moment.now), mean)]
        return [*pairs, *(_errors(training, params, given, split) for split in SETS)]

    with pinned("float64"), as_kernel():
        pairs = jax.jit(both)(jax.tree.map(jnp.asarray, numbers))
    return all(np.allclose(a, b, rtol=1e-3, equal_nan=True) for a, b in pairs)


def _errors(
    training: Training, params: Params, given: Numbers, split: Split
) -> tuple[Array, Array]:
    """The errors on all pieces of a measured set, of the whole and by themselves."""

    def squared(x, t, i):
        y = training.network.compute(params, x, xp=jnp)
        return jnp.mean((y - t) * (y - t), axis=0)

    whole, squares = training.in_pieces(given, split, squared), training.squares(split)
    count = squares.parts * squares.each
    places = jnp.arange(count, dtype=jnp.uint32)
    each = jax.lax.map(lambda i: squares.value(params, given, i), places)
    return jnp.mean(whole.reshape(count, -1), axis=1), each
