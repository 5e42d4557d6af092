"""IDX, the format of MNIST's files: a magic number, the sizes, and one byte a value.

This file loads no array library before it is asked for an array.
"""

import gzip
import struct
import zlib
from io import BytesIO

from .._arrays import Array

GZIP = b"\x1f\x8b"
UNSIGNED_BYTES = 0x08  # the third byte of a magic number; the fourth counts the axes


def magic_number(axes: int) -> int:
    """What a file of bytes with so many axes begins with: 2051 for images.

    Examples:
        >>> from arithmax.tasks._idx import magic_number
        >>> magic_number(3), magic_number(1)
        (2051, 2049)
    """
    return UNSIGNED_BYTES << 8 | axes


def header_size(axes: int) -> int:
    """How many bytes stand before the values."""
    return 4 * (1 + axes)


def unzipped(data: bytes, most: int) -> bytes:
    """The content of a file, gzipped or not, but no more than `most` bytes of it.

    Raises:
        ValueError: the file is gzipped, and cut short or damaged.
    """
    if not data.startswith(GZIP):
        return data[:most]
    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as file:
            return file.read(most)
    except EOFError:
        raise ValueError("is cut short: its gzipped data have no end") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"is damaged: {error}") from None


def idx_sizes(content: bytes, axes: int) -> tuple[int, ...]:
    """The length of each axis, from the header.

    Raises:
        ValueError: the header is not that of bytes with so many axes.
    """
    number = int.from_bytes(content[:4], "big")
    if len(content) >= 4 and number != magic_number(axes):
        raise ValueError(
            f"begins with the number {number}, but an IDX file with {axes} "
            f"{'axis' if axes == 1 else 'axes'} begins with {magic_number(axes)}"
        )
    if len(content) < header_size(axes):
        raise ValueError(f"is cut short: it has only {len(content)} bytes")
    return struct.unpack_from(f">{axes}I", content, 4)


def idx_values(content: bytes, axes: int) -> Array:
    """The values [*sizes] of an IDX file of bytes, which cannot be written to.

    Raises:
        ValueError: the file has fewer values than its header says, or more.
    """
    import numpy as np

    sizes = idx_sizes(content, axes)
    values = np.frombuffer(content, np.uint8, offset=header_size(axes))
    expected = int(np.prod(sizes, dtype=object))
    if len(values) != expected:
        many = "is cut short" if len(values) < expected else "is too long"
        raise ValueError(
            f"{many}: its header counts {expected:,} values, and it has {len(values):,}"
        )
    return values.reshape(sizes)
