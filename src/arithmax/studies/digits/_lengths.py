"""Which runs are right at which length, beside the published counts."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...statistics import steps, success_rate
from .._evaluate import ArmRuns, Trained
from .._published import figures_file, row_with
from .._sheet import Sheet
from .._study import Computed, Table, columns
from .._tables import ends
from ._guesses import guesses
from ._runs import FULL, IMAGES, REFERENCE
from ._threshold import (
    Threshold,
    error,
    left_out_of,
    thresholds,
    thresholds_table,
)

Limits = Mapping[str, Mapping[int, Threshold]]


class Judged(NamedTuple):
    """The runs of an arm at one length: their errors, and which of them are right."""

    runs: ArmRuns
    length: int
    limit: float
    errors: np.ndarray

    @property
    def solved(self) -> np.ndarray:
        """Whether each run is right [seed]."""
        return self.errors < self.limit

    @property
    def images(self) -> str:
        """Which images the arm has."""
        return str(self.runs.arm.labels["images"])

    @property
    def model(self) -> str:
        """What reads and calculates."""
        return str(self.runs.arm.labels["model"])


def published_rows(name: str) -> list[dict[str, Any]]:
    """The published counts of a study, by length and model."""
    return figures_file("digits", name).get("rows", [])


def judged(trained: Trained, limits: Limits) -> Iterator[Judged]:
    """Every arm at every length that has a threshold, the references left out."""
    for runs in trained.arms():
        images, model = (str(runs.arm.labels[n]) for n in ("images", "model"))
        if model == REFERENCE:
            continue
        for length, threshold in limits[images].items():
            errors = np.array([error(row, length) for row in runs.rows])
            yield Judged(runs, length, threshold.limit, errors)


def success(trained: Trained, sheet: Sheet) -> Computed:
    """Thresholds, success and errors at each length, and when it was reached."""
    limits: Limits = {images: thresholds(trained, images) for images in IMAGES}
    found = list(judged(trained, limits))
    tables: dict[str, Table] = {
        "thresholds": thresholds_table(limits),
        "success": _rates(found, sheet.name),
        "lengths": _overview(found, sheet.name),
        "errors": _errors(found),
    }
    if (reached := _steps(found, trained, sheet.name)) is not None:
        tables["steps"] = reached
    tables |= guesses(trained, limits).tables
    full = [f for f in found if f.images == FULL]
    names = [sheet.claim("success", model=f.model, length=f.length) for f in full]
    rates = [success_rate(int(f.solved.sum()), f.solved.size) for f in full]
    reference = trained.arm(images=FULL, model=REFERENCE)
    texts = [left_out_of(f.runs, reference) for f in full]
    missing = {n: text for n, text in zip(names, texts, strict=True) if text}
    return Computed(tables, dict(zip(names, rates, strict=True)), missing)


def _theirs(found: Judged, name: str) -> dict[str, Any]:
    """The published row; the paper has all images alone."""
    rows = published_rows(name)
    return row_with(rows, length=found.length, model=found.model) or {}


def _rates(found: list[Judged], name: str) -> Table:
    rows = []
    for f in found:
        theirs = _theirs(f, name)
        published = theirs["solved"] / theirs["runs"] if theirs else None
        count, seeds = int(f.solved.sum()), f.solved.size
        ours = (seeds, count, *ends(success_rate(count, seeds)))
        middle = float(np.median(f.errors))
        rows.append((f.images, f.model, f.length, *ours, published, middle, f.limit))
    names = ("images", "model", "length", "seeds", "solved", "success rate")
    names += ("low", "high", "published", "median error", "threshold")
    return columns(names, rows)


def _overview(found: list[Judged], name: str) -> Table:
    """One row for each length, one column for each model."""
    cells = {}
    for f in found:
        theirs = _theirs(f, name)
        text = f"{f.solved.sum()}/{f.solved.size}"
        if theirs:
            text += f" ({theirs['solved']}/{theirs['runs']})"
        cells.setdefault((f.images, f.length), {})[f.model] = text
    models = list(dict.fromkeys(f.model for f in found))
    rows = [(*key, *(row.get(m, "–") for m in models)) for key, row in cells.items()]
    return columns(("images", "length", *models), rows)


def _errors(found: list[Judged]) -> Table:
    """The error of every seed at every length."""
    rows = [
        (f.images, f.model, f.length, row["seed"], float(e), bool(e < f.limit))
        for f in found
        for row, e in zip(f.runs.rows, f.errors, strict=True)
    ]
    return columns(("images", "model", "length", "seed", "error", "solved"), rows)


def _steps(found: list[Judged], trained: Trained, name: str) -> Table | None:
    """When solved runs were first below the threshold; None where it is not known.

    Curves that were thinned for shipping do not tell.
    """
    runs = [row["run"] for f in found for row in f.runs.rows]
    curves = trained.results.curves(list(dict.fromkeys(runs)))
    rows = []
    for f in found:
        solved = [r for r, right in zip(f.runs.rows, f.solved, strict=True) if right]
        at = [_first_below(curves.get(row["run"]), row, f) for row in solved]
        known = [step for step in at if step is not None]
        if len(known) < len(at):
            return None
        mean = steps(known) if known else None
        published = _theirs(f, name).get("solved_at", [None])[0]
        value = mean.value if mean else None
        rows.append((f.images, f.model, f.length, len(known), value, published))
    names = ("images", "model", "length", "solved", "mean step", "published")
    return columns(names, rows)


def _first_below(
    curve: Mapping[str, np.ndarray] | None, row: Mapping[str, Any], found: Judged
) -> int | None:
    """The first measured step with an error below the threshold, if all are known."""
    interval = found.runs.arm.cell.protocol.measuring.interval
    points = row["protocol_steps"] // interval + 1
    name = f"length_{found.length}"
    if curve is None or name not in curve or len(curve["step"]) < points:
        return None
    below = np.flatnonzero(curve[name] < found.limit)
    return max(int(curve["step"][below[0]]), 1) if below.size else None
