"""What a study is: data. Its cells, the published figures, and how they are drawn.

This file is read by the command line and loads no array library.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from .._checks import check_whole
from ..statistics import Interval, Range
from ..training import MOST_SEEDS, Cell
from ._plots import Plot

Labels: TypeAlias = Mapping[str, str | int | float]
Table: TypeAlias = Mapping[str, list[Any]]  # columns of equal length

# What is compared: the share of solved runs, and of those the step and the weights.
MEASURES = {
    "success": "success rate",
    "median": "median step",
    "solved_at": "mean step",
    "sparsity": "sparsity error",
}


def columns(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """Rows as the columns of a table; of no rows, empty ones."""
    listed = list(rows)
    return {name: [row[k] for row in listed] for k, name in enumerate(names)}


NAME = re.compile(r"[a-z0-9][a-z0-9-]*")  # of studies and of tables


def check_name(argument: str, name: str) -> None:
    """Names become those of files and commands."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ValueError(
            f"`{argument}` (={name!r}) must be made of small letters, digits and "
            "hyphens: it names files."
        )


@dataclass(frozen=True)
class Published:
    """A published figure.

    Args:
        value: the figure.
        low: the lower end of its 95 % interval; None if no interval was published.
        high: its upper end.
        note: what has to be known about it, such as that it was recomputed.
        reason: why ours differs, where that was found out.
        tried: what was tried where it was not.
        statement: whether it stands for words about what happens, such as “never
            converges”. Runs that are otherwise contradict it.
    """

    value: float
    low: float | None = None
    high: float | None = None
    note: str = ""
    reason: str = ""
    tried: str = ""
    statement: bool = False

    @property
    def interval(self) -> Interval | None:
        """The published interval, if there is one."""
        if self.low is None or self.high is None:
            return None
        return Interval(self.value, self.low, self.high)


@dataclass(frozen=True)
class Arm:
    """One row of a study: a cell, what tells it from the others, what was published.

    Args:
        labels: names and values, such as `{"model": "NMU", "hidden": 3}`; every arm of
            a study has the same names.
        cell: what is trained.
        published: the published figures by measure, those of `MEASURES`.
    """

    labels: Labels
    cell: Cell
    published: Mapping[str, Published] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The labels in one line."""
        return ", ".join(map(str, self.labels.values()))

    def reduced(self, seeds: int | None = None, steps: int | None = None) -> "Arm":
        """The arm with another number of seeds, or of steps at most."""
        cell = self.cell
        if seeds is not None:
            check_whole("seeds", seeds, 1, MOST_SEEDS)
            cell = replace(cell, seeds=tuple(range(seeds)))
        if steps is not None:
            check_whole("steps", steps, 1)
        if steps is not None and steps < cell.protocol.steps:
            cell = replace(cell, protocol=replace(cell.protocol, steps=steps))
        return replace(self, cell=cell)


@dataclass(frozen=True)
class Computed:
    """What a study computes besides training, or from what was trained.

    Args:
        tables: tables to be shown or drawn, by name.
        figures: measured figures with their intervals or ranges, by the names of
            claims.
        reduced: what of the published runs was left out, by the names of those claims
            whose figures are of reduced runs.
    """

    tables: Mapping[str, Table] = field(default_factory=dict)
    figures: Mapping[str, Interval | Range] = field(default_factory=dict)
    reduced: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.tables:
            check_name("tables", name)


@dataclass(frozen=True)
class Study:
    """A published table or figure, and the runs that reproduce it.

    Args:
        name: what the command line calls it.
        title: its heading.
        source: where the published figures stand.
        about: a paragraph of Markdown: what is asked, and what to look for.
        arms: what is trained.
        compute: given what was trained (`Trained`), what else is computed.
        claims: published figures that are compared with those of `compute`, by name.
        shown: the computed tables that a report prints, with their captions.
        plots: what a report draws; the first is the one that it opens with.
        question: what is asked, in a sentence.
    """

    name: str
    title: str
    source: str
    about: str
    arms: tuple[Arm, ...] = ()
    compute: Callable[[Any], Computed] | None = None
    claims: Mapping[str, Published] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    plots: tuple[Plot, ...] = ()
    question: str = ""

    def __post_init__(self) -> None:
        check_name("name", self.name)
        self._check_kinds()
        names = {tuple(arm.labels) for arm in self.arms}
        if len(names) > 1:
            raise ValueError(
                f"`arms` of the study {self.name!r} must all have the same labels, not "
                + " and ".join(str(list(n)) for n in sorted(names))
                + "."
            )
        for arm in self.arms:
            for measure in arm.published:
                if measure not in MEASURES:
                    raise ValueError(
                        f"`published` of {arm.name!r} has {measure!r}, which is none "
                        f"of {', '.join(MEASURES)}."
                    )
        if not self.arms and self.compute is None:
            raise ValueError(
                f"the study {self.name!r} must have `arms` or `compute`, or both."
            )

    def _check_kinds(self) -> None:
        """A report would stumble over these much later."""
        kinds = {"title": str, "source": str, "about": str, "claims": Mapping}
        for name, kind in (kinds | {"shown": Mapping, "question": str}).items():
            if not isinstance(value := getattr(self, name), kind):
                wanted = "a text" if kind is str else "a dictionary"
                raise TypeError(f"`{name}` (={value!r}) must be {wanted}.")
        for name, kind in (("arms", Arm), ("plots", Plot)):
            values = getattr(self, name)
            listed = isinstance(values, tuple | list)
            if not listed or not all(isinstance(v, kind) for v in values):
                wanted = f"of `arithmax.studies.{kind.__name__}`"
                raise TypeError(f"`{name}` (={values!r}) must be a tuple {wanted}.")
        if self.compute is not None and not callable(self.compute):
            raise TypeError(f"`compute` (={self.compute!r}) must be a function.")

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the labels of its arms."""
        return tuple(self.arms[0].labels) if self.arms else ()

    def _values(self, label: str) -> str:
        """The values that a label has, for messages."""
        *first, last = sorted({str(arm.labels[label]) for arm in self.arms})
        listed = ", ".join(map(repr, first))
        return f"{listed} or {last!r}" if first else repr(last)

    def only(self, chosen: Mapping[str, str]) -> "Study":
        """The study with those arms alone whose labels are as chosen."""
        for name in chosen:
            if name not in self.labels:
                raise ValueError(
                    f"`only` ({name}={chosen[name]}) must name a label of the study "
                    f"{self.name!r}, one of {', '.join(self.labels) or 'none'}."
                )
        arms = tuple(
            arm
            for arm in self.arms
            if all(str(arm.labels[n]) == value for n, value in chosen.items())
        )
        if not arms:
            labels = " ".join(f"{n}={v}" for n, v in chosen.items())
            values = "; ".join(f"{n}={self._values(n)}" for n in chosen)
            raise ValueError(f"`only` ({labels}) leaves no arm; there are {values}.")
        return replace(self, arms=arms)
