"""What was tried where iNALU's experiments differ, from `inalu-tries.json`.

`benchmarks/inalu_tries.py` trains the tries and counts what they solve.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ...statistics import overlap, success_rate
from .._published import figures_file
from ._runs import SEEDS

Count = tuple[int, int]  # solved runs, and all
EVERY_START = "inalu-initialisation, every start"


def differing(solved: Sequence[Sequence[int]], published: Sequence[Count]) -> int:
    """How many arms differ in extrapolation, of which these runs were solved."""
    return sum(
        not overlap(success_rate(ours, SEEDS), success_rate(*theirs))
        for (ours, _), theirs in zip(solved, published, strict=True)
    )


def tries_of(name: str) -> dict[str, Any]:
    """What the file has of a study; of one that is not trained yet, no arms."""
    return figures_file("inalu", "inalu-tries").get(name, {"arms": [], "tries": {}})


def start_by_start(part: str) -> dict[tuple[Any, ...], Sequence[int]]:
    """Runs of ten that are solved outside and within, by the labels of their start.

    Args:
        part: `solved`, of the reading that is trained from every start, or `study`.
    """
    found = figures_file("inalu", "inalu-tries")[EVERY_START]
    return dict(zip(map(tuple, found["arms"]), found[part], strict=True))


def tried(name: str, published: Callable[[Sequence[Any]], Count]) -> str:
    """Every try of a study, and how many arms differ with it.

    Args:
        name: that of the study.
        published: the published count of an arm with these labels.
    """
    found = tries_of(name)
    counts = [published(labels) for labels in found["arms"]]
    made = found["tries"].items()
    tries = ", ".join(f"{words} ({differing(n, counts)})" for words, n in made)
    ours = differing(found["study"], counts)
    arms = f"on {len(counts)} arms, of which {ours} differ in the study"
    return f"{arms} (in brackets how many do with the try): {tries}"
