"""Whether a program can be a kernel of a GPU, and why not."""

from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np

from .._arrays import as_kernel
from ._filled import Unsupported, side
from ._machine import pinned
from ._moment import Numbers
from ._program import Configuration, program
from ._replica import Training, batch_pieces, numbers_of

WHOLE = 4096  # the most inputs of a batch that is not computed in pieces


@lru_cache(maxsize=4096)
def kernel_lacks(of: Configuration) -> str:
    """Why the program of a configuration is no kernel; "" if it is one.

    Nothing is compiled: it is looked whether all operations have a rule, and those that
    have one are operations of a GPU.

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
        if pieces > 1 and not _is_separable(of, pieces):
            return "its samples depend on each other"
        batch = protocol.batches.count(None)
        if pieces == 1 and side(batch) * side(task.in_features) > WHOLE:
            return "its batch is too large to be computed at once"
        try:
            _trace(of)
        except (Unsupported, NotImplementedError, ValueError, TypeError) as error:
            return str(error).partition("\n")[0] or type(error).__name__
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
    """Whether a batch in pieces has the predictions and targets of the whole one."""
    training = Training(of.network, of.task, of.protocol, {}, pieces)
    given = jax.tree.map(jnp.asarray, _numbers(of))

    def both(given):
        params = training.start(given).params
        step, error = jnp.uint32(1), jnp.zeros((), training.dtype)
        moment = training.moment(given, step, error)
        assert moment.pieces is not None
        found = [moment.pieces.compute(params, jnp.uint32(i)) for i in range(pieces)]
        cut = tuple(jnp.concatenate(part, axis=1) for part in zip(*found, strict=True))
        return (moment.predict(params), moment.target), cut

    with as_kernel():
        whole, cut = jax.jit(both)(given)
    pairs = zip(whole, cut, strict=True)
    return all(np.allclose(a, b, rtol=1e-3, equal_nan=True) for a, b in pairs)
