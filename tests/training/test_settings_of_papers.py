"""Settings that single papers need, and what leaves a run as it is."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

from arithmax import NAU, NMU, Cell, Linear, Protocol, Stack, measures, train_cells
from arithmax._descent import l1_norm
from arithmax.protocol import published, represents
from arithmax.tasks import Functions, SingleModule, Subsets


def test_l1_of_one_parameter():
    params = {
        "0.W_re": jnp.ones((2, 2)),
        "0.W_im": -jnp.ones((2, 2)),
        "1.W": jnp.ones(3),
    }
    assert float(l1_norm(params, "all")) == 11.0
    assert float(l1_norm(params, "W_im")) == 4.0
    with pytest.raises(ValueError, match=r"`l1_of` \(='V'\).*W_re, W_im, W"):
        l1_norm(params, "V")
    strong = Protocol(l1=1.0, l1_end=1.0)
    assert "l1_of" not in repr(strong)
    assert strong.structure != replace(strong, l1_of="W").structure
    assert Protocol().structure == Protocol(l1_of="W").structure


def test_the_last_step_can_be_judged():
    curves = {"interpolation": np.array([1.0, 1e-9, 2e-6]), "sparsity": np.zeros(3)}
    curves["extrapolation"] = np.array([1.0, 1e-9, 0.5])
    at = np.array([0, 10, 20])
    best = measures.measure(at, threshold=1e-5, **curves)
    last = measures.measure(at, threshold=1e-5, window=1, **curves)
    assert best.best_step == 10 and best.outcome == "solved"
    assert last.best_step == 20 and last.outcome == "not solved"


def test_later_settings_leave_names_alone():
    named = repr(Protocol())
    for name in ("window", "slots", "penalty_of", "restart_until"):
        assert name not in named
    assert "slots=True" in repr(Protocol(slots=True))


def test_a_stack_does_what_its_units_do_together():
    task = Functions(("add", "mul"))
    assert represents(Stack((NMU(), Linear()), (3,)), task)
    assert represents(Stack((NAU(), NMU()), (3,)), task)
    assert not represents(Stack((NMU(), NMU()), (3,)), task)
    assert not represents(Stack((NAU(), NMU()), (2,)), Subsets("div"))
    assert represents(NMU(), SingleModule("mul")) and not represents(NMU(), task)


def test_the_same_seed_gives_the_same_row_whatever_it_is_run_with():
    """Two ranges together and alone, with other operations and seeds."""

    def rows(cells):
        found = train_cells(cells).rows
        free = ("seconds", "finished")  # when it was, and what it took
        return {r["run"]: {k: v for k, v in r.items() if k not in free} for r in found}

    def cell(operation, inner, outer, seeds=(0, 1, 2)):
        task = SingleModule(operation, 2, inner, outer)
        _, protocol = published(NAU(), task, steps=2000, validation=1000)
        return Cell(NAU(), task, protocol, tuple(seeds))

    first = cell("add", (1.0, 2.0), (2.0, 6.0))
    second = cell("add", (-0.2, -0.1), (-2.0, -0.2))
    other = cell("sub", (1.0, 2.0), (2.0, 6.0), seeds=range(70))
    together = rows([first, second, other])
    alone = rows([first]) | rows([second])
    assert len(alone) == 6 and {run: together[run] for run in alone} == alone
    fewer = rows([replace(second, seeds=(2,))])
    assert fewer.items() <= alone.items()
