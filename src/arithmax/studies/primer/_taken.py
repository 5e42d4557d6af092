"""Several starts of several networks, of which the run with the least error is taken.

The starts of a problem are a row: of each whether it is solved and whether it is exact
after rounding, as signs, and its interpolation error. `setting` is a hash of network,
task and protocol: rows of another setting are kept, and are no rows of this one.
"""

import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...results import Results, exact_after_rounding
from ...statistics import Interval, success_rate
from ...training import Cell, train_cells
from .._kept import Kept, name_of_setting
from .._run import stored_tables
from .._study import Table, columns

KEYS = ("inputs", "operation", "range", "network", "problem", "setting")
NAMES = (*KEYS, "solved", "rounded", "errors")
STARTS_NAMES = ("inputs", "starts", "solved, %", "rounded, %", "worst cell, %")
STARTS_NAMES += ("worst cell rounded, %",)

Labels = tuple[int | str, ...]  # the last: inputs, operation, range and network


def summary(runs: Sequence[Mapping[str, Any]]) -> tuple[str, str, str]:
    """The starts of one problem: solved, exact after rounding, interpolation errors."""
    return (
        "".join("1" if run["outcome"] == "solved" else "0" for run in runs),
        "".join("1" if exact_after_rounding(run) else "0" for run in runs),
        " ".join(f"{run['interpolation']:.4g}" for run in runs),
    )


def train(cell: Cell, progress: bool) -> Results:
    """The runs of a cell; after Ctrl-C those that were finished."""
    with warnings.catch_warnings():  # a recipe does not know the operation
        warnings.filterwarnings("ignore", message=".*cannot represent.*")
        return train_cells([cell], progress=progress)


