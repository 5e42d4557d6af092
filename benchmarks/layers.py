"""What a layer in PyTorch costs: forward and backward, against hand-written layers.

Each hand-written layer is what one would write in PyTorch for the same mathematics: the
same parameters, batch first, `torch.nn.functional` where it helps. The two are timed by
turns in one process, so that a noisy machine is noisy for both, and the ratio of their
CPU times is what counts.

    OMP_NUM_THREADS=1 python benchmarks/layers.py [--json FILE]
"""

import json
import platform
import statistics
import sys
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

import arithmax.torch

ROUNDS = 9


class HandNAU(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.W = nn.Parameter(w)

    def forward(self, x):
        return F.linear(x, self.W.clamp(-1.0, 1.0))


class HandNMU(HandNAU):
    def forward(self, x):
        w = self.W.clamp(0.0, 1.0)
        return torch.prod(x.unsqueeze(-2) * w + (1 - w), dim=-1)


class HandNALU(nn.Module):
    def __init__(self, w_hat, m_hat, g):
        super().__init__()
        self.W_hat, self.M_hat = nn.Parameter(w_hat), nn.Parameter(m_hat)
        self.G = nn.Parameter(g)

    def forward(self, x):
        w = torch.tanh(self.W_hat) * torch.sigmoid(self.M_hat)
        added = F.linear(x, w)
        multiplied = torch.exp(F.linear(torch.log(x.abs() + 1e-7), w))
        g = torch.sigmoid(F.linear(x, self.G))
        return g * added + (1 - g) * multiplied


class HandRealNPU(nn.Module):
    def __init__(self, w, g):
        super().__init__()
        self.W, self.g = nn.Parameter(w), nn.Parameter(g)

    def forward(self, x):
        g = self.g.clamp(0.0, 1.0)
        r = g * (x.abs() + torch.finfo(x.dtype).eps) + (1 - g)
        k = g * torch.where(x < 0, torch.pi, torch.zeros_like(x))
        growth, turn = F.linear(torch.log(r), self.W), F.linear(k, self.W)
        return torch.exp(growth) * torch.cos(turn)


HAND = {"NAU": HandNAU, "NMU": HandNMU, "NALU": HandNALU, "RealNPU": HandRealNPU}
SHAPES = [(128, 2, 1), (128, 100, 2), (1024, 100, 10)]


def step(module, x):
    module.zero_grad()
    module(x).sum().backward()


def cpu_time(module, x, count):
    start = time.process_time()
    for _ in range(count):
        step(module, x)
    return (time.process_time() - start) / count


def compare(pair, x):
    """Median CPU seconds of each, measured by turns, and the median of the ratios."""
    for module in pair:
        for _ in range(5):
            step(module, x)
    count = max(3, int(0.05 / cpu_time(pair[1], x, 5)))
    pairs = [[cpu_time(m, x, count) for m in pair] for _ in range(ROUNDS)]
    ratio = statistics.median(a / b for a, b in pairs)
    times = [statistics.median(column) for column in zip(*pairs, strict=True)]
    return *times, ratio


def measure():
    torch.set_num_threads(1)
    for name, hand_class in HAND.items():
        for batch, in_features, out_features in SHAPES:
            torch.manual_seed(0)
            ours = getattr(arithmax.torch, name)(in_features, out_features)
            hand = hand_class(*(p.detach().clone() for p in ours.parameters()))
            x = torch.rand(batch, in_features) + 1
            torch.testing.assert_close(ours(x), hand(x), rtol=1e-4, atol=1e-4)
            for mode in ("eager", "compiled"):
                pair = [ours, hand]
                if mode == "compiled":
                    torch._dynamo.reset()  # all layers share one `forward`
                    pair = [torch.compile(m, fullgraph=True) for m in pair]
                ours_s, hand_s, ratio = compare(pair, x)
                yield {
                    "unit": name,
                    "mode": mode,
                    "batch": batch,
                    "in": in_features,
                    "out": out_features,
                    "ours_us": round(1e6 * ours_s, 1),
                    "hand_us": round(1e6 * hand_s, 1),
                    "ratio": round(ratio, 2),
                }


def main():
    rows = []
    print(f"{'unit':8} {'mode':9} {'shape':>14} {'ours µs':>9} {'hand µs':>9}  ratio")
    for row in measure():
        rows.append(row)
        shape = f"{row['batch']}x{row['in']}->{row['out']}"
        print(
            f"{row['unit']:8} {row['mode']:9} {shape:>14} {row['ours_us']:9.1f} "
            f"{row['hand_us']:9.1f} {row['ratio']:6.2f}",
            flush=True,
        )
    worst = max(row["ratio"] for row in rows)
    print(f"worst ratio {worst:.2f} (the limit is 1.6)")
    if "--json" in sys.argv:
        about = {"torch": torch.__version__, "python": platform.python_version()}
        about |= {"machine": platform.machine(), "rows": rows}
        file = Path(sys.argv[sys.argv.index("--json") + 1])
        file.write_text(json.dumps(about, indent=1))
    sys.exit(worst > 1.6)


if __name__ == "__main__":
    main()
