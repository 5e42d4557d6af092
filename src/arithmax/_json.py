"""JSON that every reader takes: it has no infinity and no NaN, so they are null."""

import json
import math
from typing import Any


def finite(value: Any) -> Any:
    """`value` with None for every number that is not finite, however deep."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: finite(entry) for name, entry in value.items()}
    return [finite(entry) for entry in value] if isinstance(value, list) else value


def dumps(value: Any, indent: int | None = None, ensure_ascii: bool = False) -> str:
    """`value`, made of dictionaries, lists and plain values, as JSON."""
    text = finite(value)
    return json.dumps(text, indent=indent, ensure_ascii=ensure_ascii, allow_nan=False)
