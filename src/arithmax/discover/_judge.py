"""The judge: refits, prunes, rounds, names, scores and verifies what stages propose."""

import math
from time import monotonic, thread_time

import numpy as np

from ._formula import Formula
from ._naming import named
from ._nodes import Node
from ._prune import pruned
from ._refit import predicted, refitted
from ._score import score
from ._snap import Allowance, Fitted, snapped
from ._table import Table
from ._tidy import easiest_to_name, normalised, tidied
from ._verdict import Candidate, Verdict
from ._verify import verdict

NEAR = 60.0  # a score so much worse than the best is not worth the last steps
NEARER = 5.0  # the same where the best leaves nothing to explain
PRECISE = 1e-10  # the share of the variation below which there is no noise


class OutOfTime(Exception):
    """The seconds of a search are over."""


class Judge:
    """Decides about candidates, and keeps the best.

    Args:
        table: the rows.
        tolerance: the root of the mean squared error, over the spread of the target,
            up to which a formula may count as found.
        deadline: when to stop, as told by `time.monotonic`.
    """

    def __init__(
        self, table: Table, tolerance: float, deadline: float = math.inf
    ) -> None:
        self.table, self.tolerance, self.deadline = table, tolerance, deadline
        self.allowance = Allowance(table.rows, table.smallest_error)
        self.started = thread_time()
        self.best: Candidate | None = None
        self.front: dict[int, Candidate] = {}
        self._seen: set[str] = set()

    def fit(self, node: Node) -> Fitted:
        """The free constants by least squares; the last digits where there are any."""
        if monotonic() > self.deadline:
            raise OutOfTime
        table = self.table
        node, error = refitted(node, table.columns, table.y, table.weight)
        if error < PRECISE * table.variation:
            relative = table.weight / np.maximum(np.abs(table.y), self._small)
            node = refitted(node, table.columns, table.y, relative, steps=10)[0]
            residual = (predicted(node, table.columns) - table.y) * table.weight
            error = float(residual @ residual)
        return node, error if math.isfinite(error) else math.inf

    @property
    def _small(self) -> float:
        return 1e-6 * float(np.std(self.table.y)) + 1e-300

    def score(self, node: Node, error: float) -> float:
        return score(node, error, self.table)

    def consider(self, node: Node, stage: str) -> Candidate | None:
        """The candidate that a proposed node leads to; None if it leads nowhere."""
        try:
            return self._considered(node, stage)
        except np.linalg.LinAlgError:  # numbers beyond what a float holds
            return None

    def _considered(self, node: Node, stage: str) -> Candidate | None:
        node, error = self.fit(normalised(node))
        if not math.isfinite(error) or self._hopeless(node, error):
            return None
        node, error = self._plain(node, error)
        if self.best is not None and self.score(node, error) > self.best.score + NEAR:
            return self._kept(node, error, stage)
        node, error = self._named(node, error)
        return self._kept(node, error, stage)

    def _hopeless(self, node: Node, error: float) -> bool:
        """Whether the node cannot come near the best, however many terms go.

        A term that is taken out costs about the square of its t-value, and one that
        stays its price.
        """
        if self.best is None:
            return False
        table = self.table
        least = table.rows * math.log(
            max(error, table.smallest_error) / table.variation
        )
        for number in node.numbers():
            if number.free and number.error > 0:
                certain = (number.value / number.error) ** 2
                least += 0.5 * min(certain, math.log(table.rows))
        margin = NEARER if self.best.verified else NEAR
        return least > self.best.score + margin

    def _plain(self, node: Node, error: float) -> Fitted:
        """Rounded and pruned, until neither changes anything."""
        for _ in range(3):
            before = node
            node, error = snapped(node, error, self.fit, self.allowance)
            node, error = pruned(node, error, self.fit, self.score)
            if node == before:
                break
        return node, error

    def _named(self, node: Node, error: float) -> Fitted:
        scaled = normalised(node, easiest_to_name(self.table.rows))
        if scaled != node:
            node, error = self.fit(scaled)
        node, error = named(node, error, self.fit, self.allowance)
        plain = tidied(node, self.table.columns)
        other = self.fit(plain)
        return other if self.allowance.holds(error, other[1]) else (node, error)

    def _kept(self, node: Node, error: float, stage: str) -> Candidate | None:
        """The candidate; it is remembered if it is best, or on the front."""
        table = self.table
        formula = Formula(node, table.names)
        if (key := str(formula)) in self._seen:
            return None
        self._seen.add(key)
        reached = self.score(node, error)
        held = predicted(node, table.held_columns) - table.held_y
        candidate = Candidate(
            formula,
            stage,
            reached,
            math.sqrt(error / table.variation),
            float(np.sqrt(np.mean(held**2)) / np.std(table.y)) if len(held) else 0.0,
            self._verdict(node, error, reached),
            thread_time() - self.started,
        )
        beaten = self.front.get(candidate.complexity)
        if beaten is None or candidate.training_error < beaten.training_error:
            self.front[candidate.complexity] = candidate
        if self.best is None or candidate.score < self.best.score:
            self.best = candidate
        return candidate

    def _verdict(self, node: Node, error: float, reached: float) -> Verdict:
        if self.best is not None and reached > self.best.score:
            return Verdict.NOT_FOUND  # told for the best only, and for the front later
        return verdict(node, error, reached, self.table, self.tolerance)
