"""Whether weights go back and forth while they learn, at three learning rates."""

from typing import Any

import numpy as np

from ...statistics import success_rate
from .._evaluate import ArmRuns, Trained
from .._snapshots import snapshots
from .._study import Arm, Table, columns
from ._runs import linear, models, watched

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


def arms() -> list[Arm]:
    """Four networks at three rates, and at one of them with the same batch always."""
    made, always = models(), "one batch"
    settings = [(rate, "fresh batches") for rate in RATES] + [(1e-3, always)]
    return [
        Arm(
            {
                "task": "×, 4 inputs",
                "model": name,
                "setting": f"{batches}, rate {rate:g}",
            },
            watched(made[key][0], rate, LENGTH, LOOKS, same=batches == always),
        )
        for name, key in NETWORKS.items()
        for rate, batches in settings
    ]


def paths(runs: ArmRuns, trained: Trained) -> list[np.ndarray]:
    """All effective weights of each run of an arm, [look, weight]."""
    network = runs.arm.cell.network
    return [
        np.stack(
            [
                np.concatenate([np.ravel(w) for w in network.weights(p).values()])
                for p in kept
            ]
        )
        for kept in snapshots(runs, trained)[1]
    ]


def _returns(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far each weight moves, and moves back, between looks.

    A move leads back if it has the other sign than the move of that weight before.
    """
    moves = np.diff(weights.astype(np.float64), axis=0)
    length = np.abs(moves)
    return length, length[1:] * (moves[1:] * moves[:-1] < 0)


def path_lengths(weights: np.ndarray) -> tuple[float, float, float]:
    """How long the way of a weight is, how long by its distance, what leads back."""
    length, back = _returns(weights)
    distance = np.abs(weights[-1] - weights[0]).sum()
    total = length.sum()
    if not (total > 0 and distance > 0 and np.isfinite(total)):
        return np.nan, np.nan, np.nan
    each = float(total / weights.shape[1])
    return each, float(total / distance), float(back.sum() / total)


def oscillation_table(trained: Trained) -> Table:
    """Ways of all weights together: medians over seeds, and how many oscillate."""
    rows = []
    for runs in trained.arms():
        if (model := runs.arm.labels["model"]) not in NETWORKS:
            continue
        ways = np.array([path_lengths(path) for path in paths(runs, trained)])
        detour, back = np.nanmedian(ways[:, 1:], axis=0).tolist()
        restless = ways[:, 2] > BACK
        lengths = (_middle(ways[restless, 0]), _middle(ways[~restless, 0]))
        rate = success_rate(int(restless.sum()), len(ways))
        counts = (int(restless.sum()), rate.low, rate.high)
        labels = (model, runs.arm.labels["setting"])
        rows.append((*labels, len(ways), detour, back, *counts, *lengths))
    names = ("network", "training", "seeds", "way / distance", "share that leads back")
    counted = ("seeds that oscillate", "low", "high", "their way", "way of the others")
    return columns((*names, *counted), rows)


def _middle(values: np.ndarray) -> float | None:
    return float(np.nanmedian(values)) if np.isfinite(values).any() else None


def example_table(trained: Trained) -> Table:
    """Of the first seed that oscillates at each rate, the weight that does so most."""
    rows: list[tuple[Any, ...]] = []
    for runs in trained.arms(model="NAC•, linear"):
        for row, path in zip(runs.rows, paths(runs, trained), strict=True):
            if path_lengths(path)[2] > BACK:
                name = f"{runs.arm.labels['setting']}, seed {row['seed']}"
                most = int(_returns(path)[1].sum(axis=0).argmax())
                at = (np.arange(len(path)) * LENGTH / LOOKS).tolist()
                pairs = zip(at, path[:, most].tolist(), strict=True)
                rows += [(name, *pair) for pair in pairs]
                break
    return columns(("run", "rate × step", "weight"), rows)
