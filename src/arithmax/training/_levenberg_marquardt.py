"""Levenberg–Marquardt with variable projection: least squares of second order.

This file is read by the command line and loads no array library.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .._checks import shown
from ._declared import compiled, traced
from ._losses import SquaredError
from ._optimiser import Optimiser


@dataclass(frozen=True)
class LevenbergMarquardt(Optimiser):
    r"""Damped Gauss–Newton steps within bounds: second order, for full batches.

    $$ d = \arg\min_d \; g^\top d + d^\top (J^\top J + \mu\,\gamma I)\, d $$

    $J$ are the slopes of the residuals, $g$ is the gradient of the whole objective,
    penalties included, $\mu$ is the damping and $\gamma$ the mean of the diagonal of
    $J^\top J$. Weights stay within the network's bounds: what meets one is held, and
    the others are solved for again. A step is taken if it lowers the objective by at
    least a tenth of what the quadratic model promises; the damping follows from that
    share by Nielsen's rule. Otherwise the parameters stay as they are, and the next
    step is damped more. NaN is never taken.

    Where a network declares `linear_parameters`, such as those of a stack that ends in
    `Linear`, they are solved for exactly at each trial point, and the others move by
    Kaufman's projected Jacobian (variable projection). With penalties, of which the
    residuals know nothing, all parameters are damped alike.

    It needs the squared error, no transforms, and the same samples in each step:
    `Batches(full=True)`. There should be more of them than parameters. Use
    `precision="float64"`; float32 works, and ends at a mean squared error of about
    10⁻¹⁴ of that of the targets. A step costs rows × parameters² operations: it is
    for networks of up to some thousand parameters. Penalties with kinks, such as L1
    norms, slow it down: train without, and round.

    Examples:
        >>> import numpy as np
        >>> from arithmax import Linear, Protocol, RealNaiveNPU, Stack, train
        >>> from arithmax.tasks import Dataset
        >>> from arithmax.training import Batches, LevenbergMarquardt, Measuring
        >>> a, b, c = np.random.default_rng(0).uniform(0.5, 2, (3, 200))
        >>> task = Dataset.from_arrays(np.c_[a, b, c], 2.5 * a**2 / b - 0.7 * b * c)
        >>> network = Stack((RealNaiveNPU(), Linear(bias=False)), hidden=(2,))
        >>> protocol = Protocol(
        ...     60, Batches(full=True), LevenbergMarquardt(), precision="float64",
        ...     measuring=Measuring(20))
        >>> rows = train(network, task, protocol, seeds=range(8)).rows
        >>> min(row["extrapolation"] for row in rows) < 1e-20
        True

    Reference:
        H. B. Nielsen, "Damping Parameter in Marquardt's Method", IMM-REP-1999-05;
        L. Kaufman, "A Variable Projection Method for Solving Separable Nonlinear Least
        Squares Problems", BIT 15, 1975.
    """

    damping: float = traced(1.0, (1e-15, 1e15))
    """The damping of the first step; how far from a solution runs may begin."""
    projection: bool = compiled(True)
    """Whether parameters in which the network is linear are solved for exactly."""

    asks: ClassVar[Mapping[str, Any]] = {"batches__full": True, "precision": "float64"}

    def check_protocol(self, protocol):
        loss, batches = protocol.loss, protocol.batches
        if not isinstance(loss, SquaredError):
            raise ValueError(
                f"`loss` (={shown(loss)}) must be `SquaredError()` with "
                "`LevenbergMarquardt`, whose steps are those of least squares. Use it, "
                "or another optimiser."
            )
        if protocol.transforms:
            raise ValueError(
                f"`transforms` (={shown(protocol.transforms)}) must be empty with "
                "`LevenbergMarquardt`, which follows no gradient. Leave them out."
            )
        if protocol.schedule is not None:
            raise ValueError(
                f"`schedule` (={shown(protocol.schedule)}) must be None with "
                "`LevenbergMarquardt`, which chooses the size of each step and has no "
                "learning rate. Leave it out."
            )
        if batches.repeated != 1:
            raise ValueError(
                f"`batches` (={shown(batches)}) must be the same samples in each step "
                "with `LevenbergMarquardt`, which compares one step with the next. Use "
                "`Batches(1000, full=True)`: all rows of a table, or 1000 samples that "
                "are drawn once."
            )

    def check_cell(self, network, task):
        if network.noise(task.in_features):
            raise ValueError(
                f"`network` (={shown(network)}) must have no noise in training with "
                "`LevenbergMarquardt`, which compares one step with the next. Use "
                "another network or optimiser."
            )
        declared = network.parameters(task.in_features, task.out_features)
        for name in network.linear_parameters:
            if name not in declared:
                raise ValueError(
                    f"`linear_parameters` of `network` (={shown(network)}) has "
                    f"{name!r}, which is no parameter: it has {', '.join(declared)}."
                )

    def workspace(self, parameters: int, residuals: int) -> int:
        return parameters * (2 * residuals + 3 * parameters)

    def start(self, params):
        import jax.numpy as jnp

        from .._gauss_newton import Damping

        dtype = next(iter(params.values())).dtype
        return Damping(jnp.asarray(self.damping, dtype), jnp.asarray(2.0, dtype))

    def step(self, objective, params, state, transform):
        import jax
        import jax.numpy as jnp

        from .._gauss_newton import GAIN, damped_by, damped_step
        from ._least_squares import Flat, jacobian, solve

        flat = Flat(objective, params, self.projection)
        at, count = flat.at, flat.count
        (value, loss), gradient = jax.value_and_grad(flat.total, has_aux=True)(at)
        slopes, gradient = flat.live(jacobian(flat.residuals, at)), flat.live(gradient)
        step, promised = damped_step(
            slopes, gradient, state.size, count, flat.room(), solve
        )
        trial = flat.project(flat.solved(at + step))
        after, _ = flat.total(trial)
        gain = (value - after) / promised
        better = (after < value) & (gain > GAIN)  # never with NaN
        params = flat.params(jnp.where(better, trial, at))
        return params, damped_by(state, gain, better), loss