def keep_problems(
    kept: Kept,
    keys: Mapping[int, tuple],
    starts: int,
    cell: Cell,
    progress: bool,
) -> None:
    """Train problems of a cell; of these Ctrl-C keeps what was finished.

    Args:
        kept: the table.
        keys: of each problem that it lacks, by its number.
        starts: how many a problem has.
        cell: the cell with the seeds of all problems.
        progress: whether to show how far it is.
    """
    seeds = tuple(s for s in cell.seeds if s // starts in keys)
    results = train(replace(cell, seeds=seeds), progress)
    runs = defaultdict(list)
    for row in results.rows:
        runs[row["seed"] // starts].append(row)
    for problem, of_problem in runs.items():
        if len(of_problem) == starts:
            kept.add((*keys[problem], *summary(of_problem)))
    if results.interrupted:
        raise KeyboardInterrupt


def keep_trained(
    kept: Kept,
    cells: Iterable[tuple[Labels, int, Cell]],
    problems: int,
    progress: bool,
) -> list[tuple]:
    """The rows of cells, in order; what a table lacks is trained cell by cell.

    Args:
        kept: the table.
        cells: the labels of each cell, how many starts a problem has, and the cell.
        problems: how many there are of each cell.
        progress: whether to show how far it is.
    """
    rows = []
    try:
        for labels, starts, cell in cells:
            setting = name_of_setting(cell)
            keys = {p: (*labels, p, setting) for p in range(problems)}
            lacking = {p: key for p, key in keys.items() if key not in kept.rows}
            if lacking:
                keep_problems(kept, lacking, starts, cell, progress)
            rows += [kept.rows[key] for key in keys.values()]
    finally:
        kept.write()
    return rows


def kept_rows(
    kept: Kept, cells: Iterable[tuple[Labels, int, Cell]], problems: int
) -> list[tuple]:
    """The rows of the cells that a table has whole, without training."""
    rows = []
    for labels, _, cell in cells:
        setting = name_of_setting(cell)
        found = [kept.rows.get((*labels, p, setting)) for p in range(problems)]
        if all(found):
            rows += found
    return rows


class Runs(NamedTuple):
    """The runs of one cell [network, problem, start]."""

    solved: np.ndarray
    rounded: np.ndarray
    errors: np.ndarray

    def taken(self, starts: int) -> tuple[np.ndarray, np.ndarray]:
        """Whether what is taken of each problem is solved, and exact after rounding.

        Of the first starts of all networks the run with the least error is taken; a
        run that diverged has none.
        """
        errors = np.where(np.isfinite(self.errors), self.errors, np.inf)
        flat = [np.moveaxis(a[:, :, :starts], 0, 1) for a in (errors, *self[:2])]
        error, solved, rounded = (a.reshape(a.shape[0], -1) for a in flat)
        best = error.argmin(axis=1)[:, None]
        return tuple(np.take_along_axis(a, best, 1)[:, 0] for a in (solved, rounded))  # type: ignore[return-value]  # two of them

    def cost(self, steps: int) -> float:
        """How many steps of single runs a solved problem takes; infinite if none is.

        Args:
            steps: of one run.
        """
        networks, problems, starts = self.solved.shape
        solved = int(self.taken(starts)[0].sum())
        return networks * problems * starts * steps / solved if solved else np.inf

    def beside(self, other: "Runs") -> "Runs":
        """The runs of the networks of both, on the same problems."""
        return Runs(*map(np.concatenate, zip(self, other, strict=True)))

    @property
    def starts(self) -> int:
        """How many starts of each network a problem has."""
        return self.errors.shape[2]


def by_cell(rows: Iterable[tuple]) -> dict[tuple, Runs]:
    """The runs of each cell, by inputs, operation and range, of the same problems."""
    cells: dict[tuple, dict[str, list[tuple]]] = {}
    for *key, network, _, _, solved, rounded, errors in rows:
        signs = ([c == "1" for c in text] for text in (solved, rounded))
        run = (*signs, [float(error) for error in errors.split()])
        cells.setdefault(tuple(key), {}).setdefault(network, []).append(run)
    return {
        key: Runs(
            *(
                np.array([[run[k] for run in runs] for runs in of.values()])
                for k in range(3)
            )
        )
        for key, of in cells.items()
    }


def share(found: np.ndarray) -> Interval:
    """How often, with its interval."""
    return success_rate(int(found.sum()), found.size)


def starts_table(cells: Mapping[tuple, Runs], counts: Sequence[int]) -> Table:
    """What fewer starts give: all cells of a size together, and the worst of them."""
    rows = []
    for inputs in dict.fromkeys(key[0] for key in cells):
        of_size = [runs for key, runs in cells.items() if key[0] == inputs]
        for starts in (n for n in counts if n <= of_size[0].starts):
            solved, rounded = zip(
                *(runs.taken(starts) for runs in of_size), strict=True
            )
            both = [100 * np.concatenate(s).mean() for s in (solved, rounded)]
            worst = [100 * min(map(np.mean, s)) for s in (solved, rounded)]
            rows.append((f"{inputs} inputs", starts, *both, *worst))
    return columns(STARTS_NAMES, rows)


# Of which study the published units of a size are.
PUBLISHED = {2: "single-module", 10: "redundancy"}


def best_published(folder: Any) -> dict[tuple, tuple[str, float]]:
    """The best unit of each cell by its authors' recipe, if the folder has the runs."""
    found: dict[tuple, tuple[str, float]] = {}
    for inputs, name in PUBLISHED.items() if folder else ():
        table = stored_tables(name, folder).get("criteria", {})
        names = ("inputs",) * ("inputs" in table) + ("operation", "range", "unit")
        names += ("criterion", "solved", "seeds")
        for row in zip(*(table[n] for n in names), strict=True) if table else ():
            *size, operation, where, unit, criterion, solved, seeds = row
            rate, key = solved / seeds, (inputs, operation, where)
            if criterion != "ε = 1e-4" or (size and size[0] != inputs):
                continue
            if key not in found or rate > found[key][1]:
                found[key] = (unit, rate)
    return found
