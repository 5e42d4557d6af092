"""Running studies, and reading them back from a folder.

A folder holds the runs of any number of studies, which share those that they have in
common. For each study that was run it also holds `NAME.study.json`, which remembers
how, and `NAME.TABLE.table.parquet` for what was computed besides training.
"""

import math
import os
import platform
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from .. import __version__
from .._checks import check_whole
from .._files import SHIPPED, column, folder_of, tables, writable, write_table
from .._identity import source_hash
from .._own_code import file_and_name, own_file
from ..results import Results, read
from ..statistics import Interval, Range
from ..training import MOST_SEEDS, Cell
from ._by_recipe import by_recipe
from ._computed import FIGURES, computed_tables
from ._evaluate import Evaluation, Trained, evaluate, find
from ._record import Record, record_of, records, remember
from ._record import history as history
from ._registry import from_file, is_by_recipe, studies, study
from ._study import NAME, Computed, Study
from ._unknown import unknown


@dataclass(frozen=True)
class Reproduction:
    """What `reproduce` gives: the evaluated studies, and whether it was stopped."""

    evaluations: list[Evaluation]
    interrupted: bool


def reproduce(
    names: Sequence[str],
    *,
    out: Path | str = "runs",
    seeds: int | None = None,
    steps: int | None = None,
    only: Mapping[str, str] | None = None,
    recipe: bool = False,
    command: str = "",
    beside: Sequence[Cell] = (),
    **options: Any,
) -> Reproduction:
    """Train and compute all that some studies need, and compare.

    Args:
        names: names of studies, or Python files with one.
        out: the folder of the runs. What it has already is not trained again; a study
            that was stopped goes on.
        seeds: how many seeds each arm has instead of its own number.
        steps: how many steps each run has at most.
        only: labels and values of the arms that are run.
        recipe: whether runs are trained by `Protocol.recipe()` instead of the published
            settings; the study is then another one, whose name ends with `-recipe`.
        command: how this was asked for, to be remembered.
        beside: cells that are trained in the same fleet, and are of no study.
        options: those of `arithmax.train_cells`, such as `progress` or `block`.

    Returns:
        Every study, as the folder has it now.
    """
    if not names or isinstance(names, str):
        raise ValueError(
            f"`names` (={names!r}) must name a study or more, in a list; see "
            "`arithmax studies`."
        )
    if seeds is not None:  # studies without arms, which would refuse it, take it too
        check_whole("seeds", seeds, 1, MOST_SEEDS)
    asked = _asked(names)
    if recipe:
        asked = {name: by_recipe(this) for name, this in asked.items()}
    # As it was when it was run: it may be edited while runs are trained.
    files = {n: own_file(n) for n in asked}
    sources = {n: source_hash(file) for n, file in files.items() if file is not None}
    chosen = [s.only(only) if only and s.arms else s for s in asked.values()]
    cells = [a.reduced(seeds, steps).cell for s in chosen for a in s.arms]
    cells += beside
    folder = writable("out", out)
    for this in asked.values():
        record_of(this, folder)  # that of another version is refused before any work
    began, used = time.monotonic(), time.process_time()
    interrupted = bool(cells) and _train(cells, folder, options).interrupted
    results = read(folder)
    failures = []
    for (name, this), part in zip(asked.items(), chosen, strict=True):
        source = ""
        try:
            if not interrupted:
                show = bool(options.get("progress"))
                compute(this, results, folder, seeds, show)
                source = sources.get(name, "")
        except ValueError as error:
            failures.append(error)  # what was trained is remembered all the same
        told = entry(
            bool(part.arms),
            command=command or f"reproduce({[Path(n).name for n in names]!r})",
            seconds=round(time.monotonic() - began, 1),
            seeds=seeds,
            steps=steps,
            **trained_by(options.get("engine"), time.process_time() - used),
        )
        remember(this, folder, told, files[name], source)
    if failures:
        raise failures[0]
    done = [stored(this, results, folder, files[name]) for name, this in asked.items()]
    return Reproduction(done, interrupted)


def trained_by(engine: Any, used: float) -> dict[str, Any]:
    """What trained: this machine, with its CPU seconds, or an engine elsewhere."""
    if engine is not None and engine.hardware:
        return {"device": engine.hardware}
    return {"cpu_seconds": round(used, 1)}


def _asked(names: Sequence[str]) -> dict[str, Study]:
    """The studies of some names and files, each once."""
    asked = {name: study(name) for name in names}
    known: dict[str, str] = {}
    for name, this in asked.items():
        if (other := known.setdefault(this.name, name)) != name:
            raise ValueError(
                f"`names` has {other} and {name}, which are both the study "
                f"{this.name!r}. Give one of them another name."
            )
    return asked


def _train(cells: list, folder: Path, options: dict[str, Any]) -> Results:
    from ..training import train_cells

    with warnings.catch_warnings():
        # Published tables have units on operations that they cannot represent.
        warnings.filterwarnings("ignore", message=".*cannot represent.*")
        return train_cells(cells, out=folder, **options)


def compute(
    study: Study,
    results: Results,
    folder: Path,
    seeds: int | None = None,
    progress: bool = False,
) -> None:
    """What the study computes besides training, into the folder."""
    if study.compute is None:
        return
    given = Trained(study, find(study, results), results, seeds, progress)
    tables = computed_tables(given)
    for name, table in tables.items():
        typed = {n: column(list(values)) for n, values in table.items()}
        path = folder / f"{study.name}.{name}.table.parquet"
        write_table(path, typed, level=SHIPPED)


