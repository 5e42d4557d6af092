"""What every unit must do: one list of checks, run over every unit and every option."""

import dataclasses
import itertools
import math
import typing
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy
import torch

import arithmax.torch
from arithmax import OPERATIONS, UNITS, Hazard, Unit, initialise

IN, OUT = 3, 2


def variants(classes: typing.Iterable[type[Unit]] | None = None) -> Iterator[Unit]:
    """Every unit with every combination of the options that are choices."""
    for cls in classes if classes is not None else UNITS.values():
        hints = typing.get_type_hints(cls)
        choices = {}
        for field in dataclasses.fields(cls):  # type: ignore[arg-type]  # units are dataclasses
            if hints[field.name] is bool:
                choices[field.name] = (False, True)
            elif literals := _literals(hints[field.name]):
                choices[field.name] = literals
        for values in itertools.product(*choices.values()):
            yield cls(**dict(zip(choices, values, strict=True)))


def is_default(unit: Unit) -> bool:
    """Whether none of its options was chosen."""
    return unit == type(unit)()


def _literals(hint: typing.Any) -> tuple:
    if typing.get_origin(hint) is typing.Literal:
        return typing.get_args(hint)
    parts = typing.get_args(hint)
    if type(None) not in parts:
        return ()
    return (None, *itertools.chain(*map(_literals, parts)))


def drawn(unit: Unit, seed: int = 0, dtype: str = "float64") -> dict[str, np.ndarray]:
    """Parameters as the unit starts, moved a little so that none is at a tie."""
    key = jax.random.key(seed)
    params = initialise(unit, IN, OUT, key=key, dtype=jnp.float64)
    rng = np.random.default_rng(seed)
    return {
        name: (np.asarray(value) + rng.normal(0, 0.01, value.shape)).astype(dtype)
        for name, value in params.items()
    }


