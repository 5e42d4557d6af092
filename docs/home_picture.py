"""The first picture of the README and of the site, and the runs that it shows.

A dense network, a NALU and an NAU→NMU learn (x₁ + x₂)(x₁ + x₂ + x₃ + x₄) from inputs
between 1 and 2, with 25 seeds each that were fixed in advance. Shown is, of each, the
seed whose error *inside* that range, on samples it was not trained on, is the median of
its 25; what it does outside has no say in that choice.

    OMP_NUM_THREADS=1 python docs/home_picture.py    # trains, then draws
    python docs/home_picture.py --draw               # draws what is in docs/data
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from pictures import INK, axes, drawn, save, shade

HERE = Path(__file__).parent
DATA = HERE / "data" / "home.json"
PICTURE = HERE / "assets" / "home"
COMMAND = "OMP_NUM_THREADS=1 python docs/home_picture.py"
SEEDS = 25
STEPS = 20_000  # of the dense network; the units have what their authors used
SPAN, POINTS = 10.0, 81  # of the axis
SIZE = (520, 330)
MLP, NALU_NAME, NMU_NAME = "ordinary network", "NALU", "NAU→NMU"
COLOURS = {MLP: "#b8639a", NALU_NAME: "#d55e00", NMU_NAME: "#0072b2"}


def trained() -> dict[str, Any]:
    """The three networks' runs, and what the chosen seed of each computes."""
    from arithmax.tasks import Subsets

    task = Subsets("mul", simple=True)
    x = np.linspace(-SPAN, SPAN, POINTS)
    inputs = np.tile(x, (task.in_features, 1))
    low, high = task.interpolation
    truth = (inputs.sum(axis=0) * inputs[:2].sum(axis=0)).round(6).tolist()
    return {
        "command": COMMAND,
        "task": repr(task),
        "trained_on": [low, high],
        "tested_on": list(task.extrapolation),
        "x": x.tolist(),
        "truth": truth,
        "networks": [_network(*cell, task, inputs) for cell in _cells(task)],
    }


def _cells(task: Any) -> list[tuple[str, Any, Any]]:
    """Name, network and protocol of each."""
    from arithmax import NALU, NMU, Dense, Linear, Protocol, Stack, published

    dense = Stack((Dense("relu"), Dense("relu"), Linear()), (32, 32))
    return [
        (MLP, dense, Protocol(STEPS)),
        (NALU_NAME, *published(NALU(), task)),
        (NMU_NAME, *published(NMU(), task)),
    ]


def _network(name: str, network: Any, protocol: Any, task: Any, inputs: Any) -> dict:
    """What is stored of a network: all its seeds, and the curve of the median one."""
    from arithmax import train

    with tempfile.TemporaryDirectory() as folder:
        results = train(network, task, protocol, range(SEEDS), out=folder)
        rows = sorted(results.rows, key=lambda row: row["interpolation"])
        chosen = rows[len(rows) // 2]
        parameters = results.weights(chosen["run"])
    return {
        "name": name,
        "network": repr(network),
        "protocol": repr(protocol),
        "seeds": SEEDS,
        "solved": sum(row["outcome"] == "solved" for row in rows),
        "seed": chosen["seed"],
        "errors_inside": {str(row["seed"]): row["interpolation"] for row in rows},
        "y": network.compute(parameters, inputs)[0].round(6).tolist(),
    }


def picture(data: dict[str, Any]) -> str:
    """The drawing, as SVG for a light page."""
    figure, [ax] = axes(1, SIZE)
    x, truth = np.array(data["x"]), np.array(data["truth"])
    shade(ax, data["trained_on"])
    ax.plot(x, truth, color=INK, lw=5, alpha=0.25, gid="truth", label="the truth")
    for network in data["networks"]:
        ax.plot(
            x,
            network["y"],
            color=COLOURS[network["name"]],
            lw=2,
            gid=network["name"],
            label=network["name"],
        )
    ax.set(xlabel="all four inputs (x₁ = x₂ = x₃ = x₄)", ylabel="answer")
    ax.set_xticks(range(-10, 11, 5))
    ax.set(xlim=(x[0], x[-1]), ylim=(-0.1 * truth.max(), 1.1 * truth.max()))
    figure.legend(loc="outside lower center", ncols=4, handlelength=1.2)
    return drawn(figure)


def main() -> None:
    """Train unless told otherwise, and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", action="store_true", help="train nothing")
    if not parser.parse_args().draw:
        DATA.write_text(json.dumps(trained(), ensure_ascii=False) + "\n")
    save(picture(json.loads(DATA.read_text(encoding="utf-8"))), PICTURE)


if __name__ == "__main__":
    main()
