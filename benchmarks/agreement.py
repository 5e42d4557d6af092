"""Whether runs by the kernel of a GPU succeed as often as those by XLA's program.

Of every configuration in a folder of results that both have trained: how many runs were
solved, with intervals, and whether these overlap.

    python benchmarks/agreement.py --json docs/data/agreement-h200.json
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path

from arithmax.results import read
from arithmax.statistics import overlap, success_rate
from arithmax.training._replicas import KERNEL

PLATFORMS = ("gpu", KERNEL)


def compared(rows):
    """One entry for each configuration that both platforms have at least 50 runs of."""
    found = defaultdict(lambda: {name: [] for name in PLATFORMS})
    for row in rows:
        if row["platform"] in PLATFORMS:
            key = row["network"], row["task"], row["protocol"]
            found[key][row["platform"]].append(row["outcome"] == "solved")
    for (network, task, _), outcomes in sorted(found.items()):
        if min(map(len, outcomes.values())) >= 50:
            yield {"network": network, "task": task} | agreement(outcomes)


def agreement(outcomes):
    """Solved runs of each platform, and whether their intervals overlap."""
    rates = {
        n: success_rate(sum(solved), len(solved)) for n, solved in outcomes.items()
    }
    entry = {
        name: {
            "solved": sum(outcomes[name]),
            "of": len(outcomes[name]),
            "low": rates[name].low,
            "high": rates[name].high,
        }
        for name in PLATFORMS
    }
    return entry | {"overlap": overlap(*rates.values())}


def main():
    """Print and store the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    entries = list(compared(read(given.results).rows))
    for entry in entries:
        print(entry)
    if given.json:
        text = json.dumps(entries, indent=1, ensure_ascii=False)
        given.json.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
