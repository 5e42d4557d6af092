"""What is looked at before anything is trained: memory, networks, thresholds."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from .._checks import check_number, plain, shown
from .._identity import code_of
from .._network import Network
from .._own_code import sentence
from .._parameters import Parameter
from ..tasks import Task
from ._memory import check_fits
from ._outside import check_step
from ._padding import check_padding
from ._protocol import Protocol
from ._replicas import Replica, input_count

COPIES = 4  # of each parameter at the least: it, its gradient, the best, an optimiser's
HOST = 4000  # bytes of each replica's numbers in Python


def check_plan(
    replicas: Sequence[Replica],
    checkpoint_seconds: Any = 0.0,
    watch: Any = None,
    memory: float | None = None,
) -> None:
    """Refuse what cannot be trained, before a part of it is."""
    check_number("checkpoint_seconds", plain(checkpoint_seconds))
    if watch is not None and not callable(watch):
        raise TypeError(f"`watch` (={shown(watch)}) must be a function of new rows.")
    kinds = {(r.program, r.protocol.steps, r.block): r for r in replicas}
    for r in kinds.values():
        if code_of(r.network):  # the package's networks are tested
            check_network(r.network, r.task, r.protocol)
        if code_of(r.task, r.protocol):
            check_step(r.network, r.task, r.protocol)
        check_memory(r.network, r.task, r.protocol, r.block, memory)
    for r in {(r.network, r.task): r for r in replicas}.values():
        if r.network.wide != r.network:
            check_padding(r.network, r.task.in_features, r.task.out_features)
    for r in {(r.task, r.protocol): r for r in replicas}.values():
        _ = r.threshold  # quotients near zero have none, and an error says so


def check_memory(
    network: Network,
    task: Task,
    protocol: Protocol,
    block: int,
    there: float | None = None,
) -> None:
    """A block must fit into memory; what it needs at the least is estimated."""
    parts = needed(network, task, protocol)
    check_fits(
        block * sum(parts.values()),
        f"`block` (={block})",
        f"Most of it is for {max(parts, key=lambda name: parts[name])}: make that or "
        "`block` smaller.",
        there,
    )


def needed(network: Network, task: Task, protocol: Protocol) -> dict[str, int]:
    """Bytes that one replica needs at the least, and what for."""
    inputs, outputs = input_count(task), task.out_features
    declared = network.wide.parameters(task.in_features, outputs)
    shapes = [p.shape for p in declared.values()]
    sums = getattr(task, "sums", 0)
    measuring = protocol.measuring
    batch = protocol.batches.count(task.rows("training"))
    measured = protocol.steps // measuring.interval + 1
    piece = min(measuring.validation, 1000)
    count = sum(map(math.prod, shapes))
    step = protocol.optimiser.workspace(count, outputs * batch)
    numbers = {
        f"the parameters of {shown(network)}": COPIES * count,
        f"a step of `optimiser` (={protocol.optimiser})": step,
        f"`batches` (={protocol.batches}) of {inputs:,} inputs": inputs * batch,
        f"`validation` (={measuring.validation}) of {inputs:,} inputs": inputs * piece
        + 2 * outputs * measuring.validation,
        f"{sums:,} sums of {inputs:,} inputs": 2 * sums * inputs,
        f"`steps` (={protocol.steps}) measured each `interval` "
        f"(={measuring.interval})": 3 * measured,
    }
    size = jnp.dtype(protocol.precision).itemsize
    return {name: size * count for name, count in numbers.items()} | {
        "the numbers of each run": HOST
    }


def check_network(network: Network, task: Task, protocol: Protocol) -> None:
    """A network from outside must compute what training needs, in its shapes."""
    inputs, outputs = task.in_features, task.out_features
    batch = protocol.batches.count(task.rows("training"))
    dtype = jnp.dtype(protocol.precision)
    declared = network.parameters(inputs, outputs)
    fits = isinstance(declared, Mapping)
    if not fits or not all(isinstance(p, Parameter) for p in declared.values()):
        raise TypeError(
            f"`parameters` of `network` (={shown(network)}) must give a `Parameter` "
            f"for each name, such as `matrix(...)`, not {shown(declared)}."
        )
    params = {n: jax.ShapeDtypeStruct(p.shape, dtype) for n, p in declared.items()}
    shape = (inputs,) if isinstance(inputs, int) else inputs
    x = jax.ShapeDtypeStruct((*shape, batch), dtype)
    pieces = network.noise(inputs)
    sizes = [(*p.shape, batch) if p.each_sample else p.shape for p in pieces]
    noise = tuple(jax.ShapeDtypeStruct(size, dtype) for size in sizes) or None

    def trained(params, x, noise):
        return network.compute(params, x, training=True, noise=noise, xp=jnp)

    def measured(params, x):
        return network.compute(params, x, xp=jnp)

    wide = protocol.precision == "float64"
    with jax.numpy_dtype_promotion("standard"), jax.enable_x64(wide):
        shapes = {"y": (outputs, batch)}
        _check_shapes(network, "compute", shapes, trained, params, x, noise)
        _check_shapes(network, "compute", shapes, measured, params, x)
        _check_shapes(network, "penalty", {"y": ()}, network.penalty, params)
        own = {name: value.shape for name, value in params.items()}
        _check_shapes(network, "project", own, network.project, params)
        worst = {"y": ()}
        _check_shapes(network, "weights", worst, network.sparsity_error, params)


def _check_shapes(
    network: Network, method: str, need: dict, function: Callable[..., Any], *given: Any
) -> None:
    """What a method gives must have the shapes that are needed, by name."""
    try:
        found = jax.eval_shape(function, *given)
    except Exception as error:
        if said := sentence(error):
            raise ValueError(f"`{method}` of `network` fails: {said}") from error
        raise ValueError(
            f"`{method}` of `network` (={shown(network)}) fails on arrays of shapes "
            f"{_shapes(given)} with {type(error).__name__}: "
            f"{str(error).partition(chr(10))[0]} Write it features first, in functions "
            "of `jax.numpy` without `if` on values."
        ) from error
    found = found if isinstance(found, dict) else {"y": found}
    shapes = {
        name: getattr(value, "shape", f"a {type(value).__name__}")
        for name, value in found.items()
    }
    if shapes != need:
        raise ValueError(
            f"`{method}` of `network` (={shown(network)}) must give the shape "
            f"{_plain(need)}, features first, but gives {_plain(shapes)}."
        )


def _shapes(given: Sequence[Any]) -> str:
    listed = jax.tree.map(lambda a: a.shape, [g for g in given if g is not None])
    return ", ".join(map(str, listed))


def _plain(shapes: dict) -> Any:
    return shapes["y"] if shapes.keys() == {"y"} else shapes
