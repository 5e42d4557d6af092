"""Whether weights go back and forth while they learn, at three learning rates."""

from typing import Any

import numpy as np

from ..protocol import Cell, Protocol
from ..statistics import success_rate
from ._evaluate import Found, Trained
from ._learned_subsets import TASK, linear, models
from ._study import Arm, Table, columns

SEEDS = 64
RATES = (1e-2, 1e-3, 1e-4)
# A run is so long that a weight may move by 5 in all, and is looked at each time that
# it may have moved by 0.1: what is seen is the same path at every learning rate.
LENGTH, LOOKS = 5.0, 50
BACK = 0.1  # the share of the way that must lead back for weights to oscillate
NETWORKS = {
    "NAC•, tanh-σ": ("tanh-σ", "plain"),
    "NAC•, linear": (linear(0.0), "plain"),
    "NAC•, linear, safe log": (linear(0.0), "safe"),
    "NMU": ("NMU", "none"),
}
FRESH, SAME = "fresh batches", "one batch"


def setting(rate: float, batches: str) -> str:
    """The label of an arm."""
    return f"{batches}, rate {rate:g}"


def _protocol(rate: float, batches: str) -> Protocol:
    steps = round(LENGTH / rate)
    interval = steps // LOOKS
    return Protocol(
        steps=steps,
        interval=interval,
        learning_rate=rate,
        table=0 if batches == FRESH else 128,
        validation=100,
        keep=tuple(range(0, steps + 1, interval)),
    )


def arms() -> list[Arm]:
    """Four networks at three rates, and at one of them with the same batch always."""
    made = models()
    settings = [(rate, FRESH) for rate in RATES] + [(1e-3, SAME)]
    return [
        Arm(
            {"task": "×, 4 inputs", "model": name, "setting": setting(rate, batches)},
            Cell(made[key][0], TASK, _protocol(rate, batches), tuple(range(SEEDS))),
        )
        for name, key in NETWORKS.items()
        for rate, batches in settings
    ]


def path(found: Found, trained: Trained, row: dict[str, Any]) -> np.ndarray:
    """All effective weights of a run [look, weight]."""
    steps, kept = trained.results.path(row["run"])
    network = found.arm.cell.network
    looks = [
        network.weights({name: value[k] for name, value in kept.items()})
        for k in range(len(steps))
    ]
    return np.stack([np.concatenate([np.ravel(w) for w in w.values()]) for w in looks])


def way(weights: np.ndarray) -> tuple[float, float, float]:
    """How long the way of a weight is, how long by its distance, what of it leads back.

    A move leads back if it has the other sign than the move of that weight before.
    """
    moves = np.diff(weights.astype(np.float64), axis=0)
    length = np.abs(moves)
    apart = np.abs(weights[-1] - weights[0]).sum()
    back = length[1:] * (moves[1:] * moves[:-1] < 0)
    total = length.sum()
    if not (total > 0 and apart > 0 and np.isfinite(total)):
        return np.nan, np.nan, np.nan
    each = float(total / weights.shape[1])
    return each, float(total / apart), float(back.sum() / total)


def oscillation_table(trained: Trained) -> Table:
    """Ways of all weights together: medians over seeds, and how many oscillate."""
    rows = []
    for found in trained.found:
        if found.arm.labels["model"] not in NETWORKS or not found.rows:
            continue
        ways = np.array([way(path(found, trained, row)) for row in found.rows])
        detour, back = np.nanmedian(ways[:, 1:], axis=0).tolist()
        restless = ways[:, 2] > BACK
        lengths = (_middle(ways[restless, 0]), _middle(ways[~restless, 0]))
        rate = success_rate(int(restless.sum()), len(ways))
        labels = (found.arm.labels["model"], found.arm.labels["setting"])
        counts = (int(restless.sum()), rate.low, rate.high)
        rows.append((*labels, len(ways), detour, back, *counts, *lengths))
    names = ("network", "training", "seeds", "way / distance", "share that leads back")
    counted = ("seeds that oscillate", "low", "high", "their way", "way of the others")
    return columns((*names, *counted), rows)


def _middle(values: np.ndarray) -> float | None:
    return float(np.nanmedian(values)) if np.isfinite(values).any() else None


def example_table(trained: Trained) -> Table:
    """Of the first seed that oscillates at each rate, the weight that does so most."""
    rows: list[tuple[Any, ...]] = []
    for found in trained.found:
        if found.arm.labels["model"] != "NAC•, linear":
            continue
        for row in found.rows:
            weights = path(found, trained, row)
            if way(weights)[2] > BACK:
                name = f"{found.arm.labels['setting']}, seed {row['seed']}"
                own = weights[:, _restless(weights)].tolist()
                at = (np.arange(len(own)) * LENGTH / LOOKS).tolist()
                rows += [(name, *pair) for pair in zip(at, own, strict=True)]
                break
    return columns(("run", "rate × step", "weight"), rows)


def _restless(weights: np.ndarray) -> int:
    """The weight of which the longest way leads back."""
    moves = np.diff(weights, axis=0)
    back = np.abs(moves[1:]) * (moves[1:] * moves[:-1] < 0)
    return int(back.sum(axis=0).argmax())
