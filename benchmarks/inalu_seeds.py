"""The authors' script of iNALU's experiments 1 and 2, with the seeds that they used.

    python benchmarks/inalu_seeds.py inalu-minimal|inalu-simple

All that is random in the script is drawn by NumPy from one seed: the samples, then the
starts, then the parameters of each restart. So this is not a study of ours but the
published runs, as far as the script made them. Experiment 2 has ten inputs, of which
the first two are used: where a published run has learned x₁ − x₂ as x₁, its losses are
means of x₂², and with ten inputs they are those of its seed to all six digits.

Counts of solved runs are written to the files of published counts beside the studies,
as `ported` of each row that differs from ours.
"""

import json
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy.special import ndtr, ndtri

from arithmax.results import read
from arithmax.studies import Verdict, evaluate
from arithmax.studies.inalu._runs import SOLVED
from arithmax.studies.inalu.experiments import INPUTS, labels_of, minimal, simple

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "src" / "arithmax" / "studies" / "inalu"
STUDIES = {"inalu-minimal": (minimal, 2), "inalu-simple": (simple, 10)}  # and inputs
SEEDS = range(100, 110)
SAMPLES, BATCH, EPOCHS = 64_000, 64, 100
STEPS = SAMPLES // BATCH  # of an epoch
NEVER = STEPS  # the step of a restart that does not happen
MEANS = {"W": 1.0, "M": -1.0, "G": 0.0}
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
}
# Parameters in the order in which the script makes them.
ORDER = {"NALU": "W M G", "iNALU (sw)": "W M G", "iNALU (iw)": "W M W_mul M_mul G"}

Arrays = dict[str, Any]


def samples(
    draw: np.random.RandomState, kind: str, numbers: Sequence[float], size: int
) -> np.ndarray:
    """One table of inputs, drawn as the script draws it."""
    if kind == "exponential":
        x = draw.exponential(numbers[0], size=SAMPLES * size)
    elif kind == "uniform":
        x = draw.uniform(*numbers, size=SAMPLES * size)
    else:
        mean, deviation, low, high = numbers
        below, above = ndtr((np.array([low, high]) - mean) / deviation)
        u = draw.uniform(size=SAMPLES * size)
        x = mean + deviation * ndtri(below + (above - below) * u)
    draw.shuffle(x)
    return x.reshape(SAMPLES, size)


def shapes(model: str, size: int) -> dict[str, tuple[int, ...]]:
    """The parameters of a model with one output."""
    gate = (size, 1) if model == "NALU" else (1,)
    return {n: gate if n == "G" else (size, 1) for n in ORDER[model].split()}


def forward(model: str, p: Arrays, x: Any) -> Any:
    """A model's answers to a batch."""
    w_add = jnp.tanh(p["W"]) * jax.nn.sigmoid(p["M"])
    size, added = jnp.abs(x), x @ w_add
    if model == "NALU":
        g = jax.nn.sigmoid(x @ p["G"])
        return g * added + (1 - g) * jnp.exp(jnp.log(size + 1e-7) @ w_add)
    w = jnp.tanh(p["W_mul"]) * jax.nn.sigmoid(p["M_mul"]) if "W_mul" in p else w_add
    exponent = jnp.log(jnp.maximum(size, 1e-7)) @ w
    uses = jnp.abs(w).T
    signs = jnp.prod(jnp.sign(x) * uses + 1 - uses, axis=1, keepdims=True)
    multiplied = jnp.exp(jnp.minimum(exponent, 20.0)) * jnp.clip(signs, -1.0, 1.0)
    g = jax.nn.sigmoid(p["G"])[None]
    return g * added + (1 - g) * multiplied


def step_down(p: Arrays, slots: Arrays, slopes: Arrays, moves: Arrays) -> Any:
    """TensorFlow's RMSProp for those parameters that move."""
    cut = {n: jnp.clip(slope, -0.1, 0.1) for n, slope in slopes.items()}
    squares = {n: 0.9 * slots[n] + 0.1 * g * g for n, g in cut.items()}
    moved = {n: p[n] - 0.01 * g / jnp.sqrt(squares[n] + 1e-10) for n, g in cut.items()}
    return tuple(
        {n: jnp.where(moves[n], new[n], old[n]) for n in p}
        for new, old in ((moved, p), (squares, slots))
    )


def penalty(p: Arrays) -> Any:
    """What drives all parameters beyond ±20."""
    away = [jnp.mean(jnp.maximum(20 - jnp.abs(v), 0)) for v in p.values()]
    return 0.05 * jnp.sum(jnp.stack(away))


