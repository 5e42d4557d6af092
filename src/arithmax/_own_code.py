"""Python files of one's own: how they are run, and where in them something went wrong.

Only files that were named by whoever runs a command come here, never those that a
folder of results names. This file is read by the command line and loads no library.
"""

import hashlib
import importlib
import signal
import sys
from collections.abc import Callable
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
)
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

PREFIX = "arithmax_own_"  # of the names under which such files are imported
_folders: set[Path] = set()  # those of the files that were run
_beside: set[str] = set()  # modules that they imported from there

AGAIN = "Correct it and run the same command again."


class _Uncompiled(SourceFileLoader):
    """Neither reads nor writes compiled files.

    These know the second in which a module was changed: one that is changed twice
    within it, to a text of the same length, would stay as it was.
    """

    def path_stats(self, path: Any) -> Any:
        """None: what cannot be compared is compiled."""
        raise OSError

    def exec_module(self, module: ModuleType) -> None:
        """Run it, and remember that it lies beside a file of one's own."""
        _beside.add(module.__name__)
        super().exec_module(module)


def _is_beside(folder: Path) -> bool:
    """Whether a folder is that of a file that was run, or of a package in it."""
    if folder in _folders:
        return True
    return (folder / "__init__.py").is_file() and _is_beside(folder.parent)


def _finder(folder: str) -> FileFinder:
    """What finds modules beside a file that was run; other folders have others."""
    if not _is_beside(Path(folder)):
        raise ImportError
    extensions = (ExtensionFileLoader, EXTENSION_SUFFIXES)
    return FileFinder(folder, extensions, (_Uncompiled, SOURCE_SUFFIXES))


def load_module(file: Path, argument: str) -> ModuleType:
    """Run a Python file, and give its module. It may import the modules beside it.

    Args:
        file: the file.
        argument: what named it, for messages.
    """
    source = _read(file, argument)
    path = file.resolve()
    # Annotations are looked up in the module that `sys.modules` has.
    name = PREFIX + hashlib.sha256(f"{path}\n".encode() + source).hexdigest()[:16]
    spec = ModuleSpec(name, SourceFileLoader(name, str(path)), origin=str(path))
    spec.has_location = True
    sys.modules[name] = module = module_from_spec(spec)
    _enter(path.parent)
    try:
        exec(compile(source, str(path), "exec", dont_inherit=True), vars(module))
    except BaseException as error:
        del sys.modules[name]
        if not _is_own(error):
            raise
        said = _sentence(error, path, _remedy(error))
        raise ValueError(f"`{argument}` names {file}, which fails: {said}") from error
    return module


def own_file(text: str) -> Path | None:
    """The file of `FILE.py` or `FILE.py:NAME`; None if a text names no file.

    Examples:
        >>> from arithmax._own_code import own_file
        >>> own_file("mine/units.py:Mine").name, own_file("nmu")
        ('units.py', None)
    """
    return (
        Path(file_and_name(text)[0]) if ".py:" in text or text.endswith(".py") else None
    )


def file_and_name(text: str) -> tuple[str, str]:
    """`FILE.py:NAME` as the file and the name, which may be missing."""
    path, _, name = text.rpartition(":") if ".py:" in text else (text, "", "")
    return path, name


class Named(NamedTuple):
    """What a file has under a name, and the module that the file is."""

    name: str
    value: Any
    module: str


def thing_named(text: str, argument: str, fits: Callable[[Any], bool]) -> Named:
    """What `FILE.py:NAME` names.

    Args:
        text: a Python file and a name in it, which may be left out where one thing
            there fits only.
        argument: what was given, for messages.
        fits: whether a thing is of the kind that is meant.
    """
    path, name = file_and_name(text)
    if not Path(path).exists():
        raise FileNotFoundError(
            f"`{argument}` (={text}) names {path}, which is no file. Write "
            "FILE.py:NAME."
        )
    module = load_module(Path(path), argument)
    held = [n for n, v in vars(module).items() if fits(v) and _is_of(v, module)]
    if not name and len(held) == 1:
        name = held[0]
    if not name or name not in vars(module):
        problem = f"has no {name!r}" if name else f"must say which {argument} is meant"
        listed = ", ".join(held) or "none"
        raise ValueError(f"`{argument}` (={text}) {problem}; that file has {listed}.")
    return Named(name, vars(module)[name], module.__name__)


