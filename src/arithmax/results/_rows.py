"""Rows: one for each run, with what it is, how it ended and what it cost."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._files import SHIPPED, column, tables, write_table
from .._identity import describe

FORMAT = 1  # of the files; a reader refuses others
# What a run is: rows that agree in these are one run, whoever trained it, and in
# whatever block.
IDENTITY = ("network", "task", "protocol", "seed", "platform", "code")
# What every row has.
NEEDED = (*IDENTITY[:5], "run", "unit", "outcome", "solved_at", "diverged_at")
NEEDED += ("best_step", "interpolation", "extrapolation", "sparsity", "threshold")
NEEDED += ("block", "format", "protocol_steps")


def write_rows(folder: Path, name: str, rows: Sequence[dict[str, Any]]) -> None:
    """`NAME.rows.parquet`, and more where rows have other columns.

    Tasks have settings of their own, and so have versions.
    """
    kinds: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        kinds.setdefault(tuple(row), []).append(row)
    for i, (names, alike) in enumerate(kinds.items()):
        path = rows_file(folder, name, i)
        write_table(path, {n: column([row[n] for row in alike]) for n in names})


def rows_file(folder: Path, name: str, i: int = 0) -> Path:
    """The i-th file with the rows of a block or a pack."""
    return folder / (f"{name}.{i}.rows.parquet" if i else f"{name}.rows.parquet")


def compatible(rows: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Rows that one table can hold.

    No column is text in one row and a number in another, and all rows have the same
    steps: a step that is missing from a table means "never", not "not known".

    Example:
        >>> compatible([{"a": 1}, {"b": "x"}, {"a": "one"}])
        [[{'a': 1}, {'b': 'x'}], [{'a': 'one'}]]
    """
    groups: list[tuple[dict[str, str], list[dict[str, Any]]]] = []
    places: dict[tuple, int] = {}
    for row in rows:
        kinds = {n: _kind(n, v) for n, v in row.items() if v is not None or _is_step(n)}
        key = tuple(kinds.items())
        if key not in places:
            places[key] = _place(kinds, groups)
        groups[places[key]][1].append(row)
    return [group for _, group in groups]


def _is_step(name: str) -> bool:
    """Whether None in this column says that something never happened."""
    return name in ("solved_at", "diverged_at") or name.startswith("first_below_")


def _kind(name: str, value: Any) -> str:
    if _is_step(name):
        return "step"
    if isinstance(value, bool | np.bool_):
        return "flag"
    return "number" if isinstance(value, int | float | np.number) else "text"


def _place(kinds: dict[str, str], groups: list) -> int:
    """The first group that rows of these kinds fit in, or a new one."""
    for i, (known, _) in enumerate(groups):
        agree = all(known.get(n, kind) == kind for n, kind in kinds.items())
        if agree and _steps(known) == _steps(kinds):
            known.update(kinds)
            return i
    groups.append((dict(kinds), []))
    return len(groups) - 1


def _steps(kinds: Mapping[str, str]) -> set[str]:
    return {name for name, kind in kinds.items() if kind == "step"}


def write_packed_rows(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Rows with different columns as one table; what a row lacks is missing there."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: _column([row.get(name) for row in rows]) for name in names}
    write_table(path, columns, level=SHIPPED)


def _column(values: list[Any]) -> np.ndarray:
    """A column of one kind in which None stays missing, and an integer an integer."""
    present = [v for v in values if v is not None]
    typed = column(present)
    if len(present) == len(values):
        return typed
    filled = np.zeros(len(values), typed.dtype)
    missing = np.array([v is None for v in values])
    filled[~missing] = np.ma.getdata(typed)
    return np.ma.array(filled, mask=missing)


def read_rows(folder: Path) -> list[dict[str, Any]]:
    """The rows of all files of a folder, one for each run."""
    files = sorted(folder.glob("*.rows.parquet"))
    return one_each([row for file in files for row in read_file(file)])


def one_each(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each run: of several, the one that was finished first."""
    first: dict[tuple, dict[str, Any]] = {}
    for row in rows:
        known = first.setdefault(identity(row), row)
        if row.get("finished", "") < known.get("finished", ""):
            first[identity(row)] = row
    return list(first.values())


def identity(row: Mapping[str, Any]) -> tuple:
    """What tells a run from every other."""
    return tuple(row.get(name, "") for name in IDENTITY)


def read_file(file: Path) -> list[dict[str, Any]]:
    """The rows of one file."""
    names, values = tables(file, "Move it away.")
    if missing := [name for name in NEEDED if name not in names]:
        raise ValueError(
            f"{file} has no column {missing[0]!r}: it is no file of runs, or one of "
            "another version of arithmax. Move it away."
        )
    place = names.index("format")
    if others := {v[place] for v in values} - {FORMAT}:
        raise ValueError(
            f"{file} was written by another version of arithmax (its format is "
            f"{others.pop()!r}, not {FORMAT}). Read it with that version, or use "
            "another folder."
        )
    steps = {name for name in names if _is_step(name)}
    kept = steps.union(NEEDED)
    return [_row(dict(zip(names, v, strict=True)), steps, kept) for v in values]


def _row(row: dict[str, Any], steps: set[str], kept: set[str]) -> dict[str, Any]:
    """Steps that may be missing as None, measures that are not numbers as NaN.

    A setting that is missing is left out: another task has it, or a later version.
    """
    for name in steps:
        value = row[name]
        row[name] = None if value is None or value != value else int(value)
    for name in ("interpolation", "extrapolation", "sparsity"):
        row[name] = np.nan if row[name] is None else row[name]
    if None in row.values():
        return {n: v for n, v in row.items() if v is not None or n in kept}
    return row


def column_value(value: Any) -> Any:
    """A setting as a column can hold it."""
    return value if isinstance(value, bool | int | float | str) else repr(value)


def settings(prefix: str, thing: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a dataclass as columns, those of its parts under their names."""
    for field in dataclasses.fields(thing):
        if not field.metadata.get("identity", True):
            continue  # such as where a file lies
        yield from _columns(f"{prefix}_{field.name}", getattr(thing, field.name))


def _columns(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, tuple) and any(map(dataclasses.is_dataclass, value)):
        yield name, describe(value)
        for i, part in enumerate(value):
            yield from _columns(f"{name}_{i}", part)
    elif dataclasses.is_dataclass(value):
        yield name, type(value).__name__
        yield from settings(name, value)
    else:
        yield name, column_value(value)
