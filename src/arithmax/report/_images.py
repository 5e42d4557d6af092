"""Figures as static files."""

from collections.abc import Sequence
from pathlib import Path

import plotly.graph_objects as go

from ..studies import Evaluation
from ._draw import figures
from ._style import template

WIDTH = 800  # CSS pixels
SCALE = 2  # of a PNG, for dense screens
INK, LINES = "#24292f", "#d8dee4"


def write_images(
    evaluation: Evaluation, folder: Path, formats: Sequence[str] = ("png", "svg")
) -> list[Path]:
    """Write every figure of a study as `STUDY-N.png` and `STUDY-N.svg`.

    Args:
        evaluation: the study.
        folder: where to; made if need be.
        formats: what `kaleido` can write: png, svg, pdf, jpg, webp.

    Returns:
        The files that were written, none if there is nothing to draw.
    """
    jobs = []
    for i, (_, drawn) in enumerate(figures(evaluation), 1):
        _still(drawn)
        for kind in formats:
            layout = drawn["layout"]
            size = {"width": layout["width"] or WIDTH, "height": layout["height"]}
            size["format"] = kind
            size["scale"] = SCALE if kind == "png" else 1
            path = folder / f"{evaluation.study.name}-{i}.{kind}"
            jobs.append({"fig": drawn, "path": path, "opts": size})
    if jobs:
        folder.mkdir(parents=True, exist_ok=True)
        _write(jobs)
    return [job["path"] for job in jobs]


def _still(drawn: go.Figure) -> None:
    """Dark on white, and the first choice of a menu as a title."""
    drawn.update_layout(template=template(INK, LINES), paper_bgcolor="white")
    for menu in drawn.layout.updatemenus or ():  # type: ignore[attr-defined]  # Plotly makes it
        shown = {"text": menu.buttons[0].label, "x": 0.01, "font": {"size": 13}}
        drawn.update_layout(title=shown)
    drawn.layout.updatemenus = None  # type: ignore[attr-defined]  # the same


def _write(jobs: list[dict]) -> None:
    """Draw everything in one browser; kaleido's default would fetch MathJax."""
    import kaleido
    from kaleido.errors import ChromeNotFoundError

    try:
        kaleido.write_fig_from_object_sync(jobs, kopts={"mathjax": False})
    except ChromeNotFoundError:
        raise OSError(
            "pictures need Chrome or Chromium, and none was found. Install one, or set "
            "the environment variable BROWSER_PATH to its executable."
        ) from None
