"""What a run is called: its classes, their non-default fields, its seed, its code.

The code behind a run is that of this version of the package, except for classes from
outside: a hash of their source is a part of the name. Where and beside how many others
a run was trained (platform, block, workers, padding) is no part of it.
"""

import ast
import dataclasses
import hashlib
import inspect
import sys
import types
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

# The attribute of a class that was made of functions: a hash of all that they are.
HELD = "_held"


def describe(thing: Any) -> str:
    """A configuration in one line: its class and the fields that are not the defaults.

    A field whose metadata have `identity=False` is left out.

    Examples:
        >>> from arithmax import NAU, NMU, Stack
        >>> from arithmax._identity import describe
        >>> describe(Stack((NAU(init="uniform"), NMU()), hidden=(2,)))
        'Stack(units=(NAU(), NMU()), hidden=(2,))'
    """
    if isinstance(thing, tuple):
        entries = ", ".join(map(describe, thing))
        return f"({entries},)" if len(thing) == 1 else f"({entries})"
    if not dataclasses.is_dataclass(thing) or isinstance(thing, type):
        return repr(thing)
    named = (
        f"{f.name}={describe(value)}"
        for f in dataclasses.fields(thing)
        if f.metadata.get("identity", True)
        and (value := getattr(thing, f.name)) != _default(f)
    )
    return f"{type(thing).__name__}({', '.join(named)})"


def _default(field: dataclasses.Field) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def run_name(
    network: str, task: str, protocol: str, seed: int, platform: str, code: str
) -> str:
    """The short name of a run, of what `describe` says of it.

    Files hold the runs of each platform under names of their own: that of any other
    platform than the CPU is a suffix.
    """
    name = digest(network, task, protocol, seed, *filter(None, [code]))
    return name if platform == "cpu" else f"{name}-{platform}"


def digest(*parts: object) -> str:
    """A short name for a configuration."""
    text = "\n".join(map(str, parts))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def code_of(*things: Any) -> str:
    """A hash of the source of all classes from outside the package; "" without any.

    Args:
        things: units, stacks, tasks: dataclasses, in whose fields there may be others.

    Returns:
        What changes when the file of such a class changes, or a module beside that
        file which it imports.
    """
    if not (classes := foreign_classes(*things)):
        return ""
    return digest(*sorted({_source(cls) for cls in classes}))


def foreign_classes(*things: Any) -> set[type]:
    """The classes from outside the package, of objects and of all in their fields."""
    return {cls for thing in things for cls in _classes(thing) if _is_foreign(cls)}


def source_hash(file: Path) -> str:
    """A hash of a Python file and of the modules beside it that it imports."""
    return digest(*(hashlib.sha256(f.read_bytes()).hexdigest() for f in _sources(file)))


def _classes(thing: Any) -> Iterator[type]:
    """The classes of an object and of all that is in its fields, with their bases."""
    yield from type(thing).__mro__
    if isinstance(thing, tuple | list):
        parts: Any = thing
    elif dataclasses.is_dataclass(thing):
        parts = [getattr(thing, f.name) for f in dataclasses.fields(thing)]
    else:
        return
    for part in parts:
        yield from _classes(part)


def _is_foreign(cls: type) -> bool:
    root = cls.__module__.partition(".")[0]
    if HELD in vars(cls):
        return True
    return root not in ("arithmax", "builtins") and root not in sys.stdlib_module_names


@cache
def _source(cls: type) -> str:
    """A hash of the file of a class; of its code where it has none.

    It is taken once: the file may be edited while the class is as it was.
    """
    if HELD in vars(cls):
        return vars(cls)[HELD]
    try:
        return source_hash(_file(cls))
    except (OSError, TypeError):  # typed at a prompt, or in a notebook
        return digest(*code_lines(cls, set()))


def _file(cls: type) -> Path:
    """The file of a class, by its functions: its module may have been replaced."""
    for value in vars(cls).values():
        if isinstance(value, types.FunctionType) and value.__module__ == cls.__module__:
            if (file := Path(value.__code__.co_filename)).is_file():
                return file
    return Path(inspect.getfile(cls))


def code_lines(thing: Any, seen: set[int]) -> Iterator[str]:
    """What a function or the functions of a class do, as text.

    Functions and plain values that they name are a part of it.
    """
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, type):
        for name, value in sorted(vars(thing).items()):
            yield name
            yield from code_lines(value, seen)
    elif isinstance(thing, types.CodeType):
        yield thing.co_code.hex()
        yield repr(thing.co_names)
        for constant in thing.co_consts:
            yield from code_lines(constant, seen)
    elif isinstance(thing, staticmethod | classmethod):
        yield from code_lines(thing.__func__, seen)
    elif isinstance(thing, types.FunctionType):
        yield from code_lines(thing.__code__, seen)
        named = [thing.__globals__.get(name) for name in thing.__code__.co_names]
        held = [cell.cell_contents for cell in thing.__closure__ or ()]
        more = (thing.__kwdefaults__ or {}).items()
        for value in (*named, *held, thing.__defaults__, *sorted(more)):
            if not isinstance(value, type):  # those of others are not its own
                yield from code_lines(value, seen)
    elif isinstance(thing, property):
        for function in filter(None, (thing.fget, thing.fset)):
            yield from code_lines(function, seen)
    elif isinstance(thing, frozenset):
        yield repr(sorted(map(repr, thing)))  # its order changes with each process
    elif isinstance(thing, str | bytes | int | float | tuple | None):
        seen.discard(id(thing))  # equal ones may be one object, or two
        yield repr(thing)


def _sources(file: Path) -> list[Path]:
    """A file and all files beside it that it needs, in a fixed order."""
    found: dict[Path, None] = {}
    waiting = [file.resolve()]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found[here] = None
            waiting += _imported(here, here.stat().st_mtime_ns)
    return sorted(found)


@cache
def _imported(file: Path, changed: int) -> list[Path]:
    """The files beside a file whose modules it imports."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):  # it cannot be run, and is refused elsewhere
        return []
    names: list[tuple[Path, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [(file.parent, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = file.parents[max(node.level - 1, 0)]
            start = f"{node.module}." if node.module else ""
            names += [(above, node.module)] if node.module else []
            names += [(above, start + alias.name) for alias in node.names]
    return [path for folder, name in names for path in _files_of(folder, name)]


def _files_of(folder: Path, name: str) -> Iterator[Path]:
    """The files that `import name` runs, if the module lies in a folder."""
    *packages, last = name.split(".")
    for package in packages:
        folder = folder / package
        if (init := folder / "__init__.py").is_file():
            yield init
    for path in (folder / f"{last}.py", folder / last / "__init__.py"):
        if path.is_file():
            yield path
