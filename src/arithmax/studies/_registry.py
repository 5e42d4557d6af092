"""Every study by its name."""

from functools import cache
from pathlib import Path

from .._own_code import load
from .._checks import choose
from ._arithmetic_dataset import arithmetic_dataset
from ._arithmetic_dataset_ranges import arithmetic_dataset_ranges
from ._demo import demo
from ._division import division
from ._exploding_stacks import exploding_stacks
from ._gate import gate
from ._gradient_formulae import GRADIENT_FORMULAE
from ._gradients import GRADIENTS
from ._inalu_arithmetic import inalu_minimal, inalu_simple
from ._inalu_function import inalu_function
from ._inalu_initialisation import inalu_initialisation
from ._independent_weights import independent_weights
from ._initialisation_sensitivity import initialisation_sensitivity
from ._learned_subsets import learned_subsets
from ._loss_curvature import LOSS_CURVATURE
from ._mlp_identity import mlp_identity
from ._moments import MOMENTS
from ._nac_operands import nac_operands, nac_signs
from ._nalu_dynamics import nalu_dynamics
from ._nalu_operands import nalu_operands
from ._negative_products import negative_products
from ._npu_arithmetic import npu_arithmetic
from ._npu_functions import npu_functions
from ._npu_imaginary import npu_imaginary
from ._npu_large import npu_large
from ._npu_products import npu_products
from ._npu_surfaces import npu_small_inputs
from ._npu_xy import npu_xy
from ._redundancy import redundancy
from ._reinitialisation import reinitialisation
from ._simple_mul import simple_mul
from ._single_module import single_module
from ._study import Study
from ._sweeps import ablation, hidden_size, input_range, input_size, regularisation
from ._weight_bias import weight_bias


@cache
def studies() -> dict[str, Study]:
    """The studies that come with the package, in the order of their sources."""
    listed = [
        simple_mul(),
        arithmetic_dataset(),
        hidden_size(),
        input_range(),
        input_size(),
        gate(),
        regularisation(),
        ablation(),
        weight_bias(),
        LOSS_CURVATURE,
        GRADIENTS,
        mlp_identity(),
        nac_operands(),
        nac_signs(),
        nalu_operands(),
        reinitialisation(),
        exploding_stacks(),
        negative_products(),
        initialisation_sensitivity(),
        independent_weights(),
        learned_subsets(),
        GRADIENT_FORMULAE,
        MOMENTS,
        nalu_dynamics(),
        npu_xy(),
        npu_arithmetic(),
        npu_functions(),
        npu_products(),
        npu_small_inputs(),
        npu_imaginary(),
        single_module(),
        redundancy(),
        division(),
        arithmetic_dataset_ranges(),
        inalu_minimal(),
        inalu_simple(),
        inalu_initialisation(),
        inalu_function(),
        npu_large(),
        demo(),
    ]
    return {study.name: study for study in listed}


def study(name: str) -> Study:
    """The study of that name, or the one in a Python file.

    Args:
        name: a name that `arithmax studies` lists, or a path that ends in `.py` to a
            file with one `Study` in it.
    """
    if name.endswith(".py"):
        return from_file(Path(name))
    return studies()[choose("name", name, studies())]


def from_file(path: Path) -> Study:
    """The study that a Python file holds."""
    module = load(path, "name")
    found = {id(v): v for v in vars(module).values() if isinstance(v, Study)}
    if len(found) != 1:
        names = ", ".join(repr(s.name) for s in found.values())
        raise ValueError(
            f"`name` (={path}) must hold one `arithmax.studies.Study` at its top "
            f"level, but holds {names or 'none'}."
        )
    own = next(iter(found.values()))
    if own.name in studies():
        raise ValueError(
            f"the study in {path} is named {own.name!r}, as one of the package's is. "
            "Give it another name, so that their results are not mixed up."
        )
    return own
