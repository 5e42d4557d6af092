"""How often `arithmax.torch.fit` finds a law: tables, hidden sizes, noise, seeds.

A law is found if the printed formula, parsed again, has the right value far outside the
table to 10⁻⁶; with noise, if it has the right structure: constants may be off by 5 %.

    python benchmarks/fit.py --json docs/data/fit.json
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

import arithmax.torch
from arithmax.readout import parse

ROWS = 500
Law = tuple[int, Callable[[Any], Any]]
LAWS: dict[str, Law] = {
    "(a + b)·c, among six": (6, lambda x: (x[:, 0] + x[:, 1]) * x[:, 2]),
    "½·a·b²": (2, lambda x: 0.5 * x[:, 0] * x[:, 1] ** 2),
    "a²/b": (2, lambda x: x[:, 0] ** 2 / x[:, 1]),
    "a·b/c": (3, lambda x: x[:, 0] * x[:, 1] / x[:, 2]),
    "√a·b": (2, lambda x: x[:, 0] ** 0.5 * x[:, 1]),
}
SUM = "(a + b)·c, among six"


def sums_times(inputs: int, hidden: int = 2) -> torch.nn.Module:
    layers = arithmax.torch.NAU(inputs, hidden), arithmax.torch.NMU(hidden, 1)
    return torch.nn.Sequential(*layers)


def network(law: str) -> torch.nn.Module:
    inputs = LAWS[law][0]
    return sums_times(inputs) if law == SUM else arithmax.torch.RealNPU(inputs, 1)


def table(law: str, seed: int, noise: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    inputs, function = LAWS[law]
    rng = np.random.default_rng(seed)
    x = rng.uniform(1, 2, (ROWS, inputs))
    return x, function(x) * (1 + noise * rng.normal(size=ROWS))


def is_found(formula: Any, law: str, tolerance: float) -> bool:
    """Whether a formula, printed and parsed, is right far outside the table."""
    if formula is None:
        return False
    inputs, function = LAWS[law]
    x = np.random.default_rng(99).uniform(3, 500, (200, inputs))
    again = parse(str(formula), [f"x{i + 1}" for i in range(inputs)])
    return bool(np.allclose(again.evaluate(x), function(x), rtol=tolerance))


def fits(
    law: str, make: Callable[[], Any], noise: float = 0.0, **options: Any
) -> dict[str, Any]:
    """Ten tables and ten seeds: how often the law is found, and how many replicas."""
    began, found, near, replicas = time.process_time(), 0, 0, 0
    for seed in range(10):
        torch.manual_seed(seed)
        x, y = table(law, seed, noise)
        result = arithmax.torch.fit(make(), x, y, seed=seed, progress=False, **options)
        found += is_found(result.formula, law, 0.05 if noise else 1e-6)
        near, replicas = near + result.near, replicas + len(result.errors)
    seconds = round(time.process_time() - began, 1)
    return {"found": found, "of": 10, "share": near / replicas, "cpu_s": seconds}


def by_hand(law: str, scaled: bool, penalty: float, start: float) -> dict[str, Any]:
    """A loop as one writes it: Adam on one seed at a time, then rounded weights."""
    began, found, seeds, steps = time.process_time(), 0, 12, 6000
    for seed in range(seeds):
        torch.manual_seed(seed)
        x, y = (torch.tensor(v, dtype=torch.float32) for v in table(law, seed))
        net = network(law)
        if scaled:
            net = arithmax.torch.ScaledModule(net, float(x.mean()), float(y.mean()))
        optimiser = torch.optim.Adam(net.parameters(), lr=0.01)
        arithmax.torch.attach(optimiser, net)
        for step in range(steps):
            rows = torch.randint(len(x), (128,))
            loss = (net(x[rows])[:, 0] - y[rows]).square().mean()
            strength = penalty * (step >= start * steps)
            optimiser.zero_grad()
            (loss + strength * arithmax.torch.penalty(net)).backward()
            optimiser.step()
        reading = arithmax.torch.readout(net, x, y)
        found += is_found(reading.discrete_formula, law, 1e-2)
    seconds = round(time.process_time() - began, 1)
    return {"found": found, "of": seeds, "cpu_s": seconds}


def measured() -> dict[str, Any]:
    hidden = {
        str(size): fits(SUM, lambda size=size: sums_times(6, size))
        for size in (1, 2, 3, 4, 6)
    }
    # 5 % of the values are more than the usual tolerance of the spread of these.
    noise = {
        law: {
            str(n): fits(law, lambda law=law: network(law), n, tolerance=0.3)
            for n in (0.01, 0.05)
        }
        for law in (SUM, "a²/b")
    }
    return {
        "laws": {law: fits(law, lambda law=law: network(law)) for law in LAWS},
        "hidden": hidden,
        "noise": noise,
        "by hand": {
            "penalty from the first step": by_hand(SUM, False, 0.1, 0.0),
            "penalty from half way on": by_hand(SUM, False, 0.1, 0.5),
            "the same, scaled": by_hand(SUM, True, 0.1, 0.5),
        },
        "torch": torch.__version__.partition("+")[0],
        "command": "python benchmarks/fit.py --json docs/data/fit.json",
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(1)
    text = json.dumps(measured(), indent=1, ensure_ascii=False)
    print(text)
    if given.json:
        given.json.write_text(text + "\n", encoding="utf-8")
