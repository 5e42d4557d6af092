"""One replica: how it starts, takes a step, is drawn afresh, and is measured.

All functions are pure and of one replica; `_program` maps them over a block.
"""

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from .._arrays import Array, Params, as_kernel
from .._network import Network
from ..tasks import Task
from ..tasks._task import Split
from ._declared import bind, numbers
from ._filled import side, traced_shape
from ._flat import operations
from ._initialise import initialise
from ._measures import check_further
from ._moment import Moment, Numbers, Pieces, Restarts, State
from ._protocol import Protocol
from ._random import DATA, NOISE, START, TEST, VALIDATION, Key, Piece, stream_key

# The measured sets: the seed and stream of their numbers, which are published.
SETS: dict[Split, tuple[int, int]] = {
    "interpolation": (43953907, VALIDATION),
    "extrapolation": (8689336, TEST),
}
PIECE = 1000  # samples that are measured at a time
NUMBERS, SAMPLES = 2048, 128  # the most that a kernel computes at a time


def numbers_of(task: Task, protocol: Protocol, seed: int) -> Numbers:
    """All numbers of one replica, as NumPy arrays."""
    choices = task.replica(seed).items()
    cast_choices = {name: cast(v, protocol.precision) for name, v in choices}
    return Numbers(np.asarray(seed, np.uint32), cast_choices, settings_of(protocol))


@lru_cache(maxsize=4096)
def settings_of(protocol: Protocol) -> dict[str, np.ndarray]:
    """The traced numbers of a protocol; the replicas of a cell share them."""
    kind = protocol.precision
    return {path: np.asarray(v, kind) for path, v in numbers(protocol).items()}


def cast(value: Any, precision: str) -> np.ndarray:
    """A number or an array in the format of the run; whole numbers stay whole."""
    whole = np.asarray(value).dtype.kind in "iu"
    return np.asarray(value, np.int32 if whole else precision)


class Squares(NamedTuple):
    """The squared error on a measured set, which is drawn in parts.

    Args:
        parts: how many parts there are.
        each: how many values each of them has.
        value: the mean squared error of parameters and numbers at one of all places.
    """

    parts: int
    each: int
    value: Callable[[Params, Numbers, Array], Array]


def batch_pieces(network: Network, task: Task, protocol: Protocol) -> int:
    """In how many pieces a kernel computes a batch."""
    batch = protocol.batches.count(task.rows("training"))
    if not protocol.loss.is_mean or any(p.sees_inputs for p in protocol.penalties):
        return 1
    return batch // samples_at_once(network, task, batch)


