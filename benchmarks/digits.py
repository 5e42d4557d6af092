"""Ten seeds of `digits-product` side by side, against a plain PyTorch loop per seed.

Both train the published CNN and an NMU on products of two digits: batches of 64 pairs
of images, Adam, the two penalties, the projection, and after each `interval` steps the
errors on all held-out images and on all test images at twenty lengths. The fleet trains
ten seeds as one program, by what a user calls, `train_cells`; the loop trains one seed
after the other. In PyTorch images lie on the device, every image is read once when a
model is measured, and nothing is fetched in between, as a careful user would write it.
Times are by the clock, after a first call that compiled, or warmed up.

    python benchmarks/digits.py --folder MNIST [--intervals 3] [--json FILE]
"""

import argparse
import json
import platform
import time
from pathlib import Path
from typing import Any

import jax
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from arithmax import NMU, published
from arithmax.tasks import Digits
from arithmax.training import Cell, train_cells

SEEDS = 10
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Model(nn.Module):
    """The CNN of PyTorch's example, and an NMU by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 20, 5), nn.Conv2d(20, 50, 5)
        self.dense, self.out = nn.Linear(800, 500), nn.Linear(500, 1)
        self.weight = nn.Parameter(torch.empty(2).uniform_(0.25, 0.75))

    def read(self, images: Tensor) -> Tensor:
        """What is read off images [n, 1, 28, 28]."""
        x = F.max_pool2d(F.relu(self.conv1(images)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.out(F.relu(self.dense(x.flatten(1))))[:, 0]

    def accumulate(self, readings: Tensor) -> tuple[Tensor, Tensor]:
        """The products so far of readings [length, row], and the NMU's mean inputs."""
        state, w = torch.ones_like(readings[0]), self.weight.clamp(0, 1)
        states, before = [], []
        for reading in readings:
            before.append(state)
            state = (w[0] * reading + 1 - w[0]) * (w[1] * state + 1 - w[1])
            states.append(state)
        means = torch.stack([readings.mean(), torch.stack(before).mean()])
        return torch.stack(states), means


class Loop:
    """One seed of PyTorch."""

    def __init__(self, task: Digits, seed: int) -> None:
        torch.manual_seed(seed)
        self.model, self.task = Model().to(DEVICE), task
        self.optimiser = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.arrays = {
            name: torch.as_tensor(value, device=DEVICE)
            for name, value in (task.shared() | task.replica(seed)).items()
        }

    def step(self, number: int, batch: int = 64) -> None:
        """One step of training."""
        order, length = self.arrays["order"], self.task.row_length
        rows = torch.randint(len(order) // length, (batch,), device=DEVICE)
        places = torch.arange(length, device=DEVICE)[:, None]
        at = order[rows * length + places]
        images = self.arrays["training_x"][at.reshape(-1)][:, None]
        target = self.arrays["training_t"][at].cumprod(0)
        self.optimiser.zero_grad()
        y, means = self.model.accumulate(self.model.read(images).reshape(length, -1))
        w, ramp = self.model.weight, min(max((number - 1e4) / 9e4, 0.0), 1.0)
        sparse = torch.minimum(w.abs(), (1 - w).abs()).mean()
        unused = ((1 - w) * (1 - means) ** 2).mean()
        (F.mse_loss(y, target) + 10 * ramp * sparse + unused).backward()
        self.optimiser.step()
        with torch.no_grad():
            w.clamp_(0, 1)

    @torch.no_grad()
    def measure(self) -> Tensor:
        """The errors on held-out images and at each length."""
        found = [self._error("interpolation", self.task.row_length)]
        found += [self._error("extrapolation", n) for n in self.task.lengths]
        return torch.stack(found)

    def _error(self, split: str, length: int) -> Tensor:
        images, labels = (self.arrays[f"{split}_{k}"] for k in "xt")
        if split == "interpolation" or length == 1:  # the first of each split
            self.readings = self.model.read(images[:, None])
        count = len(labels) // length
        cut = [
            v[: count * length].reshape(count, length).T
            for v in (self.readings, labels)
        ]
        y, _ = self.model.accumulate(cut[0])
        return F.mse_loss(y, cut[1].cumprod(0))


def loop_seconds(task: Digits, interval: int, intervals: int) -> float:
    """Seconds of one seed for so many intervals."""
    loop = Loop(task, 0)
    for number in range(100):
        loop.step(number)
    _fetched(loop.measure())
    began = time.perf_counter()
    for i in range(intervals):
        loop.measure()
        for number in range(interval):
            loop.step(i * interval + number)
    _fetched(loop.model.weight.detach())  # which waits for all before it
    return time.perf_counter() - began


def _fetched(values: Tensor) -> np.ndarray:
    return values.cpu().numpy()


def fleet_seconds(task: Digits, intervals: int) -> tuple[float, float]:
    """Seconds of ten seeds for so many intervals, and of compiling."""
    network, protocol = published(NMU(), task)
    interval = protocol.measuring.interval

    def timed(count: int) -> float:
        cut = protocol.updated(steps=count * interval)
        began = time.perf_counter()
        train_cells([Cell(network, task, cut, tuple(range(SEEDS)))], workers=1)
        return time.perf_counter() - began

    first, few, many = timed(1), timed(1), timed(1 + intervals)
    return many - few, first - few


def main() -> None:
    """Measure both in one run, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", default="")
    parser.add_argument("--intervals", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    source: Any = "full" if given.folder else "bundled"
    task = Digits("product", images=source, folder=given.folder)
    interval = published(NMU(), task)[1].measuring.interval
    fleet, compiling = fleet_seconds(task, given.intervals)
    loop = loop_seconds(task, interval, given.intervals)
    steps = given.intervals * interval
    found = {
        "device": jax.devices()[0].device_kind,
        "images": source,
        "steps": steps,
        "seeds": SEEDS,
        "fleet_ms_per_step": 1e3 * fleet / steps,
        "loop_ms_per_step_and_seed": 1e3 * loop / steps,
        "ratio": SEEDS * loop / fleet,
        "compile_s": compiling,
        "jax": jax.__version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
    }
    print(json.dumps(found, indent=1))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
