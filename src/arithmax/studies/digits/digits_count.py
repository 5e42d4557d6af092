"""Counting digits: how often each is there in a row of images."""

from typing import Any

import numpy as np

from .._evaluate import Trained
from .._sheet import sheet
from .._study import Computed, Study, columns
from ._absolute import absolute, derived_errors
from ._readings import EACH
from ._runs import COUNT, arms
from ._together import together
from ._weights import some_of_each, tested, typical

SHEET = sheet("digits", "digits-count")


def counts_of_one(trained: Trained) -> Computed:
    """What one image adds to each count, of the median seed of each arm.

    It is left out where weights or images are not here.
    """
    rows: list[tuple[Any, ...]] = []
    for runs in trained.arms():
        reader = typical(runs, trained)
        held = tested(reader.task) if reader else None
        if reader is None or held is None:
            continue
        images, digits = some_of_each(held, EACH)
        added, labels = reader.results(images[None]), tuple(runs.arm.labels.values())
        for digit in np.unique(digits):
            means = added[:, digits == digit].mean(axis=1)
            key = (*labels, runs.arm.name, reader.row["seed"], int(digit))
            rows += [(*key, k, float(mean)) for k, mean in enumerate(means)]
    names = ("images", "model", "arm", "seed", "digit", "count", "mean")
    return Computed({"added": columns(names, rows)} if rows else {})


def compute(trained: Trained) -> Computed:
    """Errors at each length, and what one image adds."""
    return together([absolute(trained, SHEET), counts_of_one(trained)])


def study() -> Study:
    """Table of MNIST counting."""
    derived = {"error": derived_errors(SHEET.name)}
    return SHEET.study(arms("count", COUNT), compute, derived=derived)
