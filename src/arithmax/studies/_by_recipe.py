"""A study whose runs are trained by the one recipe, not by published settings."""

from dataclasses import replace

from ..training import Protocol
from ._study import Arm, Study

SUFFIX = "-recipe"


def by_recipe(study: Study) -> Study:
    """The same arms, trained by `Protocol.recipe()`.

    How long a run is, its samples, and how it is measured and judged stay the study's.
    The published figures are of other settings, so that nothing is compared with them;
    success rates are shown, and plots of runs.
    """
    if not study.arms:
        raise ValueError(
            f"`recipe` (=True) is for studies that train runs; {study.name!r} computes "
            "its tables without any. Leave it out."
        )
    return replace(
        study,
        name=study.name + SUFFIX,
        title=f"{study.title}: trained by the one recipe",
        arms=tuple(map(_arm, study.arms)),
        compute=None,
        claims={},
        shown={},
        plots=tuple(plot for plot in study.plots if not getattr(plot, "table", "")),
    )


def _arm(arm: Arm) -> Arm:
    cell, published = arm.cell, arm.cell.protocol
    kept = ("batches", "measuring", "criterion", "precision", "generator")
    others = {name: getattr(published, name) for name in kept}
    protocol = Protocol.recipe(published.steps, **others)
    return replace(arm, cell=replace(cell, protocol=protocol), published={})