def samples_at_once(network: Network, task: Task, count: int) -> int:
    """How many of so many samples a kernel computes at a time.

    What it computes, one number of each sample and input, and as many again for each
    matrix that inputs are multiplied with, must fit into the registers of a warp.
    """
    numbers = side(task.in_features) * (1 + max(1, _products(network, task)))
    most = max(1, min(NUMBERS // numbers, SAMPLES, count))
    parts = [n for n in range(1, most + 1) if count % n == 0]
    return max(parts, key=lambda n: (n / side(n) > 0.75, n))


@lru_cache(maxsize=4096)
def _products(network: Network, task: Task) -> int:
    """How many matrices inputs are multiplied with."""
    sizes = task.in_features, task.out_features
    declared = network.parameters(*sizes).items()
    params = {n: jax.ShapeDtypeStruct(p.shape, np.float32) for n, p in declared}
    x = jax.ShapeDtypeStruct((task.in_features, 1), np.float32)

    def compute(params, x):
        return network.compute(params, x, xp=jnp)

    with as_kernel():
        steps = operations(jax.make_jaxpr(compute)(params, x))
    products = [step for step in steps if step.primitive.name == "dot_general"]
    sums = ([*map(traced_shape, step.invars)] for step in products)
    return sum(any(task.in_features in shape for shape in shapes) for shapes in sums)


class Training:
    """A network on a task under a protocol, for one replica of a program.

    Args:
        network: what is trained.
        task: where samples come from.
        protocol: the settings; traced ones come with the numbers of each replica.
        shared: arrays that all replicas share, such as the rows of a table.
        pieces: in how many pieces a batch is computed; None for a whole batch.
    """

    def __init__(
        self,
        network: Network,
        task: Task,
        protocol: Protocol,
        shared: dict[str, Any],
        pieces: int | None = None,
    ) -> None:
        self.network, self.task, self.protocol = network, task, protocol
        self.shared, self.pieces = shared, pieces
        self.dtype = jnp.dtype(protocol.precision)

    @property
    def sizes(self) -> tuple[Any, int]:
        """Inputs and outputs of the network."""
        return self.task.in_features, self.task.out_features

    @cached_property
    def roles(self) -> dict[str, str]:
        """The role of each parameter, as the network declares it."""
        declared = self.network.parameters(*self.sizes)
        return {name: parameter.role for name, parameter in declared.items()}

    def key(
        self,
        seed: Array,
        stream: int,
        step: Array,
        fixed: bool = False,
        piece: Piece | None = None,
    ) -> Key:
        """Random numbers of one use at one step."""
        generator = self.protocol.generator
        return Key(generator, seed, stream, step, self.dtype, fixed, piece)

    def start(self, given: Numbers) -> State:
        """A replica before its first step."""
        key = stream_key(given.seed, START)
        if given.padding:
            params = given.padding.start
        else:
            params = initialise(self.network, *self.sizes, key=key, dtype=self.dtype)
        best = jax.tree.map(jnp.copy, params)
        protocol = bind(self.protocol, given.protocol)
        return State(
            params,
            protocol.composition.build(self.network, protocol).start(params),
            best,
            jnp.full((), jnp.inf, self.dtype),
            self._restarts(protocol, jnp.zeros((), jnp.uint32)),
        )

    def _restarts(self, protocol: Protocol, count: Array, since: Any = None) -> Any:
        rule = protocol.restart
        if rule is None:
            return ()
        since = jnp.zeros((), jnp.uint32) if since is None else since
        return Restarts(count, rule.remember(self.protocol.steps, since, self.dtype))

    def step(self, state: State, given: Numbers, step: Array, error: Array) -> State:
        """One step, `error` being the interpolation error as last measured."""
        protocol = bind(self.protocol, given.protocol)
        moment = self.moment(given, step, error)
        update = protocol.composition.build(self.network, protocol).update
        params, optimiser, loss = update(moment, state.params, state.optimiser, None)
        if protocol.schedule is not None:
            factor = protocol.schedule.factor(moment.now)
            params = {n: p + factor * (params[n] - p) for n, p in state.params.items()}
        restarts = state.restarts
        if protocol.restart is not None:
            memory = protocol.restart.watch(restarts.memory, loss, moment)  # type: ignore[union-attr]  # there is one with a rule
            restarts = restarts._replace(memory=memory)  # type: ignore[union-attr]  # the same
        if protocol.project:
            params = self.network.project(params)
        return state._replace(params=params, optimiser=optimiser, restarts=restarts)

    def moment(self, given: Numbers, step: Array, error: Array) -> Moment:
        whole = None if self.pieces is None else Piece(jnp.uint32(0), self.batch)
        x, t = self._batch(given, step, whole)
        options = {"training": True, "noise": self._noise(given, step, whole)}

        def predict(params):
            return self.network.compute(params, x, **options, xp=jnp)

        def observe(params):
            return self.network.observe(params, x, **options, xp=jnp)

        now = step.astype(self.dtype)
        pieces = self._pieces(given, step) if self.pieces else None
        known = self.roles, given.padding, observe, None, pieces
        return Moment(step, now, predict, t, error, *known)

    def _pieces(self, given: Numbers, step: Array) -> Pieces:
        """The batch of a step, piece by piece."""
        assert self.pieces is not None
        size = self.batch // self.pieces

        def compute(params, i):
            piece = Piece(i * jnp.uint32(size), self.batch)
            x, t = self._batch(given, step, piece, size)
            noise = self._noise(given, step, piece, size)
            options = {"training": True, "noise": noise, "xp": jnp}
            return self.network.compute(params, x, **options), t

        return Pieces(self.pieces, compute)

    def _batch(
        self,
        given: Numbers,
        step: Array,
        piece: Piece | None = None,
        size: int | None = None,
    ) -> tuple[Array, Array]:
        """Inputs [in, size] and targets of one step, fresh or repeated."""
        if repeated := self.protocol.batches.repeated:
            step = step % jnp.uint32(repeated)
        key = self.key(given.seed, DATA, step, True, piece)
        arrays = given.task | self.shared
        return self.task.draw("training", arrays, key, size or self.batch)

    @property
    def batch(self) -> int:
        """Samples in a step: of a table, at most its rows."""
        return self.protocol.batches.count(self.task.rows("training"))

    def _noise(
        self,
        given: Numbers,
        step: Array,
        piece: Piece | None = None,
        size: int | None = None,
    ) -> tuple[Array, ...] | None:
        """What the network needs drawn afresh for each step, piece by piece."""
        pieces = self.network.noise(self.sizes[0])
        if not pieces:
            return None
        key = self.key(given.seed, NOISE, step, piece=piece)
        return key.noise(pieces, size or self.batch)

    def restarted(self, state: State, given: Numbers, step: Array) -> State:
        """The replica, drawn afresh if its rule asks for it."""
        protocol = bind(self.protocol, given.protocol)
        rule = protocol.restart
        assert rule is not None and state.restarts
        count = state.restarts.count + jnp.uint32(1)
        key = jax.random.fold_in(stream_key(given.seed, START), count)
        params = rule.draw(self.network, self.sizes, key, self.dtype)
        restarts = self._restarts(protocol, count, step + jnp.uint32(1))
        new = state._replace(params=params, restarts=restarts)
        if not rule.keeps_optimiser:
            build = protocol.composition.build(self.network, protocol)
            new = new._replace(optimiser=build.start(params))
        until = jnp.where(rule.until > 0, rule.until, jnp.inf)
        again = rule.is_due(state.restarts.memory, step)
        again &= step.astype(self.dtype) < until
        return jax.tree.map(lambda a, b: jnp.where(again, a, b), new, state)

    def _cut(self, split: Split) -> tuple[int, int]:
        """In how many pieces a measured set is drawn, and of how many samples."""
        rows, size = self.task.rows(split), self.protocol.measuring.validation
        piece = rows or min(PIECE, size)
        return 1 if rows else size // piece, piece

    def in_pieces(self, given: Numbers, split: Split, function: Any) -> Array:
        """`function` of each piece of a measured set: of its samples and its number."""
        count, piece = self._cut(split)
        seed, stream = SETS[split]

        def one(i):
            key = self.key(jnp.uint32(seed), stream, i, fixed=True)
            samples = self.task.draw(split, given.task | self.shared, key, piece)
            return function(*samples, i)

        return jax.lax.map(one, jnp.arange(count, dtype=jnp.uint32))

    def squares(self, split: Split) -> "Squares":
        """The squared error on a measured set, a few samples at a time."""
        count, piece = self._cut(split)
        size = samples_at_once(self.network, self.task, piece)
        each = piece // size
        seed, stream = SETS[split]

        def value(params, given, i):
            number, first = i // jnp.uint32(each), i % jnp.uint32(each)
            place = Piece(first * jnp.uint32(size), piece)
            key = self.key(jnp.uint32(seed), stream, number, True, place)
            x, t = self.task.draw(split, given.task | self.shared, key, size)
            y = self.network.compute(params, x, xp=jnp)
            return jnp.mean((y - t) * (y - t))

        return Squares(count, each, value)

    def targets(self, given: Numbers) -> dict[str, Array]:
        """The targets of the measured sets [pieces, out, size], which never change."""
        return {s: self.in_pieces(given, s, lambda x, t, i: t) for s in SETS}

    def errors(
        self, params: Params, given: Numbers, targets: dict[str, Array]
    ) -> dict[str, Array]:
        """The mean squared errors on the measured sets."""

        def error(split):
            def squared(x, t, i):
                y = self.network.compute(params, x, xp=jnp)
                difference = y - targets[split][i]
                return jnp.mean(difference * difference)

            return jnp.mean(self.in_pieces(given, split, squared))

        return {split: error(split) for split in SETS}

    def measure(self, params: Params, given: Numbers) -> dict[str, Array]:
        """The sparsity error, and what the task measures beside errors."""
        sparsity = self.network.sparsity_error(params)
        finite = sum(jnp.sum(value) for value in params.values())
        further = self.task.further(self.network, params, given.task | self.shared)
        check_further(self.task, further)
        return {
            "sparsity": jnp.where(jnp.isfinite(finite), sparsity, jnp.nan),
            **further,
        }
