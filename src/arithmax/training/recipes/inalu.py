"""iNALU (Schlör et al., 2020): how its authors train it, and how the Primer does.

The authors move gates and weights in turns, give the penalty a step of its own once the
loss is small, and draw all parameters afresh where the loss stalls. Their code runs in
TensorFlow, where a parameter has one state of the optimiser in all steps. All of this
is composed of what the package has for every network.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from ..._network import Network
from ...networks import Stack
from ...tasks import Functions, SingleModule
from ...units import INALU, Normal, Uniform
from .._compositions import COMPOSITIONS, Composition
from .._declared import FROM_ZERO, compiled, traced
from .._optimisers import RMSProp
from .._parts import Batches, Measuring
from .._penalties import PENALTIES, Penalty, without_padding
from .._protocol import Protocol
from .._restarts import RESTARTS, Restart
from .._schedules import ramp
from .._transforms import TRANSFORMS, ClipValue, Transform
from . import npu, recipe
from .primer import base

HALF_EPOCH = 500  # losses are stored in such pieces, of which halves are compared


@dataclass(frozen=True)
class Alternate(Transform):
    """Gates and weights move in turns: of each ten steps, gates have the last ones."""

    gates: int = compiled(2, (1, 9))
    """In how many of ten steps gates move."""

    def apply(self, gradient, moment):
        import jax.numpy as jnp

        return {
            name: jnp.where(self.has_turn(moment, name), g, jnp.zeros_like(g))
            for name, g in gradient.items()
        }

    def has_turn(self, moment: Any, name: str) -> Any:
        """Whether a parameter moves at this step."""
        import jax.numpy as jnp

        gates = (moment.step % jnp.uint32(10)) >= jnp.uint32(10 - self.gates)
        return gates == (moment.roles[name] == "gate")


@dataclass(frozen=True)
class PenaltyOnceBelow(Penalty):
    """iNALU's penalty, from a step on, where the loss is below a limit."""

    strength: float = traced(0.05)
    """Its strength."""
    start: int = traced(10_000, FROM_ZERO)
    """The step from which on it applies."""
    below: float = traced(1.0)
    """The loss below which it applies."""
    loss_of: Literal["batch", "validation"] = compiled("batch")
    """Which loss: that of the batch, or the interpolation error as last measured."""
    of: Literal["unit", "all"] = compiled("unit")
    """Whether it is the network's penalty, or iNALU's of any parameters."""

    def strength_at(self, moment, loss):
        import jax
        import jax.numpy as jnp

        strength = self.strength * ramp(moment.now, self.start, self.start)
        seen = moment.error if self.loss_of == "validation" else loss
        applies = jax.lax.stop_gradient(seen) < self.below
        return jnp.where(applies, strength, jnp.zeros_like(strength))

    def value(self, network, params, moment):
        whose = INALU() if self.of == "all" else network
        return without_padding(whose.penalty(params), moment)


@dataclass(frozen=True)
class PenaltyApart(Composition):
    """A step down the loss, then one down the first penalty, each with its state."""

    def check_protocol(self, protocol):
        _check_penalties(protocol)

    def build(self, network, protocol):
        from .._step import alone, chain, descend, whole

        penalty, *joined = protocol.penalties
        optimiser, transforms = protocol.optimiser, protocol.transforms
        loss = whole(network, protocol.loss, joined)
        return chain(
            descend(optimiser, loss, transforms),
            descend(optimiser, alone(network, penalty), transforms),
        )


@dataclass(frozen=True)
class TensorFlowSlots(Composition):
    """The same two steps with one state for each parameter, as TensorFlow has it.

    It rests while the parameter does, and the penalty moves gates and weights alike.
    """

    def check_protocol(self, protocol):
        _check_penalties(protocol)

    def build(self, network, protocol):
        from .._step import alone, descend, rest, share, whole

        penalty, *joined = protocol.penalties
        turns = [t for t in protocol.transforms if isinstance(t, Alternate)]
        others = [t for t in protocol.transforms if not isinstance(t, Alternate)]
        loss = whole(network, protocol.loss, joined)

        def has_turn(moment, before, name):
            moves = True
            for turn in turns:
                moves = moves & turn.has_turn(moment, name)
            return moves

        def applies(moment, before, name):
            return penalty.strength_at(moment, before) > 0

        first = descend(protocol.optimiser, loss, [*others, *turns])
        second = descend(protocol.optimiser, alone(network, penalty), others)
        return share(rest(first, has_turn), rest(second, applies))


def _check_penalties(protocol: Protocol) -> None:
    if not protocol.penalties:
        raise ValueError(
            f"`penalties` (=()) must have one for `composition` "
            f"(={protocol.composition!r}), which gives the first of them a step of its "
            "own. Give one, such as `(UnitPenalty(),)`, or use `Joint()`."
        )


class Losses(NamedTuple):
    """Sums of losses and of their squares since a step, in pieces of half an epoch."""

    since: Any
    sums: Any
    squares: Any


