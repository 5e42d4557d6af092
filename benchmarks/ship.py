"""Put the runs of some folders into `results/`, in few files and with thinner curves.

    python benchmarks/ship.py runs/simple-mul runs/gate --to results

Each folder becomes three files of its name; the records of its studies are added to
those that are there, and what these studies compute is computed again from all runs.
"""

import argparse
from pathlib import Path

from arithmax._pack import pack
from arithmax.results import read
from arithmax.studies import studies
from arithmax.studies._run import compute, history, remember


def ship(folder: Path, to: Path, points: int) -> None:
    """One folder's rows, curves, weights and records."""
    if read(folder).rows:
        pack(folder, to, folder.name, points)
    for own in studies().values():
        for entry in history(own, folder):
            remember(own, to, entry)


def main() -> None:
    """Ship every folder, then compute."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--to", type=Path, default=Path("results"))
    parser.add_argument("--points", type=int, default=50, help="see `pack`")
    chosen = parser.parse_args()
    for folder in chosen.folders:
        ship(folder, chosen.to, chosen.points)
    results = read(chosen.to)
    sources = chosen.folders or [chosen.to]
    for own in studies().values():
        if any(history(own, folder) for folder in sources):
            compute(own, results, chosen.to)


if __name__ == "__main__":
    main()
