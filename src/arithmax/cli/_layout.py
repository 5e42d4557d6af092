"""How a table fits a terminal: widths of columns, and lines that end between words.

No word and no number is ever broken. What is wider than the terminal is told in pieces:
the first column again, and some of the others.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

GAP = 2  # spaces between two columns
LONG = 28  # signs of a word that may be continued below, behind a comma and the like
MARKS = re.compile(r"(?<=[,(/_=])(?=[^,)])")
NUMBER = re.compile(r"[-+−]?[\d.,]+(e[-+]?\d+)?|nan|inf", re.IGNORECASE)
FIGURE = re.compile(r"[-+−]?\.?\d")
NARROW = 12  # columns of prose that still read well
NOTHING = ("", "—", "…")


def pieces_of(word: str) -> list[str]:
    """What is never broken: a word; a very long one may go on behind a mark.

    Examples:
        >>> from arithmax.cli._layout import pieces_of
        >>> pieces_of("interpolation"), pieces_of("Stack((NAU(),NMU(),),hidden=(2,))")
        (['interpolation'], ['Stack((NAU(),', 'NMU(),),hidden=(2,))'])
    """
    if width_of(word) <= LONG:
        return [word]
    pieces = [""]
    for part in MARKS.split(word):
        if pieces[-1] and width_of(pieces[-1] + part) > LONG - 8:
            pieces.append("")
        pieces[-1] += part
    return pieces


@cache
def width_of(text: str) -> int:
    """How many columns of a terminal a text takes."""
    from rich.cells import cell_len

    return cell_len(text)


def folded(text: str, width: int) -> list[str]:
    """The lines of a text, each no wider than asked for, unless one word is.

    Examples:
        >>> from arithmax.cli._layout import folded
        >>> folded("no interval of ours", 12)
        ['no interval', 'of ours']
    """
    lines: list[str] = []
    for given in text.split("\n"):
        if width_of(given) <= width:
            lines.append(given)
            continue
        lines.append("")
        for i, word in enumerate(given.split(" ")):
            for j, piece in enumerate(pieces_of(word)):
                joint = " " if i and not j else ""
                if lines[-1] and width_of(lines[-1] + joint + piece) > width:
                    lines.append(piece)
                else:
                    lines[-1] += joint + piece
    return [line.rstrip() for line in lines]


def natural(cells: Sequence[str]) -> int:
    """The width of a column whose lines are not folded."""
    return max(width_of(line) for cell in cells for line in cell.split("\n"))


def least(cells: Sequence[str]) -> int:
    """The width below which a word of a column would be broken."""
    words = [word for cell in cells for word in cell.replace("\n", " ").split(" ")]
    return max(width_of(piece) for word in words for piece in pieces_of(word))


def _easily(cells: Sequence[str]) -> int:
    """The width down to which a column reads well."""
    figures = sum(bool(FIGURE.match(cell)) for cell in cells[1:])
    if 2 * figures >= len(cells) - 1:
        return natural(cells)
    return max(least(cells), min(natural(cells), NARROW))


def shared_out(room: int, most: Sequence[int], fewest: Sequence[int]) -> list[int]:
    """Widths that sum to no more than the room: the widest column gives way first.

    Args:
        room: what there is for all columns together.
        most: the width that each column needs without folding.
        fewest: the width that each column needs at the least.

    Examples:
        >>> from arithmax.cli._layout import shared_out
        >>> shared_out(40, [10, 50, 8], [10, 12, 4])
        [10, 22, 8]
    """
    widths = list(most)
    while sum(widths) > room:
        wide = [i for i, w in enumerate(widths) if w > fewest[i]]
        if not wide:
            break
        widths[max(wide, key=lambda i: widths[i])] -= 1
    return widths


@dataclass(frozen=True)
class Listing:
    """A table for the terminal, which is laid out when its width is known.

    Args:
        title: what stands above it.
        columns: the names of the columns.
        rows: the cells of each row, as text.
        keys: how many of the first columns say what a row is about: where a table
            has to be told in pieces, each piece has them.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    keys: int = 1

    def __rich_console__(self, console: Any, options: Any) -> Any:
        width = options.max_width
        yield from _heading(self.title, width)
        for places in self.pieces(width):
            yield self._drawn(places, width)

    def cells(self, place: int) -> list[str]:
        """A column, with its name first."""
        return [self.columns[place], *(row[place] for row in self.rows)]

    def pieces(self, width: int) -> list[list[int]]:
        """Which columns stand side by side: all of them if they fit."""
        fewest = [least(self.cells(i)) for i in range(len(self.columns))]
        kept = list(range(min(self.keys, len(fewest))))
        pieces = [list(kept)]
        for i in range(len(kept), len(fewest)):
            here = [*pieces[-1], i]
            if _total([fewest[k] for k in here]) > width and len(here) > len(kept) + 1:
                here = [*kept, i]
                pieces.append(here)
            else:
                pieces[-1] = here
        return pieces

    def _drawn(self, places: list[int], width: int) -> Any:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        cells = [self.cells(i) for i in places]
        room = width - GAP * (len(places) - 1)
        # Prose is folded first, down to a narrow column, then figures as well.
        widths = shared_out(room, [*map(natural, cells)], [*map(_easily, cells)])
        widths = shared_out(room, widths, [*map(least, cells)])
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        table.padding = (0, GAP - 1, 0, 0)
        for column, wide in zip(cells, widths, strict=True):
            name = Text("\n".join(folded(column[0], wide)))
            side = "right" if is_numbers(column[1:]) else "left"
            table.add_column(name, width=wide, no_wrap=True, justify=side)
        for row in zip(*(column[1:] for column in cells), strict=True):
            pairs = zip(row, widths, strict=True)
            table.add_row(*(Text("\n".join(folded(c, w))) for c, w in pairs))
        return table


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _heading(title: str, width: int) -> Any:
    from rich.text import Text

    if title:
        yield Text("\n" + "\n".join(folded(title, width)), style="italic")


def is_numbers(cells: Sequence[str]) -> bool:
    """Whether a column holds plain numbers, which stand below each other.

    Examples:
        >>> from arithmax.cli._layout import is_numbers
        >>> is_numbers(["1,000", "—", "2.5e-3"]), is_numbers(["nau", "1"])
        (True, False)
    """
    told = [cell for cell in cells if cell not in NOTHING]
    return bool(told) and all(NUMBER.fullmatch(cell) for cell in told)
