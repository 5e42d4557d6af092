"""Figures of the page on errors that a few lines of NumPy show."""

from functools import cache
from itertools import product
from typing import Any

import numpy as np
from error_measures import percent, stored
from run_panels import evaluation
from scipy.optimize import lsq_linear

from arithmax.studies import Trained
from arithmax.studies.npu.npu_large import INPUTS, network
from arithmax.units import NAC, NRU, Constant

# The norm of arrays


@cache
def norms() -> dict[str, float]:
    """The L1 norm and the sum of 2-norms of the large task's NPU at its start."""
    rng, arrays = np.random.default_rng(0), {}
    for name, value in network("NPU").parameters(INPUTS, 1).items():
        start: Any = value.distribution  # a number, or uniform
        same = isinstance(start, Constant)
        ends = (start.value, start.value) if same else (start.low, start.high)
        arrays[name] = rng.uniform(*ends, value.shape)
    first = arrays["0.W"]
    return {
        "L1": sum(float(np.abs(a).sum()) for a in arrays.values()),
        "arrays": sum(float(np.linalg.norm(a)) for a in arrays.values()),
        "slope": float(np.abs(first).mean() / np.linalg.norm(first)),
    }


def norm_effect() -> str:
    found = norms()
    return (
        f"at the start the penalty is {found['arrays']:.1f} in place of "
        f"{found['L1']:.0f}, and pulls at a mean weight of the first layer "
        f"{1 / found['slope']:.0f} times less"
    )


# Formulas


def power(w: float, x: float, reversed_k: bool = False) -> float:
    """x^w by eq. 13 of the draft without imaginary weights, k as meant or printed."""
    k = np.pi * ((x > 0) if reversed_k else (x < 0))
    return float(np.exp(w * np.log(abs(x))) * np.cos(w * k))


def k_effect() -> str:
    wrong = [f"{power(1, x, reversed_k=True):g}" for x in (3.0, -3.0)]
    text = f"every odd power has the wrong sign: 3¹ = {wrong[0]} and (−3)¹ = {wrong[1]}"
    return text.replace("-", "−")


@cache
def differences(low: float) -> tuple[np.ndarray, np.ndarray]:
    """x₁ − x₂ of samples, and the answers of the best weights in [low, 1]."""
    x = np.random.default_rng(0).uniform(1, 2, (1000, 2))
    y = x[:, 0] - x[:, 1]
    return y, x @ lsq_linear(x, y, (low, 1)).x


def nau_effect() -> str:
    y, answers = differences(0)
    left = float(np.mean((answers - y) ** 2) / np.var(y))
    return f"no subtraction: the best weights leave {percent(left)} of its variance"


def gate_output(gate: Any, sigmoid: bool) -> Any:
    """A NALU between 2 + 3 and 2 · 3, by Gx; its gate with or without the σ."""
    g = 1 / (1 + np.exp(-gate)) if sigmoid else gate
    return g * (2 + 3) + (1 - g) * 2 * 3


def gate_effect() -> str:
    with_it, without = gate_output(5.0, True), gate_output(5.0, False)  # G = (1, 1)
    return (
        f"between 2 + 3 and 2 · 3 a NALU has to give 5 to 6 ({with_it:.3f}); as "
        f"printed it gives {without:g}"
    )


# iNALU's sign, the DMU


def product_signs(w: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Signs of the products of inputs [in] with weights [in, out]: the formula."""
    return np.prod(np.sign(x)[:, None] * np.abs(w) + 1 - np.abs(w), axis=0)


def flattened_signs(w: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The same as the script computes it: W row by row against inputs side by side."""
    size, outputs = w.shape
    flat, tiled = np.abs(w).ravel(), np.tile(np.sign(x), outputs)
    return np.prod((tiled * flat + 1 - flat).reshape(outputs, size), axis=1)


@cache
def wrong_signs(inputs: int, outputs: int) -> float:
    """How many signs are wrong, over all weights 0 and 1 and all signs of inputs."""
    wrong = []
    for weights in product((0.0, 1.0), repeat=inputs * outputs):
        w = np.reshape(weights, (inputs, outputs))
        for signs in product((-1.0, 1.0), repeat=inputs):
            x = np.array(signs)
            wrong.append(product_signs(w, x) != flattened_signs(w, x))
    return float(np.mean(wrong))


def sign_effect() -> str:
    return (
        f"of two inputs and two outputs {percent(wrong_signs(2, 2))} of all signs are "
        f"wrong, of one output {percent(wrong_signs(2, 1))}"
    )


def dmu_effect() -> str:
    frozen = stored("dmu")["frozen"]
    patterns = {tuple(pattern) for pattern in frozen.values()}
    free = 3**2 * 2
    return (
        f"{len(frozen)} operations share {len(patterns)} given patterns of weights: "
        f"each run decides between two formulas, not {free}"
    )


# Numerics


def tanhs(x: np.ndarray) -> dict[str, np.ndarray]:
    """float32 tanh on a CPU."""
    import jax
    import jax.numpy as jnp
    import torch

    with jax.default_device(jax.devices("cpu")[0]):
        xla = np.asarray(jnp.tanh(jnp.asarray(x)))
    return {"XLA": xla, "PyTorch": torch.tanh(torch.from_numpy(x)).numpy()}


@cache
def stops() -> dict[str, float]:
    """From where on float32 tanh is exactly 1 on a CPU."""
    x = np.linspace(7, 9.5, 25_001).astype("float32")
    return {name: float(x[y == 1].min()) for name, y in tanhs(x).items()}


def frozen_starts() -> dict[str, float]:
    """The share of NAC's Ŵ, two inputs and one output, that start where tanh is 1."""
    start: Any = NAC().parameters(2, 1)["W_hat"].distribution
    return {name: 1 - stop / start.high for name, stop in stops().items()}


def frozen_gates() -> float:
    """The share of NRU's weights that start where tanh(1000 W) is exactly ±1."""
    start: Any = NRU().parameters(2, 1)["W"].distribution
    return 1 - stops()["PyTorch"] / 1000 / start.high


def tanh_effect() -> str:
    shares = ", ".join(f"{percent(v)} with {k}" for k, v in frozen_starts().items())
    return (
        f"of NAC's Ŵ in a layer of two inputs and one output start frozen: {shares}; "
        f"of NRU's gates {percent(frozen_gates())}"
    )


@cache
def at_bounds() -> tuple[int, int]:
    """How many weights of our solved NAU→NMU runs are exactly on a bound, of all."""
    found = evaluation("simple-mul")
    trained = Trained(found.study, found.arm_runs, found.results)
    runs, on, total = trained.arm(model="NMU"), 0, 0
    for row in runs.rows:
        weights = trained.weights(row)
        on += int((np.abs(weights["0.W"]) == 1).sum())
        on += int(((weights["1.W"] == 0) | (weights["1.W"] == 1)).sum())
        total += sum(w.size for w in weights.values())
    return on, total


def clamp_effect() -> str:
    on, total = at_bounds()
    return (
        f"{percent(on / total)} of the weights of {total // 10} runs of NAU and NMU "
        "end exactly on a bound, where the slope went from 1 to 0"
    )
