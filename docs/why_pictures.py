"""What is on each picture of `why.md`, from the runs in `results/`.

Every function draws one picture twice, for a desk and for a phone.
"""

import numpy as np
from matplotlib.axes import Axes
from pictures import (
    BAD_TO_GOOD,
    INK,
    shade,
)
from run_panels import (
    Counts,
    Grid,
    draw,
    draw_counts,
    draw_grid,
    draw_lines,
    lines,
    table,
)

FAR, NEAR = "NAU/NMU paper's start", "±1/√n"
ORDINARY, UNIT = "#b8639a", "#8a63d2"  # neither right nor wrong


def copy() -> list[str]:
    """A number in, the same number out."""
    names = ("Tanh", "Sigmoid", "ReLU6", "ReLU")
    panels = [
        lines(
            "mlp-identity", {"setting": "report", "activation": name}, name, (-20, 20)
        )
        for name in names
    ]
    return draw_lines(panels, "input")


def sums() -> list[str]:
    """A sum of four numbers by a NAC, from two starts."""
    panels = [
        lines(
            "nac-operands", {"operation": "+", "operands": 4, "run": run}, title, ends
        )
        for run, title, ends in (
            (NEAR, "weights start near 0", (0, 60)),
            (FAR, "weights start far from 0", (0, 60)),
        )
    ]
    return draw_lines(panels, "each of the four inputs")


def nalu() -> list[str]:
    """Four operations by a NALU."""
    titles = {"+": "a + b", "−": "a − b", "×": "a × b", "÷": "a ÷ b"}
    panels = [
        lines(
            "nalu-operands",
            {"operation": name, "operands": 2, "network": f"one layer, {NEAR}"},
            title,
            (0, 60),
            30.0,
        )
        for name, title in titles.items()
    ]
    return draw_lines(panels, "input a (b is 30)")


def gates() -> list[str]:
    """On which side the gates of a NALU end."""
    found = table("nalu-operands", "gates")
    tasks, places, seeds = (np.array(found[n]) for n in ("task", "gate", "seeds"))
    panels = []
    for name, title, adds in (
        ("+", "a + b", True),
        ("−", "a − b", True),
        ("×", "a × b", False),
        ("÷", "a ÷ b", False),
    ):
        here = tasks == f"{name}, 2 operands"
        x = places[here]
        panels.append(Counts(title, x, seeds[here], (x > 0.5) == adds))
    return draw_counts(panels, "gate: 0 multiplies, 1 adds", "runs")


def signs() -> list[str]:
    """A product of numbers of both signs."""
    panels = [
        lines(
            "negative-products",
            {"unit": unit, "operation": "×", "ignored": "none"},
            unit,
            (-6, 6),
            3.0,
        )
        for unit in ("NALU", "iNALU", "NMU")
    ]
    return draw_lines(panels, "input a (b is 3)")


def starts() -> list[str]:
    """How often a NALU is right, by where the weights of its gate start."""
    found = table("initialisation-sensitivity", "gate-maps")
    places = {-1.0: "−1", 0.0: "0", 1.0: "+1"}
    columns = {f"{sign}, (20, 40)": f"a {sign} b" for sign in "+−×÷"}
    task, gate, share = (np.array(found[n]) for n in ("task", "mean of G", "accuracy"))
    values = [
        [share[(task == name) & (gate == place)].mean() for name in columns]
        for place in places
    ]
    grid = Grid(list(places.values()), list(columns.values()), np.array(values))
    return draw_grid(grid, "task", "gate starts at", 210)


def remedies() -> list[str]:
    """Fresh starts for runs that stall, and a weight matrix for each path."""
    again = {"operation": "×", "start": FAR}
    product = {"task": "a · b, a, b < −1", "start": NEAR}
    panels = [
        lines("reinitialisation", again | {"reinitialisation": on}, title, (0, 60), 30)
        for on, title in (("off", "one start"), ("on", "fresh starts"))
    ]
    panels += [
        lines("independent-weights", product | {"weights": ways}, title, (-6, 0), -1.5)
        for ways, title in (("tied", "shared weights"), ("untied", "separate weights"))
    ]
    return draw_lines(panels, "input a of a × b")


