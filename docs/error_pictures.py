"""What is on each picture of `errors.md`, each drawn for a desk and for a phone."""

import csv
from pathlib import Path

import numpy as np
from error_formulas import differences, gate_output, norms, power, tanhs
from error_measures import lucky, printed_rows, stored
from matplotlib.axes import Axes
from pictures import BAD, GOOD, INK, axes, drawn
from run_panels import NARROW, WIDE, draw
from scipy.stats import binom

from arithmax.studies._grid import SYMBOLS
from arithmax.studies.slides import simulated_cell
from arithmax.tasks import Subsets

RUNS = Path(__file__).parents[1] / "tests" / "studies" / "slides" / "published-runs.csv"
HEIGHT = 340  # of the picture with a line for each row of table 2


def beta() -> list[str]:
    """Printed sparsity errors beside those of the runs."""
    rows = printed_rows()
    names = [f"{row['model']}  {SYMBOLS[row['operation']]}" for row in rows]
    right = [row["sparsity"][0] for row in rows]
    printed = [row["printed"]["sparsity"][0] for row in rows]
    y, pictures = np.arange(len(rows)), []
    for width in (WIDE, NARROW):
        figure, [ax] = axes(1, (width, HEIGHT))
        ax.hlines(y, printed, right, color=BAD, lw=1.5)
        ax.plot(right, y, "o", color=GOOD, ms=7, label="mean of the runs")
        ax.plot(printed, y, "o", color=BAD, ms=4, label="printed")
        ax.set(xscale="log", yticks=y, yticklabels=names, ylim=(len(y) - 0.5, -0.5))
        ax.set_xticks([1e-6, 1e-4, 1e-2], ["1e-6", "1e-4", "1e-2"])
        ax.set_xlabel("mean sparsity error")
        ax.legend(ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
        pictures.append(drawn(figure))
    return pictures


def merge() -> list[str]:
    """The published steps of the NAU, those that the sort moved in orange."""
    with RUNS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))

    def one(ax: Axes, operation: str) -> None:
        cell = simulated_cell("table", model="NAU", operation=operation)
        moved = [seed for seed, *_ in cell["moved"]]
        here = [r for r in rows if (r["model"], r["operation"]) == ("NAU", operation)]
        seeds = np.array([int(row["seed"]) for row in here])
        steps = np.array([float(row["solved_at"]) for row in here]) / 1e6
        far = np.isin(seeds, moved)
        ax.plot(seeds[~far], steps[~far], "o", ms=3.5, color=GOOD)
        ax.plot(seeds[far], steps[far], "o", ms=5.5, color=BAD)
        ax.set(title=f"NAU, {SYMBOLS[operation]}", ylim=(-0.2, 5))

    return draw(["add", "sub"], one, "seed", "solved at, million steps")


def threshold() -> list[str]:
    """How many times too strict the threshold is, by the size of subsets."""
    sizes = np.arange(1, 26)
    tasks = [Subsets("mul", input_size=4 * int(size)) for size in sizes]
    ratios = [t.threshold(rule="exact") / t.threshold(rule="authors") for t in tasks]

    def one(ax: Axes, _: object) -> None:
        ax.axhline(1, color=INK, lw=7, alpha=0.22)
        ax.plot(sizes, ratios, "o-", ms=3.5, color=BAD)
        ax.set_ylim(0, None)

    return draw([None], one, "inputs in a subset", "times too strict", 220)


def norm() -> list[str]:
    """How hard each penalty pulls at a weight of a matrix of equal ones."""
    sizes = np.array([1, 3, 10, 30, 100])

    def one(ax: Axes, _: object) -> None:
        ax.plot(sizes, np.ones(len(sizes)), "o-", ms=4, color=GOOD, label="Σ|w|")
        ax.plot(sizes, 1 / sizes, "o-", ms=4, color=BAD, label="norm(ps, 1)")
        start = norms()["slope"]  # of weights that are not equal
        ax.plot(100, start, "o", ms=9, mfc="none", mec=BAD, label="the large task's")
        ax.set(xscale="log", yscale="log")
        ax.set_xticks(sizes, [f"{n} × {n}" for n in sizes])
        ax.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
        ax.legend()

    return draw([None], one, "matrix", "pull at a weight", 250)


