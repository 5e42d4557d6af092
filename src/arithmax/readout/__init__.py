"""Formulas of trained networks, and formulas as code, text and files."""

from ._parse import parse as parse
