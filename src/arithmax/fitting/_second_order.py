"""Second-order training of all replicas: descend, then round what is nearly whole."""

from collections.abc import Callable

from .._arrays import Array, namespace
from ._descent import Replicas, begun, stepper
from ._engine import Engine
from ._settings import Settings

STEPS = 120
LOOK = 10  # steps after which it is looked whether any replica still moves
SETTLED = 1e-3  # of its loss a replica that still moves loses at least so much
FLOOR = 1e-28  # a loss of roundings
WHOLE = 0.05  # weights this near to whole ones become whole
PASSES, ROUNDING = 3, 15  # how often weights are rounded, and the steps after that
WORSE = 1.1  # by which a loss may grow when weights become whole


def second_order(
    engine: Engine,
    at: Array,
    settings: Settings,
    watch: Callable[[float, float], None],
) -> Array:
    """Replicas [replica, n] after Levenberg–Marquardt and rounding.

    First the loss alone, since regularisers have kinks where weights are whole. Then
    weights near whole ones are held there, and the regularisers move the others along
    directions that cost nothing, such as a factor that a layer and a coefficient
    share. A replica that rounding makes worse stays as it was.
    """
    step = engine.compiled(stepper(engine.objective, engine.tools))
    xp = namespace(at)
    nothing = xp.zeros_like(at) != 0
    replicas = begun(at)
    steps = settings.steps or STEPS
    for i in range(0, steps, LOOK):
        before = replicas.loss
        for _ in range(min(LOOK, steps - i)):
            replicas = step(replicas, nothing, 0.0)
        watch(0.8 * i / steps, _least(replicas.loss))
        if not bool(_moving(before, replicas.loss)):
            break
    rounded = _rounded(engine, step, replicas, settings)
    watch(1.0, _least(rounded.loss))
    better = rounded.loss <= WORSE * replicas.loss + FLOOR
    return xp.where(better[:, None], rounded.at, replicas.at)


def _rounded(
    engine: Engine,
    step: Callable[[Replicas, Array, float], Replicas],
    replicas: Replicas,
    settings: Settings,
) -> Replicas:
    xp = namespace(replicas.at)
    for last in [False] * PASSES + [True]:
        whole = xp.stack([engine.nearest(a) for a in replicas.at])
        held = xp.abs(replicas.at - whole) < WHOLE  # never where there is none
        replicas = begun(xp.where(held, whole, replicas.at))
        for _ in range(ROUNDING):
            replicas = step(replicas, held, 0.0 if last else settings.penalty)
    return replicas


def _moving(before: Array, after: Array) -> Array:
    """Whether any replica still gains something."""
    xp = namespace(after)
    return xp.any((after > FLOOR) & ~(after > (1 - SETTLED) * before))


def _least(loss: Array) -> float:
    xp = namespace(loss)
    return float(xp.min(xp.where(xp.isnan(loss), xp.full_like(loss, xp.inf), loss)))
