"""Modules of formulas compile into one graph, forwards and backwards."""

import pytest
import torch

from arithmax.readout import torch_module
from random_formulas import formulas


@pytest.mark.slow
def test_one_graph():
    for formula, x in formulas(6):
        torch._dynamo.reset()
        module = torch_module(formula, dtype=torch.float64)
        compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
        found = []
        for call in (module, compiled):
            module.zero_grad()
            y = call(torch.tensor(x))
            slope = torch.zeros(0)
            if module.free.numel():
                y.sum().backward()
                slope = module.free.grad
            found.append((y, slope))
        for eager, traced in zip(*found, strict=True):
            torch.testing.assert_close(traced, eager, rtol=1e-10, atol=1e-12)
