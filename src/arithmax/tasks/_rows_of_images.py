"""Images cut into rows of several lengths, and what a network makes of them."""

from dataclasses import replace
from typing import Any

import numpy as np

from .._arrays import Array, Namespace, Params


def results(
    network: Any,
    params: Params,
    images: Array,
    lengths: tuple[int, ...],
    xp: Namespace,
) -> dict[int, Array]:
    """What a network gives for images [28, 28, n], cut into rows of each length.

    A network that reads image by image (`read`, then `accumulate`) reads each one once,
    and all rows are one batch of the longest: shorter ones are filled up, and what
    follows their end is cut off.
    """
    if not hasattr(network, "accumulate"):
        cuts = {n: cut_rows(images, n, xp) for n in lengths}
        return {n: network.compute(params, x, xp=xp) for n, x in cuts.items()}
    readings, longest = network.read(params, images, xp), max(lengths)
    places = [_places(images.shape[-1], n, longest) for n in lengths]
    z = xp.take(readings, xp.asarray(np.concatenate(places, axis=1)), axis=1)
    whole = replace(network, every_step=True)
    y = whole.accumulate(params, xp.moveaxis(z, 0, 1), xp)
    size, found, start = y.shape[0] // longest, {}, 0
    for length, rows in zip(lengths, places, strict=True):
        end = start + rows.shape[1]
        found[length] = y[: length * size, start:end]
        start = end
    return found


def _places(count: int, length: int, longest: int) -> np.ndarray:
    """Which images the rows of a length hold [longest, row], the last repeated."""
    rows = np.arange(count // length * length).reshape(-1, length).T
    return np.concatenate([rows, np.repeat(rows[-1:], longest - length, axis=0)])


def cut_rows(values: Array, length: int, xp: Namespace) -> Array:
    """Values [..., n] as rows [length, ..., n // length], one after the other."""
    count = values.shape[-1] // length
    rows = values[..., : count * length].reshape(*values.shape[:-1], count, length)
    return xp.moveaxis(rows, -1, 0)
