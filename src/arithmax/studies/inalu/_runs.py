"""The models of the iNALU paper, and how its authors' script trains them."""

from typing import Any

from ...networks import Network, Stack
from ...tasks import Subsets, Task
from ...training import Cell, Criterion
from ...training.recipes.inalu import script
from ...units import INALU, NALU, Normal, Unit

OPERATIONS = ("add", "sub", "mul", "div")
UNITS: dict[str, Unit] = {
    "NALU": NALU(),
    "iNALU (sw)": INALU(tied=True),
    "iNALU (iw)": INALU(),
}
HIDDEN = 2  # between the two layers that learn an operation of two sums
SEEDS = 10
SOLVED = 1e-5  # one error for all tasks
# The mean of each parameter at its start; their standard deviation is 0.1.
START = {"W": 1.0, "M": -1.0, "G": 0.0}


def truncated(low: float, high: float) -> tuple[float, ...]:
    """The paper's N(low, high): a normal that these cut three deviations away."""
    return ((low + high) / 2, (high - low) / 6, float(low), float(high))


def sums(operation: str, kind: Any, inner: Any, outer: Any) -> Subsets:
    """a ∘ b, with half of the inputs in a, a quarter in b and a quarter in none."""
    return Subsets(
        operation,  # type: ignore[arg-type]  # a literal
        shares=(0.5, 0.25),
        interpolation=inner,
        extrapolation=outer,
        distribution=kind,
    )


def network(
    model: str, *hidden: int, sd: float = 0.1, one_program: bool = False, **means: float
) -> Stack:
    """Layers of a model that start around these means (of W, M, G) or the usual ones.

    With `one_program` networks that differ in their start alone share a program.
    """
    unit, around = UNITS[model], START | means
    starts = tuple(
        (name, Normal(float(around[name[0]]), sd)) for name in unit.parameters(1, 1)
    )
    padded = hidden if one_program else ()
    return Stack((unit,) * (len(hidden) + 1), hidden, padded, starts)


def run(network: Network, task: Task, **changes: Any) -> Cell:
    """A network on a task, trained as the authors' script does."""
    protocol = script(criterion=Criterion(threshold=SOLVED)).updated(**changes)
    return Cell(network, task, protocol, tuple(range(SEEDS)))
