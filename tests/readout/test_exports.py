"""Every export computes what the formula does, on formulas of random trees."""

import copy
import importlib.util
import io
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import onnxruntime
import pytest
import sympy
import torch

from arithmax.discover import Formula, Number, Product, Sum, Variable
from arithmax.readout import (
    from_json,
    from_sympy,
    jax_function,
    numpy_function,
    onnx_model,
    parse,
    python_source,
    to_json,
    torch_module,
)
from random_formulas import NAMES, agree, formulas

CASES = formulas(60)
FEW = CASES[:20]
COMPILED = CASES[:6]


def test_the_formulas_have_everything():
    """Functions, negative bases, roots, free exponents, π, and constant terms."""
    text = " ".join(str(formula) for formula, _ in CASES)
    for part in ("sin(", "cos(", "exp(", "log(", "sqrt(", "pi", "**(1/3)", "x_1**3"):
        assert part in text
    exponents = [e for formula, _ in CASES for e in formula.exponents]
    assert any(e.free for e in exponents)
    assert any((x < 0).any() for _, x in CASES)


def test_text_is_read_back():
    for formula, x in CASES:
        read = parse(str(formula), NAMES)
        agree(read.evaluate(x), formula, x)
        agree(parse(str(read), NAMES).evaluate(x), formula, x)


def test_json_is_read_back_bit_for_bit():
    for formula, x in CASES:
        read = from_json(to_json(formula))
        assert read == formula
        pairs = zip(read.numbers, formula.numbers, strict=True)
        assert all(repr(a) == repr(b) for a, b in pairs)  # == leaves out errors
        assert np.array_equal(read.evaluate(x), formula.evaluate(x))
        assert to_json(read) == to_json(formula)


def test_sympy_computes_the_same_and_is_read_back():
    for formula, x in FEW:
        expression = formula.sympy()
        values = [
            float(expression.xreplace(_at(formula, row)).evalf(30)) for row in x[:2]
        ]
        agree(np.array(values), formula, x[:2])
        agree(from_sympy(expression, NAMES).evaluate(x), formula, x)


def _at(formula, row):
    return {
        sympy.Symbol(name, real=True): sympy.Float(value, 30)
        for name, value in zip(formula.names, row.tolist(), strict=True)
    }


def test_numpy_functions():
    for formula, x in CASES:
        function = numpy_function(formula)
        agree(function(*x.T), formula, x)
        named = dict(zip(formula.identifiers, x.T, strict=True))
        agree(function(**named), formula, x)


def imported(source, folder, name="made"):
    path = folder / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_python_source_is_a_module(tmp_path):
    functions = []
    for i, (formula, _) in enumerate(CASES):
        functions.append(python_source(formula, f"f{i}"))
    module = imported("\n\n".join(functions), tmp_path)
    for i, (formula, x) in enumerate(CASES):
        values = getattr(module, f"f{i}")(*x.T)
        agree(np.broadcast_to(values, len(x)), formula, x)
        assert np.isclose(getattr(module, f"f{i}")(*x[0]), formula.evaluate(x[:1])[0])


def test_python_source_needs_numpy_only(tmp_path):
    formula, x = CASES[3]
    (tmp_path / "law.py").write_text(python_source(formula, "law"), encoding="utf-8")
    code = (
        f"import sys; from law import law; print(repr(float(law(*{x[0].tolist()}))));"
    )
    code += "print('arithmax' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    value, loaded = done.stdout.split()
    agree(np.array([float(value)]), formula, x[:1])
    assert loaded == "False"


def test_source_gives_no_warning_and_no_number_where_a_formula_is_undefined(tmp_path):
    formula = parse("1/x + log(y) + sqrt(z)", ["x", "y", "z"])
    function = imported(python_source(formula), tmp_path).f
    for row in ([0, 1, 1], [1, -1, 1], [1, 1, -1]):
        assert not np.isfinite(function(*row))
        assert np.isnan(formula.evaluate([row])).all()
    assert function(2, 1, 4) == 2.5  # whole numbers are taken for real ones


@pytest.mark.parametrize("name", ["", "2f", "lambda", "sin", "numpy", "f()", None])
def test_a_function_has_a_name_that_python_takes(name):
    with pytest.raises((ValueError, TypeError), match="name"):
        python_source(CASES[0][0], name)


def test_torch_modules():
    for formula, x in CASES:
        module = torch_module(formula, dtype=torch.float64)
        agree(module(torch.tensor(x)).detach().numpy(), formula, x)
        assert module(torch.tensor(x).reshape(5, 10, 4)).shape == (5, 10)


def test_a_module_has_the_format_and_place_it_is_given():
    formula, x = CASES[1]
    module = torch_module(formula, device="cpu")
    assert module.free.dtype == module.exact.dtype == torch.get_default_dtype()
    single = module(torch.tensor(x, dtype=torch.float32))
    assert single.dtype == torch.float32
    agree(single.detach().double().numpy(), formula, x, 1e-4)
    double = module.double()(torch.tensor(x))
    assert double.dtype == torch.float64
    meta = torch_module(formula, device="meta")
    assert meta.free.device.type == meta.exact.device.type == "meta"


ENERGY = Formula(
    Sum(
        (Number(0.4, None, 0.01), Number.of(3, pi=1)),
        (
            Product((Number.of(1), Number(1.9)), (Variable(0), Variable(1))),
            Product((Number.of(2),), (Variable(2),)),
        ),
    ),
    ("m", "v", "q"),
)


