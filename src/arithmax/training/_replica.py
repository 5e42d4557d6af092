"""One replica: how it starts, takes a step, is drawn afresh, and is measured.

All functions are pure and of one replica; `_program` maps them over a block.
"""

from functools import cached_property, lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .._arrays import Array, Params
from .._network import Network
from ..tasks import Task
from ..tasks._task import Split
from ._declared import bind, numbers
from ._initialise import initialise
from ._measures import check_further
from ._moment import Moment, Numbers, Restarts, State
from ._protocol import Protocol
from ._random import DATA, NOISE, START, TEST, VALIDATION, Key, stream_key

# The measured sets: the seed and stream of their numbers, which are published.
SETS: dict[Split, tuple[int, int]] = {
    "interpolation": (43953907, VALIDATION),
    "extrapolation": (8689336, TEST),
}
PIECE = 1000  # samples that are measured at a time


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


class Training:
    """A network on a task under a protocol, for one replica of a program.

    Args:
        network: what is trained.
        task: where samples come from.
        protocol: the settings; traced ones come with the numbers of each replica.
        shared: arrays that all replicas share, such as the rows of a table.
    """

    def __init__(
        self, network: Network, task: Task, protocol: Protocol, shared: dict[str, Any]
    ) -> None:
        self.network, self.task, self.protocol = network, task, protocol
        self.shared = shared
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

    def key(self, seed: Array, stream: int, step: Array, fixed: bool = False) -> Key:
        """Random numbers of one use at one step."""
        return Key(self.protocol.generator, seed, stream, step, self.dtype, fixed)

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
        moment = self._moment(given, step, error)
        update = protocol.composition.build(self.network, protocol).update
        params, optimiser, loss = update(moment, state.params, state.optimiser, None)
        restarts = state.restarts
        if protocol.restart is not None:
            memory = protocol.restart.watch(restarts.memory, loss, moment)  # type: ignore[union-attr]  # there is one with a rule
            restarts = restarts._replace(memory=memory)  # type: ignore[union-attr]  # the same
        if protocol.project:
            params = self.network.project(params)
        return state._replace(params=params, optimiser=optimiser, restarts=restarts)

    def _moment(self, given: Numbers, step: Array, error: Array) -> Moment:
        x, t = self._batch(given, step)
        noise = self._noise(given, step)

        def predict(params):
            return self.network.compute(params, x, training=True, noise=noise, xp=jnp)

        def observe(params):
            return self.network.observe(params, x, training=True, noise=noise, xp=jnp)

        now = step.astype(self.dtype)
        known = self.roles, given.padding, observe
        return Moment(step, now, predict, t, error, *known)

    def _batch(self, given: Numbers, step: Array) -> tuple[Array, Array]:
        """Inputs [in, batch] and targets of one step, fresh or repeated."""
        if repeated := self.protocol.batches.repeated:
            step = step % jnp.uint32(repeated)
        key = self.key(given.seed, DATA, step, fixed=True)
        return self.task.draw("training", given.task | self.shared, key, self.batch)

    @property
    def batch(self) -> int:
        """Samples in a step: of a table, at most its rows."""
        return self.protocol.batches.count(self.task.rows("training"))

    def _noise(self, given: Numbers, step: Array) -> tuple[Array, ...] | None:
        """What the network needs drawn afresh for each step, piece by piece."""
        pieces = self.network.noise(self.sizes[0])
        if not pieces:
            return None
        key = self.key(given.seed, NOISE, step)
        return key.noise(pieces, self.batch)

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

    def _in_pieces(self, given: Numbers, split: Split, function: Any) -> Array:
        """`function` of each piece of a measured set: of its samples and its number."""
        rows, size = self.task.rows(split), self.protocol.measuring.validation
        piece = rows or min(PIECE, size)
        count = 1 if rows else size // piece
        seed, stream = SETS[split]

        def one(i):
            key = self.key(jnp.uint32(seed), stream, i, fixed=True)
            samples = self.task.draw(split, given.task | self.shared, key, piece)
            return function(*samples, i)

        return jax.lax.map(one, jnp.arange(count, dtype=jnp.uint32))

    def targets(self, given: Numbers) -> dict[str, Array]:
        """The targets of the measured sets [pieces, out, size], which never change."""
        return {s: self._in_pieces(given, s, lambda x, t, i: t) for s in SETS}

    def measure(
        self, params: Params, given: Numbers, targets: dict[str, Array]
    ) -> dict[str, Array]:
        """Interpolation, extrapolation and sparsity error, and what the task adds."""

        def error(split):
            def squared(x, t, i):
                y = self.network.compute(params, x, xp=jnp)
                difference = y - targets[split][i]
                return jnp.mean(difference * difference)

            return jnp.mean(self._in_pieces(given, split, squared))

        sparsity = self.network.sparsity_error(params)
        finite = sum(jnp.sum(value) for value in params.values())
        arrays = given.task | self.shared
        further = self.task.further(self.network, params, arrays)
        check_further(self.task, further)
        return {split: error(split) for split in SETS} | {
            "sparsity": jnp.where(jnp.isfinite(finite), sparsity, jnp.nan),
            **further,
        }