def stored_tables(study_name: str, folder: Path) -> dict[str, dict[str, list[Any]]]:
    """The tables that were computed for a study, by name."""
    stored: dict[str, dict[str, list[Any]]] = {}
    for path in sorted(folder.glob("*.table.parquet")):
        owner, name, *rest = path.name.split(".")
        if owner != study_name or len(rest) != 2 or not NAME.fullmatch(name):
            continue
        remedy = f"Delete it and run `arithmax reproduce {study_name}` again"
        titles, rows = tables(path, f"{remedy}; nothing is trained twice.")
        stored[name] = {t: [row[k] for row in rows] for k, t in enumerate(titles)}
    return stored


def computed(study: Study, folder: Path) -> Computed | None:
    """What was computed for a study, as the folder has it."""
    tables = stored_tables(study.name, folder)
    if not tables:
        return None
    names = ("name", "value", "low", "high")
    figures = tables.pop(FIGURES, {name: [] for name in names})
    if missing := [name for name in names if name not in figures]:
        raise ValueError(
            f"the table of figures of the study {study.name!r} in {folder} has no "
            f"column {missing[0]!r}. Delete it and run `arithmax reproduce "
            f"{study.name}` again; nothing is trained twice."
        )
    ranged = figures.get("range", [False] * len(figures["name"]))
    rows = zip(ranged, *(figures[name] for name in names), strict=True)
    left_out = zip(figures["name"], figures.get("reduced", ()), strict=False)
    return Computed(
        tables,
        {
            name: Range(*ends) if is_range else Interval(*ends)
            for is_range, name, *ends in rows
            if all(map(_is_number, ends))
        },
        {name: text for name, text in left_out if text},
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not math.isnan(value)


def stored(
    study: Study, results: Results, folder: Path, file: Path | None = None
) -> Evaluation:
    """A study as a folder has it, and its Python file if it has one."""
    record, tables = record_of(study, folder), computed(study, folder)
    done = evaluate(study, results, tables, record.history)
    return replace(done, remark=_remark(record, file) if tables and file else "")


def _remark(record: Record, file: Path) -> str:
    """Whether the tables are those of the file as it is now."""
    if not record.source or record.source == source_hash(file):
        return ""
    return (
        f"The tables of {record.study} were computed by another version of "
        f"{file.name}; `arithmax reproduce` computes them again, and trains only what "
        "is missing."
    )


Track: TypeAlias = Callable[[Sequence[Any], str], Iterable[Any]]


def untracked(things: Sequence[Any], text: str) -> Iterable[Any]:
    """Things one by one, without showing how far it is."""
    return things


def load(
    folder: Path | str,
    files: Sequence[Path | str] = (),
    track: Track = untracked,
) -> list[Evaluation]:
    """Every study that a folder has results of.

    Args:
        folder: the folder.
        files: Python files with studies, which are run. No other file is: a study
            that is in none of them, nor one of the package's, is shown from its data.
        track: gives names one by one and shows how far it is, as
            `rich.progress.track` does.
    """
    folder = folder_of("folder", folder)
    results = read(folder)
    kept = records(folder)
    if not kept:
        raise ValueError(
            f"`folder` (={folder}) holds no study. Run `arithmax reproduce NAME --out "
            f"{folder}` first; `arithmax studies` lists the names."
        )
    named = _named(files, kept, folder)
    theirs = [name for name in studies() if name in kept]
    theirs += [name for name in kept if is_by_recipe(name)]
    done = [stored(s, results, folder, file) for s, file in named]
    for name in track(theirs, "reading studies"):
        done.append(stored(study(name), results, folder))
    known = {row["run"] for e in done for runs in e.arm_runs for row in runs.rows}
    others = Results([r for r in results.rows if r["run"] not in known], folder)
    rest = [r for r in kept.values() if r.study not in {e.study.name for e in done}]
    return done + [unknown(r, stored_tables(r.study, folder), others) for r in rest]


def _named(
    files: Sequence[Path | str], kept: Mapping[str, Record], folder: Path
) -> list[tuple[Study, Path]]:
    """The studies of the files that were named."""
    chosen = {}
    for given in map(str, files):
        study, file = from_file(given), Path(file_and_name(given)[0])
        if study.name not in kept:
            raise ValueError(
                f"`study` (={file}) holds the study {study.name!r}, of which {folder} "
                f"has no record; it has {', '.join(kept)}."
            )
        if study.name in chosen:
            raise ValueError(
                f"`study` names two files with the study {study.name!r}: "
                f"{chosen[study.name][1]} and {file}. Name one of them."
            )
        chosen[study.name] = study, file
    return list(chosen.values())


def entry(trained: bool, **told: Any) -> dict[str, Any]:
    """What is remembered of a command: what was done, when, and with what.

    Args:
        trained: whether runs were trained, perhaps on an accelerator.
        told: what else is known of it, such as its seconds, or the `device` if it was
            not this machine.
    """
    return {
        **told,
        "version": __version__,
        "device": told.get("device") or hardware(trained),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def hardware(trained: bool) -> str:
    """What this machine is, in a few words."""
    if trained:
        import jax

        if jax.default_backend() != "cpu":
            return jax.devices()[0].device_kind
    return f"{os.cpu_count()} cores, {_processor()}"


def _processor() -> str:
    """The name of the processor, where the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2] for line in file if "model name" in line]
        return names[0].strip()
    except (OSError, IndexError):
        return platform.processor() or platform.machine()
