"""The long short-term memory, as a baseline."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from .._arrays import (
    Array,
    Namespace,
    Params,
    align,
    contract,
    full_of,
    move_axis,
    scan_steps,
    sigmoid,
    tanh,
)
from .._inputs import shape_of
from .._network import Network
from .._parameters import Parameter, matrix, prefixed, symmetric
from ._recurrence import Recurrence, parts_of


@dataclass(frozen=True)
class LSTM(Recurrence):
    r"""PyTorch's LSTM with a linear layer on its state, as a baseline.

    $$ i, f, g, o = \sigma, \sigma, \tanh, \sigma \,
       (W_x z_t + b_x + W_h h_{t-1} + b_h) \qquad
       c_t = f \odot c_{t-1} + i \odot g \qquad h_t = o \odot \tanh c_t \qquad
       y_t = W h_t + b $$

    The parameters are `lstm.W_x`, `lstm.W_h`, `lstm.b_x` and `lstm.b_h`, with the gates
    in PyTorch's order $i, f, g, o$, and `out.W` and `out.b`. All start uniform on
    $\pm 1 / \sqrt{hidden}$, as PyTorch's do, and $h_0$ and $c_0$ are 0.

    **Fails** outside the training range, always: its state is bounded, and sums and
    products are not.

    Args:
        hidden: the size of its state, such as 64; it must be given.
        reader: a network that each step is read by; None if the steps are numbers.
        readings: how many numbers the reader gives.
        every_step: whether there are outputs after every step, or after the last.

    Examples:
        >>> import jax, jax.numpy as jnp
        >>> from arithmax import initialise
        >>> from arithmax.networks import LSTM
        >>> params = initialise(LSTM(hidden=8), (10, 1), 10, key=jax.random.key(0))
        >>> params["lstm.W_h"].shape
        (32, 8)
        >>> LSTM(hidden=8).apply(params, jnp.ones((64, 1000, 1))).shape
        (64, 1000)
    """

    title: ClassVar[str] = "LSTM"
    hidden: int = 0  # refused: the size has no default, since it names a run
    reader: Network | None = None
    readings: int = 1
    every_step: bool = True

    def __post_init__(self) -> None:
        self.check_recurrence(hidden=(1, None))

    @property
    def parts(self) -> dict[str, Network]:
        return parts_of(reader=self.reader)

    @property
    def smallest(self) -> tuple[Any, int]:
        step = 1 if self.reader is None else self.reader.smallest[0]
        return (1, *shape_of(step)), 1

    def cell_parameters(self, inputs: int, answers: int) -> dict[str, Parameter]:
        start, gates = symmetric(1 / math.sqrt(self.hidden)), 4 * self.hidden
        lstm = {
            "W_x": matrix(inputs, gates, start),
            "W_h": matrix(self.hidden, gates, start),
            "b_x": Parameter((gates,), start),
            "b_h": Parameter((gates,), start),
        }
        out = {
            "W": matrix(self.hidden, answers, start),
            "b": Parameter((answers,), start),
        }
        return prefixed("lstm", lstm) | prefixed("out", out)

    def cell_features(self, params: Params) -> tuple[int, int] | None:
        return params["lstm.W_x"].shape[1], params["out.W"].shape[0]

    def states(
        self, params: Params, z: Array, xp: Namespace, *, training: bool
    ) -> Array:
        # What the gates make of the readings needs no loop.
        given = contract(params["lstm.W_x"], move_axis(z, 1, 0, xp), xp)
        given = given + align(params["lstm.b_x"] + params["lstm.b_h"], given)

        def step(state: Any, given: Array) -> tuple[Any, Array]:
            h, c = state
            gates = given + contract(params["lstm.W_h"], h, xp)
            i, f, g, o = (gates[k * self.hidden :][: self.hidden] for k in range(4))
            c = sigmoid(f, xp) * c + sigmoid(i, xp) * tanh(g, xp)
            h = sigmoid(o, xp) * tanh(c, xp)
            return (h, c), h

        zero = full_of((self.hidden, *z.shape[2:]), 0.0, (given,), xp)
        return scan_steps(step, (zero, zero), move_axis(given, 1, 0, xp), xp)[1]

    def answers(self, params: Params, states: Array, xp: Namespace) -> Array:
        y = contract(params["out.W"], move_axis(states, 1, 0, xp), xp)
        return move_axis(y + align(params["out.b"], y), 1, 0, xp)

    def last_inputs(
        self, params: Params, z: Array, states: Array, xp: Namespace
    ) -> Array:
        return move_axis(states, 1, 0, xp)
