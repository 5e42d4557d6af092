"""What a function was given before it is called, as text.

These are the cells of a closure, bound arguments and defaults: two functions of one
file may differ in nothing else. What has no text that is the same
in every process is refused: a run could not be told from another by it.
This file is read by the command line and loads no array library.
"""

import functools
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ._checks import shown
from ._identity import code_lines, source_hash

PLAIN = (str, bytes, bool, int, float, complex, types.NoneType, types.EllipsisType)


def held(thing: Any, seen: set[int] | None = None) -> Iterator[str]:
    """A function, or a value that one holds, in parts of text.

    Args:
        thing: a function, a partial one, or a plain value, array, list, tuple or dict.
        seen: the functions that were met, which may hold each other.

    Returns:
        Parts that are the same in every process, and others for any other thing.

    Examples:
        >>> from functools import partial
        >>> from arithmax._held import held
        >>> [*held(partial(max, 2, key=None))][2:]
        ['tuple', '2', 'end', 'dict', "'key'", 'None', 'end', 'end']
    """
    seen = set() if seen is None else seen
    if isinstance(thing, PLAIN):
        yield repr(thing)
    elif isinstance(thing, dict):
        yield from _group("dict", [v for pair in thing.items() for v in pair], seen)
    elif isinstance(thing, tuple | list):
        yield from _group(type(thing).__name__, thing, seen)
    elif isinstance(thing, set | frozenset):
        yield from sorted(" ".join(held(value, seen)) for value in thing)
    elif isinstance(thing, functools.partial):
        parts = thing.func, thing.args, thing.keywords
        yield from _group("partial", parts, seen)
    elif isinstance(thing, types.MethodType):
        yield from _group("method", (thing.__func__, thing.__self__), seen)
    elif isinstance(thing, types.FunctionType):
        yield from _function(thing, seen)
    elif isinstance(thing, type | types.BuiltinFunctionType | types.ModuleType):
        yield f"{getattr(thing, '__module__', '')}.{thing.__name__}"
    elif isinstance(inner := getattr(thing, "__wrapped__", None), types.FunctionType):
        yield from _group(type(thing).__name__, [inner], seen)  # by `jax.jit`
    else:
        yield from _array(thing)


def _group(name: str, values: Any, seen: set[int]) -> Iterator[str]:
    """Several values: where they begin, and where they end."""
    yield name
    for value in values:
        yield from held(value, seen)
    yield "end"


def _function(thing: types.FunctionType, seen: set[int]) -> Iterator[str]:
    """Its file and code, and what it holds; all that it names, if it has no file."""
    yield f"{thing.__module__}.{thing.__qualname__}"
    if id(thing) in seen:
        return
    seen.add(id(thing))
    yield from code_lines(thing.__code__, set())
    if (file := Path(thing.__code__.co_filename)).is_file():
        yield source_hash(file)
    else:  # typed at a prompt, or in a notebook
        yield from code_lines(thing, set())
    cells = [cell.cell_contents for cell in thing.__closure__ or ()]
    values = (*cells, thing.__defaults__, thing.__kwdefaults__)
    yield from _group("holds", values, seen)


def _array(thing: Any) -> Iterator[str]:
    """An array of any library, or a number of one."""
    shape, kind = getattr(thing, "shape", None), getattr(thing, "dtype", None)
    if shape is None or kind is None or not hasattr(thing, "tolist"):
        raise TypeError(f"{shown(thing)} of {type(thing).__name__} has no text")
    yield f"{kind}{tuple(shape)}{thing.tolist()!r}"
