"""Put the runs of some folders into `results/`, in few small files.

    python benchmarks/ship.py runs/simple-mul runs/gate --out results

Each folder becomes three files of its name; the records of its studies are added to
those that are there, and what these studies compute is computed again.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from arithmax.results import Results, pack, read
from arithmax.studies import Study, studies
from arithmax.studies._evaluate import find
from arithmax.studies._run import compute, history, remember


def ship(folder: Path, to: Path, points: int) -> None:
    """One folder's rows, curves, weights and records."""
    if read(folder).rows:
        pack(folder, to, folder.name, points)
    for study in studies().values():
        for entry in history(study, folder):
            remember(study, to, entry)


def richest(study: Study, sources: Sequence[Results]) -> Results:
    """The first results that have as many runs of every arm as the last, which are all.

    A folder as the fleet wrote it has more than a pack: whole curves, all digits, and
    the parameters on the way.
    """
    known = [len(arm.rows) for arm in find(study, sources[-1])]
    complete = (s for s in sources if [len(a.rows) for a in find(study, s)] == known)
    return next(complete)


def main() -> None:
    """Ship every folder, then compute."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--points", type=int, default=50, help="see `pack`")
    chosen = parser.parse_args()
    for folder in chosen.folders:
        ship(folder, chosen.out, chosen.points)
    sources = [read(folder) for folder in chosen.folders] + [read(chosen.out)]
    for study in studies().values():
        asked = sources[:-1] or sources
        if any(history(study, s.folder or chosen.out) for s in asked):
            compute(study, richest(study, sources), chosen.out)


if __name__ == "__main__":
    main()
