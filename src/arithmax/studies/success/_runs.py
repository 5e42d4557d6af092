"""All runs of which the study has rows."""

from .._study import Arm
from . import _remedies, _scaling


def arms() -> list[Arm]:
    """More and more inputs, and other ways of training."""
    return [*_scaling.arms(), *_remedies.arms()]