@dataclass(frozen=True)
class HalvesOfLosses(Restart):
    """When the later half of all losses is no better than the earlier one."""

    patience: int = traced(10_000, FROM_ZERO)
    """How many losses there must be."""
    above: float = traced(1.0)
    """Only while the mean of the later half is above this."""
    loss_of: Literal["batch", "validation"] = compiled("batch")
    """Which loss: that of the batch, or the interpolation error as last measured."""
    redraw: Literal["uniform", "start"] = compiled("uniform")
    """How: every parameter uniform on [−2, 2], or as at the start."""
    keep_optimiser: bool = compiled(False)
    """Whether the optimiser goes on with the state that it has."""

    whole_run: ClassVar[bool] = True

    @property
    def keeps_optimiser(self) -> bool:
        return self.keep_optimiser

    def remember(self, steps, since, dtype):
        import jax.numpy as jnp

        zeros = jnp.zeros((steps // HALF_EPOCH + 1,), dtype)
        return Losses(since, zeros, zeros)

    def watch(self, memory, loss, moment):
        import jax.numpy as jnp

        loss = moment.error if self.loss_of == "validation" else loss
        piece = (moment.step - memory.since) // jnp.uint32(HALF_EPOCH)
        sums = memory.sums.at[piece].add(loss)
        return Losses(memory.since, sums, memory.squares.at[piece].add(loss * loss))

    def is_due(self, memory, step):
        import jax.numpy as jnp

        stored = step + jnp.uint32(1) - memory.since
        half = stored // jnp.uint32(2 * HALF_EPOCH)
        index = jnp.arange(memory.sums.shape[0], dtype=jnp.uint32)
        count = jnp.maximum(half * jnp.uint32(HALF_EPOCH), jnp.uint32(1))
        count = count.astype(memory.sums.dtype)
        first = jnp.sum(jnp.where(index < half, memory.sums, 0.0)) / count
        later = (index >= half) & (index < 2 * half)
        second = jnp.sum(jnp.where(later, memory.sums, 0.0)) / count
        square = jnp.sum(jnp.where(later, memory.squares, 0.0)) / count
        deviation = jnp.sqrt(jnp.maximum(square - second * second, 0.0))
        enough = stored.astype(count.dtype) >= self.patience
        return enough & (first <= second + deviation) & (second > self.above)

    def draw(self, network, sizes, key, dtype):
        import jax

        from .._initialise import draw

        if self.redraw == "start":
            return Restart.draw(self, network, sizes, key, dtype)
        declared = network.parameters(*sizes)
        keys = jax.random.split(key, len(declared))
        return {
            name: draw(Uniform(-2.0, 2.0), parameter.shape, key=k, dtype=dtype)
            for k, (name, parameter) in zip(keys, declared.items(), strict=True)
        }


TRANSFORMS["alternate"] = Alternate
PENALTIES["once-below"] = PenaltyOnceBelow
COMPOSITIONS |= {"penalty-apart": PenaltyApart, "tensorflow": TensorFlowSlots}
RESTARTS["halves-of-losses"] = HalvesOfLosses


@recipe(INALU, SingleModule)
def authors(unit: Network, task: SingleModule) -> tuple[Network, Protocol]:
    """The authors' recipe on the Primer's task: 1,000 batches are an epoch."""
    return unit, base(
        task,
        batches=Batches(64),
        optimiser=RMSProp(1e-2),
        penalties=(PenaltyOnceBelow(),),
        transforms=(ClipValue(0.1), Alternate()),
        composition=PenaltyApart(),
        restart=HalvesOfLosses(10_000),
    )


@recipe(INALU, Functions)
def functions(unit: Network, task: Functions) -> tuple[Network, Protocol]:
    """As the NPU paper trains the NALU."""
    network, protocol = npu.functions(unit, task)
    return network, protocol.updated(optimiser=RMSProp(5e-3))


def script(steps: int = 100_000, **settings: Any) -> Protocol:
    """The authors' script: TensorFlow 1, epochs of one table of 64,000 samples.

    It has one penalty for all models from epoch 11 on, looks for restarts in every
    tenth epoch but the last, and judges the last step.
    """
    tensorflow = RMSProp(1e-2, epsilon=1e-10, within_root=True, initial=1.0)
    parts: dict[str, Any] = {
        "batches": Batches(64, repeat=64_000),
        "optimiser": tensorflow,
        "penalties": (PenaltyOnceBelow(start=10_999, of="all"),),
        "transforms": (ClipValue(0.1), Alternate()),
        "composition": TensorFlowSlots(),
        "restart": HalvesOfLosses(10_000, until=90_000, keep_optimiser=True),
        "measuring": Measuring(window=1),
    }
    return Protocol(steps, **parts | settings)


# The Primer's code (nalm-benchmark) trains the iNALU otherwise than its authors: with
# Adam, all parameters at once, another start, and the interpolation error as last
# measured where they look at losses, both for restarts and for the penalty. A restart
# draws as at the start and leaves the optimiser as it is. The code looks every ten
# steps, this rule whenever that error is new.
BENCHMARK: dict[str, Any] = {
    "transforms": (ClipValue(0.1),),
    "penalties": (PenaltyOnceBelow(loss_of="validation"),),
    "restart": HalvesOfLosses(
        1_000,
        patience=5_000,
        loss_of="validation",
        redraw="start",
        keep_optimiser=True,
    ),
}


def benchmark_network() -> Stack:
    """The iNALU with the start that the Primer's code gives it."""
    starts = {"W_hat": Normal(0.88, 0.2), "M_hat": Normal(0.5, 0.2)}
    drawn = [(n + s, d) for n, d in starts.items() for s in ("_add", "_mul")]
    return Stack((INALU(),), starts=(*drawn, ("G", Normal(0.0, 0.2))))
