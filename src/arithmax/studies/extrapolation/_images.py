"""Three layers that read images of digits: fresh ones, and their first steps."""

from functools import partial
from typing import Any

import numpy as np

from ... import units
from ...networks import Stack
from ...statistics import success_rate
from ...tasks import mnist
from .._study import Table, columns
from .._tables import ends
from ._runs import USUAL, torch_start

PIXELS, CLASSES = 784, 10
HIDDEN = (64, 64)  # the report prints no sizes
THREE = {
    "NALU": Stack((units.NALU(),) * 3, HIDDEN),
    f"NALU, {USUAL}": torch_start((units.NALU(),) * 3, (PIXELS, *HIDDEN)),
    "iNALU": Stack((units.INALU(),) * 3, HIDDEN),
    "NAC₊": Stack((units.NAC(),) * 3, HIDDEN),
    "ReLU": Stack((units.Dense("relu"), units.Dense("relu"), units.Linear()), HIDDEN),
}
INK = "0 to 1"  # paper is exactly 0
# What pixels between 0 and 1 are shifted and scaled by; MNIST's as everybody rounds it.
SCALES = {INK: (0.0, 1.0), "standardised": (0.1307, 0.3081)}
SEEDS, STEPS, BATCH = 16, 100, 64
SHOWN = 32  # images for fresh stacks


def pixels(split: Any, scale: str) -> tuple[np.ndarray, np.ndarray]:
    """The images [pixel, image] and the digits of a split."""
    images, digits = mnist()[split]
    mean, deviation = SCALES[scale]
    x = images.reshape(len(images), PIXELS).T / np.float32(255)
    return ((x - mean) / deviation).astype(np.float32), digits.astype(np.int32)


def _start(network: Stack, key: Any) -> Any:
    import jax.numpy as jnp

    from ... import initialise

    return initialise(network, PIXELS, CLASSES, key=key, dtype=jnp.float32)


def _largest(network: Stack, x: np.ndarray, key: Any) -> Any:
    """The largest |y| after each layer of a fresh stack."""
    import jax.numpy as jnp

    sizes, y = [], jnp.asarray(x)
    for unit, params in network.layers(_start(network, key)):
        y = unit.compute(params, y)
        sizes.append(jnp.abs(y).max())
    return jnp.stack(sizes)


def fresh(network: Stack, x: np.ndarray, stacks: int) -> np.ndarray:
    """The largest |y| after each layer of fresh stacks [stack, layer]."""
    import jax

    keys = jax.random.split(jax.random.key(0), stacks)
    return np.asarray(jax.jit(jax.vmap(partial(_largest, network, x)))(keys))


def classified(
    network: Stack, scale: str, seeds: int, steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """The loss before each step [seed, step], and the accuracy after the last [seed].

    The loss is the cross entropy of the ten outputs, the optimiser Adam.
    """
    import jax
    import jax.numpy as jnp
    import optax

    adam = optax.adam(1e-3)

    def loss(params: Any, x: Any, digits: Any) -> Any:
        logs = jax.nn.log_softmax(network.compute(params, x), axis=0)
        return -jnp.take_along_axis(logs, digits[None], axis=0).mean()

    def run(key: Any, x: Any, digits: Any, unseen: Any, true: Any) -> Any:
        def step(carry: Any, key: Any) -> Any:
            params, state = carry
            chosen = jax.random.randint(key, (BATCH,), 0, len(digits))
            drawn = x[:, chosen], digits[chosen]
            value, slopes = jax.value_and_grad(loss)(params, *drawn)
            updates, state = adam.update(slopes, state)
            return (optax.apply_updates(params, updates), state), value

        params = _start(network, key)
        keys = jax.random.split(key, steps)
        (params, _), losses = jax.lax.scan(step, (params, adam.init(params)), keys)
        return losses, (network.compute(params, unseen).argmax(axis=0) == true).mean()

    given = (*pixels("training", scale), *pixels("extrapolation", scale))
    keys = jax.random.split(jax.random.key(1), seeds)
    with jax.numpy_dtype_promotion("standard"):  # which optax needs
        losses, right = jax.jit(jax.vmap(run, (0, *[None] * len(given))))(keys, *given)
    return np.asarray(losses), np.asarray(right)


def image_tables(stacks: int) -> dict[str, Table]:
    """How many fresh stacks overflow on images, and what became of trained ones."""
    started, ended = [], []
    for scale in SCALES:
        x, _ = pixels("training", scale)
        for name, network in THREE.items():
            sizes = fresh(network, x[:, :SHOWN], stacks)
            broken = (~np.isfinite(sizes)).sum(axis=0).tolist()
            for depth, count in enumerate(broken, 1):
                rate = ends(success_rate(count, stacks))
                started.append((name, scale, depth, *rate))
            losses, right = classified(network, scale, SEEDS, STEPS)
            ended.append((name, scale, len(losses), *_lost(losses, right)))
    names = ("unit", "pixels", "layers", "overflow", "low", "high")
    told = ("unit", "pixels", "seeds", "NaN", "last of them at step")
    return {
        "images": columns(names, started),
        "classified": columns((*told, "median accuracy of the others, %"), ended),
    }


def _lost(losses: np.ndarray, right: np.ndarray) -> tuple[Any, ...]:
    """How many runs had a loss that is not finite, by when, and how the rest did."""
    broken = ~np.isfinite(losses)
    lost = broken.any(axis=1)
    last = str(broken[lost].argmax(axis=1).max()) if lost.any() else "–"
    kept = "–" if lost.all() else f"{100 * np.median(right[~lost]):.0f}"
    return int(lost.sum()), last, kept
