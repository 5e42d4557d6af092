"""`arithmax units` and `arithmax tasks`."""

import dataclasses
from typing import Any

from ..tasks import TASKS
from ..units import OPERATIONS, UNITS
from ._show import field_docs, first_line, print_json, show, table


def describe(name: str) -> dict[str, Any]:
    """What `arithmax units` says of one unit."""
    unit = UNITS[name]()
    return {
        "name": name,
        "class": type(unit).__name__,
        "title": unit.title,
        "unit": repr(unit),
        "summary": first_line(type(unit)),
        "parameters": sorted(unit.parameters(2, 1)),
        "operations": {op: domain.text for op, domain in unit.operations.items()},
    }


def units(json: bool = False) -> None:
    """List every unit, what it can compute exactly, and on which inputs.

    Args:
        json: print JSON for scripts instead of a table.
    """
    described = [describe(name) for name in UNITS]
    if json:
        print_json(described, indent=2)
        return
    rows = [
        [
            unit["name"],
            unit["class"],
            "\n".join(
                f"{OPERATIONS[op].symbol}  ({text})"
                for op, text in unit["operations"].items()
            )
            or "—",
            unit["summary"],
        ]
        for unit in described
    ]
    show(table("Arithmetic units", ["name", "class", "exact for", "what it is"], rows))


def tasks(json: bool = False) -> None:
    """List every task and its options.

    Args:
        json: print JSON for scripts instead of a table.
    """
    described = [
        {
            "name": name,
            "class": cls.__name__,
            "summary": first_line(cls),
            "options": {
                f.name: {"default": repr(f.default), "help": field_docs(cls)[f.name]}
                for f in dataclasses.fields(cls)  # type: ignore[arg-type]  # tasks are dataclasses
            },
        }
        for name, cls in TASKS.items()
    ]
    if json:
        print_json(described, indent=2)
        return
    rows = [
        [
            task["name"],
            task["summary"],
            "\n".join(f"{n} = {o['default']}" for n, o in task["options"].items()),
        ]
        for task in described
    ]
    show(table("Tasks", ["name", "what it is", "options"], rows))
