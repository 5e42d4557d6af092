"""The gates of NALU layers."""

from collections.abc import Mapping
from typing import Any

import numpy as np


def exact_sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(−x)), accurate in both tails."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def gates(layer: Mapping[str, Any], x: np.ndarray) -> np.ndarray:
    """How far a NALU layer opens its gates at inputs [in, sample]; 1 adds."""
    logits = layer["G"] @ x
    return exact_sigmoid(logits + layer["b"][:, None] if "b" in layer else logits)
