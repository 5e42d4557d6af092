"""The four files of MNIST: what they are called, and that they are MNIST's.

A run that was trained on MNIST is recorded as such, so that every file is compared with
the digest of its content; whether it is gzipped does not matter. Nothing is unpickled.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .._arrays import Array
from ._idx import header_size, idx_sizes, idx_values, unzipped

REMEDY = (
    "Or use the 5,000 images that come with the extra `digits`: the default of tasks "
    "and of `mnist` (`bundled`), in studies `--only images=5,000`."
)


class DataFile(NamedTuple):
    """A file of MNIST: its name, the sizes of its values, its content's SHA-256."""

    name: str
    sizes: tuple[int, ...]
    sha256: str

    @property
    def names(self) -> list[str]:
        """The names that a user's copy may have."""
        dotted = self.name.replace("-idx", ".idx")
        return [n + end for n in (self.name, dotted) for end in ("", ".gz")]

    @property
    def length(self) -> int:
        """How many bytes its content has."""
        count = 1
        for size in self.sizes:
            count *= size
        return header_size(len(self.sizes)) + count


# The digests are those of the contents, whose gzipped forms have the MD5 sums that
# everybody knows: f68b3c2d…, d53e105e…, 9fb629c4…, ec29112d….
FILES = (
    DataFile(
        "train-images-idx3-ubyte",
        (60_000, 28, 28),
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    ),
    DataFile(
        "train-labels-idx1-ubyte",
        (60_000,),
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    ),
    DataFile(
        "t10k-images-idx3-ubyte",
        (10_000, 28, 28),
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    ),
    DataFile(
        "t10k-labels-idx1-ubyte",
        (10_000,),
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    ),
)


def values_of(data: bytes, file: DataFile) -> Array:
    """The values of a file of MNIST, which it must be.

    Args:
        data: the file's bytes, gzipped or not.
        file: which of the four it must be.

    Returns:
        Bytes [*sizes] that cannot be written to.

    Raises:
        ValueError: it is cut short, damaged, of another format, or not MNIST's; the
            message has no subject, so that the caller can name the file.
    """
    content = unzipped(data, file.length + 1)
    sizes = idx_sizes(content, len(file.sizes))
    if sizes != file.sizes:
        raise ValueError(f"is not MNIST's: it holds {_shown(sizes)} values{_why(file)}")
    values = idx_values(content, len(file.sizes))
    digest = hashlib.sha256(content).hexdigest()
    if digest != file.sha256:
        raise ValueError(
            f"is not MNIST's: the SHA-256 of its content is {digest}{_why(file)}"
        )
    return values


def _shown(sizes: tuple[int, ...]) -> str:
    return " × ".join(f"{size:,}" for size in sizes)


def _why(file: DataFile) -> str:
    """What the file must be, and why no other will do."""
    return (
        f", and MNIST's {file.name} holds {_shown(file.sizes)} with {file.sha256}. "
        "Runs are recorded as trained on MNIST, so that other images in IDX form, such "
        "as Fashion-MNIST's, are refused"
    )


def folder_values(folder: Path | str) -> Iterator[Array]:
    """The values of the four files in a folder that a user named, in order.

    Args:
        folder: where they are.

    Raises:
        FileNotFoundError: the folder or one of its files is not there.
        ValueError: a file is not MNIST's.
    """
    from .._files import folder_of

    place = folder_of("folder", folder)
    if not place.is_dir():
        raise FileNotFoundError(
            f"`folder` (={folder}) does not exist. Check its name; the current folder "
            f"is {Path.cwd()}."
        )
    for file in FILES:
        yield _read(place, file)


def _read(place: Path, file: DataFile) -> Array:
    """One of the four from a user's folder."""
    path = next((p for n in file.names if (p := place / n).is_file()), None)
    if path is None:
        raise FileNotFoundError(
            f"`folder` (={place}) has no {file.name}, gzipped (.gz) or not. Put the "
            f"four files of MNIST into it: {', '.join(f.name for f in FILES)}. {REMEDY}"
        )
    try:
        return values_of(path.read_bytes(), file)
    except ValueError as error:
        raise ValueError(
            f"`folder` (={place}) has a {path.name} that {error}. Put MNIST's file "
            f"there, or leave out `folder` to have it fetched. {REMEDY}"
        ) from None
