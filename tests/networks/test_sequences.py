"""Every network over sequences and images: alike in all frameworks, and as a layer."""

import jax
import jax.numpy as jnp
import numpy as np
import torch

import arithmax.equinox
import arithmax.torch
from sequences import drawn, every_case, gradient, in_jax, in_torch, samples


@every_case
def test_frameworks_agree_on_values_and_gradients(net, shape, out):
    params, x = drawn(net, shape, out), samples(shape)
    y = net.apply(params, x)
    assert y.shape == (4, out) and np.isfinite(y).all()
    weights = np.linspace(1.0, 2.0, y.size).reshape(y.shape)

    def loss(params, x):
        return (net.apply(params, x) * weights).sum()

    value, (ours, to_x) = jax.jit(jax.value_and_grad(loss, argnums=(0, 1)))(
        in_jax(params), jnp.asarray(x)
    )
    np.testing.assert_allclose(value, (y * weights).sum(), rtol=1e-10)
    theirs = in_torch(params, requires_grad=True)
    x_torch = torch.tensor(x, requires_grad=True)
    outputs = net.apply(theirs, x_torch)
    np.testing.assert_allclose(outputs.detach(), y, rtol=1e-10)
    (outputs * torch.tensor(weights)).sum().backward()
    pairs = [(gradient(theirs[name]), grad) for name, grad in ours.items()]
    for grad, expected in [*pairs, (gradient(x_torch), to_x)]:
        np.testing.assert_allclose(grad, expected, rtol=1e-8, atol=1e-10)


@every_case
def test_gradients_are_finite_differences(net, shape, out):
    params, x = drawn(net, shape, out), samples(shape)
    way, to_x = drawn(net, shape, out, seed=5), np.cos(37 * x)

    def loss(t):
        """The outputs some way along a line through parameters and inputs."""
        moved = {name: value + t * way[name] for name, value in params.items()}
        return net.apply(moved, x + t * to_x).sum()

    tensors = in_torch(params, requires_grad=True)
    given = torch.tensor(x, requires_grad=True)
    net.apply(tensors, given).sum().backward()
    slope = (gradient(given) * to_x).sum()
    slope += sum((gradient(v) * way[name]).sum() for name, v in tensors.items())
    difference = (loss(1e-6) - loss(-1e-6)) / 2e-6
    np.testing.assert_allclose(slope, difference, rtol=1e-6, atol=1e-7)


@every_case
def test_replicas_side_by_side(net, shape, out):
    several = [drawn(net, shape, out, seed) for seed in range(3)]
    x = np.stack([samples(shape, seed=seed) for seed in range(3)])
    expected = [net.apply(params, own) for params, own in zip(several, x, strict=True)]
    stacked = {name: np.stack([p[name] for p in several]) for name in several[0]}
    mapped = jax.jit(jax.vmap(net.apply))(in_jax(stacked), jnp.asarray(x))
    np.testing.assert_allclose(mapped, expected, rtol=1e-10)
    mapped = torch.func.vmap(net.apply)(in_torch(stacked), torch.tensor(x))
    np.testing.assert_allclose(mapped, expected, rtol=1e-10)


@every_case
def test_batches_of_any_shape(net, shape, out):
    params, x = drawn(net, shape, out), samples(shape, 6)
    y, axes = net.apply(params, x), net.input_axes
    grid = x.reshape(2, 3, *x.shape[1:])
    np.testing.assert_allclose(net.apply(params, grid).reshape(y.shape), y, rtol=1e-12)
    first = np.moveaxis(grid, (0, 1), (-2, -1))
    assert first.ndim == axes + 2
    computed = net.compute(params, first)
    np.testing.assert_allclose(computed.reshape(out, 6).T, y, rtol=1e-12)
    assert net.apply(params, x[0]).shape == (out,)
    assert net.apply(params, x[:0]).shape == (0, out)


@every_case
def test_what_is_observed_is_what_is_computed(net, shape, out):
    params, x = drawn(net, shape, out), np.moveaxis(samples(shape), 0, -1)
    y, inputs = net.observe(params, x)
    np.testing.assert_array_equal(y, net.compute(params, x))
    assert inputs.shape[-1] == 4
    in_t, tensors = torch.tensor(x), in_torch(params)
    np.testing.assert_allclose(net.observe(tensors, in_t)[1], inputs, rtol=1e-12)


@every_case
def test_names_can_be_asked_for_and_sizes_are_read_off(net, shape, out):
    params = drawn(net, shape, out)
    assert set(net.parameters(*net.smallest)) == set(params)
    sizes = net.features(params)
    if sizes is not None:
        declared = {name: p.shape for name, p in net.parameters(*sizes).items()}
        assert declared == {name: value.shape for name, value in params.items()}
    assert float(net.penalty(params)) >= 0
    projected = net.project(params)
    assert set(projected) == set(params)
    for name, value in net.project(projected).items():
        np.testing.assert_array_equal(value, projected[name])


@every_case
def test_layers_of_both_frameworks(net, shape, out):
    x = samples(shape)
    layer = arithmax.torch.Layer(net, shape, out, dtype=torch.float64)
    params = {name: value.numpy() for name, value in layer.state_dict().items()}
    assert set(params) == set(net.parameters(shape, out))
    expected = net.apply(params, x)
    np.testing.assert_allclose(layer(torch.tensor(x)).detach(), expected, rtol=1e-10)
    called = torch.func.functional_call(
        layer, {n: v + 0.1 for n, v in layer.state_dict().items()}, torch.tensor(x)
    )
    moved = {name: value + 0.1 for name, value in params.items()}
    np.testing.assert_allclose(called.detach(), net.apply(moved, x), rtol=1e-10)
    other = arithmax.equinox.Layer(
        net, shape, out, key=jax.random.key(0), dtype=jnp.float64
    )
    if params:
        other = other.with_parameters(layer.state_dict())
    np.testing.assert_allclose(other(jnp.asarray(x)), expected, rtol=1e-10)


@every_case
def test_other_lengths_than_a_layer_was_made_with(net, shape, out):
    if net.free_axes == 0:
        return
    every_step = getattr(net, "every_step", False)
    layer = arithmax.torch.Layer(net, shape, out, dtype=torch.float64)
    longer = arithmax.torch.Layer(
        net, (7, *shape[1:]), out // 3 * 7 if every_step else out, dtype=torch.float64
    )
    longer.load_state_dict(layer.state_dict())
    x = torch.tensor(samples((7, *shape[1:])))
    expected = longer(x)
    torch.testing.assert_close(layer(x), expected)
    if every_step:  # steps do not know what comes after them
        torch.testing.assert_close(layer(x[:, :2]), expected[:, : out // 3 * 2])
    other = arithmax.equinox.Layer(
        net, shape, out, key=jax.random.key(0), dtype=jnp.float64
    )
    if layer.state_dict():
        other = other.with_parameters(layer.state_dict())
    np.testing.assert_allclose(other(jnp.asarray(x)), expected.detach(), rtol=1e-10)
