"""One row of test images, worked through image by image."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...tasks import Images
from .._evaluate import Trained
from .._study import Computed, columns
from ._weights import Reader, tested, typical

LONGER = 10  # times the length of rows to train on
SEED = 0  # of the images that are drawn
NAMES = ("images", "model", "seed", "step", "digit", "reading", "result", "target")


def sequence(trained: Trained, shown: Sequence[str]) -> Computed:
    """The digits, readings and results of a long row, by the median seed of models.

    It is left out where weights or images are not here.
    """
    rows: list[tuple[Any, ...]] = []
    for runs in trained.arms():
        if runs.arm.labels["model"] not in shown:
            continue
        reader = typical(runs, trained)
        held = tested(reader.task) if reader else None
        if reader is not None and held is not None:
            labels = tuple(runs.arm.labels.values())
            rows += [(*labels, reader.row["seed"], *r) for r in worked(reader, held)]
    return Computed({"sequence": columns(NAMES, rows)} if rows else {})


def worked(reader: Reader, held: Images) -> list[tuple[int, int, float, float, float]]:
    """Step, digit, reading, result and target of one row that is drawn from images."""
    length = LONGER * reader.task.in_features[0]
    rng = np.random.default_rng(SEED)
    at = rng.choice(len(held.labels), length, replace=length > len(held.labels))
    images, digits = held.images[at], held.labels[at]
    results = reader.results(images[:, None])[:, 0]
    targets = reader.task.target(digits[:, None].astype(np.float64), np)[:, 0]
    known = zip(digits, reader.read(images)[0], results, targets, strict=True)
    return [
        (step, int(d), float(z), float(y), float(t))
        for step, (d, z, y, t) in enumerate(known, start=1)
    ]
