"""The command line: `arithmax units` and `arithmax demo`."""

import json as json_format
import sys
from typing import Any

import tyro

from . import __version__
from .units import OPERATIONS, UNITS, Unit

# Operands far outside [1, 2], where most units of the literature are trained; the
# second pair is for units that know positive numbers only.
OPERANDS = ((-1234.5, 67.25), (1234.5, 67.25))


def describe(name: str) -> dict[str, Any]:
    """What `arithmax units` says of one unit."""
    unit = UNITS[name]()
    return {
        "name": name,
        "class": type(unit).__name__,
        "title": unit.title,
        "unit": repr(unit),
        "summary": summary(unit),
        "parameters": sorted(unit.parameters(2, 1)),
        "operations": {op: domain.text for op, domain in unit.operations.items()},
    }


def summary(unit: Unit) -> str:
    """The first sentence of a unit's docstring."""
    return (type(unit).__doc__ or "").split("\n")[0].strip()


def table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """Print a table."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    drawn = Table(title=title, title_justify="left", box=box.SIMPLE)
    for i, column in enumerate(columns):
        drawn.add_column(column, no_wrap=i == 0)
    for row in rows:
        drawn.add_row(*row)
    Console().print(drawn)


def units(json: bool = False) -> None:
    """List every unit, what it can compute exactly, and on which inputs.

    Args:
        json: print JSON for scripts instead of a table.
    """
    described = [describe(name) for name in UNITS]
    if json:
        print(json_format.dumps(described, indent=2, ensure_ascii=False))
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
    table("Arithmetic units", ["name", "class", "exact for", "what it is"], rows)


def demo() -> None:
    """Show every unit computing an exact function far outside [1, 2]."""
    import numpy as np

    rows = []
    for name, cls in UNITS.items():
        unit = cls()
        if not unit.operations:
            rows.append([name, "nothing", "", "", "", ""])
            continue
        operation, domain = list(unit.operations.items())[-1]
        op = OPERATIONS[operation]
        pairs = (p for p in OPERANDS if all(v in domain for v in p[: len(op.weights)]))
        x = np.array(next(pairs))
        y = unit.apply(unit.solution(operation), x)[0]
        true = op.function(*x[: len(op.weights)])
        rows.append(
            [
                name,
                op.symbol,
                ", ".join(f"{v:g}" for v in x[: len(op.weights)]),
                f"{y:.8g}",
                f"{true:.8g}",
                f"{abs(y - true) / abs(true):.0e}",
            ]
        )
    columns = ["unit", "computes", "inputs", "gives", "true", "error"]
    table(
        "Each unit at discrete weights, far outside [1, 2], with its relative error",
        columns,
        rows,
    )
    print("`arithmax units` lists what each unit can compute, and on which inputs.")


def version() -> None:
    """Print the version of this package."""
    print(__version__)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    tyro.extras.subcommand_cli_from_dict(
        {"units": units, "demo": demo, "version": version},
        prog="arithmax",
        description="Neural arithmetic units for PyTorch, JAX and NumPy.",
        args=sys.argv[1:] if arguments is None else arguments,
    )
