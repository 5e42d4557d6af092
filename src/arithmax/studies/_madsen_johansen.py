"""Until the last old study is converted."""

from ._grid import SYMBOLS as SYMBOLS
