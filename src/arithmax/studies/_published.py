"""Published figures that stand in a file beside a study's sheet."""

import json
from functools import cache
from importlib import resources
from typing import Any


@cache
def figures_file(document: str, name: str) -> Any:
    """What the JSON file of a document holds.

    Args:
        document: the folder below `arithmax/studies`, such as "slides".
        name: the file without its ending.
    """
    file = resources.files("arithmax.studies") / document / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8"))


def row_with(rows: list[dict[str, Any]], **labels: Any) -> dict[str, Any] | None:
    """The row with these labels, if there is one.

    Examples:
        >>> from arithmax.studies._published import row_with
        >>> row_with([{"x": 1, "y": 2}, {"x": 2, "y": 3}], x=2)
        {'x': 2, 'y': 3}
    """
    return next((r for r in rows if all(r[k] == v for k, v in labels.items())), None)
