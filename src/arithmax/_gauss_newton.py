"""The mathematics of a Gauss–Newton step: damping, bounds, linear parameters.

It is written once for every framework. Each solves linear equations, and
differentiates, in a way of its own, which callers bring along.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from jaxtyping import Float

from ._arrays import Array, Namespace, namespace

# jaxtyping checks these in the test run.
Number = Float[Any, ""]
Vector = Float[Any, "n"]
Slopes = Float[Any, "m n"]
Square = Float[Any, "n n"]
# The solution x of A x = b for a positive definite A; NaN where it is not.
Solve: TypeAlias = Callable[[Any, Any], Any]

PASSES = 3  # of a step within bounds: those that one meets are held in the next
RIDGE = 1e3  # roundings by which the linear parameters' equations are regularised
LEAST, MOST = 1e-15, 1e15  # damping, which would else run away from a solution
GAIN = 0.1  # of what a step promises it must keep at least so much


class Damping(NamedTuple):
    """The damping of the next step, and by what it grows if that step fails."""

    size: Array
    growth: Array


def damped_by(state: Damping, gain: Array, better: Array) -> Damping:
    r"""The damping after a step, by Nielsen's rule.

    $$ \mu \leftarrow \mu \max\left(\tfrac13,\; 1 - (2\rho - 1)^3\right),\; \nu
       \leftarrow 2 \quad\text{or}\quad \mu \leftarrow \mu\nu,\; \nu \leftarrow 2\nu $$

    Args:
        state: $\mu$ and $\nu$.
        gain: $\rho$, how much of what it promised a step has kept.
        better: whether the step was taken; otherwise the second rule counts.
    """
    xp = namespace(gain)
    kept = xp.clip(1 - (2 * gain - 1) ** 3, 1 / 3, None)
    factor = xp.where(better, kept, state.growth)
    growth = xp.where(better, xp.full_like(state.growth, 2.0), 2 * state.growth)
    return Damping(
        xp.clip(state.size * factor, LEAST, MOST), xp.clip(growth, None, MOST)
    )


def mean_of(gram: Square) -> Number:
    """The mean of the diagonal, without parameters that have no effect."""
    xp = namespace(gram)
    diagonal = xp.linalg.diagonal(gram)
    count = xp.clip(xp.sum(xp.astype(diagonal > 0, gram.dtype)), 1.0, None)
    return xp.sum(diagonal) / count + xp.finfo(gram.dtype).smallest_normal


def with_diagonal(gram: Square, diagonal: Array) -> Square:
    """A matrix with something added to its diagonal."""
    xp = namespace(gram)
    eye = xp.eye(gram.shape[0], dtype=gram.dtype, **_device(gram, xp))
    return gram + eye * diagonal[None]


def _device(like: Array, xp: Namespace) -> dict[str, Any]:
    return {"device": like.device} if xp.__name__.endswith("torch") else {}


def best(slopes: Slopes, right: Array, solve: Solve) -> Array:
    """−(ΦᵀΦ)⁻¹ b for slopes Φ, with a ridge of some roundings.

    It regularises a change of the parameters, so that it draws them nowhere.
    """
    xp = namespace(slopes)
    gram = slopes.T @ slopes
    rounding = RIDGE * float(xp.finfo(gram.dtype).eps)
    ridge = rounding * (xp.linalg.diagonal(gram) + 1e-3 * mean_of(gram))
    return -solve(with_diagonal(gram, ridge), right)


def boxed(
    gram: Square,
    gradient: Vector,
    damping: Number,
    low: Vector,
    high: Vector,
    solve: Solve,
) -> Vector:
    r"""The least of a damped quadratic model within bounds.

    $$ \min_d \; g^\top d + d^\top (G + \mu I)\, d \qquad low \le d \le high $$

    A projected step is no descent where many bounds are met at once. Entries that meet
    one are held there, and the others are solved for again, as often as `PASSES`.

    Args:
        gram: $G$, half of the curvature.
        gradient: $g$.
        damping: $\mu$.
        low: how far each entry may move down, at most 0.
        high: how far each entry may move up, at least 0.
        solve: of linear equations.
    """
    xp = namespace(gram)
    nothing, one = xp.zeros_like(low), xp.ones_like(low)
    step = nothing
    held = ((low >= 0) & (gradient >= 0)) | ((high <= 0) & (gradient <= 0))
    for _ in range(PASSES):
        right = -0.5 * gradient - gram @ xp.where(held, step, nothing)
        others = xp.where(held[:, None] | held[None], xp.zeros_like(gram), gram)
        weight = xp.where(held, one, damping * one)
        right = xp.where(held, nothing, right)
        solution = solve(with_diagonal(others, weight), right)
        step = xp.where(held, step, solution)
        held = held | (step <= low) | (step >= high)
        step = xp.minimum(xp.maximum(step, low), high)
    return step


def projected(
    slopes: Slopes, count: int, solve: Solve
) -> tuple[Float[Any, "m k"], Array]:
    r"""Kaufman's Jacobian of variable projection, and how linear parameters follow.

    $$ P = A - \Phi\,(\Phi^\top \Phi)^{-1} \Phi^\top A $$

    Args:
        slopes: $A$ [m, count] beside $\Phi$ [m, n − count].
        count: how many parameters are not linear.
        solve: of linear equations.

    Returns:
        $P$, and $-(\Phi^\top\Phi)^{-1}\Phi^\top A$ [n − count, count].
    """
    first, last = slopes[:, :count], slopes[:, count:]
    follow = best(last, last.T @ first, solve)
    return first + last @ follow, follow


def damped_step(
    slopes: Slopes,
    gradient: Vector,
    damping: Number,
    count: int,
    room: tuple[Vector, Vector],
    solve: Solve,
) -> tuple[Vector, Number]:
    r"""A damped Gauss–Newton step, and by how much it should lower the objective.

    $$ d = \arg\min_d \; g^\top d + d^\top (P^\top P + \mu\,\gamma I)\, d $$

    $\gamma$ is the mean of the diagonal of $P^\top P$: parameters of arithmetic units
    are all of the size of 1, and are damped alike. Those that are linear are not
    damped, and $P$ is what they leave of the slopes.

    Args:
        slopes: those of residuals whose squares sum up to the loss.
        gradient: that of the whole objective.
        damping: $\mu$.
        count: how many parameters, the first ones, are not linear.
        room: how far each may move down, and how far up.
        solve: of linear equations.
    """
    own, follow = slopes, None
    right = gradient[:count]
    if count < gradient.shape[0]:
        own, follow = projected(slopes, count, solve)
        right = right + follow.T @ gradient[count:]
    gram = own.T @ own
    low, high = (end[:count] for end in room)
    step = boxed(gram, right, damping * mean_of(gram), low, high, solve)
    if follow is not None:
        rest = 0.5 * best(slopes[:, count:], gradient[count:], solve)
        step = namespace(step).concat([step, follow @ step + rest])
    change = slopes @ step
    return step, -(gradient @ step) - change @ change
