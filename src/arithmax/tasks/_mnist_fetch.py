"""MNIST's files from the net, fetched once into a cache.

What arrives is compared with MNIST's digests before it is kept, so that the address
need not be trusted. A file gets its name when it is whole: several processes
may fetch at the same time.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .._arrays import Array
from ._mnist_files import FILES, REMEDY, DataFile, values_of

ADDRESS = "https://ossci-datasets.s3.amazonaws.com/mnist/"
"""Where the four files are fetched from, gzipped: PyTorch's copy."""
VARIABLE = "ARITHMAX_CACHE"
SECONDS = 30.0  # without an answer, until we give up
PIECE = 1 << 16  # bytes between two looks of the progress bar
MOST = 64 << 20  # bytes of an answer: far more than any of the files has
Advance = Callable[[int, int], None]  # so many bytes came, of so many

_lock = threading.Lock()  # threads share the temporary name that a process writes to


def fetched_values() -> Iterator[Array]:
    """The values of the four files, from the cache, or fetched into it.

    Raises:
        OSError: a file cannot be fetched, or the cache cannot be written to.
        ValueError: what was fetched is not MNIST's.
    """
    from .._files import cache_folder

    place = cache_folder() / "mnist"
    with _lock:
        values = {file: _kept(place, file) for file in FILES}
        missing = [file for file in FILES if values[file] is None]
        if missing:
            values |= _fetched(place, missing)
    yield from values.values()


def _kept(place: Path, file: DataFile) -> Array | None:
    """A file of the cache; None if it is not there, or spoilt."""
    for name in file.names:  # users may have put it there
        try:
            return values_of((place / name).read_bytes(), file)
        except (OSError, ValueError):
            continue
    return None  # it is fetched again


def _otherwise() -> str:
    """What to do where nothing can be fetched, in a command or in Python."""
    from .._files import cache_folder

    return (
        "Or copy MNIST's four files to this machine by other means: put them into the "
        f"folder {cache_folder() / 'mnist'} (`{VARIABLE}`, an environment variable, "
        "names another place for it), or into any other, and name that: `folder` in "
        f"Python, `--folder` of `arithmax train digits`. {REMEDY}"
    )


def _fetched(place: Path, files: list[DataFile]) -> dict[DataFile, Array]:
    """Files that are fetched, compared and kept."""
    from .._files import sweep, writable, write_whole

    values = {}
    with _keeping():  # before anything is fetched in vain
        writable(VARIABLE, place)
        sweep(place)
    with _bars() as bar:
        for file in files:
            data = _download(f"{ADDRESS}{file.name}.gz", bar(file.name))
            values[file] = _checked(data, file)
            target = place / f"{file.name}.gz"
            with _keeping():
                write_whole(target, lambda p, d=data: p.write_bytes(d), VARIABLE)
    return values


@contextmanager
def _keeping() -> Iterator[None]:
    """What fails inside is about the cache."""
    try:
        yield
    except OSError as error:
        raise OSError(
            f"{error} MNIST is kept in that folder once it is fetched. {_otherwise()}"
        ) from None


def _checked(data: bytes, file: DataFile) -> Array:
    """What was fetched, if it is MNIST's."""
    try:
        return values_of(data, file)
    except ValueError as error:
        raise ValueError(
            f"{ADDRESS}{file.name}.gz was fetched, but {error}. Nothing was kept: try "
            f"again. {_otherwise()}"
        ) from None


def _download(address: str, advance: Advance) -> bytes:
    """The bytes at an address."""
    from http.client import HTTPException
    from urllib.request import urlopen

    data = bytearray()
    try:
        with urlopen(address, timeout=SECONDS) as answer:
            total = int(answer.headers.get("Content-Length") or 0)
            while len(data) < MOST and (piece := answer.read(PIECE)):
                data += piece
                advance(len(data), total)
    except (OSError, HTTPException) as error:
        raise OSError(
            f"{address} could not be fetched: {_reason(error)}. Check your connection "
            f"and try again. {_otherwise()}"
        ) from None
    if len(data) < total:
        raise OSError(
            f"{address} was cut short: {len(data):,} of {total:,} bytes came. Try "
            f"again. {_otherwise()}"
        )
    return bytes(data)


def _reason(error: Exception) -> str:
    """Why there is no answer, without the names of classes."""
    from urllib.error import HTTPError

    if isinstance(error, HTTPError):
        error.close()  # it is the answer, too
        return f"the answer is {error.code}, {error.reason}"
    cause = getattr(error, "reason", error)  # what `urlopen` wraps
    return str(getattr(cause, "strerror", None) or cause)


@contextmanager
def _bars() -> Iterator[Callable[[str], Advance]]:
    """A progress bar for each file, while it is fetched."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TransferSpeedColumn,
    )

    shown = (TextColumn("fetching {task.description}"), BarColumn())
    shown += (DownloadColumn(), TransferSpeedColumn())
    with Progress(*shown, console=Console(stderr=True), transient=True) as bars:

        def bar(name: str) -> Advance:
            task = bars.add_task(name, total=None)
            return lambda came, total: bars.update(
                task, completed=came, total=total or None
            )

        yield bar
