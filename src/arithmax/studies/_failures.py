"""Where a run that was not solved sits: the local optimum, by its learned weights.

The first of these that holds, in this order, is the name of a failure:

| failure | holds where |
|---|---|
| cannot represent it | the unit has no weights for the operation |
| outside its domain | not even the exact weights are right on these inputs |
| overflow | the run diverged, or a parameter is not finite |
| flat cosine sign | a sign cos(πt) is over a quarter turn from where it must be |
| gate on the wrong side | a gate lets less than a tenth of the right thing through |
| gate half open | a gate lets less than nine tenths of it through |
| complex power | an imaginary weight exceeds a tenth |
| weights in between | a weight is more than a tenth from each of its discrete values |
| nearly there | the nearest discrete weights are the solution |
| offset | so they are, but a bias, or a factor's logarithm, exceeds a tenth |
| saturated at W = … | wrong discrete weights at which tanh, σ or softmax is flat |
| wrong weights W = … | wrong discrete weights all the same |
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any, cast

import numpy as np

from ..networks import Network
from ..tasks import NumpyKey, SingleModule
from ..units import OPERATIONS, Params, Unit
from ._evaluate import Trained
from ._study import Table, columns

NEAR = 0.1  # of a weight, a gate or a bias: how far from a discrete value it may be
FLAT = 0.01  # the slope of a weight in its parameters below which it is saturated
SAMPLES = 256


class Failure(StrEnum):
    """What a run that was not solved is stuck in."""

    UNABLE = "cannot represent it"
    DOMAIN = "outside its domain"
    OVERFLOW = "overflow"
    COSINE = "flat cosine sign"
    WRONG_GATE = "gate on the wrong side"
    HALF_OPEN = "gate half open"
    COMPLEX = "complex power"
    BETWEEN = "weights in between"
    NEARLY = "nearly there"
    OFFSET = "offset"
    SATURATED = "saturated"
    WRONG = "wrong weights"

    @property
    def sentence(self) -> str:
        """What it means, for a reader."""
        return SENTENCES[self]


SENTENCES = {
    Failure.UNABLE: "There are no weights at which the unit computes the operation.",
    Failure.DOMAIN: "Not even the exact weights are right on these inputs: the unit "
    "loses their sign, takes the logarithm of a number that is not positive, or has a "
    "gate that opens by the sign of its inputs.",
    Failure.OVERFLOW: "Numbers grew until they were no longer finite.",
    Failure.COSINE: "The sign of the result is a cosine of the powers of negative "
    "inputs, and the run sits on another of its peaks, or on its slope to one: "
    "between it and the solution the sign is wrong.",
    Failure.WRONG_GATE: "The gate lets the wrong path through, or shuts out an "
    "operand; what is behind a shut gate has no gradient.",
    Failure.HALF_OPEN: "The gate stays between open and shut: sum and product are "
    "mixed, or an operand counts in part. That may fit the training range, and fails "
    "outside it.",
    Failure.COMPLEX: "The powers have kept imaginary parts, which bend the result "
    "outside the training range.",
    Failure.BETWEEN: "The weights fit the training range without being discrete, so "
    "that the result is wrong outside it.",
    Failure.NEARLY: "The nearest discrete weights are the solution, and the learned "
    "ones are not yet close enough to them to count.",
    Failure.OFFSET: "The weights are right, but a bias or a factor is left beside "
    "them.",
    Failure.SATURATED: "The weights are discrete and wrong, and tanh, σ or softmax is "
    "so flat there that they no longer move.",
    Failure.WRONG: "The weights are discrete and wrong: the run has settled on another "
    "function, such as one that ignores an operand.",
}


def kind(failure: str) -> Failure:
    """The kind of a failure, without the weights it names."""
    return Failure(failure.partition(" W = ")[0].removesuffix(" at"))


def failure(
    network: Network, task: SingleModule, params: Params, row: Mapping[str, Any]
) -> str:
    """The local optimum that a run which was not solved sits in.

    Args:
        network: what was trained, a unit or a stack of one.
        task: what it was trained on.
        params: its parameters at the best step, in NumPy.
        row: its row of results: its `outcome`, `seed` and `threshold`.

    Returns:
        One of `Failure`, with the weights where they are discrete and wrong.
    """
    ((layer, params),) = network.layers(params)
    unit = cast(Unit, layer)
    learned = {name: np.asarray(v, dtype=np.float64) for name, v in params.items()}
    places = tuple(tuple(r) for r in task.places(row["seed"]))
    solution = _solution(unit, task, places, row["threshold"])
    if isinstance(solution, Failure):
        return solution
    finite = all(np.isfinite(v).all() for v in learned.values())
    if row["outcome"] == "diverged" or not finite:
        return Failure.OVERFLOW
    x, _ = _samples(task, places, False)
    if turned(unit, learned, solution, x) > 0.5:
        return Failure.COSINE
    if (share := opened(unit, learned, x, task.operation, places)) < 1 - NEAR:
        return Failure.WRONG_GATE if share < NEAR else Failure.HALF_OPEN
    if (
        "W_im" in learned
        and np.abs(learned["W_im"] * _gates(unit, learned)).max() > NEAR
    ):
        return Failure.COMPLEX
    return _of_weights(unit, task, learned, solution, row["threshold"], places)


def _of_weights(unit, task, learned, solution, threshold, places) -> str:
    """What is wrong with the weights, given that the gates are right."""
    path = OPERATIONS[task.operation].path
    w, wanted = relevant(unit, learned, path), relevant(unit, solution, path)
    values = np.array(unit.exact[path].weights)
    rounded = values[np.abs(w[..., None] - values).argmin(-1)]
    if np.abs(w - rounded).max() > NEAR:
        return Failure.BETWEEN
    x, y = _samples(task, places, True)
    if _error(unit, unit.discretise(learned), x, y) < threshold:
        return Failure.OFFSET if _offset(unit, learned) > NEAR else Failure.NEARLY
    shown = _shown(rounded[0], [i for row in places for i in row], task.in_features)
    slope = _slopes(unit, learned, path)[rounded != wanted].min(initial=np.inf)
    name = f"{Failure.SATURATED} at" if slope < FLAT else Failure.WRONG
    return f"{name} {shown}"


def _shown(w: np.ndarray, places: list[int], size: int) -> str:
    """The weights of the operands, and how many others there are beside them."""
    chosen = [k + i for k in range(0, len(w), size) for i in places]
    text = f"W = ({', '.join(f'{w[i]:g}' for i in chosen)})"
    others = np.count_nonzero(w) - np.count_nonzero(w[chosen])
    return f"{text} and {others} more" if others else text


def relevant(unit: Unit, params: Params, path: str) -> np.ndarray:
    """The weights [out, in] of one path; those behind a shut gate `g` are zero."""
    matrices = unit.weights(params)
    suffix = "_add" if path == "sum" else "_mul"
    names = [n for n in matrices if n.endswith(suffix) or n == "W_re"] or list(matrices)
    return matrices[names[0]] * _gates(unit, params)


def _gates(unit: Unit, params: Params) -> Any:
    """How far each input counts; gates of signs alone do not matter here."""
    if "g" not in params or unit.gates == "signs":
        return 1.0
    return np.clip(params["g"], 0.0, 1.0)


def opened(
    unit: Unit, params: Params, x: np.ndarray, operation: str, places: Any
) -> float:
    """How far the gates are open for what is needed: 1 is right, 0 the wrong side.

    With all weights zero a sum is 0 and a product is 1: what a unit of two paths then
    gives is the share of its product. (The SNALU's product is then ±1.)
    """
    path = OPERATIONS[operation].path
    if len(unit.exact) > 1:
        nothing = unit.encode(np.zeros((1, x.shape[0])), path)
        gates = {n: v for n, v in params.items() if n in _apart(unit, x.shape[0])}
        with np.errstate(over="ignore"):
            share = float(np.mean(np.abs(unit.compute({**nothing, **gates}, x))))
        return share if path == "product" else 1 - share
    if "g" not in params or (unit.gates == "signs" and (x >= 0).all()):
        return 1.0
    return float(np.clip([params["g"][i] for row in places for i in row], 0, 1).min())


def turned(unit: Unit, params: Params, solution: Params, x: np.ndarray) -> float:
    """How far the angle of a sign cos(πt) is from the solution's, in half turns."""
    turns, wanted = unit.turns(params), unit.turns(solution)
    if turns is None or wanted is None:
        return 0.0
    return float(np.abs((turns - wanted) @ (x < 0)).max())


@lru_cache(maxsize=256)
def _apart(unit: Unit, size: int) -> frozenset[str]:
    """The parameters that count beside the weights: gates, biases, factors."""
    x = np.full((size, 1), 2.0)
    start = {n: np.full(p.shape, 0.3) for n, p in unit.parameters(size, 1).items()}
    weights, y = unit.weights(start), unit.compute(start, x)
    names = set()
    for name, value in start.items():
        by = np.linspace(0.1, 0.2, value.size).reshape(value.shape)
        moved = {**start, name: value + by}
        pairs = zip(weights.values(), unit.weights(moved).values(), strict=True)
        same = all(np.array_equal(before, after) for before, after in pairs)
        if same and not np.array_equal(unit.compute(moved, x), y):
            names.add(name)
    return frozenset(names)


def _offset(unit: Unit, params: Params) -> float:
    """How far the biases and factors of a unit of one path are from the solution's."""
    if len(unit.exact) > 1:
        return 0.0
    exact = unit.discretise(params)
    names = _apart(unit, unit.features(params)[0]) - {"g"}
    return max((float(np.abs(params[n] - exact[n]).max()) for n in names), default=0.0)


def _slopes(unit: Unit, params: Params, path: str, step: float = 1e-3) -> np.ndarray:
    """How much each weight moves with the parameter that moves it most."""
    steepest = np.zeros_like(relevant(unit, params, path))
    for name in params.keys() - {"g"}:
        for i in np.ndindex(params[name].shape):
            moved = np.zeros_like(params[name])
            moved[i] = step
            ends = (
                relevant(unit, {**params, name: params[name] + s * moved}, path)
                for s in (1, -1)
            )
            steepest = np.maximum(steepest, np.abs(next(ends) - next(ends)) / 2 / step)
    return steepest


@lru_cache(maxsize=4096)
def _solution(
    unit: Unit, task: SingleModule, places: Any, threshold: float
) -> Params | Failure:
    """The parameters that solve a task, or why there are none."""
    if task.operation not in unit.operations:
        return Failure.UNABLE
    op = OPERATIONS[task.operation]
    w = np.zeros((1, task.in_features))
    for (place,), value in zip(places, op.weights, strict=False):
        w[0, place] = value
    x, y = _samples(task, places, True)
    try:
        # A gate that depends on the sign of inputs solves by the other side.
        candidates = [unit.encode(w, path) for path in (op.path, *(unit.exact))]
    except ValueError:
        return Failure.UNABLE
    right = [p for p in candidates if _error(unit, p, x, y) < threshold]
    return right[0] if right else Failure.DOMAIN


def _error(unit: Unit, params: Params, x: np.ndarray, y: np.ndarray) -> float:
    """The mean squared error; infinite where it is not a number."""
    with np.errstate(all="ignore"):
        error = float(np.mean((unit.compute(params, x)[0] - y) ** 2))
    return error if np.isfinite(error) else np.inf


@lru_cache(maxsize=512)
def _samples(task: SingleModule, places: Any, outside: bool) -> tuple[Any, Any]:
    """Inputs [in, sample] of one of the ranges, and their targets."""
    operands = np.eye(task.in_features)[[i for (i,) in places]]
    replica = task.replica(0) | {"masks": operands}
    split = "extrapolation" if outside else "interpolation"
    with np.errstate(all="ignore"):
        x, t = task.draw(split, replica, NumpyKey(0), SAMPLES)
    return x, t[0]


def failure_table(trained: Trained) -> Table:
    """How many seeds of each arm have which failure, commonest first."""
    lines = []
    for runs in trained.arm_runs:
        counts: dict[str, int] = {}
        cell = runs.arm.cell
        for row in runs.rows:
            if row["outcome"] != "solved":
                params = trained.weights(row)
                name = str(failure(cell.network, cell.task, params, row))  # type: ignore[arg-type]  # single module
                counts[name] = counts.get(name, 0) + 1
        common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        lines += [(*runs.arm.labels.values(), name, n) for name, n in common]
    return columns((*trained.study.labels, "failure", "seeds"), lines)
