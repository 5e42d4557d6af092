"""Sentences and formulas in lines of a terminal."""

import re
import textwrap

WIDTH = 78
MOST = 12  # lines of a table of constants or columns


def print_wrapped(sentence: str) -> None:
    """A sentence in lines of a terminal; one of a list is indented."""
    further = "  " if sentence.startswith("- ") else ""
    lines = textwrap.fill(
        sentence,
        WIDTH,
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
    )
    print(lines)


def folded_formula(equation: str, width: int) -> list[str]:
    """Lines of a formula, which may end behind a space or a sign of multiplication."""
    lines = [""]
    for part in re.split(r"(?<=[ *])(?=[^ *])", equation):
        if lines[-1] and len(lines[-1] + part) > width:
            lines.append("")
        lines[-1] += part
    return [line.rstrip() for line in lines]


def shortened(text: str, longest: int) -> str:
    """A formula, or as much of it as there is room for."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
