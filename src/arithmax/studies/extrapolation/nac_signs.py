"""The extrapolation report's random function of eight signs."""

from typing import Any

import numpy as np

from ...tasks import Operands
from ...units import NAC
from .._evaluate import Trained
from .._sheet import sheet
from .._snapshots import Params, snapshots
from .._study import Arm, Computed, Study, Table, columns
from .._tables import central_range, ends, exact
from ._runs import USUAL, run, starts

SHEET = sheet("extrapolation", "nac-signs")
PRINTED = SHEET.front["printed"]
SIGNS = tuple(int(sign) for sign in np.sign(PRINTED["W_hat"]))
KEPT = (1000, 2000, 5000, 10_000, 20_000, 30_000)
SIZE, GATE, UNITS = (SHEET.claim(key) for key in ("size", "gate", "units"))


def growth(trained: Trained) -> Computed:
    """Ŵ and M̂ against step, and those of the first seed beside the printed ones."""
    rows, figures = [], {}
    learned: Table = {
        "input": list(range(1, len(SIGNS) + 1)),
        "sign": ["+" if sign > 0 else "−" for sign in SIGNS],
        "printed Ŵ": PRINTED["W_hat"],
        "printed M̂": PRINTED["M_hat"],
    }
    for runs in trained.arm_runs:
        start = runs.arm.labels["start"]
        steps, seeds = snapshots(runs, trained)
        for k, step in enumerate(steps):
            seen = np.array([_layer(run[k]) for run in seeds])  # [seed, Ŵ M̂ W, input]
            w_hat, m_hat, w = np.moveaxis(seen, 1, 0)
            size, gate = (
                central_range(np.abs(w_hat).mean(axis=1)),
                central_range(m_hat.mean(axis=1)),
            )
            least = np.abs(w).min(axis=1)
            rows.append((start, step, *ends(size), *ends(gate), np.median(least)))
            if start == USUAL:  # the last step is what remains
                rounded = exact((least >= 0.99995).mean())
                figures = {SIZE: size, GATE: gate, UNITS: rounded}
        if seeds:
            named = zip(("Ŵ", "M̂", "W"), _layer(seeds[0][-1]), strict=True)
            learned |= {
                f"{start}, {n}": [float(v) for v in values] for n, values in named
            }
    names = ("start", "step", SIZE, "low", "high", GATE, "M̂ low", "M̂ high", "least |W|")
    return Computed({"growth": columns(names, rows), "learned": learned}, figures)


def _layer(params: Params) -> tuple[Any, Any, Any]:
    """Ŵ, M̂ and W of the one output."""
    w_hat, m_hat = params["0.W_hat"][0], params["0.M_hat"][0]
    return w_hat, m_hat, np.tanh(w_hat) / (1 + np.exp(-m_hat))


def study() -> Study:
    """Section 3.3."""
    task = Operands("add", len(SIGNS), SIGNS)
    arms = [
        Arm({"start": name}, run(network, task, steps=KEPT[-1], measuring__keep=KEPT))
        for name, network in starts(NAC(), len(SIGNS)).items()
    ]
    printed = {"size": np.abs(PRINTED["W_hat"]), "gate": np.array(PRINTED["M_hat"])}
    derived = {key: [_extent(values)] for key, values in printed.items()}
    return SHEET.study(arms, growth, derived=derived)


def _extent(values: np.ndarray) -> dict[str, float]:
    """The mean and the ends of printed values."""
    named = {"value": values.mean(), "low": values.min(), "high": values.max()}
    return {name: float(value) for name, value in named.items()}
