"""`arithmax units`, `arithmax tasks` and `arithmax studies`."""

import dataclasses
from typing import Any, Literal, TypeAlias

from ..tasks import TASKS
from ..units import OPERATIONS, UNITS
from ._criterion import NAMES, Criterion
from ._show import field_docs, first_line, print_json, show, table

Operation: TypeAlias = Literal["add", "sub", "mul", "div", "square", "sqrt"]


def entry_of_unit(name: str) -> dict[str, Any]:
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


def units(
    json: bool = False,
    operation: Operation | None = None,
    criterion: Criterion = "eps-1e-4",
) -> None:
    """List every unit, what it can compute exactly, and on which inputs.

    Args:
        json: print JSON for scripts instead of a table.
        operation: only the units that can do it, the best of the leaderboard first,
            with how often each learns it.
        criterion: when a run counts as solved, with `--operation`; `rounded` asks
            whether the nearest discrete weights are exact.
    """
    if operation is not None:
        from ._units_by_operation import show_units_for

        show_units_for(operation, json, NAMES[criterion])
        return
    described = [entry_of_unit(name) for name in UNITS]
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


def studies(json: bool = False, cost: bool = False) -> None:
    """List every study: its name, where it was published, and what it is.

    Args:
        json: print JSON for scripts instead of a table.
        cost: also count its runs, and say how long they take on this machine.
    """
    from ..studies._registry import sheets

    listed: list[dict[str, Any]] = [
        {"name": s.name, "title": s.front["title"], "source": s.front["source"]}
        for s in sheets()
    ]
    if cost:
        listed = [entry | _cost(entry["name"]) for entry in listed]
    if json:
        print_json(listed, indent=2)
        return
    names = ["name", *(["runs", "time here"] if cost else []), "what it is"]
    rows = [[s["name"], *(_counts(s) if cost else []), s["title"]] for s in listed]
    show(table("Studies", names, rows))
    print("`arithmax reproduce NAME` runs one; --seeds and --steps make it shorter.")


def _cost(name: str) -> dict[str, Any]:
    """How much a study trains, and the seconds that this takes here."""
    from ..benchmark import seconds_of_study, speed_of_machine
    from ..studies import study

    arms = study(name).arms
    return {
        "arms": len(arms),
        "runs": sum(len(arm.cell.seeds) for arm in arms),
        "seconds": seconds_of_study(study(name), speed_of_machine()),
    }


def _counts(listed: dict[str, Any]) -> list[str]:
    """Runs and time as a table prints them."""
    if not listed["runs"]:
        return ["—", "seconds"]
    return [str(listed["runs"]), rough_duration(listed["seconds"])]


def rough_duration(seconds: float) -> str:
    """Seconds as a person says them."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.2g} {unit}"
    return f"{seconds:.0f} s"
