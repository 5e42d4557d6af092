"""Where the time of a step goes on a CPU: the operations of an interval, profiled.

The profiler of JAX times each operation of a compiled interval where it runs; they are
put together by what they are for. Inputs, the largest part, are then computed alone in
a loop of the same shape, one stage more each time.

    OMP_NUM_THREADS=1 python benchmarks/account.py [--json FILE]
"""

import json
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import jax
import jax.numpy as jnp
from fleet import TASKS, Running

from arithmax.tasks._distributions import UniformInputs
from arithmax.training import _program, _random
from arithmax.training._machine import pinned

HUNDRED = next(iter(TASKS))
COUNT, INPUTS, BATCH, STEPS = 16, 100, 128, 1000
DRAWN = f"[{COUNT},{INPUTS},{BATCH}]"
# Products, by their place in the program before it was compiled.
PARTS = {
    "predictions, first layer": r"jvp.*dot_general",
    "targets": r"/vmap\(\)/dot_general",
}
INPUT, MEASURED = "random numbers and inputs", "measurement"
SLOPES = "slopes of the weights"
OTHER, BETWEEN = "second layer, loss, Adam, projection", "between operations"


def places(running):
    """The place in the program of each operation that computes something."""
    block = running.block
    numbers = block.state, block.numbers, block.shared, block.targets
    lowered = block.program.interval.lower(*numbers, jnp.uint32(0), jnp.asarray(True))
    text = lowered.compile().as_text()
    roots, inside, found = {}, "", {}
    for line in text.splitlines():
        if made := re.match(r"%?(\S+) \(.*\{$", line):
            inside = made[1]
        elif named := re.match(r"\s*(ROOT )?%(\S+) = (\S+)", line):
            place = re.search(r'op_name="([^"]*)"', line)
            called = re.search(r"calls=%(\S+?)[,\s]", line + " ")
            own = place[1] if place else ""
            if named[1]:
                roots[inside] = own
            found[named[2]] = named[3], roots[called[1]] if called else own
    return found


def profiled(running):
    """Seconds of one interval, with seconds and calls of each operation in it."""
    spent, calls = Counter(), Counter()
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            whole = running.advance(1, time.perf_counter)
        (path,) = Path(folder).rglob("*.xplane.pb")
        planes = jax.profiler.ProfileData.from_file(str(path)).planes
        for event in (e for p in planes for line in p.lines for e in line.events):
            spent[event.name] += event.duration_ns / 1e9
            calls[event.name] += 1
    return whole, spent, calls


def purpose(name, found, calls):
    """Which part of a step an operation belongs to."""
    shape, place = found[name]
    if calls < STEPS:
        return MEASURED
    if DRAWN in shape:
        return INPUT
    if name.startswith("dot") and f",{INPUTS}]" in shape:
        return SLOPES  # the compiler forgets their place
    fits = (part for part, pattern in PARTS.items() if re.search(pattern, place))
    return next(fits, OTHER)


def parts(running):
    """µs of a replica-step by purpose, and those of the whole."""
    found = places(running)
    whole, spent, calls = profiled(running)
    total = Counter()
    for name, seconds in spent.items():
        if name in found and not name.startswith("while"):
            total[purpose(name, found, calls[name])] += seconds
    total[BETWEEN] = whole - sum(total.values())
    return {name: 1e6 * s / (STEPS * COUNT) for name, s in total.items()}


def stages():
    """What is computed for inputs, one stage more each time."""
    ends = jnp.tile(jnp.asarray([1.0, 1.5, 1.5, 2.0]), (COUNT, INPUTS, 1))
    shape = INPUTS, BATCH

    def words(seed, step, numbers):
        return _random.bits(_random.words(seed, _random.DATA, step), shape)

    def uniform(seed, step, numbers):
        return _random.uniform("hash", seed, _random.DATA, step, shape, jnp.float32)

    def inputs(seed, step, numbers):
        return UniformInputs.within(numbers, uniform(seed, step, numbers), jnp)

    made = {"hash": words, "numbers in [0, 1)": uniform, "inputs": inputs}
    return {name: alone(make, ends) for name, make in made.items()}


def alone(make, numbers):
    """A loop that computes one stage and writes it, once for each step."""
    seeds = jnp.arange(COUNT, dtype=jnp.uint32)
    draw = jax.vmap(make, in_axes=(0, None, 0))

    def loop(x, numbers):
        steps = jnp.arange(STEPS, dtype=jnp.uint32)
        return jax.lax.scan(lambda _, i: (draw(seeds, i, numbers), None), x, steps)[0]

    compiled, x = _program.jitted(loop), draw(seeds, jnp.uint32(0), numbers)

    def seconds():
        began = time.process_time()
        jax.block_until_ready(compiled(x, numbers))
        return 1e6 * (time.process_time() - began) / (STEPS * COUNT)

    seconds()
    return seconds


def main():
    running = Running(TASKS[HUNDRED], COUNT)
    with pinned("float32"):
        rounds = [parts(running) for _ in range(15)]
        # By the clock: whatever else the machine does can only add to a part.
        parts_us = {n: min(each[n] for each in rounds) for n in rounds[0]}
        timers = stages()
        times = [{n: timer() for n, timer in timers.items()} for _ in range(5)]
    stages_us = {n: min(t[n] for t in times) for n in timers}
    about = {"device": "CPU", "jax": jax.__version__, "task": HUNDRED}
    about |= {"replicas": COUNT, "whole_us": sum(parts_us.values())}
    about |= {"parts_us": parts_us, "stages_us": stages_us}
    for name, us in (parts_us | stages_us).items():
        print(f"{us:6.2f} µs {name}")
    if "--json" in sys.argv:
        path = Path(sys.argv[sys.argv.index("--json") + 1])
        path.write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
