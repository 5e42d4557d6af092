"""Every study by its name; a study is imported when it is asked for."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

from .._checks import choose
from .._own_code import file_and_name, load_module, own_file
from ._by_recipe import SUFFIX, by_recipe
from ._sheet import Sheet, sheet
from ._study import Study

# Where each study is, in the order of their sources: the document's folder and the
# module, whose function is `study` unless another is named.
LISTED = {
    "simple-mul": "slides.simple_mul",
    "arithmetic-dataset": "slides.arithmetic_dataset",
    "hidden-size": "slides.sweeps:hidden_size",
    "input-range": "slides.sweeps:input_range",
    "input-size": "slides.sweeps:input_size",
    "subset-ratio": "slides.sweeps:subset_ratio",
    "overlap-ratio": "slides.sweeps:overlap_ratio",
    "gate": "slides.gate",
    "regularisation": "slides.sweeps:regularisation",
    "regularisation-scaling": "slides.sweeps:regularisation_scaling",
    "ablation": "slides.sweeps:ablation",
    "learning-rate": "slides.learning_rate",
    "weight-bias": "slides.weight_bias",
    "loss-curvature": "slides.loss_curvature",
    "gradients": "slides.gradients",
    "mlp-identity": "extrapolation.mlp_identity",
    "nac-operands": "extrapolation.nac_operands",
    "nac-signs": "extrapolation.nac_signs",
    "nalu-operands": "extrapolation.nalu_operands",
    "reinitialisation": "extrapolation.reinitialisation",
    "exploding-stacks": "extrapolation.exploding_stacks",
    "negative-products": "extrapolation.negative_products",
    "initialisation-sensitivity": "extrapolation.initialisation_sensitivity",
    "independent-weights": "extrapolation.independent_weights",
    "learned-subsets": "note.learned_subsets",
    "gradient-formulae": "note.gradient_formulae",
    "moments": "note.moments",
    "nalu-dynamics": "note.nalu_dynamics",
    "npu-xy": "npu.npu_xy",
    "npu-arithmetic": "npu.npu_arithmetic",
    "npu-functions": "npu.npu_functions",
    "npu-products": "npu.npu_products",
    "npu-small-inputs": "npu.npu_small_inputs",
    "npu-imaginary": "npu.npu_imaginary",
    "single-module": "primer.single_module",
    "redundancy": "primer.redundancy",
    "division": "primer.division",
    "learning-rate-decay": "primer.learning_rate_decay",
    "arithmetic-dataset-ranges": "primer.arithmetic_dataset_ranges",
    "one-recipe": "primer.one_recipe",
    "second-order": "primer.second_order",
    "inalu-minimal": "inalu.experiments:minimal",
    "inalu-simple": "inalu.experiments:simple",
    "inalu-initialisation": "inalu.inalu_initialisation",
    "inalu-function": "inalu.experiments:function",
    "npu-large": "npu.npu_large",
    "relevant-inputs": "bayes.relevant_inputs",
    "pruned-exponents": "bayes.pruned_exponents",
    "interval-coverage": "bayes.interval_coverage",
    "arithmetic-dataset-solved": "discovery.arithmetic_dataset_solved",
    "digits-product": "digits.experiments:product",
    "digits-sum": "digits.experiments:total",
    "digits-count": "digits.digits_count",
    "what-decides": "success.what_decides",
    "demo": "primer.demo",
}


class Studies(Mapping[str, Study]):
    """The studies by name; each is made when it is first asked for."""

    def __getitem__(self, name: str) -> Study:
        return _made(name)

    def __contains__(self, name: object) -> bool:
        return name in LISTED

    def __iter__(self) -> Iterator[str]:
        return iter(LISTED)

    def __len__(self) -> int:
        return len(LISTED)


@cache
def _made(name: str) -> Study:
    module, _, function = LISTED[name].partition(":")
    return getattr(import_module(f".{module}", __package__), function or "study")()


def sheets() -> list[Sheet]:
    """The sheets of all studies, with their titles and sources; no study is made."""
    return [sheet(place.partition(".")[0], name) for name, place in LISTED.items()]


def studies() -> Mapping[str, Study]:
    """The studies that come with the package, in the order of their sources.

    Examples:
        >>> from arithmax.studies import studies
        >>> studies()["simple-mul"].labels
        ('model',)
    """
    return Studies()


def study(name: str) -> Study:
    """The study of that name, or the one in a Python file.

    Args:
        name: a name that `arithmax studies` lists, with `-recipe` behind it for runs by
            `Protocol.recipe()`, or `FILE.py:NAME`: a Python file and the name in it of
            a `Study`, which may be left out if there is one only.
    """
    if own_file(name) is not None:
        return from_file(name)
    if is_by_recipe(name):
        return by_recipe(studies()[name.removesuffix(SUFFIX)])
    return studies()[choose("name", name, studies())]


def is_by_recipe(name: str) -> bool:
    """Whether a name is that of a study of the package by the one recipe."""
    return name.endswith(SUFFIX) and name.removesuffix(SUFFIX) in studies()


def from_file(text: str) -> Study:
    """The study that a Python file holds, perhaps under a name: `FILE.py:NAME`."""
    path, name = file_and_name(text)
    module = load_module(Path(path), "name")
    held = {id(v): v for v in vars(module).values() if isinstance(v, Study)}
    if name:
        held = {n: v for n, v in held.items() if v is vars(module).get(name)}
    if len(held) != 1:
        names = ", ".join(repr(s.name) for s in held.values())
        raise ValueError(
            f"`name` (={text}) must hold one `arithmax.studies.Study` at its top "
            f"level, but holds {names or 'none'}"
            + (f" of the name {name!r}." if name else ": write FILE.py:NAME.")
        )
    made = next(iter(held.values()))
    if made.name in studies():
        raise ValueError(
            f"the study in {path} is named {made.name!r}, as one of the package's is. "
            "Give it another name, so that their results are not mixed up."
        )
    return made
