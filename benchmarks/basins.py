"""Train what the study `what-decides` needs: many starts, and many inputs.

    python benchmarks/basins.py starts --out FOLDER [--seeds 100000] [--seconds 150]
    python benchmarks/basins.py inputs --out FOLDER [--seconds 150]

`starts` trains each unit with two inputs on each operation that it represents, on the
range of `results/single-module-1000.criteria.table.parquet` whose rate of success is
nearest to ½. All cells have a block of seeds that the folder does not have yet, then
all another one, and so on until the time is up. Of a run its outcome alone is stored,
solved and exact after rounding, in `FOLDER/what-decides.outcomes.table.parquet`, in the
order of seeds: its start follows from the seed. `inputs` trains the arms of the study,
with more and more inputs and by other ways of training, and packs their runs into three
files. Several processes, each with units of its own, compile side by side and share the
machine's accelerator.
"""

import argparse
import multiprocessing
import os
import queue
import shutil
import tempfile
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

from arithmax.results import exact_after_rounding, pack
from arithmax.studies import Arm, stored_tables, study
from arithmax.studies._kept import Kept
from arithmax.studies._record import remember
from arithmax.studies._run import entry
from arithmax.studies.success import KEYS, NAMES, Key, arms, basin, chosen

STUDY = "what-decides"
RATES = Path(__file__).parents[1] / "results"
SEEDS = 100_000  # of each cell, if there is time
BLOCK = 10_000  # seeds that are trained at a time
SPAWN = multiprocessing.get_context("spawn")  # a copied process has a broken JAX


def signs(values: Any) -> str:
    """Outcomes as the study stores them."""
    return "".join("1" if value else "0" for value in values)


def train_starts(keys: dict[Key, int], seeds: int, steps: int | None, out: Any) -> None:
    """Every cell with a block of seeds, then with the next; outcomes go to a queue.

    Args:
        keys: the cells, and how many seeds of each there are already.
        seeds: how many there are to be.
        steps: how many steps, if other than the study's.
        out: the queue.
    """
    from arithmax.training import train_cells

    for block in range(0, seeds, BLOCK):
        for key, done in keys.items():
            first = done + block
            if first >= seeds:
                continue
            cell = basin(key, range(first, min(first + BLOCK, seeds)))
            if steps:
                cell = replace(cell, protocol=replace(cell.protocol, steps=steps))
            began = time.perf_counter()
            rows = train_cells([cell], workers=1, block=len(cell.seeds)).rows
            solved = signs(row["outcome"] == "solved" for row in rows)
            rounded = signs(map(exact_after_rounding, rows))
            out.put((key, solved, rounded, time.perf_counter() - began))


def of(arm: Arm) -> tuple[str, ...]:
    """The group of an arm: those of a group are trained by one process."""
    return tuple(str(arm.labels[name]) for name in ("unit", "operation", "training"))


def train_inputs(
    group: tuple[str, ...],
    seeds: int | None,
    steps: int | None,
    folder: Path,
    out: Any,
) -> None:
    """All arms of a group, into a folder of their own."""
    from arithmax.training import train_cells

    began = time.perf_counter()
    cells = [arm.reduced(seeds, steps).cell for arm in arms() if of(arm) == group]
    train_cells(cells, out=folder, workers=1)
    out.put((group, "", "", time.perf_counter() - began))


def collect(processes: list[Any], out: Any, seconds: float) -> Any:
    """What processes send, until all have ended or the time is up; then they end."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        alive = any(process.is_alive() for process in processes)
        try:
            yield out.get(timeout=0.5)
        except queue.Empty:
            if not alive:
                break
    for process in processes:
        process.kill()
        process.join()


def started(target: Any, each: list[tuple]) -> tuple[list[Any], Any]:
    """A process for each tuple of arguments, and the queue that they share."""
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    out = SPAWN.Queue()
    processes = [
        SPAWN.Process(target=target, args=(*given, out), daemon=True) for given in each
    ]
    for process in processes:
        process.start()
    return processes, out


def starts(asked: argparse.Namespace) -> None:
    """The outcomes of all cells, written as they come."""
    table = stored_tables("single-module-1000", RATES)["criteria"]
    keys = [key for key in chosen(table) if "(" not in key[0]]  # no versions of units
    units = list(dict.fromkeys(key[0] for key in keys))[:: asked.every]
    shares = [units[i :: asked.processes] for i in range(asked.processes)]
    kept = Kept(asked.out, STUDY, "outcomes", NAMES, len(KEYS))
    ended: dict[Key, list[str]] = defaultdict(lambda: ["", ""])
    for key, row in kept.rows.items():
        ended[key] = list(row[len(KEYS) :])  # type: ignore[index]  # three labels
    each = [
        {key: len(ended[key][0]) for unit in some for key in keys if key[0] == unit}
        for some in shares
    ]
    given = [(some, asked.seeds or SEEDS, asked.steps) for some in each if some]
    for key, *texts, took in collect(*started(train_starts, given), asked.seconds):
        ended[key] = [a + b for a, b in zip(ended[key], texts, strict=True)]
        kept.add((*key, *ended[key]))
        done = ended[key][0]
        share = done.count("1") / len(done)
        print(
            f"{', '.join(key):32} {len(done):7} {share:6.1%} {took:6.1f} s", flush=True
        )
    kept.write()


def inputs(asked: argparse.Namespace) -> None:
    """The runs of all arms, in packs."""
    groups = list(dict.fromkeys(map(of, arms())))[:: asked.every]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        given = [
            (group, asked.seeds, asked.steps, folder / str(i))
            for i, group in enumerate(groups)
        ]
        for group, _, _, took in collect(*started(train_inputs, given), asked.seconds):
            print(f"{', '.join(group):32} {took:6.1f} s", flush=True)
        together = folder / "all"
        together.mkdir()
        for file in folder.glob("[0-9]*/*"):
            if not file.name.startswith(".") and file.suffix != ".checkpoint":
                shutil.move(file, together / file.name)
        pack(together, asked.out, STUDY, points=5)


def main() -> None:
    """One of both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("starts", "inputs"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--steps", type=int, help="fewer than the study has, to try")
    parser.add_argument("--seconds", type=float, default=150.0)
    parser.add_argument("--processes", type=int, default=8, help="for starts")
    parser.add_argument("--every", type=int, default=1, help="leave units out, to try")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    {"starts": starts, "inputs": inputs}[asked.what](asked)
    command = f"python benchmarks/basins.py {asked.what} --seconds {asked.seconds:g}"
    seconds = round(time.monotonic() - began, 1)
    told = entry(True, command=command, seconds=seconds, seeds=None, steps=asked.steps)
    remember(study(STUDY), asked.out, told)


if __name__ == "__main__":
    main()
