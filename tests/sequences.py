"""Networks over sequences and images, small enough to be compared number by number."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from arithmax import (
    CNN,
    LSTM,
    NAC,
    NALU,
    NAU,
    NMU,
    Accumulator,
    Linear,
    MultiplicativeNAC,
    Network,
    Recurrent,
    Stack,
    initialise,
)

SMALL = CNN((2, 3), kernel=3, hidden=4)  # over images of at least 10 by 10 pixels
IMAGE = (11, 12)

# A network, the shape of an input of three steps, and how many outputs it has.
CASES: list[tuple[Network, Any, int]] = [
    (SMALL, IMAGE, 2),
    (Accumulator("sum"), 4, 1),
    (Accumulator("product", outputs=2), 6, 2),
    (Recurrent(NMU()), (3, 1), 3),
    (Recurrent(NMU(), start=2.5), (3, 2), 6),
    (Recurrent(NAU(), every_step=False), (3, 2), 2),
    (Recurrent(NAC()), (3, 1), 3),
    (Recurrent(MultiplicativeNAC()), (3, 1), 3),
    (Recurrent(NALU()), (3, 1), 3),
    (Recurrent(Stack((NAU(), NMU()), (2,))), (3, 1), 3),
    (Recurrent(Accumulator("sum", outputs=2), Linear(), readings=2), (3, 5), 6),
    (Recurrent(NMU(), SMALL, readings=2), (3, *IMAGE), 3),
    (Recurrent(Accumulator("product"), SMALL), (3, *IMAGE), 3),
    (LSTM(hidden=5), (3, 2), 6),
    (LSTM(hidden=5, reader=SMALL, every_step=False), (3, *IMAGE), 2),
    (Stack((Recurrent(NMU(), every_step=False), NAU()), (2,)), (3, 1), 1),
]


def _marked(net: Network, shape: Any, out: int) -> Any:
    """Networks with a reader of images are `slow`; the reader alone is not."""
    marks = pytest.mark.slow if getattr(net, "reader", None) == SMALL else ()
    return pytest.param(net, shape, out, marks=marks, id=f"{net}-{shape}")


every_case = pytest.mark.parametrize(
    ("net", "shape", "out"), [_marked(*case) for case in CASES]
)


def drawn(net: Network, in_features: Any, out_features: int, seed: int = 0):
    """Parameters as NumPy's arrays of float64."""
    key = jax.random.key(seed)
    params = initialise(net, in_features, out_features, key=key, dtype=jnp.float64)
    return {name: np.asarray(value) for name, value in params.items()}


def samples(in_features: Any, count: int = 4, seed: int = 1) -> np.ndarray:
    """Inputs of random numbers away from zero, [count, *in]."""
    shape = (in_features,) if isinstance(in_features, int) else in_features
    return np.random.default_rng(seed).uniform(0.5, 2.0, (count, *shape))


def in_jax(params):
    return {name: jnp.asarray(value) for name, value in params.items()}


def in_torch(params, **options):
    return {name: torch.tensor(value, **options) for name, value in params.items()}


def gradient(tensor: torch.Tensor) -> np.ndarray:
    """What a backward pass left, which must be there."""
    assert tensor.grad is not None
    return tensor.grad.numpy()
