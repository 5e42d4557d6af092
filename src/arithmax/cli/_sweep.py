"""`arithmax train … --sweep NAME=VALUE,VALUE`: a grid of settings as one fleet.

All combinations are cells of one fleet. What they make is a study: its table is
printed, and its page has the success rate against what was swept.
"""

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._json import dumps
from ._comparisons import print_study
from ._order import Arguments, Order, ended, seeds_of
from ._show import filled, write_or_say
from ._studies import command
from ._swept import UNIT, Setting, place_of, swept_places, swept_values
from ._where import engine_options

NAME = "sweep"
CAPTION = "Success rate with its 95 % interval."
RATE, LOW, HIGH = "success rate, %", "low", "high"


def train_swept(reading: Arguments) -> int:
    """Train all settings, print a line for each, and write the page into `--out`."""
    from ..training import train_cells

    run = reading.first
    study = study_of(reading, [text for texts in run.sweep for text in texts])
    options = engine_options(run.cluster, run.cluster_device, run.kernel)
    results = train_cells(
        [arm.cell for arm in study.arms],
        out=run.out,
        progress=not run.quiet and not run.json,
        **options,
    )
    done = evaluation_of(study, results, options.get("engine"))
    if run.json:
        summaries = [runs.summary for runs in done.arm_runs if runs.summary]
        print(dumps([dataclasses.asdict(s) for s in summaries], indent=2))
    else:
        print_study(done, {})
        _say_missing(done)
        if run.out is not None and not results.interrupted:
            print(write_or_say(run.out / f"{NAME}.html", lambda: _page(done)))
    return ended(results, run)


def study_of(reading: Arguments, texts: Sequence[str]) -> Any:
    """The study whose arms are the settings of a sweep."""
    from ..studies import Arm, Study
    from ..training import Cell

    swept, seeds = swept_values(texts), seeds_of(reading.first)
    arms = []
    for labels, order in orders(reading, swept):
        cell = Cell(order.network, order.task, order.protocol, seeds)
        arms.append(Arm(labels, cell))
    first = arms[0].cell
    return Study(
        NAME,
        f"success by {' and '.join(swept)}",
        "",
        f"{first.network} on {first.task}, {len(seeds)} seeds for each setting.",
        tuple(arms),
        shown={},
        plots=_plots(swept),
    )


def orders(
    reading: Arguments, swept: Mapping[str, Sequence[Any]]
) -> Iterator[tuple[dict[str, Any], Order]]:
    """Every combination: its labels, and what is to be trained."""
    settings = [name for name in swept if name != UNIT]
    of_units = {unit: reading.of_unit(unit) for unit in swept.get(UNIT, ())}
    trained = of_units or {reading.first.unit: reading}
    places = {u: swept_places(r.order()) for u, r in trained.items() if settings}
    found = {name: place_of(name, next(iter(places.values()))) for name in settings}
    _check_once(found)
    for unit, known in places.items():
        _check_has(unit, known, found)
    for values in itertools.product(*swept.values()):
        setting = dict(zip(swept, values, strict=True))
        labels = {name: _label(value) for name, value in setting.items()}
        chosen = of_units.get(setting.pop(UNIT, None), reading)
        yield labels, chosen.order(_changes(setting, found))


def _check_once(found: Mapping[str, Setting]) -> None:
    """Two names may mean one setting, of which the last value would count."""
    names: dict[tuple[str, str], str] = {}
    for name, place in found.items():
        other = names.setdefault((place.group, place.path), name)
        if other != name:
            raise ValueError(
                f"`sweep` (={name}) is the setting that {other} names, too "
                f"({place.path}). Give it once, with all its values."
            )


def _check_has(
    unit: str, known: Sequence[Setting], found: Mapping[str, Setting]
) -> None:
    """A unit of a sweep must have all settings that are swept beside it."""
    places = {(s.group, s.path) for s in known}
    for name, place in found.items():
        if (place.group, place.path) not in places:
            raise ValueError(
                f"`sweep` (={name}) is no setting of `unit` (={unit!r}). Sweep what "
                "all units have, or leave that unit out."
            )


def _changes(
    setting: Mapping[str, Any], found: Mapping[str, Setting]
) -> dict[str, dict[str, Any]]:
    changes: dict[str, dict[str, Any]] = {}
    for name, value in setting.items():
        place = found[name]
        changes.setdefault(place.group, {})[place.path] = place.fitted(value)
    return changes


def _label(value: Any) -> str | int | float:
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return value if plain else str(value)


def _plots(swept: Mapping[str, Sequence[Any]]) -> tuple[Any, ...]:
    """The success rate against the first name, in a colour for the values of others."""
    from ..studies import Lines, Measured, Seeds

    x, *others = swept
    if others:  # lines would hide each other
        rates = Measured(CAPTION, "success", x, others[0])
    else:
        log = spreads(swept[x])
        rates = Lines(CAPTION, "rates", x, RATE, low=LOW, high=HIGH, log_x=log)
    colour = others[0] if others else ""
    steps = Measured("Steps until a run is solved.", "solved_at", x, colour)
    return (rates, steps) if others else (rates, steps, Seeds("Every seed.", by=x))


def spreads(values: Sequence[Any]) -> bool:
    """Whether values are best seen on a logarithmic axis: positive, and far apart."""
    numbers = [v for v in values if isinstance(v, int | float)]
    if len(numbers) < len(values) or min(numbers) <= 0:
        return False
    return max(numbers) >= 8 * min(numbers)


def evaluation_of(study: Any, results: Any, engine: Any = None) -> Any:
    """The study with its runs, and the rates that its plot shows."""
    from ..studies import Computed, evaluate
    from ..studies._run import entry
    from ..studies._study import columns

    told = {"command": command(), "device": getattr(engine, "hardware", "")}
    done = evaluate(study, results, history=[entry(True, **told)])
    done = dataclasses.replace(done, arm_runs=[*map(_whole, done.arm_runs)])
    x, *others = study.labels
    lines = [
        [runs.arm.labels[x], *_percent(runs.summary.success)]
        for runs in done.arm_runs
        if runs.summary and not others
    ]
    tables = {"rates": columns((x, RATE, LOW, HIGH), lines)} if lines else {}
    return dataclasses.replace(done, computed=Computed(tables))


def _whole(runs: Any) -> Any:
    """An arm without its runs if they are not all: fewer steps are another arm's."""
    if not runs.reduced:
        return runs
    return dataclasses.replace(runs, rows=[], reduced="", summary=None)


def _say_missing(done: Any) -> None:
    """Name the settings that have no line, as training was interrupted."""
    missing = [
        " ".join(f"{name}={value}" for name, value in runs.arm.labels.items())
        for runs in done.arm_runs
        if not runs.summary
    ]
    if missing:
        print(filled(f"Not finished: {', '.join(missing)}."))


def _percent(rate: Any) -> tuple[float, ...]:
    return tuple(round(100 * v, 4) for v in (rate.value, rate.low, rate.high))


def _page(done: Any) -> str:
    from ..report import page

    return page([done])