def test_fitted_constants_are_parameters_and_named_ones_are_buffers():
    module = torch_module(ENERGY, dtype=torch.float64)
    assert module.free.tolist() == [0.4, 1.9]
    assert dict(module.named_parameters()).keys() == {"free"}
    assert module.exact.tolist() == pytest.approx([1, 3 * np.pi, 2])
    assert module.state_dict().keys() == {"free", "exact"}
    other = torch_module(ENERGY, dtype=torch.float64)
    torch.nn.init.zeros_(other.free)
    other.load_state_dict(module.state_dict())
    assert other.free.tolist() == [0.4, 1.9]
    assert str(module.fitted()) == str(ENERGY)


def test_a_module_can_be_tuned_to_other_rows():
    x = np.random.default_rng(0).uniform(1, 3, (200, 3))
    y = torch.tensor(0.5 * x[:, 0] * x[:, 1] ** 2 + 3 * np.pi * x[:, 2] ** 2)
    module = torch_module(ENERGY, dtype=torch.float64)
    optimiser = torch.optim.LBFGS(
        module.parameters(), max_iter=100, line_search_fn="strong_wolfe"
    )

    def closure():
        optimiser.zero_grad()
        loss = ((module(torch.tensor(x)) - y) ** 2).mean()
        loss.backward()
        return loss

    for _ in range(3):
        optimiser.step(closure)
    assert module.free.tolist() == pytest.approx([0.5, 2.0], abs=1e-5)
    coefficient, exponent = (n.value for n in module.fitted().numbers if n.free)
    assert (coefficient, exponent) == pytest.approx((0.5, 2.0), abs=1e-5)


def test_modules_are_copied_and_saved_by_their_constants():
    module = torch_module(ENERGY, dtype=torch.float64)
    buffer = io.BytesIO()
    torch.save(module.state_dict(), buffer)
    buffer.seek(0)
    other = copy.deepcopy(module)
    other.load_state_dict(torch.load(buffer, weights_only=True))
    x = torch.ones(3, 3, dtype=torch.float64)
    assert torch.equal(other(x), module(x))


def test_jax_functions_under_jit_and_vmap():
    for formula, x in COMPILED:
        function = jax_function(formula)
        agree(np.asarray(jax.jit(function)(jnp.asarray(x))), formula, x)
    formula, x = CASES[7]
    function = jax_function(formula)
    agree(np.asarray(jax.jit(jax.vmap(function))(jnp.asarray(x))), formula, x)
    assert function(jnp.asarray(x, jnp.float32)).dtype == jnp.float32
    assert function(jnp.ones((2, 3, 4), int)).shape == (2, 3)


def test_slopes_of_jax_and_torch_are_those_of_differences():
    h = 1e-6
    for formula, x in COMPILED[:3]:
        x = x[:5]
        ours = [
            (formula.evaluate(x + h * e) - formula.evaluate(x - h * e)) / (2 * h)
            for e in np.eye(len(NAMES))
        ]
        expected = np.stack(ours, axis=1)
        scale = np.abs(expected).max() + np.abs(formula.evaluate(x)).max()
        slopes = jax.jit(jax.vmap(jax.grad(jax_function(formula))))(jnp.asarray(x))
        assert np.abs(np.asarray(slopes) - expected).max() < 1e-6 * scale
        inputs = torch.tensor(x, requires_grad=True)
        torch_module(formula, dtype=torch.float64)(inputs).sum().backward()
        assert inputs.grad is None or np.allclose(inputs.grad, slopes, rtol=1e-9)


def session(formula, **options):
    model = onnx_model(formula, **options)
    return onnxruntime.InferenceSession(model.SerializeToString())


def ran(formula, x, **options) -> np.ndarray:
    return np.asarray(session(formula, **options).run(["y"], {"x": x})[0])


def test_onnx_models_run():
    for formula, x in FEW:
        y = ran(formula, x)
        assert y.dtype == np.float64
        agree(y, formula, x)


def test_an_onnx_model_says_what_it_is():
    model = onnx_model(ENERGY, dtype="float32")
    props = {p.key: p.value for p in model.metadata_props}
    assert props == {"formula": str(ENERGY), "columns": '["m", "v", "q"]'}
    assert [(o.domain, o.version) for o in model.opset_import] == [("", 17)]
    y = ran(ENERGY, np.ones((2, 3), "f4"), dtype="float32")
    assert y.dtype == np.float32 and y == pytest.approx([0.4 + 3 * np.pi] * 2)
    with pytest.raises(ValueError, match="dtype"):
        onnx_model(ENERGY, dtype="int8")


def test_constants_have_a_value_for_each_row():
    two = Formula(Sum((Number.of(2),), (Product(),)), ("a",))
    nothing = Formula(Sum((), ()), ("a",))
    x = np.ones((3, 1))
    for formula in (two, nothing):
        value = formula.evaluate(x)
        assert np.array_equal(value, [2.0] * 3 if formula is two else [0.0] * 3)
        assert np.array_equal(torch_module(formula)(torch.tensor(x)).tolist(), value)
        assert np.array_equal(jax_function(formula)(jnp.asarray(x)), value)
        assert np.array_equal(ran(formula, x), value)
        assert np.array_equal(numpy_function(formula)(x[:, 0]), value)
