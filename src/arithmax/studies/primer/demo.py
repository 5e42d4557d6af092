"""What `arithmax demo` trains: seven units on + − × ÷, on two ranges.

The cells are some of the study `single-module`, so that the rates are those of the
leaderboard: on [1, 2) nearly all units succeed, on [10, 20) they do not.
"""

from .._sheet import sheet
from .._study import Arm, Study
from ._runs import OPERATIONS, able, cell, labels, task

MODELS = ("NAC₊", "NAC•", "NALU", "iNALU", "NAU", "NMU", "RealNPU")
TRAINED_ON = ("[1, 2)", "[10, 20)")


def study() -> Study:
    """Every unit on the operations that it can represent."""
    arms = [
        Arm(labels(unit, operation, where), cell(unit, task(operation, where)))
        for unit in MODELS
        for where in TRAINED_ON
        for operation in OPERATIONS
        if unit in able(operation)
    ]
    return sheet("primer", "demo").study(arms)