def _is_of(value: Any, module: ModuleType) -> bool:
    """Whether a file made a thing, and did not only import it."""
    is_made = not isinstance(value, type) and not callable(value)
    return is_made or getattr(value, "__module__", "") == module.__name__


def instance(text: str, argument: str, value: Any, kind: type) -> Any:
    """What was named, made if it is a class; it must be of a kind."""
    if isinstance(value, type) and issubclass(value, kind):
        try:
            value = value()
        except TypeError as error:
            if sentence(error):
                raise
            raise ValueError(
                f"`{argument}` (={text}) cannot be made without arguments: {error} "
                "Give its fields defaults, or name an instance."
            ) from None
    if not isinstance(value, kind):
        raise ValueError(
            f"`{argument}` (={text}) is {value!r}, but must be an "
            f"`arithmax.{kind.__name__}`: a class without arguments, or an instance."
        )
    return value


def sentence(error: BaseException, remedy: str = AGAIN) -> str | None:
    """An error in code that was loaded: file, line, what it is; None if elsewhere."""
    if not _is_own(error) or not (place := _place(error)):
        return None
    return _sentence(error, place[0], remedy)


def _read(file: Path, argument: str) -> bytes:
    if file.is_dir():
        raise IsADirectoryError(
            f"`{argument}` names {file}, which is a folder. Name a Python file in it."
        )
    if not file.is_file():
        raise FileNotFoundError(
            f"`{argument}` names {file}, which is no file. Check the path."
        )
    try:
        return file.read_bytes()
    except OSError as error:
        raise OSError(
            f"`{argument}` names {file}, which cannot be read: {error.strerror}."
        ) from None


def _enter(folder: Path) -> None:
    """Modules of a folder are found first, as for a script in it, and run afresh.

    Those of another folder may have the same names.
    """
    for name in _beside:
        sys.modules.pop(name, None)
    _beside.clear()
    _folders.add(folder)
    if _finder not in sys.path_hooks:
        sys.path_hooks.insert(0, _finder)
    sys.path[:] = [str(folder), *(p for p in sys.path if p != str(folder))]
    sys.path_importer_cache.clear()  # of finders that read compiled files
    importlib.invalidate_caches()


def _is_own(error: BaseException) -> bool:
    """Whether code raised it, and not somebody who pressed Ctrl-C.

    The command line turns that into an exception of its own, a subclass.
    """
    if type(error) is KeyboardInterrupt:
        return signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    return not isinstance(error, KeyboardInterrupt)


def _place(error: BaseException) -> tuple[Path, int] | None:
    """The file and line in one's own code where an error was raised, or passed."""
    if isinstance(error, SyntaxError) and error.filename:
        if (path := Path(error.filename)).parent in _folders:
            return path, error.lineno or 0
    place, step = None, error.__traceback__
    while step is not None:
        path = Path(step.tb_frame.f_code.co_filename)
        if path.parent in _folders:
            place = path, step.tb_lineno
        step = step.tb_next
    return place


def _sentence(error: BaseException, file: Path, remedy: str) -> str:
    path, line = _place(error) or (file, 0)
    at = f"{path.name}, line {line}" if line else path.name
    return f"{at}: {type(error).__name__}{_text(error)} {remedy}"


def _text(error: BaseException) -> str:
    """What an error says, in one line that ends with a full stop."""
    try:
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        first = next(filter(None, map(str.strip, said.splitlines())), "")
    except Exception:  # its text is code of one's own, too
        first = ""
    return f": {first.rstrip('.')}." if first else "."


def _remedy(error: BaseException) -> str:
    said = _text(error)
    encoded = ("encoding", "codec", "null bytes", "non-UTF-8", "invalid non-printable")
    if isinstance(error, SyntaxError | ValueError) and any(w in said for w in encoded):
        return (
            "Save it as UTF-8 text, or name its encoding in its first line, as in "
            "`# -*- coding: latin-1 -*-`."
        )
    if isinstance(error, ImportError) and "relative import" in said:
        return "Write `import module` without a dot: modules beside the file are found."
    if isinstance(error, ModuleNotFoundError):
        return f"Install {error.name}, or put {error.name}.py beside the file."
    if isinstance(error, SystemExit):
        return 'Put what ends the program below `if __name__ == "__main__":`.'
    return AGAIN
