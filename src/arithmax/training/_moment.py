"""The typed structures of training: a replica's numbers, its state, and one moment."""

from collections.abc import Callable
from typing import Any, NamedTuple

from .._arrays import Array, Params


class Padding(NamedTuple):
    """What a padded replica needs besides: which of its weights are no padding.

    `live` has a mask for each parameter, `ratio` says by how much a mean over all
    weights is too small, `start` are its first parameters (with `()` before they are
    drawn).
    """

    live: Params
    ratio: Any
    start: Any = ()


class Numbers(NamedTuple):
    """All numbers of one replica; in a block, each with a replica axis first."""

    seed: Any
    task: dict[str, Any]
    protocol: dict[str, Any]
    padding: Padding | None = None


class Pieces(NamedTuple):
    """A batch in pieces of equal size, where it is not to be in memory as a whole.

    Args:
        pieces: how many pieces there are.
        compute: the predictions of parameters and the targets of a piece, by number.
    """

    pieces: int
    compute: Callable[[Params, Array], tuple[Array, Array]]


class Moment(NamedTuple):
    """What a step, a penalty, a transform or a restart rule may look at.

    Args:
        step: how many steps were taken before, as a whole number.
        now: the same as a floating-point number.
        predict: the predictions [out, batch] of parameters.
        target: the targets [out, batch].
        error: the interpolation error as last measured.
        roles: the role that the network declares for each parameter.
        padding: the padding of the replica, if any.
        observe: the predictions with the inputs of the network's last unit.
        inputs: those inputs [in, batch], where a penalty looks at them.
        pieces: the batch in pieces, where it is computed so.
    """

    step: Array
    now: Array
    predict: Callable[[Params], Array]
    target: Array
    error: Array
    roles: dict[str, str]
    padding: Padding | None
    observe: Callable[[Params], tuple[Array, Array]] | None = None
    inputs: Array | None = None
    pieces: Pieces | None = None

    def seen(self, params: Params) -> tuple[Array, "Moment"]:
        """The predictions, and the moment with the inputs that led to them."""
        assert self.observe is not None
        y, inputs = self.observe(params)
        return y, self._replace(inputs=inputs)


class Restarts(NamedTuple):
    """How often a replica was drawn afresh, and what its rule remembers."""

    count: Array
    memory: Any


class State(NamedTuple):
    """What a replica carries from step to step."""

    params: Params
    optimiser: Any
    best: Params
    best_error: Array
    restarts: Restarts | tuple[()]
