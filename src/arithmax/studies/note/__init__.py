"""The multiplication note (NALU project, April 2019)."""
