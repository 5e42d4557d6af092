"""`from_optax`: runs of different optimisers have different names."""

import subprocess
import sys
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import optax
import pytest

from arithmax._identity import code_of
from arithmax.training import from_optax, train_cells
from arithmax.training._replicas import replicas
from short_runs import cell


def of_decay(decay):
    def made(learning_rate=1e-2):
        return optax.adamw(learning_rate, weight_decay=decay)

    return made


def run(given, name="Mine", **options) -> str:
    chosen = cell(optimiser=from_optax(given, name)(**options))
    return replicas([chosen], None)[0].name


DIFFERENT: dict[str, list[Any]] = {
    "transformations": [
        lambda: optax.adam(1e-2),
        lambda: optax.sgd(0.0),
        lambda: optax.adam(1e-3),
        lambda: optax.chain(optax.clip(1.0), optax.adam(1e-2)),
        lambda: optax.adam(optax.linear_schedule(1.0, 0.0, 10)),
        lambda: optax.adam(optax.linear_schedule(1.0, 0.0, 20)),
        lambda: optax.sgd(jnp.float32(0.5)),
        lambda: optax.sgd(jnp.float32(0.25)),
    ],
    "bound arguments": [
        lambda: partial(optax.adam, b1=0.5),
        lambda: partial(optax.adam, b1=0.6),
        lambda: partial(optax.adamw, b1=0.6),
        lambda: partial(partial(optax.adam, b1=0.6), b2=0.5),
    ],
    "closures": [lambda: of_decay(0.1), lambda: of_decay(0.2)],
    "functions of one file": [
        lambda: lambda learning_rate=1e-2: optax.adam(learning_rate),
        lambda: lambda learning_rate=1e-2: optax.sgd(learning_rate),
        lambda: jax.jit(lambda learning_rate=1e-2: optax.lion(learning_rate)),
    ],
}


@pytest.mark.parametrize("kind", DIFFERENT)
def test_different_ones_have_different_runs(kind):
    names = [run(make()) for make in DIFFERENT[kind]]
    assert len(set(names)) == len(names)
    assert names == [run(make()) for make in DIFFERENT[kind]]


@pytest.mark.slow
def test_rows_of_another_are_not_taken(tmp_path):
    """One that moves, and one that does not, into one folder."""
    moved, still = (
        train_cells([cell(optimiser=from_optax(given, "Mine")())], out=tmp_path)
        for given in (optax.adam(1e-2), optax.sgd(0.0))
    )
    assert {r["run"] for r in moved.rows}.isdisjoint(r["run"] for r in still.rows)
    assert {r["code"] for r in moved.rows}.isdisjoint(r["code"] for r in still.rows)


def test_names_are_the_same_in_every_process():
    script = (
        "import optax\nfrom arithmax._identity import code_of\n"
        "from arithmax.training import from_optax\n"
        "given = optax.chain(optax.clip(1.0), optax.adamw(1e-2))\n"
        "print(code_of(from_optax(given, 'Mine')()))"
    )
    other = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.strip()
    given = optax.chain(optax.clip(1.0), optax.adamw(1e-2))
    assert code_of(from_optax(given, "Mine")()) == other


def test_what_cannot_be_told_apart_is_refused():
    class Thing:
        pass

    with pytest.raises(TypeError, match=r"`given` \(Mine\) cannot be told .* Give a f"):
        from_optax(of_decay(Thing()), "Mine")


def test_the_learning_rate_is_that_of_the_function():
    def whole(learning_rate=1):
        return optax.sgd(learning_rate)

    falling = optax.linear_schedule(1.0, 0.0, 10)

    def scheduled(learning_rate: Any = falling, decay=0.0):
        return optax.adamw(learning_rate, weight_decay=decay)

    def needed(learning_rate):
        return optax.sgd(learning_rate)

    make: Any = from_optax
    assert make(whole)().learning_rate == 1.0
    assert make(needed)().learning_rate == 1e-3
    made = make(scheduled)(decay=0.5)
    assert str(made) == "scheduled(decay=0.5)"
    assert callable(made.transformation().update)


@pytest.mark.parametrize("taken", ["start", "step", "check", "asks", "workspace"])
def test_options_do_not_replace_methods(taken):
    scope: dict = {}
    exec(f"def mine(learning_rate=1.0, {taken}=3): pass", scope)
    with pytest.raises(TypeError, match=rf"`{taken}` of mine must have another name"):
        from_optax(scope["mine"])
