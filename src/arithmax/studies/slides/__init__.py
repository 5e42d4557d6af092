"""Neural Arithmetic Units (ICLR 2020) and its slides, by A. Madsen and A. R. Johansen.

The published figures are in the JSON files, each with its source.
"""
