"""Digits in, numbers out: images in a row, whose product, sum or counts are known.

This file is read by the command line and loads no array library.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Literal, TypeAlias

from .._arrays import Array, Namespace, Params, namespace
from .._checks import Bounds, check_fields, shown
from .._network import Network
from ._keys import SampleKey
from ._mnist import Images, mnist
from ._task import Sizes, Split, Task, check_rule

Source: TypeAlias = Literal["bundled", "full"]
Combination: TypeAlias = Literal["product", "sum", "count"]
LENGTHS: dict[str, int] = {"product": 2, "sum": 10, "count": 10}
TESTED: dict[str, tuple[int, ...]] = {
    "product": tuple(range(1, 21)),
    "sum": (1, 10, *range(100, 1001, 100)),
    "count": (1, 10, 100, 1000),
}
CLASSES = 10
MEAN, DEVIATION = 0.1307, 0.3081  # of the pixels of MNIST, as everybody rounds them
# The published seeds of the order in which held-out images stand.
ORDERS: dict[str, int] = {"interpolation": 47430696, "extrapolation": 88253339}
LONGEST = 323  # images whose product, 9³²³ at the most, is a number of float64
READING = 0.125  # the variance of a reading that the authors' expectation supposes


@dataclass(frozen=True)
class Digits(Task):
    """Images of digits in a row: what is asked for is their product, sum or counts.

    Only the result is known, never a digit: a network must learn to read and to
    calculate at once. It is trained on short rows of images and measured on longer
    ones. Of products and sums the results after each image are asked for, of counts
    how often each digit is there in the end. Products are of the digits 1 to 9.

    Each seed puts the training images into an order of its own and cuts it into rows;
    a batch is drawn from these. Held-out and test images have one order for all, as
    published, and are cut into as many rows of a length as there are.

    A run is solved if its error on rows of `test_length` images is below that of exact
    arithmetic on digits that are read with a variance of 0.125. The `epsilon` of a
    criterion has no part in that.

    Examples:
        >>> from arithmax.tasks import Digits, NumpyKey
        >>> task = Digits("sum", length=3)
        >>> x, t = task.draw("training", task.replica(0), NumpyKey(0), 64)
        >>> x.shape, t.shape
        ((3, 28, 28, 64), (3, 64))
    """

    title: ClassVar[str] = "Digits in a row"
    solved_when: ClassVar[str] = (
        "A run is solved if its error on rows of `--test-length` images is below that "
        f"of exact arithmetic on digits read with a variance of {READING}; "
        "`--criterion.epsilon` has no part in that."
    )
    bounds: ClassVar[Mapping[str, Bounds]] = {
        "length": (0, 1000),
        "test_length": (0, 1000),
    }
    operation: Combination = "product"
    """What is asked for."""
    length: int = 0
    """Images in a row; 0 is as published: 2 of products, 10 of sums and counts."""
    images: Source = "bundled"
    """Which images: 5,000 of the extra `digits`, or all 70,000 of MNIST (`full`)."""
    folder: str = field(default="", metadata={"identity": False})
    """The folder of MNIST's four files; without one they are fetched once."""
    test_length: int = 0
    """Images in a row of the extrapolation set; 0 is ten times `length`."""

    def __post_init__(self) -> None:
        check_fields(self, self.bounds)
        for split in ("interpolation", "extrapolation"):
            if self.operation == "product" and self.length_of(split) > LONGEST:
                raise ValueError(
                    f"{self.setting_of(split)} must be at most {LONGEST} of products: "
                    f"9^{LONGEST} is the last that `precision='float64'` holds. Use a "
                    "smaller one; without `test_length`, it is ten times `length`."
                )

    @property
    def row_length(self) -> int:
        """How many images a row of the training set has."""
        return self.length or LENGTHS[self.operation]

    @property
    def in_features(self) -> Sizes:
        return (self.row_length, 28, 28)

    @property
    def out_features(self) -> int:
        return CLASSES if self.operation == "count" else self.row_length

    def length_of(self, split: Split) -> int:
        """How many images a row of a split has."""
        if split != "extrapolation":
            return self.row_length
        return self.test_length or 10 * self.row_length

    def check_network(self, network: Network) -> None:
        """Outputs must be those of every image, of counts those of the last alone."""
        each = self.operation != "count"
        if getattr(network, "every_step", each) != each:
            when = "after every image" if each else "after the last image alone"
            raise ValueError(
                f"`network` (={shown(network)}) must have `every_step={each}`, since "
                f"`operation` (={self.operation!r}) asks for results {when}."
            )

    def setting_of(self, split: Split) -> str:
        name = "test_length" if split == "extrapolation" else "length"
        return f"`{name}` (={self.length_of(split)})"

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths of the published tests, as far as there are images for them."""
        count = len(self._images()["extrapolation"].labels)
        return tuple(n for n in TESTED[self.operation] if n <= count)

    def rows(self, split: Split) -> int:
        count, length = len(self._images()[split].labels), self.length_of(split)
        if count < length:
            raise ValueError(
                f"{self.setting_of(split)} must be at most {count}: there are no more "
                f"images for {split}. Make it smaller, or use `images='full'`."
            )
        return count // length

    def _images(self) -> dict[Split, Images]:
        """The images of each split; those held out in their order."""
        return _ordered(self.images, self.folder, self.operation == "product")

    def replica(self, seed: int) -> dict[str, Any]:
        import numpy as np

        count = len(self._images()["training"].labels)
        order = np.random.RandomState(seed).permutation(count)
        return {"order": order.astype(np.int32)}

    def shared(self) -> dict[str, Any]:
        import numpy as np

        arrays = {}
        for split, (images, labels) in self._images().items():
            arrays[f"{split}_x"] = normalised_pixels(images)
            arrays[f"{split}_t"] = labels.astype(np.float32)
        return arrays

    def draw(
        self, split: Split, replica: Mapping[str, Any], key: SampleKey, size: int
    ) -> tuple[Array, Array]:
        """Rows of images of one of the splits, and their results.

        Args:
            split: "training", "interpolation" (held out) or "extrapolation".
            replica: the order of a seed, with or without the arrays that all share.
            key: what training rows are drawn with.
            size: how many training rows; of the other splits there are always all.

        Returns:
            Images [length, 28, 28, row] and results [out, row].
        """
        arrays = replica if f"{split}_x" in replica else self.shared()
        images, labels = arrays[f"{split}_x"], arrays[f"{split}_t"]
        xp, length = key.xp, self.length_of(split)
        at = xp.arange(self.rows(split) * length).reshape(-1, length)
        if split == "training":
            chosen = xp.floor(key.uniform((size,)) * at.shape[0]).astype("int32")
            chosen = xp.minimum(chosen, xp.full_like(chosen, at.shape[0] - 1))
            at = xp.take(replica["order"], xp.take(at, chosen, axis=0))
        x = xp.moveaxis(xp.take(images, at.T, axis=0), 1, -1)
        return key.fix(x), self.target(xp.take(labels, at.T), xp)

    def target(self, digits: Array, xp: Namespace) -> Array:
        """The targets [out, row] of digits [length, row]."""
        if self.operation == "product":
            return xp.cumprod(digits, axis=0)
        if self.operation == "sum":
            return xp.cumsum(digits, axis=0)
        kinds = xp.arange(CLASSES).reshape(-1, 1, 1)
        return xp.sum((digits[None] == kinds).astype(digits.dtype), axis=1)

    def further(
        self, network: Network, params: Params, arrays: Mapping[str, Any]
    ) -> dict[str, Array]:
        """The errors on the published lengths, of which every image is read once.

        `length_20` is the mean squared error over all results of rows of 20 images; of
        sums and counts, `mae_20` is the mean absolute error of the last result.
        """
        from ._rows_of_images import cut_rows, results

        images, labels = arrays["extrapolation_x"], arrays["extrapolation_t"]
        xp, measured = namespace(images), {}
        images = xp.moveaxis(images, 0, -1)
        for length, y in results(network, params, images, self.lengths, xp).items():
            t = self.target(cut_rows(labels, length, xp), xp)
            error = y[-CLASSES:] - t if self.operation == "count" else y - t
            measured[f"length_{length}"] = xp.mean(error * error)
            if self.operation != "product":
                last = error if self.operation == "count" else error[-1]
                measured[f"mae_{length}"] = xp.mean(xp.abs(last))
        return measured

    @property
    def operations(self) -> tuple[str, ...]:
        return ("mul",) if self.operation == "product" else ("add",)

    def largest(self, split: Split) -> float:
        length = self.length_of(split)
        return 9.0**length if self.operation == "product" else 9.0 * length

    def threshold(self, epsilon: float = 1e-5, rule: str = "exact") -> float:
        """The error of exact arithmetic on readings with a variance of 0.125.

        It is that of the rows of the extrapolation set: a few of them make most of the
        error of long products. The studies compare with runs whose arithmetic is exact
        instead, since how well digits can be read is not known before.
        """
        check_rule(epsilon, rule)
        length = self.length_of("extrapolation")
        if self.operation != "product":
            return READING * (length if self.operation == "count" else (length + 1) / 2)
        labels = self._images()["extrapolation"].labels
        rows = labels[: self.rows("extrapolation") * length].reshape(-1, length)
        squares = rows.astype(float) ** 2
        read = (squares + READING).cumprod(axis=1) - squares.cumprod(axis=1)
        return float(read.mean())

    def limits(self) -> dict[str, float]:
        return {}  # thresholds of arithmetic alone


def normalised_pixels(images: Array) -> Array:
    """Pixels of 0 to 255 with the mean 0 and the deviation 1, nearly."""
    import numpy as np

    return ((images.astype(np.float32) / 255) - MEAN) / DEVIATION


@lru_cache(maxsize=4)
def _ordered(source: Source, folder: str, positive: bool) -> dict[Split, Images]:
    """The images of each split, without zeros if need be, in the published order."""
    import numpy as np

    chosen: dict[Split, Images] = {}
    for split, (images, labels) in mnist(source, folder or None).items():
        kept = np.flatnonzero(labels > 0) if positive else np.arange(len(labels))
        if split in ORDERS:
            kept = kept[np.random.RandomState(ORDERS[split]).permutation(len(kept))]
        chosen[split] = Images(images[kept], labels[kept])
    return chosen
