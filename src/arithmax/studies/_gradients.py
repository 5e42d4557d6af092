"""Until the last old study is converted."""

from ._tables import estimate as estimate
