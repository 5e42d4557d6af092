"""Every study by its name."""

import importlib.util
from functools import cache
from pathlib import Path

from ..units._checks import choose
from ._arithmetic_dataset import arithmetic_dataset
from ._demo import demo
from ._gate import gate
from ._gradients import GRADIENTS
from ._loss_curvature import LOSS_CURVATURE
from ._simple_mul import simple_mul
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
    if not path.is_file():
        raise FileNotFoundError(f"`name` (={path}) is no file. Check the path.")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = {id(v): v for v in vars(module).values() if isinstance(v, Study)}
    if len(found) != 1:
        raise ValueError(
            f"`name` (={path}) must hold one `arithmax.studies.Study` at its top "
            f"level, but holds {len(found)}."
        )
    own = next(iter(found.values()))
    if own.name in studies():
        raise ValueError(
            f"the study in {path} is named {own.name!r}, as one of the package's is. "
            "Give it another name, so that their results are not mixed up."
        )
    return own
