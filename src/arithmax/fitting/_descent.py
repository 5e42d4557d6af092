"""Levenberg–Marquardt for many replicas at once, in any framework."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

from .._arrays import Array, namespace
from .._gauss_newton import GAIN, Damping, Solve, damped_by, damped_step

FAR = 1e30  # beyond all bounds


class LeastSquares(ABC):
    """What a replica makes small: functions of its parameters as one vector [n]."""

    @abstractmethod
    def residuals(self, at: Array) -> Array:
        """Residuals whose squares sum up to the loss."""

    @abstractmethod
    def slopes(self, at: Array) -> Array:
        """The derivatives [m, n] of the residuals."""

    @abstractmethod
    def penalty(self, at: Array) -> Array:
        """The regularisers of all layers."""

    @abstractmethod
    def project(self, at: Array) -> Array:
        """The vector within its bounds."""


class Tools(NamedTuple):
    """What frameworks do each in a way of its own.

    Args:
        gradient: from a function of a vector to its gradient [n].
        solve: of linear equations.
        every: from a function of one replica to one of all, on the first axis.
    """

    gradient: Callable[[Any], Any]
    solve: Solve
    every: Callable[[Any], Any]


class Replicas(NamedTuple):
    """Parameters [replica, n], their damping, and the loss of each without penalty."""

    at: Array
    damping: Damping
    loss: Array


def begun(at: Array) -> Replicas:
    """Replicas before their first step."""
    xp = namespace(at)
    ones = xp.ones_like(at[:, 0])
    return Replicas(at, Damping(ones, 2 * ones), ones * xp.inf)


def stepper(
    objective: LeastSquares, tools: Tools
) -> Callable[[Replicas, Array, float], Replicas]:
    """A step of all replicas: a function of them, of what is held, and of a strength.

    A step is taken if it lowers the objective by at least a tenth of what its model
    promises; see `arithmax.training.LevenbergMarquardt`. What is held [replica, n]
    stays; the strength is that of the regularisers.
    """

    def one(at: Array, damping: Damping, held: Array, strength: Array) -> Replicas:
        xp = namespace(at)
        r = objective.residuals(at)
        slopes = objective.slopes(at)
        slope = tools.gradient(objective.penalty)(at)
        gradient = 2 * slopes.T @ r + strength * slope
        value = r @ r + strength * objective.penalty(at)
        far = xp.full_like(at, FAR)
        ends = objective.project(-far) - at, objective.project(far) - at
        room = tuple(xp.where(held, xp.zeros_like(at), end) for end in ends)
        step, promised = damped_step(
            slopes, gradient, damping.size, at.shape[0], room, tools.solve
        )
        trial = objective.project(at + step)
        s = objective.residuals(trial)
        after = s @ s + strength * objective.penalty(trial)
        gain = (value - after) / promised
        better = (after < value) & (gain > GAIN)  # never with NaN
        new = xp.where(better, trial, at)
        loss = xp.where(better, s @ s, r @ r)
        return Replicas(new, damped_by(damping, gain, better), loss)

    every = tools.every(one)
    return lambda replicas, held, strength: Replicas(
        *every(replicas.at, replicas.damping, held, strength)
    )
