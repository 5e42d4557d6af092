"""Runs by the kernel of a GPU against those by XLA's program, as they are stored."""

import json
from pathlib import Path

import pytest
from agreement import agreement, compared

from arithmax.results import read

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_page_has_what_the_runs_say():
    stored = json.loads((ROOT / "docs/data/agreement-h200.json").read_text("utf-8"))
    assert list(compared(read(ROOT / "results").rows)) == stored
    # The eleven rows of table 2 of the NAU/NMU paper.
    assert len(stored) == 11 and all(entry["overlap"] for entry in stored)


def test_what_does_not_agree_is_said():
    apart = {
        "gpu": [True] * 60 + [False] * 40,
        "gpu-kernel": [True] * 20 + [False] * 80,
    }
    assert not agreement(apart)["overlap"]
    assert agreement({name: apart["gpu"] for name in apart})["overlap"]