def nau() -> list[str]:
    """The best answers to x₁ − x₂ with and without negative weights."""

    def one(ax: Axes, low: int) -> None:
        y, answers = differences(low)
        ax.plot([-1, 1], [-1, 1], color=INK, lw=7, alpha=0.22)
        ax.plot(y[:200], answers[:200], "o", ms=2.5, color=BAD if low == 0 else GOOD)
        ax.set_title(f"weights in [{low}, 1]".replace("-", "−"))

    return draw([-1, 0], one, "x₁ − x₂", "answer", 250)


def gate() -> list[str]:
    """What a NALU answers between a sum of 5 and a product of 6."""
    gates = np.linspace(-6, 6, 101)

    def one(ax: Axes, _: object) -> None:
        ax.axhspan(5, 6, color=INK, lw=0, alpha=0.22)
        ax.plot(gates, gate_output(gates, True), color=GOOD, lw=2, label="g = σ(Gx)")
        ax.plot(gates, gate_output(gates, False), color=BAD, lw=2, label="g = Gx")
        ax.legend()

    return draw([None], one, "Gx", "answer", 220)


def tanh() -> list[str]:
    """How far float32 tanh is from 1."""
    x = np.linspace(5, 9.5, 901).astype("float32")
    colours = {"XLA": BAD, "PyTorch": GOOD}

    def one(ax: Axes, _: object) -> None:
        exact = 2 / (1 + np.exp(2 * x.astype(float)))  # 1 − tanh x
        ax.plot(x, exact, color=INK, lw=7, alpha=0.22)
        for name, y in tanhs(x).items():
            left = 1 - y.astype(float)
            ax.plot(x[left > 0], left[left > 0], color=colours[name], lw=2, label=name)
        ax.set_yscale("log")
        ax.set_yticks([1e-8, 1e-6, 1e-4], ["1e-8", "1e-6", "1e-4"])
        ax.legend()

    return draw([None], one, "x", "1 − tanh x", 250)


def luck() -> list[str]:
    """How many of a hundred seeds solve the task, if each does so at our rate."""
    found, copied = lucky(), stored("copied-seeds")
    counts = np.arange(5, 45)
    chance = binom.pmf(counts, found["runs"], found["ours"] / found["of"])
    marked = {
        int(found["printed"]): "first hundred",
        copied["seeds 100 to 199"]: "next hundred",
    }

    def one(ax: Axes, _: object) -> None:
        colours = [BAD if count <= found["printed"] else GOOD for count in counts]
        ax.bar(counts, 100 * chance, 0.85, color=colours)
        for count, name in marked.items():
            high = 100 * float(chance[counts == count][0])
            ax.annotate(
                name,
                (count, high),
                (count, high + 1.6),
                ha="center",
                arrowprops={"arrowstyle": "-", "color": INK},
            )
        ax.set_ylim(0, 12)

    return draw([None], one, "of 100 seeds so many solve it", "chance, %", 250)


def k() -> list[str]:
    """Powers of x, as meant and as printed."""
    x = np.linspace(-2, 2, 82)

    def one(ax: Axes, w: int) -> None:
        ax.plot(x, x**w, color=INK, lw=7, alpha=0.22)
        for reversed_k, colour in ((True, BAD), (False, GOOD)):
            ax.plot(x, [power(w, v, reversed_k) for v in x], color=colour, lw=1.8)
        ax.set_title(f"w = {w}")

    return draw([1, 2, 3], one, "x", "answer")


def clamp() -> list[str]:
    """A weight on its bound that has to leave it, with either slope there."""

    def one(ax: Axes, title: str) -> None:
        slope = 1 if title.startswith("slope 1") else 0
        path = descend(slope)
        ax.axhline(0.5, color=INK, lw=7, alpha=0.22)
        ax.plot(path, color=GOOD if slope else BAD, lw=2)
        ax.set(title=title, ylim=(0, 1.1))

    panels = ["slope 1, up to 2.13", "slope 0, from 2.14 on"]
    return draw(panels, one, "step", "weight", 220)


def descend(slope: float, steps: int = 20) -> list[float]:
    """Steps of gradient descent on (w − ½)² from w = 1, projected onto [−1, 1]."""
    path = [1.0]
    for _ in range(steps):
        w = path[-1]
        inside = 1.0 if abs(w) < 1 else slope
        path.append(float(np.clip(w - 0.1 * 2 * (w - 0.5) * inside, -1, 1)))
    return path
