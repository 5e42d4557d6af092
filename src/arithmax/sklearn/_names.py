"""Names of the columns of data frames and series."""

from typing import Any


def column_names(table: Any) -> list[Any] | None:
    """The names of the columns of a data frame or a series; None for an array."""
    if (columns := getattr(table, "columns", None)) is not None:
        return list(columns)
    name = getattr(table, "name", None)
    return None if name is None else [name]


def numbered(letter: str, count: int) -> list[str]:
    """x0, x1 and so on, as scikit-learn counts columns without names."""
    return [f"{letter}{i}" for i in range(count)]


def target_names(y: Any, count: int) -> tuple[str, ...]:
    """The names of the targets: those of a data frame, or y; y0, y1 and so on."""
    names = column_names(y)
    if names is not None and len(names) == count:
        return tuple(map(str, names))
    return ("y",) if count == 1 else tuple(numbered("y", count))
