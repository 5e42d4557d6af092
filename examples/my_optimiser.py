"""An optimiser of one's own: any transformation of optax, or a function that makes one.

Run it with `arithmax train single-module --optimiser examples/my_optimiser.py:lion`.
"""

from typing import Any

import optax


def lion(learning_rate: float = 1e-3, largest: float = 1.0, b1: float = 0.9) -> Any:
    """Lion, after gradients are cut to a norm."""
    return optax.chain(
        optax.clip_by_global_norm(largest), optax.lion(learning_rate, b1=b1)
    )


warm = optax.adam(optax.linear_schedule(1e-4, 1e-2, transition_steps=2000))
