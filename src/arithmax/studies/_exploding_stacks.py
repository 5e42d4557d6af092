"""Stacks whose intermediate results overflow: which depth, which units."""

from functools import cache
from typing import Any

import numpy as np

from ..networks import Stack
from ..protocol import Cell
from ..statistics import Interval, success_rate
from ..tasks import Operands
from ..units import (
    INALU,
    NAC,
    NALU,
    NAU,
    NMRU,
    NMU,
    Dense,
    MultiplicativeNAC,
    NaiveNPU,
    RealNPU,
    Unit,
)
from ._evaluate import Found, Trained
from ._extrapolation import REPORT, protocol, torch_start
from ._nac_operands import USUAL
from ._plots import Lines
from ._study import Arm, Computed, Published, Study, Table, columns

UNITS: dict[str, Unit] = {
    "NAC₊": NAC(),
    "NAC•": MultiplicativeNAC(),
    "NALU": NALU(),
    "NALU, untied": NALU(tied=False),
    "iNALU": INALU(),
    "NAU": NAU(),
    "NMU": NMU(),
    "NMRU": NMRU(),
    "NaiveNPU": NaiveNPU(),
    "RealNPU": RealNPU(),
    "ReLU": Dense("relu"),
}
NARROW = f"NALU, {USUAL}"
DEPTH = 8
WIDTHS = (4, 16, 64)
ZEROS = "half are 0"
# As the tasks give them: a range, or two of which each has half of the samples.
RANGES = {
    "(1, 2)": (1.0, 2.0),
    "(−2, 2)": (-2.0, 2.0),
    "(20, 40)": (20.0, 40.0),
    ZEROS: (0.0, 1e-30, 0.0, 1.0),
}
STACKS, SAMPLES = 100, 32
# Tables of their own, for plots.
DRAWN = {
    "zeros": f"64 in {ZEROS}",
    "large": "4 in (20, 40)",
}
BASES = (1.1, 2.0, 10.0, 30.0)
POWER = "power of x in the fourth of four layers of four inputs, at worst"


def inputs(name: str, width: int) -> np.ndarray:
    """Inputs [width, sample] of a range, in float32."""
    rng = np.random.default_rng(width)
    low, high, *second = RANGES[name]
    x = rng.uniform(low, high, (width, SAMPLES))
    if second:
        other = rng.uniform(second[0], second[1], (width, SAMPLES))
        x = np.where(rng.uniform(size=x.shape) < 0.5, x, other)
    return x.astype(np.float32)


@cache
def _stacks(unit: Unit) -> Any:
    """What computes the largest |y| after each layer of fresh stacks of a unit."""
    import jax
    import jax.numpy as jnp

    from .._initialise import initialise

    def layer(x: Any, key: Any) -> Any:
        params = initialise(unit, len(x), len(x), key=key, dtype=jnp.float32)
        y = unit.compute(params, x)
        return y, jnp.abs(y).max()

    def stack(x: Any, keys: Any) -> Any:
        return jax.lax.scan(layer, x, keys)[1]

    return jax.jit(jax.vmap(stack, (None, 0)))


def largest(unit: Unit, x: np.ndarray, stacks: int) -> np.ndarray:
    """The largest |y| after each layer of fresh stacks as wide as x [stack, layer]."""
    import jax

    keys = jax.random.split(jax.random.key(0), (stacks, DEPTH))
    return np.asarray(_stacks(unit)(x, keys))


def at_the_start() -> tuple[Table, Table]:
    """How many fresh stacks overflow by depth, and the depth at which half do."""
    rows, half = [], []
    for name in (*UNITS, NARROW):
        firsts = []
        for width in WIDTHS:
            unit = UNITS.get(name) or torch_start((NALU(),), (width,))
            for text in RANGES:
                x = inputs(text, width)
                sizes = largest(unit, x, STACKS)
                broken = (~np.isfinite(sizes)).sum(axis=0).tolist()
                for depth, count in enumerate(broken, 1):
                    rate = success_rate(count, STACKS)
                    labels = (name, f"{width} in {text}", depth)
                    rows.append((*labels, rate.value, rate.low, rate.high))
                reached = [d for d, n in enumerate(broken, 1) if 2 * n >= STACKS]
                firsts.append(str(reached[0]) if reached else "–")
        half.append((name, *firsts))
    names = ("unit", "inputs", "layers", "overflow", "low", "high")
    where = [f"{width} in {text}" for width in WIDTHS for text in RANGES]
    return columns(names, rows), columns(("unit", *where), half)


def at_worst() -> tuple[Table, float]:
    """Layers of four inputs that all multiply: the powers, and where they overflow."""
    params = NALU().encode(np.ones((4, 4)), "product")
    rows, powers = [], []
    for base in BASES:
        row: list[Any] = [base]
        for kind in (np.float32, np.float64):
            own = {name: value.astype(kind) for name, value in params.items()}
            x, logs = np.full((4, 1), base, dtype=kind), []
            with np.errstate(over="ignore", invalid="ignore"):
                while np.isfinite(x).all():
                    x = NALU().compute(own, x)
                    logs.append(float(np.log(x[0, 0], dtype=float) / np.log(base)))
            row.append(len(logs))
        powers.append(logs)
        rows.append(row)
    # In float64 1.1 has room for four layers.
    names = ("x", "layers until float32 overflows", "layers until float64 overflows")
    return columns(names, rows), powers[0][3]


