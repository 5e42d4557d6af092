"""What of a machine and its settings decides the bits of a result.

Settings of JAX that would change results are pinned while the fleet trains; what cannot
be pinned (the instructions of the processor, the compiler and its flags) is recorded.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path

import jax

# Instruction sets that XLA compiles for, the newest first, as /proc/cpuinfo has them.
INSTRUCTIONS = {
    "AVX512_BF16": "avx512_bf16",
    "AVX512_VNNI": "avx512_vnni",
    "AVX512": "avx512f",
    "AVX2": "avx2",
    "AVX": "avx",
    "SSE4_2": "sse4_2",
}


@contextmanager
def pinned(precision: str) -> Iterator[None]:
    """Settings of the process, by which results must not differ, as the fleet has them.

    Args:
        precision: the floating-point format of the runs.
    """
    settings = (
        # optax counts its steps in integers, which strict promotion forbids.
        jax.numpy_dtype_promotion("standard"),
        jax.enable_x64(precision == "float64"),
        # Starting values are drawn by JAX's own generator, from `_random.stream_key`.
        jax.threefry_partitionable(True),
        jax.default_matmul_precision(None),
        # A run that diverges is an outcome, not an error.
        jax.debug_nans(False),
        jax.debug_infs(False),
    )
    with ExitStack() as stack:
        for setting in settings:
            stack.enter_context(setting)
        yield


@cache
def machine() -> dict[str, str]:
    """What decides the bits of a result and is not pinned, as columns."""
    flags = os.environ.get("XLA_FLAGS", "").split()
    chosen = sorted(f for f in flags if f.startswith(("--xla_cpu", "--xla_gpu")))
    on_cpu = jax.default_backend() == "cpu"
    return {
        "instructions": instructions(flags) if on_cpu else jax.devices()[0].device_kind,
        "compiler": f"jaxlib {version('jaxlib')}",
        "compiler_flags": " ".join(chosen),
    }


def instructions(flags: list[str], cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The instruction set that XLA compiles for, as far as the system tells it."""
    try:
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown"
    # One processor is enough: they are alike. ARM calls its flags features.
    has = next(
        (
            line.split(":")[1].split()
            for line in lines
            if line[:5] in ("flags", "Featu")
        ),
        [],
    )
    names = [name for name, flag in INSTRUCTIONS.items() if flag in has]
    allowed = [f.partition("=")[2] for f in flags if f.startswith("--xla_cpu_max_isa=")]
    if allowed and (most := allowed[-1].upper()) in INSTRUCTIONS:
        order = list(INSTRUCTIONS)
        names = [n for n in names if order.index(n) >= order.index(most)]
    return names[0] if names else ("NEON" if "asimd" in has else "unknown")
