"""A leaderboard of made-up numbers, for tests of its statistics and of its page."""

import numpy as np

from arithmax.benchmark import Board, Score
from pages import NASTY

CRITERIA = ("ε = 1e-4", "ε = 1e-5", "flat 1e-5")
RANGES = ("[-2, -1)", "[-2, 2)", "[1, 2)")


def board(
    name: str = "single-module", title: str = "Two inputs", seed: int = 0
) -> Board:
    """Made-up numbers for three units, one of them with an unpleasant name."""
    rng = np.random.default_rng(seed)
    able = {"NMU": "×", "NALU": "+×", NASTY: "+×"}
    scores, failures = {}, {}
    for unit, operations in able.items():
        for operation in operations:
            for where in RANGES:
                solved = int(rng.integers(0, 26))
                for criterion in CRITERIA:
                    step = float(rng.integers(1, 50) * 1000) if solved else None
                    sparsity = float(f"{10 ** rng.uniform(-8, 0):.4g}")
                    means = (step, sparsity) if solved else (None, None)
                    done = "".join(
                        rng.permutation(list("1" * solved + "0" * (25 - solved)))
                    )
                    key = (unit, operation, where, criterion)
                    scores[key] = Score(25, solved, *means, outcomes=(done,))
                    solved = solved // 2
                left = 25 - scores[unit, operation, where, CRITERIA[0]].solved
                half = left // 2
                counts = {
                    "gate half open": left - half,
                    "wrong weights W = (1, 0)": half,
                }
                failures[unit, operation, where] = {
                    k: n for k, n in counts.items() if n
                }
    return Board(name, title, scores, failures)
