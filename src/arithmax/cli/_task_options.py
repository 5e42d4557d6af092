"""The options of each task, and the task that they make."""

import dataclasses
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import tyro

from .._checks import choose
from .._own_code import own_file
from ..tasks import TASKS, Dataset, Task
from ._own_parts import own_task
from ._show import field_docs, first_line

TABLE = "table"
# The arguments of `Dataset.from_csv` that are called otherwise on the command line.
RENAMED = {"`path`": "`file`", "`seed`": "`split_seed`"}


@dataclasses.dataclass(frozen=True)
class TableOptions:
    """A table of your own: rows of inputs and targets in a CSV or Parquet file."""

    file: Path | None = None
    """The table: a CSV file whose first line names the columns, or a Parquet file."""
    target: tuple[str, ...] = ()
    """The column, or columns, to be predicted."""
    inputs: tuple[str, ...] = ()
    """The columns to predict it from; none takes all others."""
    split: str | None = None
    """A column that has for each row training, held_out or extrapolation."""
    held_out: float = 0.2
    """The share of rows that choose the best step, drawn at random."""
    extrapolation: float = 0.2
    """The share of rows to be right on, the farthest ones; 0 takes those held out."""
    split_seed: int = 0
    """What held-out rows are drawn with."""
    delimiter: str = ","
    """What stands between two values of a CSV file."""

    def task(self) -> Dataset:
        """The table as a task."""
        for name, example in (("file", "data.csv"), ("target", "y")):
            if not (value := getattr(self, name)):
                raise ValueError(
                    f"`{name}` (={value!r}) must be given, as in `arithmax train table "
                    f"--file data.csv --target y --steps 10000`: add `--{name} "
                    f"{example}`."
                )
        try:
            return self._read()
        except (ValueError, TypeError, OSError) as error:
            text = str(error)
            for name, option in RENAMED.items():
                text = text.replace(name, option)
            raise type(error)(text) from None

    def _read(self) -> Dataset:
        assert self.file is not None
        options: dict[str, Any] = {"split": self.split, "seed": self.split_seed}
        options |= {"held_out": self.held_out, "extrapolation": self.extrapolation}
        columns = self.target, self.inputs or None
        if _is_parquet(self.file):
            return Dataset.from_parquet(self.file, *columns, **options)
        return Dataset.from_csv(
            self.file, *columns, delimiter=self.delimiter, **options
        )


def _is_parquet(file: Path) -> bool:
    """Whether a file is of that format, whatever its name ends with."""
    if not file.is_file():
        return False
    with open(file, "rb") as opened:
        return opened.read(4) == b"PAR1"


def tasks_by_name() -> dict[str, type]:
    """The tasks that can be trained on, and what their options are the fields of."""
    return {**TASKS, TABLE: TableOptions}


def task_named(name: str) -> tuple[type, Task | None]:
    """The task of that name, or the one in a file with the values that it has there.

    A wrong name suggests the nearest.
    """
    if own_file(name) is not None:
        start = own_task(name)
        return type(start), start
    return tasks_by_name()[choose("task", name, tasks_by_name())], None


def options_of(cls: type, start: Task | None = None) -> type:
    """A dataclass with the fields of a task, each of a kind that can be written.

    Args:
        cls: the task.
        start: a task whose values are the defaults, in place of those of its class.
    """
    hints, docs = get_type_hints(cls), _docs(cls)
    made = dataclasses.make_dataclass(
        "TaskOptions",
        [
            (
                f.name,
                _writable(hints[f.name], docs.get(f.name, "")),
                f.default if start is None else getattr(start, f.name),
            )
            for f in dataclasses.fields(cls)
            if f.init
        ],
        frozen=True,
    )
    made.__doc__ = first_line(cls)
    return made


def _docs(cls: type) -> dict[str, str]:
    """What stands below the fields of a class and of those it inherits from."""
    docs: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        docs |= field_docs(base) if dataclasses.is_dataclass(base) else {}
    return docs


def _writable(kind: Any, text: str) -> Any:
    """What an option takes: of ranges for each input one for all of them."""
    if kind is Any:
        kind, text = tuple[float, ...], text.replace(", for all inputs or for each", "")
    return Annotated[kind, tyro.conf.arg(help=" ".join(text.split()))]


def made(cls: type, given: Any, start: Task | None = None, **changes: Any) -> Task:
    """The task that options make, with some changes.

    Args:
        cls: the task's class, or `TableOptions`.
        given: the options.
        start: the task of a file; it is taken as it is if nothing is changed, for it
            may hold what is no option, as the rows of a `Dataset`.
        changes: values in place of those of the options.
    """
    values = {f.name: getattr(given, f.name) for f in dataclasses.fields(given)}
    values |= changes
    if cls is TableOptions:
        return TableOptions(**values).task()
    if start is not None and values == {n: getattr(start, n) for n in values}:
        return start
    return cls(**values)


def is_open(given: Any) -> bool:
    """Whether these are options of a table that name no file yet."""
    return getattr(given, "file", given) is None