def landscape() -> list[str]:
    """The loss over two weights, of a network with logarithms and of one without."""
    found = table("loss-curvature", "surfaces")
    names = {
        "NAC•, ε = 1e-7, squared error (as drawn)": "with logarithms (NAC•)",
        "NAU and NMU, squared error (as drawn)": "without (NAU, NMU)",
    }
    surface, w1, w2, loss = (
        np.array(found[n]) for n in ("surface", "w1", "w2", "loss")
    )

    def one(ax: Axes, name: str) -> None:
        here = surface == name
        x, y = np.unique(w1[here]), np.unique(w2[here])
        z = np.full((len(y), len(x)), np.nan)
        places = np.searchsorted(y, w2[here]), np.searchsorted(x, w1[here])
        z[places] = np.log10(np.maximum(loss[here], 1e-2))
        ax.contourf(
            x, y, -z, levels=np.arange(-3.4, -0.9, 0.2), cmap=BAD_TO_GOOD, extend="both"
        )
        ax.plot([1], [1], "*", color=INK, ms=14, clip_on=False)
        ax.set_title(names[name])

    return draw(
        list(names), one, "weights of the sums, w₁", "weights of the product, w₂", 320
    )


def product() -> list[str]:
    """The product of two sums by three units."""
    panels = [
        lines("simple-mul", {"model": name}, title, (0.5, 6), 1.5)
        for name, title in (("NAC•", "NAC•"), ("NALU", "NALU"), ("NMU", "NAU→NMU"))
    ]
    return draw_lines(panels, "first input (the others are 1.5)")


def weights() -> list[str]:
    """Where the learned weights of sums lie."""
    found = table("weight-bias", "weights")
    arms, places, shares = (np.array(found[n]) for n in ("arm", "weight", "share"))
    panels = []
    for name, title in (("+, NAC+", "NAC"), ("+, NAU", "NAU")):
        here = arms == name
        x = places[here]
        whole = np.abs(x - x.round()) < 1e-9
        panels.append(Counts(title, x, 100 * shares[here], whole))
    return draw_counts(panels, "weight", "share of weights, %")


def division() -> list[str]:
    """A quotient of numbers of both signs, learned from positive ones."""
    panels = [
        lines("npu-xy", {"network": net, "model": name}, title, (-4, 4), 1.5, 1)
        for net, name, title in (
            ("2-10-10-2", "Dense", "ordinary network"),
            ("2 × 2", "NALU", "NALU"),
            ("2 × 2", "RealNPU", "RealNPU"),
            ("2 × 2", "NPU", "NPU"),
        )
    ]
    return draw_lines(panels, "input a of a ÷ b (b is 1.5)")


def functions() -> list[str]:
    """log and sin by sums of powers, and by an ordinary network."""
    spans = {"log": (0.1, 2.0), "sin": (-5.0, 5.0)}
    names = {"Dense": ("ordinary network", ORDINARY), "NPU": ("NPU", UNIT)}

    def one(ax: Axes, name: str) -> None:
        found = table("npu-functions", name)
        model, x, y, exact = (
            np.array(found[n]) for n in ("model", "x", "learned", "exact")
        )
        here = model == "NPU"
        shade(ax, spans[name], "")
        ax.plot(x[here], exact[here], color=INK, lw=7, alpha=0.22, label="truth")
        for key, (title, colour) in names.items():
            chosen = model == key
            ax.plot(x[chosen], y[chosen], color=colour, lw=1.8, label=title)
        low, high = exact.min(), exact.max()
        ax.set(title=f"{name}(x)", ylim=(low - 0.5, high + 0.5))
        if name == "log":  # there is room
            ax.legend(loc="lower right", fontsize=11)

    return draw(list(spans), one, "x", "answer", 280)
