"""A strict room for tests and examples: no silent change of dtype or rank."""

import jax
import torch

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")
torch.set_num_threads(1)  # tests run side by side
