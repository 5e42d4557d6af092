"""First-order training: what the optimisers of all frameworks are told."""

import math

PARAMETERS = 400  # the most for which second-order steps pay
STEPS, BATCH, RATE = 3000, 256, 1e-2
LATE = 0.5  # the share of the steps after which rates fall and regularisers set in


def late(done: float) -> float:
    """The share of the second half that is done, of the share of all steps."""
    return max(0.0, done - LATE) / (1 - LATE)


def rate_factor(done: float) -> float:
    """What a learning rate is multiplied by: 1, then a cosine down to 0.001."""
    return 1e-3 + (1 - 1e-3) * (0.5 + 0.5 * math.cos(math.pi * late(done)))


def strength(done: float, penalty: float) -> float:
    """The strength of the regularisers: none, then a ramp up to `penalty`."""
    return penalty * min(1.0, 2 * late(done))