def explosions(trained: Trained) -> Computed:
    """Fresh stacks, the worst case, and what became of those that were trained."""
    overflow, half = at_the_start()
    worst, power = at_worst()
    rows = [
        (*found.arm.labels.values(), *_ended(found, trained))
        for found in trained.found
        if found.rows
    ]
    names = ("unit", "inputs", "layers", "seeds", "overflowed", "parameters NaN")
    ended = columns((*names, "median |error|² at the end"), rows)
    tables = {"half": half, "worst": worst, "trained": ended}
    tables |= {name: chosen(overflow, text) for name, text in DRAWN.items()}
    near = 1e-5 * power  # what the ε of four layers adds
    return Computed(tables, {POWER: Interval(power, power - near, power + near)})


def chosen(table: Table, text: str) -> Table:
    """The rows of one kind of inputs."""
    kept = [k for k, name in enumerate(table["inputs"]) if name == text]
    return {name: [values[k] for k in kept] for name, values in table.items()}


def _ended(found: Found, trained: Trained) -> tuple[Any, ...]:
    """How many runs had errors that are not finite, how many ended with NaN."""
    curves = trained.results.curves([row["run"] for row in found.rows]).values()
    errors = [c["interpolation"] for c in curves]
    broken = sum(not np.isfinite(e).all() for e in errors)
    lost = sum(not np.isfinite(c["sparsity"][-1]) for c in curves)
    last = [e[-1] if np.isfinite(e[-1]) else np.inf for e in errors]
    return len(errors), broken, lost, float(np.median(last))


TRAINED = {"NALU": NALU(), "iNALU": INALU(), "NMU": NMU()}
FOUR = "4 in (20, 40)"
MANY = f"64, {ZEROS}"


def _arms() -> list[Arm]:
    """The report's example, and the inputs that explode a NALU."""
    few = protocol(steps=2000, interval=200)
    cases = [
        (name, FOUR, 4, depth, Operands("add", 4), few, 64)
        for name in TRAINED
        for depth in (1, 2, 4)
    ]
    zeros = Operands("add", 64, (), RANGES[ZEROS], RANGES[ZEROS])
    first = protocol(steps=100, interval=20)
    cases += [("NALU", MANY, 64, depth, zeros, first, 32) for depth in (1, 3, 5)]
    return [
        Arm(
            {"unit": name, "inputs": text, "layers": depth},
            Cell(
                Stack((TRAINED[name],) * depth, (width,) * (depth - 1)),
                task,
                own,
                tuple(range(seeds)),
            ),
        )
        for name, text, width, depth, task, own, seeds in cases
    ]


ABOUT = """
“Training often fails because of exploding intermediate results”: four layers of four
NALUs that all multiply raise x to the power 4ˡ in layer l, and a network of three NALU
layers on MNIST was lost “after the first training steps”. Three things are asked here:
how deep the worst case is, how many fresh stacks overflow float32 by their depth
(100 draws; as many outputs as inputs in every layer), and what becomes of stacks that
are trained to add, the report's example, with its loss and optimiser.

**The worst case is real but is not what one starts with.** The weights of most units
start around zero, and such powers neither grow nor shrink: no NALU stack of the
report's size overflows, fresh or trained. **What explodes NALU is zeros.** An input of
0 enters as log(10⁻⁷) = −16, and many of them, as the dark pixels of a digit are, add
up: of 64 inputs of which half are 0, three layers overflow in some stacks and five in
most, and when they are trained on such inputs a quarter of the stacks of three layers
and all of five end with NaN within 100 steps. A narrower start (±1/√n) does not
overflow, nor does iNALU, which clips its exponent at 20. **The unit that explodes of
itself is NMU**: its weights start around ½, so that each layer multiplies numbers above
1, and three layers are enough for four inputs in (20, 40). NMRU, which also has
reciprocals of its inputs, overflows on zeros at once.
"""


def exploding_stacks() -> Study:
    """Section 6.1."""
    return Study(
        "exploding-stacks",
        "Deep stacks that overflow",
        f"{REPORT}, section 6.1",
        ABOUT.strip(),
        tuple(_arms()),
        compute=explosions,
        claims={
            POWER: Published(
                256.0,
                256.0,
                256.0,
                "“x4 for each output dimension … ultimately "
                "leading to x4l for layer l”, that is x to the power 4⁴",
            )
        },
        shown={
            "half": "Layers at which at least half of 100 fresh stacks have overflown "
            "float32, by inputs and their range; – where up to eight are not enough.",
            "worst": "The worst case, W = 1 and closed gates: how many layers of four "
            "inputs x it takes to overflow.",
            "trained": "Stacks that learn the sum of their inputs: runs with an error "
            "that was not finite, runs that ended with NaN, and the median error.",
        },
        plots=(
            Lines(
                "Fresh stacks of 64 inputs, half of them 0: the share that overflows.",
                *("zeros", "layers", "overflow", "unit"),
            ),
            Lines(
                "Fresh stacks of 4 inputs in (20, 40).",
                *("large", "layers", "overflow", "unit"),
            ),
        ),
    )
