"""What a run can be asked for: numbers that its format holds, seeds, and of what kind.

This file is read by the command line and loads no array library.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from itertools import islice
from typing import Any

from .._checks import WORD, plain, shown
from ..tasks import Task
from ..tasks._task import Split

MOST_SEEDS = 1_000_000  # of one cell
SMALLEST = {"float32": 2.0**-126, "float64": 2.0**-1022}
LARGEST = {"float32": (2 - 2.0**-23) * 2.0**127, "float64": float("inf")}


def check_kind(name: str, value: Any, kind: type, example: str) -> None:
    """`value` must be an instance of a class, not the class."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIO" else "a"
        raise TypeError(
            f"`{name}` (={shown(value)}) must be {article} {kind.__name__}, such as "
            f"`{example}`."
        )


def checked_seeds(seeds: Any) -> tuple[int, ...]:
    """Seeds as a tuple: whole numbers of 32 bits, each of them once."""
    if isinstance(seeds, str | bytes) or not isinstance(seeds, Iterable):
        raise TypeError(
            f"`seeds` (={shown(seeds)}) must be whole numbers, such as `range(25)`."
        )
    listed = tuple(islice(seeds, MOST_SEEDS + 1))  # a range may be beyond all memory
    if not 0 < len(listed) <= MOST_SEEDS:
        raise ValueError(
            f"`seeds` (={shown(seeds)}) must hold at least one seed and at most "
            f"{MOST_SEEDS:,}. Train more of them in parts."
        )
    if set(map(type, listed)) != {int}:
        listed = plain(listed)
    wrong = [s for s in listed if type(s) is not int or not 0 <= s <= WORD]
    if wrong:
        raise ValueError(
            f"`seeds` (with {shown(wrong[0])}) must be whole numbers, at least 0 and "
            f"at most {WORD}."
        )
    if len(set(listed)) < len(listed):
        twice = Counter(listed).most_common(1)[0][0]
        raise ValueError(
            f"`seeds` (={shown(listed)}) must hold each seed once, but has {twice} "
            "again: it would be the same run."
        )
    return listed


def check_precision(thing: Any, precision: str) -> None:
    """The format must be able to hold every number of a dataclass."""
    least, most = SMALLEST[precision], LARGEST[precision]
    for name, value in vars(thing).items():
        for part in value if isinstance(value, tuple) else (value,):
            if is_dataclass(part):
                check_precision(part, precision)
        if any(n and not least <= abs(n) <= most for n in _numbers(value)):
            raise ValueError(
                f"`{name}` (={shown(value)}) must be 0 or of a magnitude between "
                f"{least:.3g} and {most:.3g}, which `precision` (={precision!r}) holds."
                " Use another number, or `precision='float64'`."
            )


def _numbers(value: Any) -> Iterator[float]:
    """The numbers in a setting, however deep."""
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, tuple):
        for entry in value:
            yield from _numbers(entry)
    elif is_dataclass(value):
        yield from _numbers(tuple(vars(value).values()))


def check_largest(name: Split, task: Task, precision: str) -> None:
    """The format must be able to hold every input and target of a range."""
    if (largest := task.largest(name)) > LARGEST[precision]:
        # Tables and rows of images have no ranges.
        other = "a narrower range" if hasattr(task, name) else "smaller numbers"
        raise ValueError(
            f"{task.setting_of(name)} has inputs or targets up to "
            f"{largest:.3g}, above the {LARGEST[precision]:.3g} of `precision` "
            f"(={precision!r}). Use {other}, or `precision='float64'`."
        )
