"""Tables with other columns than the user's, and formulas in terms of the user's."""

from dataclasses import replace

import numpy as np

from ._nodes import Function, Node, Product, Sum, Variable
from ._refit import predicted
from ._table import Sample


def mapped(table: Sample, nodes: list[Node]) -> Sample | None:
    """The table whose columns are what `nodes` compute; None if that is not finite."""
    here = np.array([predicted(node, table.columns) for node in nodes])
    there = np.array([predicted(node, table.held_columns) for node in nodes])
    if not (np.isfinite(here).all() and np.isfinite(there).all()):
        return None
    names = tuple(f"_{i}" for i in range(len(nodes)))
    return replace(table, x=here.T.copy(), held_x=there.T.copy(), names=names)


def substituted(node: Node, nodes: list[Node]) -> Node:
    """`node` with each column replaced by one of `nodes`."""
    if isinstance(node, Variable):
        return nodes[node.index]
    if isinstance(node, Sum):
        terms = tuple(substituted(term, nodes) for term in node.terms)
        return Sum(node.coefficients, terms)
    if isinstance(node, Product):
        factors = tuple(substituted(factor, nodes) for factor in node.factors)
        return Product(node.exponents, factors)
    assert isinstance(node, Function)
    return Function(node.name, substituted(node.argument, nodes))
