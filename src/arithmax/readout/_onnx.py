"""A formula as an ONNX model, which runs wherever an ONNX runtime does."""

import json
from typing import Any

from .._checks import choose
from .._extras import extras
from ..discover import Formula
from ._arguments import check_formula
from ._instructions import carry_out, lowered

OPSET, IR_VERSION = 17, 8  # of 2022: what runtimes of the last years read
FORMATS = {"float64": "DOUBLE", "float32": "FLOAT"}


def onnx_model(formula: Formula, *, dtype: str = "float64") -> Any:
    """An ONNX model with the input `x` [rows, columns] and the output `y` [rows].

    It uses operators of opset 17 only. Its metadata have the formula (`formula`) and
    the names of the columns (`columns`, a JSON list). Where the formula is undefined
    the model gives NaN or an infinity.

    Args:
        formula: the formula.
        dtype: "float64" or "float32", the format of inputs, constants and output.

    Returns:
        An `onnx.ModelProto`; `onnx.save(model, "formula.onnx")` writes it.

    Examples:
        >>> import numpy as np, onnxruntime
        >>> from arithmax.readout import onnx_model, parse
        >>> model = onnx_model(parse("m*v**2/2", ["m", "v"]))
        >>> session = onnxruntime.InferenceSession(model.SerializeToString())
        >>> session.run(["y"], {"x": np.array([[2.0, 3.0]])})[0].tolist()
        [9.0]
    """
    check_formula(formula)
    with extras():
        import onnx
    choose("dtype", dtype, FORMATS)
    graph = _Graph(onnx, formula, dtype)
    graph.finish(carry_out(lowered(formula), graph.operations()))
    helper = onnx.helper
    kind = getattr(onnx.TensorProto, FORMATS[dtype])
    x = helper.make_tensor_value_info("x", kind, ["rows", len(formula.names)])
    y = helper.make_tensor_value_info("y", kind, ["rows"])
    made = helper.make_graph(graph.nodes, "formula", [x], [y], graph.constants)
    opset = helper.make_opsetid("", OPSET)
    model = helper.make_model(made, opset_imports=[opset], ir_version=IR_VERSION)
    model.producer_name, model.doc_string = "arithmax", str(formula)
    about = {"formula": str(formula), "columns": json.dumps(formula.names)}
    helper.set_model_props(model, about)
    onnx.checker.check_model(model, full_check=True)
    return model


class _Graph:
    """Writes the nodes of a graph; a result is the name of its tensor."""

    def __init__(self, onnx: Any, formula: Formula, dtype: str) -> None:
        self.onnx, self.formula, self.dtype = onnx, formula, dtype
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def operations(self) -> dict[str, Any]:
        unary = {"sqrt": "Sqrt", "exp": "Exp", "log": "Log", "sin": "Sin", "cos": "Cos"}
        calls = {name: self._call(kind) for name, kind in unary.items()}
        return calls | {
            "column": self._column,
            "number": lambda k: self._constant(self.formula.numbers[k].value),
            "whole": self._constant,
            "add": self._call("Add"),
            "multiply": self._call("Mul"),
            "power": self._power,
            "whole_power": self._whole_power,
        }

    def _node(self, kind: str, *operands: str, **attributes: Any) -> str:
        name = f"{kind.lower()}_{len(self.nodes)}"
        make = self.onnx.helper.make_node
        self.nodes.append(make(kind, list(operands), [name], **attributes))
        return name

    def _call(self, kind: str) -> Any:
        return lambda *operands: self._node(kind, *operands)

    def _constant(self, value: Any, dtype: str | None = None) -> str:
        import numpy as np

        array = np.asarray(value, dtype=dtype or self.dtype)
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def _column(self, index: int) -> str:
        return self._node("Gather", "x", self._constant(index, "int64"), axis=1)

    def _power(self, base: str, k: int) -> str:
        return self._node("Pow", base, self._constant(self.formula.numbers[k].value))

    def _whole_power(self, base: str, exponent: int) -> str:
        size = abs(exponent)
        power = base if size == 1 else self._node("Pow", base, self._constant(size))
        if exponent >= 0:
            return power
        return self._node("Div", self._constant(1), power)

    def finish(self, result: str) -> None:
        """The result under the name of the output, one for each row."""
        if self.formula.variables:
            self._output("Identity", result)
            return
        rows = self._node("Shape", "x", start=0, end=1)
        self._output("Expand", result, rows)

    def _output(self, kind: str, *operands: str) -> None:
        self.nodes.append(self.onnx.helper.make_node(kind, list(operands), ["y"]))
