"""Every layer compiles into one graph, forwards and backwards.

The shape checker of the other tests cannot be traced by PyTorch's compiler, hence the
second process. The default back end, which needs a C++ compiler, is measured in
`benchmarks/layers.py`.
"""

import pytest
import torch

from arithmax.torch import Layer
from conformance import IN, OUT, inputs, is_default, variants
from sequences import every_case, samples


def every_unit():
    """Each unit as it is by default; with other options it is `slow`."""
    for unit in variants():
        others = () if is_default(unit) else pytest.mark.slow
        yield pytest.param(unit, marks=others)


@pytest.mark.parametrize("unit", list(every_unit()), ids=repr)
def test_one_graph(unit):
    torch._dynamo.reset()
    torch.manual_seed(0)
    layer = Layer(unit, IN, OUT, dtype=torch.float64)
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    check_compiled(layer, compiled, torch.tensor(inputs(unit)))


@every_case
def test_networks_over_sequences_are_one_graph(net, shape, out):
    torch._dynamo.reset()
    torch.manual_seed(0)
    layer = Layer(net, shape, out, dtype=torch.float64)
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    x = torch.tensor(samples(shape), requires_grad=True)
    check_compiled(layer, compiled, x)


def check_compiled(layer, compiled, x):
    """Outputs and gradients must be those of the layer that is not compiled."""
    for training in (False, True):
        layer.train(training)
        gradients = []
        for call in (layer, compiled):
            torch.manual_seed(1)
            layer.zero_grad()
            y = call(x)
            y.sum().backward()
            gradients.append([y, *(p.grad for p in layer.parameters())])
        for eager, traced in zip(*gradients, strict=True):
            torch.testing.assert_close(traced, eager, rtol=1e-10, atol=1e-12)
