"""`arithmax units --operation`: who can do an operation, the best first."""

from typing import Any

from ..units import OPERATIONS, UNITS
from ._show import print_json, show, table


def show_units_for(operation: str, json: bool, criterion: str) -> None:
    """Print the units that can do an operation, as a table or as JSON."""
    from ..benchmark import best_units, shipped
    from ..studies._grid import SYMBOLS

    sign, ranked = SYMBOLS[operation], best_units(shipped(), criterion)
    found = next((b for b in ranked if b.operation == sign), None)
    if json:
        print_json(_entries(found) if found else _unranked(operation), indent=2)
    elif found:
        _show_ranked(found, operation)
    else:
        _show_unranked(operation)


def _entries(found: Any) -> list[dict[str, Any]]:
    """The units of the leaderboard with their rates, by number of inputs."""
    from ..benchmark import domain_of

    return [
        {
            "unit": unit,
            "exact_for": domain_of(unit, found.operation),
            "success": {
                str(c.inputs): [rate.value, rate.low, rate.high]
                for c in found.contests
                if (rate := c.rates.get(unit))
            },
        }
        for unit in ordered(found)
    ]


def ordered(found: Any) -> list[str]:
    """The recommended unit, then the others in the order of the first contest."""
    return [found.unit, *(u for u in found.contests[0].scores if u != found.unit)]


def _show_ranked(found: Any, operation: str) -> None:
    first = found.contests[0]
    names = ["unit", "exact", *(f"{c.inputs} inputs" for c in found.contests)]
    rows = [_row(found, unit) for unit in ordered(found)]
    title = f"Units for {found.operation}: how often training finds it, in per cent"
    show(table(title, [*names, "worst"], rows))
    for note in _notes(found, first):
        _print_paragraph(note)
    for line in _uses(found, operation):
        print(line)


def _row(found: Any, unit: str) -> list[str]:
    from ..benchmark import contest_rate, domain_of, share_text

    first = found.contests[0]
    mark = "*" if unit in first.leaders else ""
    _, worst = first.weakest(unit)
    return [
        unit + mark,
        domain_of(unit, found.operation).partition(";")[0].removesuffix(" reals"),
        *(contest_rate(c, unit) for c in found.contests),
        share_text(worst.value),
    ]


def _notes(found: Any, first: Any) -> list[str]:
    from ..benchmark import ROUNDED, setting_of, setting_text

    setting = setting_of(found.unit, found.operation, first.inputs)
    trained = f" Trained with {setting_text(setting)}." if setting else ""
    others = found.anywhere
    wider = f" If inputs may be zero, use {others.unit}." if others else ""
    solved = (
        "that the nearest discrete weights are exact outside of the range"
        if first.criterion == ROUNDED
        else f"right outside of the range ({first.criterion})"
    )
    return [
        f"* Not told apart from the best with {first.inputs} inputs: 95 % intervals "
        "overlap.",
        f"Use {found.unit}: of these it does best among more inputs.{trained}{wider}",
        "“exact” says for which operands x a unit has exact weights. Rates are over "
        f"{len(first.board.ranges)} ranges of inputs; “worst” is the lowest of "
        f"these with {first.inputs} inputs. Solved means {solved}. `arithmax "
        "leaderboard --open` has each.",
    ]


def _uses(found: Any, operation: str) -> list[str]:
    """How the recommended unit is trained here, and used in a network of torch."""
    named = [(name, cls) for name, cls in UNITS.items() if cls.title == found.unit]
    return [
        line
        for name, cls in named
        for line in (
            "",
            f"  arithmax train single-module --unit {name} --operation {operation}",
            f"  arithmax.torch.{cls.__name__}(n, 1)  # a layer with n inputs",
        )
    ]


def _unranked(operation: str) -> list[dict[str, Any]]:
    """Units that can do an operation which the leaderboard does not have."""
    return [
        {"unit": cls.title, "exact_for": cls().operations[operation].text}
        for cls in UNITS.values()
        if operation in cls().operations
    ]


def _show_unranked(operation: str) -> None:
    rows = [list(entry.values()) for entry in _unranked(operation)]
    symbol = OPERATIONS[operation].symbol
    show(table(f"Units for {symbol}", ["unit", "exact for"], rows))
    _print_paragraph("The leaderboard has no runs of it: they are in no order.")


def _print_paragraph(text: str) -> None:
    """Text that is broken at words."""
    from rich.console import Console

    Console(highlight=False, markup=False).print(text)
