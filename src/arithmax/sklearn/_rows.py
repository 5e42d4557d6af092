"""The rows of a fit: merged, in one order, and those that lie farthest outside."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

UNUSED = -1  # where a row of weight zero went


class Rows(NamedTuple):
    """Rows that differ from each other, what each counts, and where each came from.

    `places` has, for every row that was given, its position here, or −1 if it counts
    nothing.
    """

    x: Float[np.ndarray, "row column"]
    y: Float[np.ndarray, " row"]
    weight: Float[np.ndarray, " row"]
    places: Int[np.ndarray, " given"]


def merged(
    x: Float[np.ndarray, "given column"],
    y: Float[np.ndarray, " given"],
    weight: Float[np.ndarray, " given"],
) -> Rows:
    """The rows in an order of their own, equal ones as one that counts for all.

    A search thus depends on what rows there are, and neither on their order nor on
    whether a row is repeated or has a weight; and no row that is fitted is held out at
    the same time.

    Examples:
        >>> import numpy as np
        >>> x, y = np.array([[2.0], [1.0], [2.0]]), np.array([4.0, 1.0, 4.0])
        >>> merged(x, y, np.ones(3)).weight
        array([1., 2.])
    """
    used = np.flatnonzero(weight > 0)
    both = np.column_stack((x, y))[used] + 0.0  # −0.0 and 0.0 are the same number
    order = np.lexsort(both.T[::-1])
    ordered = both[order]
    first = np.ones(len(ordered), dtype=bool)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    places = np.full(len(y), UNUSED)
    places[used[order]] = np.cumsum(first) - 1
    total = np.bincount(places[used], weights=weight[used], minlength=int(first.sum()))
    return Rows(ordered[first][:, :-1], ordered[first][:, -1], total, places)


def farthest(
    x: Float[np.ndarray, "given column"], share: float
) -> Bool[np.ndarray, " given"]:
    """The share of rows that are farthest from the mean, in standardised columns.

    Rows with equal columns are all among them, or none is.
    """
    values, places = np.unique(x, axis=0, return_inverse=True)
    spread = values.std(axis=0)
    scaled = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    distance = np.square(scaled).sum(axis=1)[places.reshape(-1)]
    order = np.argsort(-distance, kind="stable")
    count = round(share * len(x))
    return distance >= distance[order[count - 1]] if count else np.zeros(len(x), bool)
