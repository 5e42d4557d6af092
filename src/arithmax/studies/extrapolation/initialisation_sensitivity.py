"""How much the start of a NALU decides, over tasks and ranges."""

from functools import partial
from typing import Any

import numpy as np

from ...networks import Stack
from ...tasks import Operands
from ...units import NALU, Normal
from .._evaluate import Trained
from .._gates import exact_sigmoid
from .._grid import combinations
from .._sheet import sheet
from .._study import Arm, Computed, Study, Table, columns
from ._accuracy import measured
from ._runs import OPERATIONS, run, starts

SHEET = sheet("extrapolation", "initialisation-sensitivity")
PARAMETERS = {"Ŵ": "W_hat", "M̂": "M_hat", "G": "G"}
MEANS = {"Ŵ": (-1.0, 1.0), "M̂": (-1.0, 1.0), "G": (-1.0, 0.0, 1.0)}
RANGES = {"(1, 2)": ((1.0, 2.0), (2.0, 6.0)), "(20, 40)": ((20.0, 40.0), (0.0, 60.0))}
DRAWS = 1000

Means = dict[str, float]  # that the parameters start around, by their symbols


def around(symbol: str, mean: float) -> str:
    """A parameter and the mean that it starts around."""
    return f"{symbol} {mean:g}".replace("-", "−")


def grid() -> dict[str, tuple[Means | None, Stack]]:
    """Starts by name: normal ones around three means each, and two that are used."""
    made: dict[str, tuple[Means | None, Stack]] = {}
    for means in combinations(**MEANS):
        normal = tuple((PARAMETERS[s], Normal(mean, 0.1)) for s, mean in means.items())
        name = ", ".join(around(s, mean) for s, mean in means.items())
        made[name] = means, Stack((NALU(),), starts=normal)
    return made | {name: (None, net) for name, net in starts(NALU(), 2).items()}


def sensitivity(trained: Trained) -> Computed:
    """Mean accuracies by start and task, as maps, margins and a list."""
    accuracy: dict[str, dict[str, float]] = {}  # by task and start
    for (operation, inner, start), arm in measured(trained).items():
        by_start = accuracy.setdefault(f"{operation}, {inner}", {})
        by_start[start] = float(arm.compared.mean())
    tables = {
        "maps": _maps(accuracy, ("Ŵ", "M̂")),
        "gate-maps": _maps(accuracy, ("G", "M̂")),
        "margins": _margins(accuracy),
        "starts": _listed(accuracy),
        "slopes": slopes(),
    }
    return Computed(tables)


def _average(by_start: dict[str, float], **chosen: float) -> float:
    """The mean over the starts of the grid that are around the chosen means."""
    starts = {name: means for name, (means, _) in grid().items() if means is not None}
    values = [
        value
        for name, value in by_start.items()
        if name in starts and chosen.items() <= starts[name].items()
    ]
    return float(np.mean(values)) if values else np.nan


def _maps(accuracy: dict[str, dict[str, float]], axes: tuple[str, str]) -> Table:
    """Accuracy over the means of two parameters, averaged over the third."""
    chosen = {symbol: means for symbol, means in MEANS.items() if symbol in axes}
    rows = [
        (task, *(means[symbol] for symbol in axes), _average(by_start, **means))
        for task, by_start in accuracy.items()
        for means in combinations(**chosen)
    ]
    return columns(("task", *(f"mean of {n}" for n in axes), "accuracy"), rows)


def _margins(accuracy: dict[str, dict[str, float]]) -> Table:
    """Accuracy by the mean of one parameter, averaged over the other two."""
    pairs = [(symbol, mean) for symbol, means in MEANS.items() for mean in means]
    rows = [
        (task, *(_average(by_start, **{symbol: mean}) for symbol, mean in pairs))
        for task, by_start in accuracy.items()
    ]
    return columns(("task", *(around(*pair) for pair in pairs)), rows)


def _listed(accuracy: dict[str, dict[str, float]]) -> Table:
    """Every start on every task."""
    rows = []
    for start in dict.fromkeys(
        start for by_start in accuracy.values() for start in by_start
    ):
        values = [by_start.get(start, np.nan) for by_start in accuracy.values()]
        rows.append((start, *values, float(np.mean(values)), float(np.min(values))))
    return columns(("start", *accuracy, "average", "worst"), rows)


def slopes() -> Table:
    """The slopes through which a NALU learns, at its start: medians over draws."""
    import jax

    from ... import initialise

    keys = jax.random.split(jax.random.key(0), DRAWS)
    rows: list[tuple[Any, ...]] = []
    for name, (means, network) in grid().items():
        if means is not None and (means["Ŵ"], means["M̂"]) != (1.0, -1.0):
            continue
        draw = partial(initialise, network, 2, 1)
        layers = jax.vmap(lambda key, draw=draw: draw(key=key))(keys)
        w_hat, m_hat, g = (
            np.asarray(layers[f"0.{n}"], dtype=float)[:, 0] for n in PARAMETERS.values()
        )
        rng, s = np.random.default_rng(0), exact_sigmoid(m_hat)
        pair = (1 - np.tanh(w_hat) ** 2) * s, np.abs(np.tanh(w_hat)) * s * (1 - s)
        weak = float(np.mean(pair[0] < 1e-3))
        for text, ((low, high), _) in RANGES.items():
            x = rng.uniform(low, high, (2, DRAWS))
            gate = exact_sigmoid((g * x.T).sum(axis=1))
            medians = [float(np.median(v)) for v in (*pair, gate * (1 - gate))]
            rows.append((name, text, *medians, weak))
    names = ("start", "range", "∂W/∂Ŵ", "|∂W/∂M̂|", "∂g/∂(Gx)", "∂W/∂Ŵ below 0.001")
    return columns(names, rows)


def study() -> Study:
    """Section 6.3."""
    networks = {name: network for name, (_, network) in grid().items()}
    arms = []
    for labels in combinations(operation="+−×÷", range=RANGES, start=networks):
        inner, outer = RANGES[labels["range"]]
        task = Operands(OPERATIONS[labels["operation"]], 2, (), inner, outer)
        cell = run(
            networks[labels["start"]], task, 16, steps=10_000, criterion__epsilon=1e-4
        )
        arms.append(Arm(labels, cell))
    return SHEET.study(arms, sensitivity)
