r"""Which seeds were solved, and what several runs of a seed say together.

A seed's runs on several ranges start alike and tend to fail together: 225 runs of 25
seeds may say as much as 225 runs, or no more than 25. How much they say is measured:
seeds whose counts vary more than chance would have it make intervals wider.

Outcomes are a text for each range, with a sign for each seed, seed 0 first: `1` where
the run was solved, `0` where it was not, `-` where there is none.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import ndtri, stdtrit

from ..statistics import Interval, wilson

ABSENT = "-"


def written(solved: Mapping[int, bool]) -> str:
    """The outcomes of a range, from those of its seeds.

    Examples:
        >>> from arithmax.studies._outcomes import written
        >>> written({0: True, 1: False, 3: True})
        '10-1'
    """
    signs = {seed: "1" if done else "0" for seed, done in solved.items()}
    return "".join(
        signs.get(seed, ABSENT) for seed in range(max(signs, default=-1) + 1)
    )


def runs(outcomes: Sequence[str]) -> np.ndarray:
    """A row for each range, a column for each seed: 1, 0, or NaN for no run."""
    longest = max(map(len, outcomes), default=0)
    value = {"1": 1.0, "0": 0.0, ABSENT: np.nan}
    return np.array(
        [[value[sign] for sign in text.ljust(longest, ABSENT)] for text in outcomes]
    )


def common(one: str, other: str) -> tuple[str, str]:
    """Two units' outcomes of a range, without the seeds that only one of them has.

    Examples:
        >>> from arithmax.studies._outcomes import common
        >>> common("1101", "1-1")
        ('1-0', '1-1')
    """
    pairs = [
        (ABSENT, ABSENT) if ABSENT in pair else pair
        for pair in zip(one, other, strict=False)
    ]
    return "".join(a for a, _ in pairs), "".join(b for _, b in pairs)


def rate(outcomes: Sequence[str], level: float = 0.95) -> Interval:
    r"""The share of solved runs, with an interval that is robust to clusters.

    Wilson's interval for $n / d$ runs, with Student's quantile in place of the normal
    one. The design effect $d$ is how much more the share varies than that of as many
    independent runs, at least 1:

    $$ d = \frac{G}{G - 1} \frac{\sum_i (y_i - p m_i)^2}{n p (1 - p)} $$

    where seed $i$ of $G$ has solved $y_i$ of $m_i$ runs, and $p$ is the share of all
    $n$. It is known from seeds that differ only, so that Student's quantile has one
    degree of freedom less than there are seeds with a failure (or, if these are fewer,
    with a success). The interval is never wider than if each seed were one run, which
    it is where fewer than two seeds differ, such as at 0 % and 100 %.

    Args:
        outcomes: as at the head of this file, one text for each range.
        level: the confidence level.

    Returns:
        The share and its interval.

    Examples:
        >>> from arithmax.studies._outcomes import rate
        >>> print(rate(["1111", "1111"]))
        1 [0.51, 1]
        >>> print(rate(["11101110", "01111111", "10111011"]))
        0.792 [0.508, 0.933]
    """
    table = runs(outcomes)
    per_seed = np.isfinite(table).sum(axis=0)
    solved = np.nansum(table, axis=0)[per_seed > 0]
    per_seed = per_seed[per_seed > 0]
    total, seeds = int(per_seed.sum()), per_seed.size
    if not total:
        raise ValueError(f"`outcomes` (={outcomes!r}) must hold a run.")
    share = float(solved.sum()) / total
    z = float(ndtri((1 + level) / 2))
    once = wilson(share, seeds, z * z)
    differ = min(int((solved < per_seed).sum()), int((solved > 0).sum()))
    if differ < 2 or total == seeds:
        return once
    chance = share * (1 - share) / total
    excess = float(clustered(solved - share * per_seed, total)) / chance
    t = float(stdtrit(differ - 1, (1 + level) / 2))
    interval = wilson(share, total / max(excess, 1.0), t * t)
    return Interval(share, max(interval.low, once.low), min(interval.high, once.high))


def clustered(residuals: np.ndarray, total: int) -> float:
    """The variance of a mean over so many runs, from the sum of each seed's errors."""
    seeds = residuals.size
    return seeds / (seeds - 1) * float((residuals**2).sum()) / total**2
