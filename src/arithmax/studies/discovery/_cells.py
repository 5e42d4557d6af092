"""Every published cell of the arithmetic dataset, and the best unit there."""

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import Any

from ...tasks import Subsets
from .._grid import SYMBOLS
from .._published import figures_file

OPERATIONS = ("add", "sub", "mul", "div", "sqrt", "square")
# To train on and to be right on: those of the NAU/NMU paper and of the Primer.
RANGES: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "U[-20,-10]": ((-20.0, -10.0), (-40.0, -20.0)),
    "U[-2,-1]": ((-2.0, -1.0), (-6.0, -2.0)),
    "U[-1.2,-1.1]": ((-1.2, -1.1), (-6.1, -1.2)),
    "U[-0.2,-0.1]": ((-0.2, -0.1), (-2.0, -0.2)),
    "U[-2,2]": ((-2.0, 2.0), (-6.0, -2.0, 2.0, 6.0)),
    "U[0,1]": ((0.0, 1.0), (1.0, 5.0)),
    "U[0.1,0.2]": ((0.1, 0.2), (0.2, 2.0)),
    "U[1,2]": ((1.0, 2.0), (2.0, 6.0)),
    "U[1.1,1.2]": ((1.1, 1.2), (1.2, 6.0)),
    "U[10,20]": ((10.0, 20.0), (20.0, 40.0)),
}
SIZES = (4, 10, 25, 50, 75, *range(125, 301, 25))
OVERLAPS = (0.0, 0.1, 0.25, 0.75, 1.0)
SUBSETS = (0.05, 0.1, 0.5)
NEGATIVE = "a negative sum has no square root: the task is not defined"


@dataclass(frozen=True)
class DatasetCell:
    """One cell: an operation, a range, and the sizes of the table."""

    operation: str
    range: str = "U[1,2]"
    inputs: int = 100
    subset: float = 0.25
    overlap: float = 0.5

    @property
    def task(self) -> Subsets:
        """The task whose training rows are the table."""
        inner, outer = RANGES[self.range]
        return Subsets(
            self.operation,  # type: ignore[arg-type]  # a literal
            self.inputs,
            self.subset,
            self.overlap,
            interpolation=inner,
            extrapolation=outer,
        )

    @property
    def labels(self) -> tuple[str, str, int, float, float]:
        """The first columns of all tables."""
        return SYMBOLS[self.operation], *astuple(self)[1:]

    @property
    def undetermined(self) -> str:
        """Why the data cannot determine a formula; "" if they can."""
        inner, _ = RANGES[self.range]
        return NEGATIVE if self.operation == "sqrt" and min(inner) < 0 else ""


LABELS = ("operation", "range", "inputs", "subset ratio", "overlap ratio")


def cells() -> Iterator[DatasetCell]:
    """Operations on all ranges, then products of other sizes and ratios."""
    for operation in OPERATIONS:
        for name in RANGES:
            yield DatasetCell(operation, name)
    yield from (DatasetCell("mul", inputs=size) for size in SIZES)
    yield from (DatasetCell("mul", overlap=ratio) for ratio in OVERLAPS)
    yield from (DatasetCell("mul", subset=ratio) for ratio in SUBSETS)


def published(cell: DatasetCell) -> list[dict[str, Any]]:
    """All published rows of a cell, one for each unit and source."""
    slides = {
        name: figures_file("slides", name)["rows"]
        for name in ("arithmetic-dataset", "input-range", "input-size")
    }
    ratios = figures_file("discovery", "ratios")["rows"]
    primer = figures_file("primer", "arithmetic-dataset-ranges")["rows"]
    plain = cell == DatasetCell(cell.operation)
    product = cell.operation == "mul"
    rows = []
    if plain:
        rows += _with(slides["arithmetic-dataset"], operation=cell.operation)
    if product and cell == DatasetCell("mul", cell.range):
        rows += _with(slides["input-range"], x=cell.range)
        half_open = cell.range.removeprefix("U").replace(",", ", ")[:-1] + ")"
        rows += _with(primer, range=half_open)
    if product and cell == DatasetCell("mul", inputs=cell.inputs):
        rows += _with(slides["input-size"], x=str(cell.inputs))
    if product and cell == DatasetCell("mul", overlap=cell.overlap):
        rows += _ratio(ratios, "overlap", cell.overlap)
    if product and cell == DatasetCell("mul", subset=cell.subset):
        rows += _ratio(ratios, "subset", cell.subset)
    return rows


def best_published(cell: DatasetCell) -> dict[str, Any] | None:
    """The row with the highest success rate; of equal ones that of most runs."""
    rows = published(cell)
    return max(rows, key=lambda r: (r["solved"] / r["runs"], r["runs"]), default=None)


def _with(rows: list[dict[str, Any]], **labels: Any) -> list[dict[str, Any]]:
    return [r for r in rows if all(r.get(k) == v for k, v in labels.items())]


def _ratio(rows: list, sweep: str, value: float) -> list[dict[str, Any]]:
    return [r for r in rows if r["sweep"] == sweep and float(r["x"]) == value]
