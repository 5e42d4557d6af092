"""Panels of the page on why networks cannot count: runs, counts, and maps.

A panel of runs has one thin line per run of a study, the truth as a broad grey one, and
the range that was trained on as a shaded part.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from pictures import BAD, GOOD, INK, RIGHT_IS_DARK, axes, drawn, shade

from arithmax.results import Results, read
from arithmax.studies import Evaluation, Trained, study
from arithmax.studies._run import stored
from arithmax.tasks import NumpyKey

RESULTS = Path(__file__).parents[1] / "results"
MOST = 100  # runs on a panel, the first of their study
SAMPLES = 1000  # of the test range, by which a run is called right
WITHIN, SHARE = 0.01, 0.95  # right: this share of answers is within 1 % of the truth
POINTS = 41
WHITE, BLACK = "#ffffff", "#000000"  # on a colour, on light and dark pages alike
WIDE, NARROW = 720.0, 380.0  # pixels: a desk, a phone


@cache
def _results() -> Results:
    return read(RESULTS)


@cache
def evaluation(name: str) -> Evaluation:
    """A study with its stored runs."""
    return stored(study(name), _results(), RESULTS)


def table(name: str, part: str) -> dict[str, list[Any]]:
    """A table that a study computed."""
    found = evaluation(name).computed
    assert found is not None
    return dict(found.tables[part])


@dataclass(frozen=True)
class Lines:
    """What the runs of one setting answer along one input.

    Args:
        title: what a reader calls the setting.
        x: values of the input that varies.
        answers: what each run answers [run, point].
        truth: what is right [point].
        trained: the range that was trained on.
        right: whether each run is right, in the test range and on this line.
    """

    title: str
    x: np.ndarray
    answers: np.ndarray
    truth: np.ndarray
    trained: tuple[float, float]
    right: np.ndarray


def lines(
    name: str,
    labels: Mapping[str, str | int | float],
    title: str,
    span: tuple[float, float],
    others: float | None = None,
    output: int = 0,
) -> Lines:
    """The runs of a study's setting, as one input goes through a span.

    Args:
        name: the study.
        labels: those of the setting.
        title: what a reader calls it.
        span: where the first input goes.
        others: what all other inputs are; as the first one if None.
        output: which of the outputs is looked at.
    """
    found = evaluation(name)
    trained = Trained(found.study, found.arm_runs, found.results)
    runs = trained.arm(**labels)
    task: Any = runs.arm.cell.task
    x = np.linspace(*span, POINTS)
    inputs = np.tile(x, (task.in_features, 1))
    if others is not None:
        inputs[1:] = others
    ends = np.ravel(task.interpolation)
    answers, right, truth = [], [], x
    for row in runs.rows[:MOST]:
        network, weights = runs.arm.cell.network, trained.weights(row)
        replica = task.replica(row["seed"])
        with np.errstate(all="ignore"):
            truth = task.target(replica, inputs)[output]
            answers.append(network.compute(weights, inputs)[output])
            test, target = task.draw("extrapolation", replica, NumpyKey(0), SAMPLES)
            tested = network.compute(weights, test)[output]
        right.append(
            _close(tested, target[output], np.abs(target[output]))
            and _close(answers[-1], truth, np.abs(truth).max())
        )
    return Lines(
        title,
        x,
        np.array(answers, float),
        np.array(truth, float),
        (float(ends.min()), float(ends.max())),
        np.array(right),
    )


def _close(answers: Any, truth: Any, size: Any) -> bool:
    """Whether nearly all answers are within 1 % of a size of the truth."""
    return bool((np.abs(answers - truth) <= WITHIN * size).mean() >= SHARE)


def draw_lines(
    panels: Sequence[Lines], xlabel: str, ylabel: str = "answer", height: float = 250
) -> list[str]:
    """Panels of runs, for a desk and for a phone."""

    def one(ax: Axes, panel: Lines) -> None:
        shade(ax, panel.trained, "")
        ax.plot(panel.x, panel.truth, color=INK, lw=7, alpha=0.22)
        for colour, chosen in ((BAD, ~panel.right), (GOOD, panel.right)):
            x, y = _one_path(panel.x, panel.answers[chosen])
            line = {"lw": 1.8} if colour == GOOD else {"lw": 0.8, "alpha": 0.7}
            ax.plot(x, y, color=colour, **line)
        low, high = float(panel.truth.min()), float(panel.truth.max())
        room = 0.35 * (high - low) or 1.0
        ax.set(xlim=(panel.x[0], panel.x[-1]), ylim=(low - room, high + room))
        count = f"{panel.right.sum()} of {len(panel.right)} right"
        ax.set_title(f"{panel.title}\n{count}")

    return draw(panels, one, xlabel, ylabel, height)


def _one_path(x: np.ndarray, answers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Many lines as one with gaps, which is a smaller file."""
    gaps = np.full((len(answers), 1), np.nan)
    far = np.where(np.abs(answers) > 1e6, np.nan, answers)  # what is on no picture
    along = np.broadcast_to(np.append(x, np.nan), (len(answers), len(x) + 1))
    return along.ravel(), np.hstack([far, gaps]).ravel()