def inputs(unit: Unit, batch: tuple[int, ...] = (5,), seed: int = 1) -> np.ndarray:
    """Inputs on which every path of the unit is smooth."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(1.2, 3.0, (*batch, IN))
    positive = all(domain.low >= 0 for domain in unit.operations.values())
    return x if positive else x * rng.choice([-1, 1], x.shape)


def noise(unit: Unit, x: np.ndarray) -> tuple[np.ndarray, ...] | None:
    """What a unit that declares noise is given, one array for each piece."""
    rng = np.random.default_rng(2)
    batch = x.shape[:-1]
    return (
        tuple(
            p.distribution.quantile(rng.uniform(size=(*batch, *p.shape)), np)
            for p in unit.noise(x.shape[-1])
        )
        or None
    )


def to_jax(params):
    return {name: jnp.asarray(value) for name, value in params.items()}


def to_torch(params, **options):
    return {name: torch.tensor(value, **options) for name, value in params.items()}


def target(operation: str, x: np.ndarray) -> np.ndarray:
    op = OPERATIONS[operation]
    return op.function(*(x[..., i] for i in range(len(op.weights))))


def sample(unit: Unit, operation: str, in_features: int) -> np.ndarray:
    """Inputs from the whole domain of an operation, up to 1,000 in magnitude."""
    rng = np.random.default_rng(3)
    domain = unit.operations[operation]
    x = np.exp(rng.uniform(math.log(max(domain.low, 0.1)), math.log(1e3), (200, 3)))
    if domain.low < 0:
        x *= rng.choice([-1, 1], x.shape)
    if 0.0 in domain:
        x[:3] = 0.0
    assert all(float(v) in domain for v in x.flat)
    return x[:, :in_features]


def check_exact_at_discrete_weights(unit: Unit) -> None:
    for operation, domain in unit.operations.items():
        op = OPERATIONS[operation]
        params = unit.solution(operation, len(op.weights))
        x = sample(unit, operation, len(op.weights))
        y, true = unit.apply(params, x)[..., 0], target(operation, x)
        exactness = unit.exact[op.path]
        # A unit may add `error` to each magnitude, and is otherwise right to the last
        # digits of float64.
        moved = target(operation, np.abs(x) + exactness.error) if exactness.error else 0
        bound = np.abs(moved - np.abs(true)) if exactness.error else 0
        bound = 1.001 * bound + 1e-12 * (np.abs(true) + np.abs(x).sum(-1)) + 1e-60
        inside = np.abs(true) < exactness.limit
        assert inside.sum() > 100, (operation, domain)
        assert np.all((np.abs(y - true) <= bound)[inside]), operation


def check_ignores_unused_inputs(unit: Unit) -> None:
    conserving = type(unit).__name__ == "MCFC" or not getattr(unit, "discard", True)
    for operation in unit.operations:
        used = len(OPERATIONS[operation].weights)
        if conserving:  # no input can be ignored with one output
            with pytest.raises(ValueError, match="exactly one 1 in each column"):
                unit.solution(operation, used + 1)
            continue
        params = unit.solution(operation, used + 1)
        x = sample(unit, operation, used)
        exactness = unit.exact[OPERATIONS[operation].path]
        domain = exactness.ignored or unit.operations[operation]
        ignored = -7.0 if -7.0 in domain else 7.0
        x = np.concatenate([x, np.full((len(x), 1), ignored)], axis=-1)
        y, true = unit.apply(params, x)[..., 0], target(operation, x)
        inside = np.abs(true) < min(1e8, exactness.limit)
        np.testing.assert_allclose(y[inside], true[inside], rtol=1e-5, atol=1e-5)


def check_gradient_is_finite_difference(unit: Unit) -> None:
    params, x = drawn(unit), inputs(unit)
    cotangent = np.random.default_rng(4).normal(size=(5, OUT))
    for training in (False, True):
        options = {"training": training, "noise": noise(unit, x) if training else None}

        def scalar(values, x, xp=np, options=options):
            y = unit.apply(values, x, **options)
            return xp.sum(y * xp.asarray(cotangent))

        if unit.noise(IN) and training and getattr(unit, "per_batch", False):
            continue  # the noise's scale is a constant of the batch, by definition
        gradients = jax.grad(lambda p, x: scalar(p, x, jnp), argnums=(0, 1))(
            to_jax(params), jnp.asarray(x)
        )
        for name, value in {**params, "x": x}.items():
            exact = gradients[1] if name == "x" else gradients[0][name]
            for index in np.ndindex(value.shape):
                h = 1e-7 if training and type(unit).__name__ == "NRU" else 1e-6
                ends = []
                for step in (h, -h):
                    moved = value.copy()
                    moved[index] += step
                    if name == "x":
                        ends.append(scalar(params, moved))
                    else:
                        ends.append(scalar({**params, name: moved}, x))
                slope = (ends[0] - ends[1]) / (2 * h)
                assert np.isclose(exact[index], slope, rtol=1e-4, atol=1e-5), (
                    name,
                    index,
                    training,
                )


def check_frameworks_agree(unit: Unit) -> None:
    params, x = drawn(unit), inputs(unit)
    for training in (False, True):
        n = noise(unit, x) if training else None
        y_numpy = unit.apply(params, x, training=training, noise=n)

        def loss_jax(params, x, n=n, training=training):
            n = None if n is None else tuple(map(jnp.asarray, n))
            y = unit.apply(params, x, training=training, noise=n)
            return jnp.sum(jnp.sin(y)) + unit.penalty(params), y

        (_, y_jax), g_jax = jax.value_and_grad(loss_jax, (0, 1), has_aux=True)(
            to_jax(params), jnp.asarray(x)
        )
        p_torch = to_torch(params, requires_grad=True)
        x_torch = torch.tensor(x, requires_grad=True)
        n_torch = None if n is None else tuple(map(torch.tensor, n))
        y_torch = unit.apply(p_torch, x_torch, training=training, noise=n_torch)
        (torch.sin(y_torch).sum() + unit.penalty(p_torch)).backward()
        np.testing.assert_allclose(y_jax, y_numpy, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(y_torch.detach(), y_numpy, rtol=1e-11, atol=1e-13)
        assert x_torch.grad is not None
        np.testing.assert_allclose(x_torch.grad, g_jax[1], rtol=1e-9, atol=1e-11)
        for name, value in p_torch.items():
            grad = np.zeros(value.shape) if value.grad is None else value.grad
            np.testing.assert_allclose(grad, g_jax[0][name], rtol=1e-9, atol=1e-11)


def check_transformations(unit: Unit) -> None:
    """jit and vmap in JAX, vmap and functional_call in PyTorch."""
    x = inputs(unit)
    replicas = [drawn(unit, seed) for seed in range(3)]
    alone = np.stack([unit.apply(params, x) for params in replicas])
    stacked = {n: np.stack([r[n] for r in replicas]) for n in replicas[0]}
    fleet = jax.jit(jax.vmap(unit.apply, (0, None)))(to_jax(stacked), jnp.asarray(x))
    np.testing.assert_allclose(fleet, alone, rtol=1e-11, atol=1e-13)
    mapped = torch.func.vmap(unit.apply, (0, None))(to_torch(stacked), torch.tensor(x))
    np.testing.assert_allclose(mapped, alone, rtol=1e-11, atol=1e-13)
    layer = arithmax.torch.Layer(unit, IN, OUT, dtype=torch.float64).eval()
    called = torch.func.functional_call(layer, to_torch(replicas[1]), torch.tensor(x))
    np.testing.assert_allclose(called, alone[1], rtol=1e-11, atol=1e-13)


def check_features_first(unit: Unit) -> None:
    """`compute` works features first on any batch shape, and `apply` is around it."""
    params = drawn(unit)
    for batch in ((), (4,), (2, 3)):
        x = inputs(unit, batch)
        y = unit.apply(params, x)
        assert y.shape == (*batch, OUT)
        columns = np.moveaxis(x, -1, 0)
        for first in (
            unit.compute(params, columns),
            unit.compute(to_jax(params), jnp.asarray(columns)),
            unit.compute(to_torch(params), torch.tensor(columns)),
        ):
            back = np.moveaxis(np.asarray(first), 0, -1)
            np.testing.assert_allclose(back, y, rtol=1e-11, atol=1e-13)


def check_projection(unit: Unit) -> None:
    params = {name: 3 * value for name, value in drawn(unit).items()}
    once = unit.project(params)
    twice = unit.project(once)
    assert set(once) == set(params)
    for name in params:
        np.testing.assert_array_equal(once[name], twice[name])
        assert once[name].shape == params[name].shape
    for operation in unit.operations:
        params = unit.solution(operation)
        for name, value in unit.project(params).items():
            np.testing.assert_array_equal(value, params[name])


def check_penalty(unit: Unit) -> None:
    params = drawn(unit)
    assert np.isfinite(unit.penalty(params))
    for operation in unit.operations:
        penalty = float(unit.penalty(unit.solution(operation)))
        assert not unit.sparse or penalty == 0.0
    if unit.sparse:
        assert float(unit.penalty(params)) > 0.0


def check_discretise(unit: Unit) -> None:
    params = drawn(unit)
    if not unit.exact:
        with pytest.raises(ValueError, match="no weights at which it is exact"):
            unit.discretise(params)
        return
    for convert in (dict, to_jax, to_torch):
        discrete = unit.discretise(convert(params))
        again = unit.discretise(discrete)
        for name in params:
            np.testing.assert_array_equal(np.asarray(discrete[name]), again[name])
    discrete = unit.discretise(params)
    paths = unit.exact.values()
    allowed = {w for path in paths for w in path.weights}
    for w in unit.weights(discrete).values():
        assert {float(v) for v in np.round(w, 12).flat} <= allowed
    for operation in unit.operations:
        solution = unit.solution(operation)
        for name, value in unit.discretise(solution).items():
            np.testing.assert_array_equal(value, solution[name])
    name = next(iter(params))
    with pytest.raises(ValueError, match="diverged"):
        unit.discretise({**params, name: np.full_like(params[name], np.nan)})


def check_expression(unit: Unit) -> None:
    """The formula, evaluated by SymPy, gives what `apply` gives."""
    params = drawn(unit)
    symbols = sympy.symbols(f"x1:{IN + 1}", real=True)
    if not unit.exact:
        with pytest.raises(ValueError, match="has no formula"):
            unit.expression(params, symbols)
        return
    x = inputs(unit)
    cases = [unit.discretise(params)]
    for free in (params, {name: 2 * value for name, value in params.items()}):
        try:
            unit.expression(free, symbols)
            cases.append(free)
        except ValueError as error:
            assert "Call `discretise` first" in str(error)
    for case in cases:
        y = unit.apply(case, x)
        expressions = unit.expression(case, symbols)
        assert len(expressions) == OUT
        for row, expected in zip(x, y, strict=True):
            point = dict(zip(symbols, row.tolist(), strict=True))
            values = [complex(e.subs(point)) for e in expressions]
            # formulas leave out the epsilon of a logarithm
            np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-6)


def check_dtypes(unit: Unit) -> None:
    x = inputs(unit)
    for dtype in ("float32", "float64", "bfloat16"):
        p_jax = {n: jnp.asarray(v, dtype) for n, v in drawn(unit).items()}
        kind = getattr(torch, dtype)
        p_torch = to_torch(drawn(unit), dtype=kind)
        frameworks = [
            (p_jax, jnp.asarray(x, dtype)),
            (p_torch, torch.tensor(x).to(kind)),
        ]
        if dtype != "bfloat16":
            frameworks.append((drawn(unit, dtype=dtype), x.astype(dtype)))
        for params, value in frameworks:
            for training in (False, True):
                half = value * 0 + 0.5
                draws = (half,) if unit.noise(IN) and training else None
                y = unit.apply(params, value, training=training, noise=draws)
                assert y.dtype == value.dtype
            assert unit.penalty(params).dtype == value.dtype
            assert unit.sparsity_error(params).dtype == value.dtype
            for after in (unit.project(params), unit.weights(params)):
                assert all(v.dtype == value.dtype for v in after.values())


def check_diagnose(unit: Unit) -> None:
    params, x = drawn(unit), inputs(unit)
    x[2, 1] = np.nan
    for convert in (np.asarray, jnp.asarray, torch.tensor):
        p = {name: convert(value) for name, value in params.items()}
        found = unit.diagnose(p, convert(x))
        assert all(isinstance(hazard, Hazard) for hazard in found)
        assert all(where.shape == x.shape for where in found.values())
        where = np.asarray(found[Hazard.NOT_FINITE])
        assert where[2, 1] and where.sum() == 1
    # Where a unit is exact, and uses every input, nothing is reported.
    for operation in unit.operations:
        count = len(OPERATIONS[operation].weights)
        x = np.abs(sample(unit, operation, count)).clip(1.0, 50.0)
        assert unit.diagnose(unit.solution(operation, count), x) == {}


def check_torch_layer(unit: Unit) -> None:
    layer = arithmax.torch.Layer(unit, IN, OUT, dtype=torch.float64)
    params, x = drawn(unit), torch.tensor(inputs(unit))
    layer.load_parameters(to_jax(params))
    expected = unit.apply(params, x.numpy())
    np.testing.assert_allclose(layer.eval()(x).detach(), expected, rtol=1e-11)
    copy = arithmax.torch.Layer(unit, IN, OUT, dtype=torch.float64).eval()
    copy.load_state_dict(layer.state_dict())
    assert torch.equal(copy(x), layer(x))
    layer.train()
    optimiser = torch.optim.SGD(layer.parameters(), lr=1.0)
    for _ in range(2):
        optimiser.zero_grad()
        (layer(x).square().mean() + layer.penalty()).backward()
        optimiser.step()
        layer.project_()
    after = {name: value.detach() for name, value in layer.named_parameters()}
    for name, value in unit.project(after).items():
        assert torch.equal(value, after[name])
    assert set(layer.weights()) == set(unit.weights(params))
    assert layer.sparsity_error().ndim == 0
    with torch.autocast("cpu", dtype=torch.bfloat16):
        single = arithmax.torch.Layer(unit, IN, OUT).eval()
        y = single(x.float())
        assert y.shape == (5, OUT) and bool(torch.isfinite(y).all())
    for option in dataclasses.fields(unit):  # type: ignore[arg-type]  # units are dataclasses
        assert f"{option.name}={getattr(unit, option.name)!r}" in repr(layer)


def check_repr_is_configuration(unit: Unit) -> None:
    names = {cls.__name__: cls for cls in [*UNITS.values(), type(unit)]}
    assert eval(repr(unit), names) == unit
    assert hash(eval(repr(unit), names)) == hash(unit)


CHECKS = [value for name, value in list(globals().items()) if name.startswith("check_")]
