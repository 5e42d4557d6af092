"""What is looked at before anything is trained: memory, networks, thresholds."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ._blocks import Replica
from ._memory import check_fits
from ._network import Network, shape_of
from ._own_code import sentence
from ._parameters import Parameter
from .networks import Stack
from .protocol import Protocol
from .tasks import Functions, SingleModule, Task
from .units._checks import check_number, check_whole, plain, shown

COPIES = 4  # of each parameter at the least: it, its gradient, the best, an optimiser's
HOST = 4000  # bytes of each replica's numbers in Python


def check_plan(
    replicas: Sequence[Replica],
    workers: Any = None,
    checkpoint_seconds: Any = 0.0,
    watch: Any = None,
) -> None:
    """Refuse what cannot be trained, before a part of it is."""
    if workers is not None:
        check_whole("workers", plain(workers), 1)
    check_number("checkpoint_seconds", plain(checkpoint_seconds))
    if watch is not None and not callable(watch):
        raise TypeError(f"`watch` (={shown(watch)}) must be a function of new rows.")
    kinds = {(*r.program, r.protocol.steps, r.block): r for r in replicas}
    for r in kinds.values():
        if any(map(_outside, _parts(r.network))):
            check_network(r.network, r.task, r.protocol)
        check_memory(r.network, r.task, r.protocol, r.block)
    for r in {(r.task, r.protocol): r for r in replicas}.values():
        if isinstance(r.task, SingleModule | Functions):
            _ = r.threshold  # quotients near zero have none, and say so


def _parts(network: Network) -> Iterator[Network]:
    """A network and all networks in its fields."""
    yield network
    for value in vars(network).values():
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Network):
                yield from _parts(part)


def _outside(unit: Network) -> bool:
    """Whether a unit is not the package's, whose units are tested."""
    return type(unit).__module__.partition(".")[0] != __package__


def check_memory(network: Network, task: Task, protocol: Protocol, block: int) -> None:
    """A block must fit into memory; what it needs at the least is estimated."""
    parts = needed(network, task, protocol)
    check_fits(
        block * sum(parts.values()),
        f"`block` (={block})",
        f"Most of it is for {max(parts, key=lambda name: parts[name])}: make that or "
        "`block` smaller.",
    )


def needed(network: Network, task: Task, protocol: Protocol) -> dict[str, int]:
    """Bytes that one replica needs at the least, and what for."""
    wide = network.wide if isinstance(network, Stack) else network
    inputs, outputs = task.in_features, task.out_features
    shapes = [p.shape for p in wide.parameters(inputs, outputs).values()]
    sums = getattr(task, "sums", 0)
    measured = protocol.steps // protocol.interval + 1
    piece = min(protocol.validation, 1000)
    numbers = {
        f"the parameters of {shown(network)}": COPIES * sum(map(math.prod, shapes)),
        f"`batch` (={protocol.batch}) of {inputs:,} inputs": inputs * protocol.batch,
        f"`validation` (={protocol.validation}) of {inputs:,} inputs": inputs * piece
        + 2 * outputs * protocol.validation,
        f"{sums:,} sums of {inputs:,} inputs": 2 * sums * inputs,
        f"`steps` (={protocol.steps}) measured each `interval` "
        f"(={protocol.interval})": 3 * measured,
    }
    size = jnp.dtype(protocol.precision).itemsize
    return {name: size * count for name, count in numbers.items()} | {
        "the numbers of each run": HOST
    }


def check_network(network: Network, task: Task, protocol: Protocol) -> None:
    """A network from outside must compute what training needs, in its shapes."""
    inputs, outputs, batch = task.in_features, task.out_features, protocol.batch
    dtype = jnp.dtype(protocol.precision)
    declared = network.parameters(inputs, outputs)
    fits = isinstance(declared, Mapping)
    if not fits or not all(isinstance(p, Parameter) for p in declared.values()):
        raise TypeError(
            f"`parameters` of `network` (={shown(network)}) must give a `Parameter` "
            f"for each name, such as `matrix(...)`, not {shown(declared)}."
        )
    params = {n: jax.ShapeDtypeStruct(p.shape, dtype) for n, p in declared.items()}
    x = jax.ShapeDtypeStruct((*shape_of(inputs), batch), dtype)
    noise = tuple(
        jax.ShapeDtypeStruct((*p.shape, batch) if p.each_sample else p.shape, dtype)
        for p in network.noise(inputs)
    )

    def trained(params, x, noise):
        return network.compute(params, x, training=True, noise=noise or None, xp=jnp)

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