@cache
def programs(model: str) -> tuple[Any, Any]:
    """An epoch of runs side by side, and their errors."""

    def error(p, x, t):
        return jnp.mean((forward(model, p, x) - t) ** 2)

    def epoch(p, slots, x, t, number, restart, fresh):
        def step(state, i):
            p, slots = state
            batch = [jax.lax.dynamic_slice_in_dim(z, i * BATCH, BATCH) for z in (x, t)]
            loss, slopes = jax.value_and_grad(error)(p, *batch)
            gates = i % 10 >= 8
            turns = {n: gates == (n == "G") for n in p}
            p, slots = step_down(p, slots, slopes, turns)
            applies = (number > 10) & (loss < 1)
            p, slots = step_down(
                p, slots, jax.grad(penalty)(p), {n: applies for n in p}
            )
            p = {n: jnp.where(i == restart, fresh[n], v) for n, v in p.items()}
            return (p, slots), loss

        (p, slots), losses = jax.lax.scan(step, (p, slots), jnp.arange(STEPS))
        return p, slots, losses

    side_by_side = jax.vmap(epoch, in_axes=(0, 0, 0, 0, None, 0, 0))
    return jax.jit(side_by_side), jax.jit(jax.vmap(error))


def due(losses: np.ndarray) -> int:
    """The step of the last epoch of these losses at which the rule restarts."""
    first = len(losses) - STEPS
    sums = np.concatenate([[0.0], np.cumsum(losses)])
    squares = np.concatenate([[0.0], np.cumsum(losses * losses)])
    for i in range(STEPS):
        stored = first + i + 1
        if stored <= 10_000:
            continue
        half, later = stored // 2, stored - stored // 2
        mean = (sums[stored] - sums[half]) / later
        variance = (squares[stored] - squares[half]) / later - mean * mean
        if mean > 1 and sums[half] / half <= mean + np.sqrt(max(variance, 0.0)):
            return i
    return NEVER


def run(model: str, operation: str, distribution: str, size: int) -> tuple[Any, Any]:
    """Errors in extrapolation after the last step, and restarts, of every seed."""
    kind, inner, outer = INPUTS[distribution]
    draws = [np.random.RandomState(seed) for seed in SEEDS]
    tables = [[samples(d, kind, n, size) for n in (inner, inner, outer)] for d in draws]
    declared = shapes(model, size)

    def fitted(place: int) -> tuple[Any, Any]:
        x = np.stack([table[place] for table in tables])
        t = OPERATIONS[operation](x[..., 0], x[..., 1])[..., None]
        return jnp.asarray(x, "float32"), jnp.asarray(t, "float32")

    def drawn(draw: Callable[..., np.ndarray]) -> dict[str, np.ndarray]:
        return {n: draw(n, shape).astype("float32") for n, shape in declared.items()}

    starts = [drawn(lambda n, s, d=d: d.normal(MEANS[n[0]], 0.1, s)) for d in draws]
    p = {n: jnp.stack([start[n] for start in starts]) for n in declared}
    slots = {n: jnp.ones_like(v) for n, v in p.items()}
    (x, t), test = fitted(0), fitted(2)
    epoch, error = programs(model)
    seen = [np.zeros(0) for _ in SEEDS]
    restarts = np.zeros(len(SEEDS), int)
    for number in range(EPOCHS):
        steps = np.full(len(SEEDS), NEVER)
        fresh = {n: np.zeros(v.shape, "float32") for n, v in p.items()}
        made = epoch(p, slots, x, t, number, steps, fresh)
        if number and number % 10 == 0:
            for i, losses in enumerate(np.asarray(made[2], float)):
                steps[i] = due(np.concatenate([seen[i], losses]))
                if steps[i] < NEVER:
                    new = drawn(lambda _, s, d=draws[i]: d.uniform(-2, 2, s))
                    for n in declared:
                        fresh[n][i] = new[n]
            if (steps < NEVER).any():
                made = epoch(p, slots, x, t, number, steps, fresh)
        p, slots, last = made
        for i, losses in enumerate(np.asarray(last, float)):
            again = steps[i] < NEVER
            kept = losses[steps[i] + 1 :] if again else [*seen[i], *losses]
            seen[i], restarts[i] = np.asarray(kept), restarts[i] + again
    return np.asarray(error(p, *test)), restarts


def main(name: str) -> None:
    """Count the solved runs of each row that differs, and write them."""
    made, size = STUDIES[name]
    compared = evaluate(made(), read(ROOT / "results")).comparisons
    differ = [c.labels for c in compared if c.labels and c.verdict is Verdict.DIFFERS]
    file = FOLDER / f"{name}.json"
    published = json.loads(file.read_text(encoding="utf-8"))
    for row in published["rows"]:
        row.pop("ported", None)
        if labels_of(row) not in differ:
            continue
        where = row["model"], row["operation"], row["distribution"]
        errors, restarts = run(*where, size)
        row["ported"] = [int((errors < SOLVED).sum()), len(errors)]
        print(*where, row["ported"], restarts.tolist(), flush=True)
    file.write_text(dumped(published), encoding="utf-8")


def dumped(published: dict[str, Any]) -> str:
    """JSON with a line for each row."""
    parts = []
    for key, value in published.items():
        text = json.dumps(value, ensure_ascii=False)
        if isinstance(value, list):
            lines = [f"    {json.dumps(row, ensure_ascii=False)}" for row in value]
            text = "[\n" + ",\n".join(lines) + "\n  ]"
        parts.append(f'  "{key}": {text}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    main(*sys.argv[1:])
