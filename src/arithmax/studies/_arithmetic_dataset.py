"""Table 2 of the NAU/NMU paper, and the complete table of its appendix."""

from collections.abc import Iterator

from ._madsen_johansen import MODELS, PAPER, SYMBOLS, arithmetic, cell, entry, figures
from ._plots import Convergence, Grid, Seeds, Weights
from ._study import Arm, Study

# The eleven rows that the paper and the slides print.
TABLE_2 = {
    "mul": ("NAC•", "NALU", "NMU"),
    "add": ("NAC+", "Linear", "NALU", "NAU"),
    "sub": ("NAC+", "Linear", "NALU", "NAU"),
}


def arithmetic_dataset() -> Study:
    """Table 2 and the complete table of the appendix."""

    def arms() -> Iterator[Arm]:
        for operation in ("mul", "add", "sub", "div", "sqrt", "square"):
            for model, unit in MODELS.items():
                row = entry("arithmetic-dataset", model=model, operation=operation)
                in_table_2 = model in TABLE_2.get(operation, ())
                labels = {
                    "operation": SYMBOLS[operation],
                    "model": model,
                    "table": "2" if in_table_2 else "complete",
                }
                yield Arm(labels, cell(unit, arithmetic(operation), 100), figures(row))

    return Study(
        "arithmetic-dataset",
        "The arithmetic dataset: all models on all operations",
        f"{PAPER}, table 2 (the eleven rows marked 2) and the complete table of the "
        "appendix",
        "A hundred inputs; two overlapping subsets of 25 are summed and the sums "
        "combined by one operation. Trained on [1, 2] with 5 million steps, tested on "
        "[2, 6]. `--only table=2` runs the eleven rows of table 2.",
        tuple(sorted(arms(), key=lambda arm: arm.labels["table"] != "2")),
        plots=(
            Grid("Success rates.", "operation", "model"),
            Convergence(
                "×: extrapolation error while training.", only={"operation": "×"}
            ),
            Convergence(
                "+: extrapolation error while training.", only={"operation": "+"}
            ),
            Convergence(
                "−: extrapolation error while training.", only={"operation": "−"}
            ),
            Seeds("×: every seed.", only={"operation": "×", "table": "2"}),
            Seeds("+: every seed.", only={"operation": "+", "table": "2"}),
            Seeds("−: every seed.", only={"operation": "−", "table": "2"}),
            Weights("× by the NMU.", {"operation": "×", "model": "NMU"}),
            Weights("− by the NAU.", {"operation": "−", "model": "NAU"}),
        ),
    )
