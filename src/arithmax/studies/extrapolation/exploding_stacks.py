"""Stacks whose intermediate results overflow: which depth, which units."""

from functools import cache
from typing import Any

import numpy as np

from ... import units
from ...networks import Network, Stack
from ...statistics import Interval, success_rate
from ...tasks import Operands
from .._evaluate import ArmRuns, Trained
from .._sheet import sheet
from .._study import Arm, Computed, Study, Table, columns
from .._tables import ends
from ._images import INK, image_tables
from ._runs import USUAL, run, starts

SHEET = sheet("extrapolation", "exploding-stacks")
UNITS: dict[str, units.Unit] = {
    "NAC₊": units.NAC(),
    "NAC•": units.MultiplicativeNAC(),
    "NALU": units.NALU(),
    "NALU, untied": units.NALU(tied=False),
    "iNALU": units.INALU(),
    "NAU": units.NAU(),
    "NMU": units.NMU(),
    "NMRU": units.NMRU(),
    "NaiveNPU": units.NaiveNPU(),
    "RealNPU": units.RealNPU(),
    "ReLU": units.Dense("relu"),
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
DRAWN = {"zeros": f"64 in {ZEROS}", "large": "4 in (20, 40)"}  # tables for plots
BASES = (1.1, 2.0, 10.0, 30.0)


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
def _stacks(unit: Network) -> Any:
    """What computes the largest |y| after each layer of fresh stacks of a unit."""
    import jax
    import jax.numpy as jnp

    from ... import initialise

    def layer(x: Any, key: Any) -> Any:
        params = initialise(unit, len(x), len(x), key=key, dtype=jnp.float32)
        y = unit.compute(params, x)
        return y, jnp.abs(y).max()

    def stack(x: Any, keys: Any) -> Any:
        return jax.lax.scan(layer, x, keys)[1]

    return jax.jit(jax.vmap(stack, (None, 0)))


def largest(unit: Network, x: np.ndarray, stacks: int) -> np.ndarray:
    """The largest |y| after each layer of fresh stacks as wide as x [stack, layer]."""
    import jax

    keys = jax.random.split(jax.random.key(0), (stacks, DEPTH))
    return np.asarray(_stacks(unit)(x, keys))


def at_the_start() -> dict[str, Table]:
    """How many fresh stacks overflow by depth, and the depth at which half do."""
    rows: dict[str, list[Any]] = {text: [] for text in DRAWN.values()}
    half: dict[str, list[str]] = {}
    for name in (*UNITS, NARROW):
        for width in WIDTHS:
            unit = UNITS.get(name) or starts(units.NALU(), width)[USUAL]
            for text in RANGES:
                sizes = largest(unit, inputs(text, width), STACKS)
                broken = (~np.isfinite(sizes)).sum(axis=0).tolist()
                rates = [ends(success_rate(count, STACKS)) for count in broken]
                where = f"{width} in {text}"
                rows.setdefault(where, []).extend(
                    (name, where, d, *rate) for d, rate in enumerate(rates, 1)
                )
                deep = [str(d) for d, n in enumerate(broken, 1) if 2 * n >= STACKS]
                half.setdefault(where, []).append((*deep, "–")[0])
    names = ("unit", "inputs", "layers", "overflow", "low", "high")
    tables: dict[str, Table] = {"half": {"unit": [*UNITS, NARROW], **half}}
    return tables | {name: columns(names, rows[text]) for name, text in DRAWN.items()}


def at_worst() -> tuple[Table, float]:
    """Layers of four inputs that all multiply: the powers, and where they overflow."""
    params = units.NALU().encode(np.ones((4, 4)), "product")
    rows, powers = [], []
    for base in BASES:
        row: list[Any] = [base]
        for kind in (np.float32, np.float64):
            typed = {name: value.astype(kind) for name, value in params.items()}
            x, logs = np.full((4, 1), base, dtype=kind), []
            with np.errstate(over="ignore", invalid="ignore"):
                while np.isfinite(x).all():
                    x = units.NALU().compute(typed, x)
                    logs.append(float(np.log(x[0, 0], dtype=float) / np.log(base)))
            row.append(len(logs))
        powers.append(logs)
        rows.append(row)
    # In float64 1.1 has room for four layers.
    names = ("x", "layers until float32 overflows", "layers until float64 overflows")
    return columns(names, rows), powers[0][3]


def explosions(trained: Trained) -> Computed:
    """Fresh stacks, the worst case, and what became of those that were trained."""
    images = image_tables(STACKS)  # first: it needs an extra, and the rest takes long
    worst, power = at_worst()
    rows = [(*f.arm.labels.values(), *_ended(f, trained)) for f in trained.arms()]
    names = ("unit", "inputs", "layers", "seeds", "overflowed", "parameters NaN")
    ended = columns((*names, "median |error|² at the end"), rows)
    near = 1e-5 * power  # what the ε of four layers adds
    figure = Interval(power, power - near, power + near)
    tables = at_the_start() | images | {"worst": worst, "trained": ended}
    lost = _share_lost(images["classified"])
    return Computed(tables, {SHEET.claim("power"): figure, SHEET.claim("nan"): lost})


def _share_lost(table: Table) -> Interval:
    """How many of the NALUs on images ended with NaN, of pixels as they are."""
    names = ("unit", "pixels", "seeds", "NaN")
    rows = zip(*(table[name] for name in names), strict=True)
    (counts,) = ((lost, seeds) for u, p, seeds, lost in rows if (u, p) == ("NALU", INK))
    return success_rate(*counts)


def _ended(runs: ArmRuns, trained: Trained) -> tuple[Any, ...]:
    """How many runs had errors that are not finite, how many ended with NaN."""
    curves = trained.results.curves([row["run"] for row in runs.rows]).values()
    errors = [c["interpolation"] for c in curves]
    broken = sum(not np.isfinite(e).all() for e in errors)
    lost = sum(not np.isfinite(c["sparsity"][-1]) for c in curves)
    last = [e[-1] if np.isfinite(e[-1]) else np.inf for e in errors]
    return len(errors), broken, lost, float(np.median(last))


def _arm(name: str, text: str, task: Operands, depth: int, **changes: Any) -> Arm:
    network = Stack((UNITS[name],) * depth, (task.in_features,) * (depth - 1))
    labels = {"unit": name, "inputs": text, "layers": depth}
    return Arm(labels, run(network, task, **changes))


def study() -> Study:
    """Section 6.1: the report's example, and the inputs that explode a NALU."""
    few = {"seeds": 64, "steps": 2000, "measuring__interval": 200}
    four = Operands("add", 4)
    arms = [
        _arm(name, "4 in (20, 40)", four, depth, **few)
        for name in ("NALU", "iNALU", "NMU")
        for depth in (1, 2, 4)
    ]
    first = {"seeds": 32, "steps": 100, "measuring__interval": 20}
    zeros = Operands("add", 64, (), RANGES[ZEROS], RANGES[ZEROS])
    arms += [_arm("NALU", f"64, {ZEROS}", zeros, d, **first) for d in (1, 3, 5)]
    return SHEET.study(arms, explosions)
