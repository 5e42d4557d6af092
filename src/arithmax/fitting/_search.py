"""Seeds side by side, restarts, and the choice among them by rows held out."""

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Array
from .._extras import extras
from ..discover import Trust
from ..readout import Reading, readout
from ._bar import FitBar
from ._engine import Engine
from ._outcome import Fit
from ._second_order import second_order
from ._settings import Settings
from ._split import Split

READ = 4  # replicas of a round, the best ones, that are read
ALIKE = 1.02  # errors within this factor are of one solution
CLOSE = 1.1  # of the least error: those within it are as good, and the simplest counts


class Found(NamedTuple):
    """A replica that was looked at.

    Args:
        at: its parameters.
        error: on the rows held out.
        readings: what was read from it, one for each output.
        unread: why nothing was read.
    """

    at: Array
    error: float
    readings: tuple[Reading, ...]
    unread: str

    @property
    def trust(self) -> Trust:
        """The verdict of its worst output."""
        verdicts = [reading.verdict for reading in self.readings]
        if not verdicts or Trust.NOT_FOUND in verdicts:
            return Trust.NOT_FOUND
        return Trust.WITHIN if Trust.WITHIN in verdicts else Trust.EXACT

    @property
    def complexity(self) -> int:
        return sum(r.formula.complexity for r in self.readings if r.formula)


def search(engine: Engine, split: Split, settings: Settings) -> Fit:
    """Train, read, and begin anew until a formula is verified; the best is chosen.

    Rows outside the table have no part in it.
    """
    with extras():
        import_module("sympy")  # reading needs it: an error before training, not after
    _check_outputs(engine, split)
    found: list[Found] = []
    errors: list[float] = []
    rounds = 0
    with FitBar(settings) as bar:
        for rounds in range(1, settings.restarts + 2):
            at = engine.draw(settings.seeds, rounds - 1)
            watch = bar.round(rounds)
            if engine.second_order:
                at = second_order(engine, at, settings, watch)
            else:
                at = engine.descend(at, settings, watch)
            mine = _errors(engine, split, at)
            errors += mine
            found += _read(engine, split, settings, at, mine)
            if found and (found[-1].unread or _best(found).trust != Trust.NOT_FOUND):
                break
    if not found:
        raise ValueError(
            f"all {len(errors)} seeds diverged: the network gives no finite numbers on "
            "this table. Give it a unit whose domain has these inputs: `arithmax "
            "units` lists them; or more `seeds`."
        )
    return _outcome(engine, split, _best(found), np.array(errors), rounds)


def _check_outputs(engine: Engine, split: Split) -> None:
    """The network must give one output for each target, row by row."""
    rows = split.held[:2]
    shape = engine.outputs(engine.module(engine.draw(1, 0)[0]), rows).shape
    if shape != (len(rows), split.y.shape[1]):
        raise ValueError(
            f"`net` gives outputs of shape {shape} for {len(rows)} rows, and `y` (of "
            f"shape {split.y.shape}) needs {(len(rows), split.y.shape[1])}: one column "
            "for each target. Give the last layer so many outputs."
        )


def _errors(engine: Engine, split: Split, at: Array) -> list[float]:
    """The held-out error of every replica."""
    found = [split.error(engine.predict(a, split.held), split.held) for a in at]
    return [e if np.isfinite(e) else float("inf") for e in found]


def _read(
    engine: Engine, split: Split, settings: Settings, at: Array, errors: list[float]
) -> list[Found]:
    """The best replicas that differ, read until one is exact."""
    found: list[Found] = []
    for i in np.argsort(errors, kind="stable"):
        error = errors[i]
        same = (max(error, 1e-12) < ALIKE * max(f.error, 1e-12) for f in found)
        if len(found) == READ or not np.isfinite(error):
            break
        if any(same):
            continue
        readings, unread = _readings(engine, split, settings, at[i])
        found.append(Found(at[i], error, readings, unread))
        if unread or found[-1].trust == Trust.EXACT:
            break
    return found


def _readings(
    engine: Engine, split: Split, settings: Settings, at: Array
) -> tuple[tuple[Reading, ...], str]:
    """What a replica computes, one reading for each output; or why it has none."""
    if split.x.ndim != 2:
        return (), "its inputs are no columns"
    try:
        network, params = engine.network(engine.module(at))
    except ValueError as error:
        return (), str(error)
    options: dict[str, Any] = {"names": split.names, "tolerance": settings.tolerance}
    outputs = range(split.y.shape[1])
    return tuple(
        readout(network, params, split.x, split.y[:, i], output=i, **options)
        for i in outputs
    ), ""


def _best(found: list[Found]) -> Found:
    """The most trusted; among those with errors alike the simplest."""
    order = list(Trust)
    trust = min((f.trust for f in found), key=order.index)
    trusted = [f for f in found if f.trust == trust]
    least = min(f.error for f in trusted)
    close = [f for f in trusted if f.error <= max(CLOSE * least, 1e-9)]
    return min(close, key=lambda f: (f.complexity, f.error))


def _outcome(
    engine: Engine, split: Split, best: Found, errors: np.ndarray, rounds: int
) -> Fit:
    module = engine.module(best.at)
    predicted = engine.predict(best.at, split.trained)
    discrete, rounded_error = None, float("nan")
    try:
        discrete = engine.rounded(module)
        rounded_error = split.error(engine.outputs(discrete, split.held), split.held)
    except (ValueError, RuntimeError):  # no weights at which it is exact, or set
        pass
    return Fit(
        net=module,
        discrete=discrete,
        readings=best.readings,
        unread=best.unread,
        held_out_error=best.error,
        discrete_error=rounded_error,
        training_error=split.error(predicted, split.trained),
        errors=errors,
        rounds=rounds,
        method="second-order steps" if engine.second_order else "first-order steps",
    )
