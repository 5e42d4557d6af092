"""The tables of a protocol: its settings, its parts and the papers' recipes.

MkDocs calls the functions that begin with `on_` by name. All text is in docstrings.
"""

import inspect
import sys
from collections.abc import Iterable, Mapping
from dataclasses import fields
from itertools import groupby

from arithmax.cli._show import field_docs, first_line
from arithmax.training import (
    COMPOSITIONS,
    LOSSES,
    OPTIMISERS,
    PENALTIES,
    RESTARTS,
    SCHEDULES,
    TRANSFORMS,
    Batches,
    Criterion,
    Measuring,
    Part,
    Protocol,
)
from arithmax.training._declared import use_of
from arithmax.training.recipes import _RECIPES

# What a protocol calls a part, and its kinds by the names of the command line.
CHOSEN: dict[str, Mapping[str, type[Part]]] = {
    "optimiser": OPTIMISERS,
    "loss": LOSSES,
    "penalties": PENALTIES,
    "transforms": TRANSFORMS,
    "composition": COMPOSITIONS,
    "schedule": SCHEDULES,
    "restart": RESTARTS,
}
FIXED = {"batches": Batches, "measuring": Measuring, "criterion": Criterion}


def on_page_markdown(markdown, page, config, files):
    """Put the tables where a page asks for them."""
    tables = {"protocol": protocol, "parts": parts, "recipes": published}
    for name, make in tables.items():
        marker = f"<!-- table: {name} -->"
        if marker in markdown:
            markdown = markdown.replace(marker, make())
    return markdown


def protocol() -> str:
    """Every setting of a protocol."""
    return options(Protocol, use=False)


def parts() -> str:
    """Every part that the package has, with its options."""
    lines: list[str] = []
    for setting, cls in FIXED.items():
        lines += [f"### `{setting}`", "", *described(cls)]
    for setting, kinds in CHOSEN.items():
        lines += [f"### `{setting}`", ""]
        for name, cls in kinds.items():
            lines += [f"#### `{cls.__name__}`: `{name}`", "", *described(cls)]
    return "\n".join(lines)


def described(cls: type[Part]) -> list[str]:
    """One part: its docstring and its options."""
    text = inspect.cleandoc(cls.__doc__ or "")
    return [text, "", options(cls), ""] if fields(cls) else [text, ""]


def options(cls: type[Part], use: bool = True) -> str:
    """The fields of a part: default, how each enters a run, and what it is."""
    docs = documented(cls)
    heads = ["option", "default", *(["use"] if use else []), ""]
    rows = [
        [
            f"`{f.name}`",
            f"`{f.default!r}`",
            *([use_of(f)] if use else []),
            docs[f.name],
        ]
        for f in fields(cls)
    ]
    return table(heads, rows)


def documented(cls: type[Part]) -> dict[str, str]:
    """The docs of a part's fields, those of its bases included."""
    bases = [c for c in reversed(cls.__mro__) if issubclass(c, Part) and c is not Part]
    return {name: text for c in bases for name, text in field_docs(c).items()}


def published() -> str:
    """Which units and tasks have a recipe, paper by paper."""
    lines: list[str] = []
    for paper, entries in groupby(_RECIPES, lambda e: e[2].__module__):
        lines += [f"**{first_line(sys.modules[paper])}**", ""]  # type: ignore[arg-type]  # a module has a docstring, too
        rows = [
            [names(units), names(tasks), (recipe.__doc__ or "").split("\n")[0]]
            for units, tasks, recipe in entries
        ]
        lines += [table(["units", "tasks", "recipe"], rows), ""]
    return "\n".join(lines)


def names(classes: Iterable[type]) -> str:
    """Classes, by their names."""
    return ", ".join(f"`{cls.__name__}`" for cls in classes)


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A table of Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
