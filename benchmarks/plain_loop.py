"""NAU and NMU on the arithmetic dataset in plain PyTorch, one seed at a time.

A second opinion on published mean steps that the fleet does not reproduce: it shares no
code with the fleet, draws its numbers with NumPy's legacy generator as the authors do,
and prints when the extrapolation error was first below the authors' threshold.

    OMP_NUM_THREADS=1 python benchmarks/plain_loop.py --low 0 --high 1 --seeds 4
"""

import argparse
import json
import math
import time

import numpy as np
import torch

# Interpolation range: extrapolation ranges, and the authors' threshold there.
KNOWN = {
    (0.0, 1.0): ([(1.0, 5.0)], 0.05077),
    (-2.0, 2.0): ([(-6.0, -2.0), (2.0, 6.0)], 0.0002297),
    (1.0, 2.0): ([(2.0, 6.0)], 0.1600107),
}
INPUTS, SUBSET, OVERLAP = 100, 25, 12


def draw(rng: np.random.RandomState, rows: int, parts) -> torch.Tensor:
    """Rows of inputs, each number from one of the ranges."""
    drawn = [rng.uniform(low, high, (rows, INPUTS)) for low, high in parts]
    chosen = drawn[0]
    if len(drawn) > 1:
        chosen = np.where(rng.uniform(size=chosen.shape) < 0.5, *drawn)
    return torch.from_numpy(chosen.astype(np.float32))


def target(x: torch.Tensor, offset: int) -> torch.Tensor:
    """The product of the sums of two overlapping subsets."""
    second = offset + SUBSET - OVERLAP
    first = x[:, offset : offset + SUBSET].sum(1)
    return first * x[:, second : second + SUBSET].sum(1)


def solved_at(seed: int, inner, outer, threshold: float, steps: int) -> int | None:
    """The first measured step at which one seed is right outside its range."""
    rng = np.random.RandomState(seed)
    offset = rng.randint(0, INPUTS - (2 * SUBSET - OVERLAP) + 1)
    torch.manual_seed(seed)
    r = math.sqrt(6 / (INPUTS + 2))
    first = torch.empty(2, INPUTS).uniform_(-r, r).requires_grad_()
    second = torch.empty(1, 2).uniform_(0.25, 0.75).requires_grad_()
    optimiser = torch.optim.Adam([first, second], lr=1e-3)
    test = draw(np.random.RandomState(8689336), 10_000, outer)
    test_target = target(test, offset)

    def predict(x: torch.Tensor) -> torch.Tensor:
        z = x @ first.T
        return (second * z + 1 - second).prod(1)

    for step in range(steps):
        if step % 1000 == 0:
            with torch.no_grad():
                error = (predict(test) - test_target).square().mean().item()
            if error < threshold:
                return step
        x = draw(rng, 128, [inner])
        loss = (predict(x) - target(x, offset)).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        with torch.no_grad():
            first.clamp_(-1, 1)
            second.clamp_(0, 1)
    return None


def main() -> None:
    """Print one line per seed, then all of them as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--low", type=float, default=0.0)
    parser.add_argument("--high", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=200_000)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    inner = (chosen.low, chosen.high)
    outer, threshold = KNOWN[inner]
    found = {}
    for seed in range(chosen.first_seed, chosen.first_seed + chosen.seeds):
        began = time.perf_counter()
        found[seed] = solved_at(seed, inner, outer, threshold, chosen.steps)
        print(seed, found[seed], f"{time.perf_counter() - began:.0f} s", flush=True)
    print(json.dumps({"range": inner, "steps": chosen.steps, "solved_at": found}))


if __name__ == "__main__":
    main()
