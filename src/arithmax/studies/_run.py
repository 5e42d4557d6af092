"""Running studies, and reading them back from a folder.

A folder holds the runs of any number of studies, which share those that they have in
common. For each study that was run it also holds `NAME.study.json`, which remembers
how, and `NAME.TABLE.table.parquet` for what was computed besides training.
"""

import json
import os
import platform
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .. import __version__
from ..results import FORMAT, Results, column, read, write_table, write_whole
from ..statistics import Interval
from ._evaluate import Evaluation, Trained, evaluate, find
from ._registry import studies, study
from ._study import Computed, Study

FIGURES = "figures"  # the table of computed figures


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
    command: str = "",
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
        command: how this was asked for, to be remembered.
        options: those of `arithmax.train_cells`, such as `progress` or `block`.

    Returns:
        Every study, as the folder has it now.
    """
    if not names or isinstance(names, str):
        raise ValueError(
            f"`names` (={names!r}) must name a study or more, in a list; see "
            "`arithmax studies`."
        )
    asked = {name: study(name) for name in names}
    chosen = [s.only(only) if only and s.arms else s for s in asked.values()]
    cells = [a.reduced(seeds, steps).cell for s in chosen for a in s.arms]
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    for own in asked.values():
        history(own, folder)  # a folder of another version is refused before any work
    began = time.monotonic()
    interrupted = bool(cells) and _train(cells, folder, options).interrupted
    results = read(folder)
    for (name, own), part in zip(asked.items(), chosen, strict=True):
        if not interrupted:
            compute(own, results, folder)
        entry = {
            "command": command or f"reproduce({list(names)!r})",
            "version": __version__,
            "device": hardware(bool(part.arms)),
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(time.monotonic() - began, 1),
            "seeds": seeds,
            "steps": steps,
        }
        remember(own, folder, entry, name if name.endswith(".py") else None)
    done = [stored(own, results, folder) for own in asked.values()]
    return Reproduction(done, interrupted)


def _train(cells: list, folder: Path, options: dict[str, Any]) -> Results:
    from ..fleet import train_cells

    with warnings.catch_warnings():
        # Published tables have units on operations that they cannot represent.
        warnings.filterwarnings("ignore", message=".*cannot represent.*")
        return train_cells(cells, out=folder, **options)


def compute(own: Study, results: Results, folder: Path) -> None:
    """What the study computes besides training, into the folder."""
    if own.compute is None:
        return
    computed = own.compute(Trained(own, find(own, results), results))
    tables = dict(computed.tables)
    if computed.figures:
        figures = computed.figures
        tables[FIGURES] = {
            "name": list(figures),
            "value": [i.value for i in figures.values()],
            "low": [i.low for i in figures.values()],
            "high": [i.high for i in figures.values()],
        }
    for name, table in tables.items():
        columns = {n: column(list(values)) for n, values in table.items()}
        write_table(folder / f"{own.name}.{name}.table.parquet", columns)


def stored_tables(study_name: str, folder: Path) -> dict[str, dict[str, list[Any]]]:
    """The tables that were computed for a study, by name."""
    import duckdb

    tables: dict[str, dict[str, list[Any]]] = {}
    with duckdb.connect() as database:
        for path in sorted(folder.glob(f"{study_name}.*.table.parquet")):
            try:
                table = database.read_parquet(str(path))
                values = list(zip(*table.fetchall(), strict=True))
            except duckdb.Error as error:
                raise ValueError(
                    f"{path} cannot be read: {error}. Delete it and run `arithmax "
                    f"reproduce {study_name}` again; nothing is trained twice."
                ) from None
            name = path.name.split(".")[1]
            tables[name] = dict(zip(table.columns, map(list, values), strict=True))
    return tables


def computed(own: Study, folder: Path) -> Computed | None:
    """What was computed for a study, as the folder has it."""
    tables = stored_tables(own.name, folder)
    if not tables:
        return None
    figures = tables.pop(FIGURES, {"name": [], "value": [], "low": [], "high": []})
    return Computed(
        tables,
        {
            name: Interval(*ends)
            for name, *ends in zip(
                *(figures[n] for n in ("name", "value", "low", "high")), strict=True
            )
        },
    )


def history(own: Study, folder: Path) -> list[dict[str, Any]]:
    """How the study was run so far."""
    path = folder / f"{own.name}.study.json"
    return _remembered(path)["history"] if path.exists() else []


def _remembered(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        made = found["format"]
        found["history"], found["study"]
    except (ValueError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path} is no record of a study ({error!r}). Move it away; runs are kept."
        ) from None
    if made != FORMAT:
        raise ValueError(
            f"{path} was written by another version of arithmax (its format is {made}, "
            f"not {FORMAT}). Read it with that version, or use another folder."
        )
    return found


def remember(
    own: Study, folder: Path, entry: dict[str, Any], file: str | None = None
) -> None:
    """Add an entry to the history of a study.

    One command is one entry, with all its seconds: it may have been stopped.
    """
    told = history(own, folder)
    before = [e for e in told if e.get("command") == entry["command"]]
    spent = sum(e.get("seconds", 0.0) for e in [*before, entry])
    entry = entry | {"seconds": round(spent, 1)}
    told = [e for e in told if e not in before]
    record = {"format": FORMAT, "study": own.name, "history": [*told, entry]}
    if file:
        record["file"] = str(Path(file).resolve())
    text = json.dumps(record, indent=2, ensure_ascii=False)
    write_whole(
        folder / f"{own.name}.study.json",
        lambda p: p.write_text(text, encoding="utf-8"),
    )


def stored(own: Study, results: Results, folder: Path) -> Evaluation:
    """A study as a folder has it."""
    return evaluate(own, results, computed(own, folder), history(own, folder))


def load(folder: Path | str) -> list[Evaluation]:
    """Every study that a folder has results of."""
    folder = Path(folder)
    results = read(folder)
    records = [_remembered(path) for path in sorted(folder.glob("*.study.json"))]
    own = {r["study"]: study(r.get("file") or r["study"]) for r in records}
    order = list(studies())
    named = sorted(
        own.values(), key=lambda s: order.index(s.name) if s.name in order else -1
    )
    if not named:
        raise ValueError(
            f"`folder` (={folder}) holds no study. Run `arithmax reproduce NAME --out "
            f"{folder}` first; `arithmax studies` lists the names."
        )
    return [stored(s, results, folder) for s in named]


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
