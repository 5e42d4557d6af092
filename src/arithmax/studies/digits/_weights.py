"""The weights of runs and the images that they were tested on, where both are here."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...networks import Recurrence
from ...tasks import Digits, Images, mnist, normalised_pixels
from .._evaluate import ArmRuns, Trained


class Reader(NamedTuple):
    """A trained network that reads images, and its row."""

    network: Recurrence
    task: Digits
    row: Mapping[str, Any]
    params: dict[str, Any]

    def read(self, images: np.ndarray) -> np.ndarray:
        """What it reads off images [n, 28, 28], as [readings, n]."""
        return np.asarray(self.network.read(self.params, features_first(images), np))

    def results(self, images: np.ndarray) -> np.ndarray:
        """What it gives for rows of images [length, n, 28, 28], as [out, n]."""
        rows = np.stack([features_first(step) for step in images])
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(self.network.compute(self.params, rows))


def features_first(images: np.ndarray) -> np.ndarray:
    """Pixels [n, 28, 28] as a network takes them [28, 28, n]."""
    return np.moveaxis(normalised_pixels(images), 0, -1)


def readers(runs: ArmRuns, trained: Trained) -> Iterator[Reader]:
    """The networks of an arm at their best step; none where weights were not kept."""
    cell: Any = runs.arm.cell
    for row in runs.rows:
        try:
            params = trained.weights(row)
        except KeyError:  # packs are too small for them
            continue
        yield Reader(cell.network, cell.task, row, params)


def typical(runs: ArmRuns, trained: Trained) -> Reader | None:
    """The network whose error on held-out images is the median of its arm."""
    errors = [(row["interpolation"], row["seed"]) for row in runs.rows]
    order = sorted((e if np.isfinite(e) else np.inf, seed) for e, seed in errors)
    if not order:
        return None
    seed = order[(len(order) - 1) // 2][1]
    return next((r for r in readers(runs, trained) if r.row["seed"] == seed), None)


def tested(task: Digits) -> Images | None:
    """The test images of a task; None where they are not here."""
    try:
        images, labels = mnist(task.images, task.folder or None)["extrapolation"]
    except (ImportError, OSError, ValueError):
        return None
    kept = labels >= (1 if task.operation == "product" else 0)
    return Images(images[kept], labels[kept])


def some_of_each(images: Images, each: int) -> Images:
    """The first images of each digit, in the order of the digits."""
    at = [np.flatnonzero(images.labels == d)[:each] for d in np.unique(images.labels)]
    chosen = np.concatenate(at)
    return Images(images.images[chosen], images.labels[chosen])
