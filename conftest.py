"""A strict room for tests and examples: no silent change of dtype or rank."""

import gc
import signal
from pathlib import Path

import jax
import torch

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")
torch.set_num_threads(1)  # tests run side by side

# Tests in the background of a shell, or under `nohup`, have these ignored, and so have
# commands that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# What XLA has compiled is kept, for the other worker and for the next run: most of the
# time of a test is the compiler's. `pytest --cache-clear` forgets it.
COMPILED = Path(__file__).parent / ".pytest_cache" / "d" / "compiled"
jax.config.update("jax_compilation_cache_dir", str(COMPILED))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)


# Examples in documents and docstrings that train for more than five seconds.
SLOW = (
    "docs/recipe.md",
    "docs/uncertainty.md",
    "src/arithmax/bayes/_laplace.py",
    "src/arithmax/bayes/_nuts.py",
    "src/arithmax/equinox/_fit.py",
)


def pytest_collection_modifyitems(items):
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker("slow")


def pytest_collection_finish():
    gc.freeze()  # modules and tests stay, and need not be looked through again


def pytest_sessionfinish():
    gc.unfreeze()
