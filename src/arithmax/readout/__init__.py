"""Formulas of trained networks, and formulas as code, text and files."""

from ._from_json import from_json as from_json
from ._jax import jax_function as jax_function
from ._json import to_json as to_json
from ._latex import latex as latex
from ._onnx import onnx_model as onnx_model
from ._parse import parse as parse
from ._python import numpy_function as numpy_function
from ._python import python_source as python_source
from ._reading import Reading as Reading
from ._readout import readout as readout
from ._sympy import from_sympy as from_sympy
from ._torch import torch_module as torch_module
from ._written import expressions_of as expressions_of
from ._written import written_formulas as written_formulas
