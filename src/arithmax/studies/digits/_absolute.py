"""Mean absolute errors of the last result, which the NALU paper has no intervals of."""

from typing import Any

import numpy as np

from .._evaluate import Trained
from .._published import figures_file, row_with
from .._sheet import Sheet
from .._study import Computed, columns
from .._tables import ends, mean
from ._runs import FULL
from ._threshold import left_out_of, lengths_of


def published_errors(name: str) -> list[dict[str, Any]]:
    """The published errors of a study, by length and model."""
    return figures_file("digits", name)["errors"]


def derived_errors(name: str) -> list[dict[str, Any]]:
    """The same as a sheet would write the figures of its claim."""
    return [
        {"model": r["model"], "length": r["length"], "value": r["error"]}
        for r in published_errors(name)
    ]


def absolute(trained: Trained, sheet: Sheet) -> Computed:
    """The mean over seeds at each length, beside the published figure."""
    rows, figures, missing = [], {}, {}
    for runs in trained.arms():
        images, model = (str(runs.arm.labels[n]) for n in ("images", "model"))
        for length in lengths_of(runs.rows):
            errors = [row.get(f"mae_{length}", np.nan) for row in runs.rows]
            ours = mean(np.array(errors, dtype=np.float64))
            theirs = row_with(published_errors(sheet.name), length=length, model=model)
            published = theirs["error"] if theirs else None
            counts = (length, len(errors), *ends(ours))
            rows.append((images, model, *counts, published))
            if theirs and images == FULL:
                claim = sheet.claim("error", model=model, length=length)
                figures[claim] = ours
                if left_out := left_out_of(runs):
                    missing[claim] = left_out
    names = ("images", "model", "length", "seeds", "absolute error", "low", "high")
    return Computed(
        {"absolute": columns((*names, "published"), rows)}, figures, missing
    )
