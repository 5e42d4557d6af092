"""What the commands share: tables for the terminal, and the help of options."""

import ast
import inspect
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .._extras import remedy
from .._json import dumps

READABLE = 100  # signs of a line of prose, however wide a terminal is


def first_line(cls: type) -> str:
    """The first sentence of a docstring."""
    return (cls.__doc__ or "").split("\n")[0].strip()


def field_docs(cls: type) -> dict[str, str]:
    """The docstrings below the fields of a dataclass."""
    docs: dict[str, str] = {}
    body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(body, ast.ClassDef)
    for field, doc in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(doc, ast.Expr):
            assert isinstance(field.target, ast.Name)
            if isinstance(doc.value, ast.Constant):
                docs[field.target.id] = str(doc.value.value)
    return docs


@contextmanager
def report_extra() -> Iterator[None]:
    """Say how to get what the pages need, where it is not installed."""
    try:
        yield
    except ImportError as error:
        if (missing := remedy(error)) is None:
            raise
        raise OSError(f"the page was not written: {missing} Runs are kept.") from None


def write_or_say(path: Path, make: Callable[[], str]) -> str:
    """Write a file, and say so; or say what its text lacks, where that is an extra."""
    try:
        write_text(path, make())
    except ImportError as error:
        return filled(f"{path.name} was not written: {remedy(error) or error}")
    return f"Wrote {path}"


def write_text(path: Path, text: str) -> None:
    """A file that is there as a whole or not at all."""
    from .._files import write_whole

    write_whole(path, lambda new: new.write_text(text, encoding="utf-8"))


def page_file(out: Path, name: str) -> Path:
    """Where `--out` puts a page: itself if it is a file's name, else in that folder.

    The folder is made before anything is computed, or the error comes then.
    """
    from .._files import writable

    file = out if out.suffix and not out.is_dir() else out / name
    writable("out", file.parent)
    return file


def table(title: str, columns: list[str], rows: list[list[str]], keys: int = 1) -> Any:
    """A table for the terminal; `keys` of its columns say what a row is about."""
    from ._layout import Listing

    return Listing(title, columns, rows, keys)


def print_notes(notes: Sequence[str]) -> None:
    """Footnotes below a table, which refers to them as [1], [2], …"""
    width = min(shutil.get_terminal_size().columns, READABLE)
    for i, note in enumerate(notes, start=1):
        mark = f"[{i}] "
        ended = note if note.endswith((".", "?", "!")) else f"{note}."
        print(filled(mark + ended, width, " " * len(mark)))


def filled(text: str, width: int | None = None, further: str = "") -> str:
    """A paragraph in lines of the terminal's width, which end between words."""
    return textwrap.fill(
        text,
        width or min(shutil.get_terminal_size().columns, READABLE),
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
    )


def print_json(value: Any, indent: int | None = None) -> None:
    """Print JSON; where a stream cannot have a sign, JSON has a way to write it."""
    readable = (getattr(sys.stdout, "encoding", "") or "").lower().startswith("utf")
    print(dumps(value, indent, ensure_ascii=not readable))


def show(drawn: Any) -> None:
    """Print something of rich's."""
    from rich.console import Console

    Console().print(drawn)


def percent(interval: Any) -> str:
    """A rate with its interval."""
    value, low, high = (100 * v for v in (interval.value, interval.low, interval.high))
    return f"{value:.0f}% [{low:.0f},{high:.0f}]"