def draw(
    panels: Sequence[Any],
    one: Callable[[Axes, Any], object],
    xlabel: str,
    ylabel: str,
    height: float = 250,
) -> list[str]:
    """Panels beside each other for a desk, two and two for a phone."""
    pictures = []
    for width, across in ((WIDE, len(panels)), (NARROW, min(2, len(panels)))):
        down = -(-len(panels) // across)
        tall = height if width == WIDE else min(height, 230) * down
        figure, spaces = axes(len(panels), (width, tall), across)
        for ax, panel in zip(spaces, panels, strict=True):
            one(ax, panel)
            ax.locator_params(axis="y", nbins=4)
            if across > 1:
                ax.locator_params(axis="x", nbins=3)
        figure.supxlabel(xlabel, fontsize=12)
        figure.supylabel(ylabel, fontsize=12)
        pictures.append(drawn(figure))
    return pictures


@dataclass(frozen=True)
class Counts:
    """A histogram: how much there is at each place, and which places are good."""

    title: str
    x: np.ndarray
    y: np.ndarray
    good: np.ndarray


def draw_counts(
    panels: Sequence[Counts], xlabel: str, ylabel: str, height: float = 230
) -> list[str]:
    """Histograms, in which what is right is blue and what is not is orange."""

    def one(ax: Axes, panel: Counts) -> None:
        width = 0.9 * float(np.diff(panel.x).min())
        colours = [GOOD if good else BAD for good in panel.good]
        ax.bar(panel.x, panel.y, width, color=colours)
        ax.set_title(panel.title)

    return draw(panels, one, xlabel, ylabel, height)


@dataclass(frozen=True)
class Grid:
    """Numbers in rows and columns, each coloured: the darker, the better."""

    rows: list[str]
    columns: list[str]
    values: np.ndarray  # 0 is bad, 1 is good


def draw_grid(grid: Grid, xlabel: str, ylabel: str, height: float) -> list[str]:
    """A table in colours, with its numbers in per cent."""
    pictures = []
    for width in (WIDE, NARROW):
        figure, [ax] = axes(1, (width, height))
        ax.pcolormesh(grid.values, cmap=RIGHT_IS_DARK, vmin=0, vmax=1)
        for (i, j), value in np.ndenumerate(grid.values):
            ink = WHITE if value > 0.75 else BLACK
            place = (j + 0.5, i + 0.5)
            ax.annotate(f"{value:.0%}", place, ha="center", va="center", color=ink)
        ax.set_xticks(np.arange(len(grid.columns)) + 0.5, grid.columns)
        ax.set_yticks(np.arange(len(grid.rows)) + 0.5, grid.rows)
        ax.tick_params(length=0)
        ax.set(xlabel=xlabel, ylabel=ylabel)
        pictures.append(drawn(figure))
    return pictures
