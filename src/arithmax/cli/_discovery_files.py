"""The files of a discovery: a page, and the formula for other programs."""

from collections.abc import Callable
from pathlib import Path

from ..discover import Account, readable
from ._discovery_sure import SureTable
from ._show import write_or_say

PAGE = "index.html"


def write_discovery(
    folder: Path, told: Account, command: str, sure: SureTable | None = None
) -> list[str]:
    """Write all files of a discovery.

    Args:
        folder: where to; it is there, and empty.
        told: what was found, and on which rows.
        command: what made it.
        sure: how sure it is, if that was asked for.

    Returns:
        A sentence for each file, or for what it lacks.
    """
    made: dict[str, Callable[[], str]] = {
        PAGE: lambda: _page(told, command, sure),
        "formula.json": lambda: _json(told),
        "formula.py": lambda: _module(told),
        "formula.tex": lambda: _latex(told),
    }
    return [write_or_say(folder / name, text) for name, text in made.items()]


def _page(told: Account, command: str, sure: SureTable | None) -> str:
    from ..report import discovery_page

    if sure is None:
        return discovery_page(told, command)
    return discovery_page(told, command, sure.known, sure.curves)


def _json(told: Account) -> str:
    from ..readout import to_json

    return f"{to_json(told.found.formula, indent=2)}\n"


def _module(told: Account) -> str:
    from ..discover import identifiers
    from ..readout import python_source

    [name] = identifiers((told.target,))
    return python_source(told.found.formula, name)


def _latex(told: Account) -> str:
    from ..readout import latex

    return f"{latex(readable(told.found.formula))}\n"
