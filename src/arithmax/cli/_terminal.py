"""Terminals and files that are not UTF-8 get the nearest ASCII, never an error."""

import codecs
import io
import os
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

NAME = "arithmax-ascii"  # of the way in which signs are replaced

# The papers' symbols, those of tables and progress bars, and punctuation.
PLAIN = {
    "×": "x",
    "−": "-",
    "÷": "/",
    "·": "*",
    "•": "*",
    "Σ": "sum",
    "Π": "prod",
    "ε": "eps",
    "√": "sqrt",
    "∂": "d",
    "∇": "grad ",
    "∘": "o",
    "⊙": "*",
    "±": "+/-",
    "′": "'",
    "⁄": "/",
    "≥": ">=",
    "≤": "<=",
    "≠": "!=",
    "≈": "~",
    "∞": "inf",
    "→": "->",
    "←": "<-",
    "▶": ">",
    "—": "-",
    "–": "-",
    "…": "...",
    "“": '"',
    "”": '"',
    "„": '"',
    "‘": "'",
    "’": "'",
    "✓": "+",
    "✗": "x",
    "○": "o",
    "─": "-",
    "━": "-",
    "╸": "-",
    "╺": "-",
    "│": "|",
    "┃": "|",
}


def in_plain_letters(sign: str) -> str:
    """The nearest ASCII of one sign: `x` for ×, `1` for ₁, `?` for what has none."""
    name = unicodedata.name(sign, "")
    if sign in PLAIN or unicodedata.combining(sign):
        return PLAIN.get(sign, "")
    if name.startswith("GREEK"):
        return name.split()[-1].lower()
    if name.startswith("BOX DRAWINGS"):
        return "+"
    parts = unicodedata.normalize("NFKD", sign)
    text = "".join(PLAIN.get(c, c) for c in parts)
    return text.encode("ascii", "ignore").decode() or "?"


def _replaced(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    text, raised = "", False
    for sign in error.object[error.start : error.end]:
        above = unicodedata.decomposition(sign).startswith("<super>")
        text += "^" * (above and not raised) + in_plain_letters(sign)  # 10^-5, not 10-5
        raised = above
    return text, error.end


codecs.register_error(NAME, _replaced)


@contextmanager
def any_terminal() -> Iterator[None]:
    """Replace what the standard streams cannot encode, as long as a command runs."""
    if sys.stdout is None:  # closed, which few libraries expect
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
    before = []
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            before.append((stream, stream.errors))
            stream.reconfigure(errors=NAME)
    try:
        yield
    finally:
        for stream, errors in before:
            stream.reconfigure(errors=errors)
