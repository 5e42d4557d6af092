"""A study of one's own: does a faster learning rate help the NMU on a narrow range?

Run it with `arithmax reproduce examples/my_study.py`.
"""

from arithmax import NMU, Cell, published
from arithmax.statistics import success_rate
from arithmax.studies import Arm, Convergence, Measured, Published, Seeds, Study
from arithmax.tasks import SingleModule

TASK = SingleModule("mul", interpolation=(1.1, 1.2), extrapolation=(1.2, 6.0))


def arm(rate: float, claimed: dict[str, Published]) -> Arm:
    """One row of the table: a learning rate, 25 seeds."""
    network, protocol = published(NMU(), TASK, optimiser__learning_rate=rate)
    cell = Cell(network, TASK, protocol, tuple(range(25)))
    return Arm({"rate": rate}, cell, claimed)


# A colleague reports that all of her 25 seeds were solved at the usual rate.
SHE = success_rate(25, 25)
CLAIM = {"success": Published(SHE.value, SHE.low, SHE.high, note="by word of mouth")}

STUDY = Study(
    name="narrow-range",
    title="A faster learning rate on [1.1, 1.2]",
    source="a colleague",
    about="Trained on a narrow range, tested far outside. **Look at** the steps.",
    arms=(arm(1e-3, CLAIM), arm(1e-2, {}), arm(1e-1, {})),
    plots=(
        Measured("Success rate.", x="rate"),
        Convergence("Extrapolation error while training.", by="rate"),
        Seeds("Every seed.", by="rate"),
    ),
)
