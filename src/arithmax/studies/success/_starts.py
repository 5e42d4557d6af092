"""The numbers that a run starts with, and maps of how runs end by where they start."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from .._gates import exact_sigmoid

Features = dict[str, np.ndarray]  # numbers [seed] by name

SYMBOLS = {"W_hat": "Ŵ", "M_hat": "M̂", "g": "g", "W_re": "W", "W_im": "Wi"}
SIDES = {"add": "₊", "mul": "•"}
PLACES = "₁₂₃₄"
COARSE, FINE = 8, 32  # bins of a number, to choose a pair by and to draw it
LEAST = 1e-6  # the spread of a number that is drawn and not set


def symbol(name: str) -> str:
    """A parameter as papers write it.

    Examples:
        >>> symbol("W_hat"), symbol("M_hat_add"), symbol("W_mul"), symbol("G")
        ('Ŵ', 'M̂₊', 'W•', 'G')
    """
    name = name.rpartition(".")[2]  # of the last layer of a stack
    bare, _, side = name.rpartition("_")
    if side in SIDES:
        return SYMBOLS.get(bare, bare) + SIDES[side]
    return SYMBOLS.get(name, name)


def numbers(params: Mapping[str, np.ndarray]) -> Features:
    """The numbers that are drawn, and the effective weights tanh(Ŵ) σ(M̂) of a NAC."""
    found: Features = {}
    for name, values in params.items():
        flat = np.asarray(values, dtype=np.float64).reshape(len(values), -1)
        single = flat.shape[1] == 1
        for k, value in enumerate(flat.T):
            if value.std() > LEAST:
                found[symbol(name) + ("" if single else PLACES[k])] = value
    for name in [n for n in found if n.startswith("Ŵ")]:
        if (partner := name.replace("Ŵ", "M̂")) in found:
            effective = np.tanh(found[name]) * exact_sigmoid(found[partner])
            found[name.replace("Ŵ", "w")] = effective
    return found


def features(params: Mapping[str, np.ndarray]) -> Features:
    """All numbers, with the sum and the difference of each pair of one parameter."""
    found = numbers(params)
    for name, other in combinations(list(found), 2):
        if name[:-1] == other[:-1] and {name[-1], other[-1]} <= set(PLACES):
            found[f"{name} + {other}"] = found[name] + found[other]
            found[f"{name} − {other}"] = found[name] - found[other]
    return found


def bins(values: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The bin of each value, of as many between the least and the greatest; middles."""
    edges = np.linspace(values.min(), values.max(), count + 1)
    inside = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, count - 1)
    return inside, (edges[1:] + edges[:-1]) / 2


def counts(
    x: np.ndarray, y: np.ndarray, solved: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """How many seeds start in each square [y, x], and how many of them are solved."""
    place = bins(y, count)[0] * count + bins(x, count)[0]
    size = count * count
    every = np.bincount(place, minlength=size)
    right = np.bincount(place, weights=solved, minlength=size)
    return every.reshape(count, count), right.reshape(count, count)


def information(every: np.ndarray, right: np.ndarray) -> float:
    r"""The mutual information of square and outcome, in bits.

    $$ H(p) - \sum_s \frac{n_s}{n} H(p_s) $$

    where $p_s$ is the share of the $n_s$ seeds of a square that are solved.
    """
    n, kept = every.sum(), every > 0
    shares = np.append(right[kept] / every[kept], right.sum() / n)
    *within, whole = entropy(shares)
    return float(whole - np.dot(within, every[kept] / n))


def entropy(share: np.ndarray) -> np.ndarray:
    """The entropy of outcomes of these chances, in bits."""
    both = np.stack([share, 1 - share])
    return -(both * np.log2(np.where(both > 0, both, 1.0))).sum(axis=0)


def telling(found: Features, solved: np.ndarray) -> tuple[str, str]:
    """The two numbers whose squares say most about how a run ends."""

    def told(pair: tuple[str, str]) -> float:
        x, y = (found[name] for name in pair)
        return information(*counts(x, y, solved, COARSE))

    return max(combinations(found, 2), key=told)
