"""Tasks and parts from outside the package: a step of them is tried before training."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from .._checks import shown
from .._network import Network
from .._own_code import sentence
from ..tasks import Task
from ._declared import bind
from ._machine import pinned
from ._protocol import Protocol
from ._replica import SETS, Training, cast, numbers_of


def check_step(network: Network, task: Task, protocol: Protocol) -> None:
    """A task must draw what its sizes say, and parts must make a step of it."""
    kind = protocol.precision
    with pinned(kind):
        given = numbers_of(task, protocol, 0)
        shared = {name: cast(v, kind) for name, v in task.shared().items()}
        training = Training(network.wide, task, protocol, shared)
        for split in ("training", *SETS):
            _check_draw(training, split, given)
        _check_loss(training, given)
        if network.wide != network:
            return  # padding has starts of its own, and the package's parts are tested
        step, error = jnp.zeros((), jnp.uint32), jnp.zeros((), kind)
        what = f"`protocol` (={shown(protocol)})"
        state = _tried(what, training.start, given)
        after = _tried(what, training.step, state, given, step, error)
        if protocol.restart is not None:
            after = _tried(what, training.restarted, after, given, step)
        _check_same(what, _kinds(state), _kinds(after))


def _check_draw(training: Training, split: Any, given: Any) -> None:
    """Inputs and targets must have features first and samples last."""
    task, size = training.task, training.task.rows(split) or training.batch
    what = f"`draw` of `task` (={shown(task)})"

    def draw(given):
        key = training.key(given.seed, 0, jnp.zeros((), jnp.uint32))
        return task.draw(split, given.task | training.shared, key, size)

    drawn = _tried(what, draw, given)
    need = [(*task.input_shape, size), (task.out_features, size)]
    if split == "training":
        need = [(*shape[:-1], training.batch) for shape in need]
    pair = isinstance(drawn, tuple | list) and len(drawn) == 2
    shapes = [getattr(d, "shape", d) for d in drawn] if pair else shown(drawn)
    if split != "training" and training.network.free_axes:
        shapes, need = _beyond(shapes, training), _beyond(need, training)
    if shapes != need and not (split == "training" and task.rows(split)):
        raise ValueError(
            f"{what} must give inputs and targets of the shapes {need}, features "
            f"first, for {split!r}, but gives {shapes}."
        )


def _beyond(shapes: Any, training: Training) -> Any:
    """Shapes without what may differ: a sequence to be right on may be longer."""
    if not all(isinstance(shape, tuple) for shape in shapes):
        return shapes
    inputs, targets = shapes
    return [inputs[training.network.free_axes :], targets[1:]]


def _check_loss(training: Training, given: Any) -> None:
    """A loss must be one number."""
    loss, outputs = training.protocol.loss, training.task.out_features

    def value(given, y, t, now):
        return bind(training.protocol, given.protocol).loss.value(y, t, now)

    samples = jax.ShapeDtypeStruct((outputs, training.batch), training.dtype)
    now = jax.ShapeDtypeStruct((), training.dtype)
    what = f"`value` of `loss` (={shown(loss)})"
    found = _tried(what, value, given, samples, samples, now)
    shape = getattr(found, "shape", None)
    if shape != ():
        raise ValueError(
            f"{what} must give one number, but gives "
            f"{'none' if shape is None else f'the shape {shape}'}. Take the mean."
        )


def _tried(what: str, function: Callable[..., Any], *given: Any) -> Any:
    """The shapes that a function gives."""
    try:
        return jax.eval_shape(function, *given)
    except Exception as error:
        if text := sentence(error):
            raise ValueError(f"{what} fails: {text}") from error
        raise ValueError(
            f"{what} fails with {type(error).__name__}: "
            f"{str(error).partition(chr(10))[0].rstrip('.')}. Write it in functions of "
            "`jax.numpy` without `if` on values."
        ) from error


def _kinds(state: Any) -> dict[str, tuple]:
    """Shape and format of every array of a state, by its path."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(state)
    return {jax.tree_util.keystr(p): (v.shape, v.dtype.name) for p, v in leaves}


def _check_same(what: str, before: dict[str, tuple], after: dict[str, tuple]) -> None:
    """A step must leave shapes and formats as they are."""
    for path in before | after:
        if before.get(path) != after.get(path):
            raise ValueError(
                f"{what} must leave the shapes of a state as they are, but a step "
                f"makes {after.get(path)} of {before.get(path)} at {path}. Return "
                "arrays of the same shape and format."
            )
