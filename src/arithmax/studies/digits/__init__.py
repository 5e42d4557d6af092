"""Digits in, sums and products out: images that a unit adds, multiplies or counts.

Products and sums are of Neural Arithmetic Units (ICLR 2020), by A. Madsen and A. R.
Johansen, whose second example they are; counts are of Neural Arithmetic Logic Units
(NeurIPS 2018), by A. Trask et al. The published figures are in the JSON files, each
with its source.
"""

from ._threshold import limit as limit
