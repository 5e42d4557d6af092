"""The page on errors of the literature: its list, its figures and its pictures.

MkDocs calls the functions that begin with `on_` by name. `<!-- error: TITLE -->` on
the page becomes where an error stands and what it does, and `<!-- errors: NAME -->` a
table, a sentence or a picture.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import error_formulas as formulas
import error_measures as measures
import error_pictures
import error_scripts as scripts
from markdown.extensions.toc import slugify
from mkdocs.structure.files import File
from pictures import figure_html, generated
from run_panels import WIDE

ERROR, PART = r"<!-- error: (.+?) -->", r"<!-- errors: (.+?) -->"
MADSEN = "Madsen and Johansen, ICLR 2020"
STABLE = "`{}` of AndreasMadsen/stable-nalu"
HEIM = "`{}` of nmheim/NeuralPowerUnits"
DRAFT = "Heim, Šmídl and Pevný, draft of May 2020, {}"


@dataclass(frozen=True)
class Error:
    """An error of the page.

    Args:
        title: the heading of its section.
        paper: the document, in a word or two.
        where: in which formula or line it stands.
        effect: what it does, in numbers.
    """

    title: str
    paper: str
    where: str
    effect: Callable[[], str]

    def listed(self) -> str:
        """Its line in the first table."""
        link = f"[{self.title}](#{slugify(self.title, '-')})"
        return f"| {link} | {self.paper} | {cached(self.effect)} |"

    def shown(self) -> str:
        """How its section begins."""
        return f"**Where:** {self.where}.\n\n**Effect:** {cached(self.effect)}."


ERRORS = (
    Error(
        "The beta factor",
        "NAU/NMU paper",
        f"{MADSEN}, table 2 and every figure of sparsity errors; "
        f"{STABLE.format('export/_compute_summary.r')}, `compute.beta.stat`",
        measures.beta_effect,
    ),
    Error(
        "Merge and sort",
        "NAU/NMU paper",
        f"{MADSEN}, table 2, the figure of input ranges; "
        f"{STABLE.format('export/function_task_static.r')}, `merge(eps)`",
        measures.merge_effect,
    ),
    Error(
        "The variance that stayed",
        "NAU/NMU paper",
        f"{MADSEN}, table 2; {STABLE.format('export/_compute_summary.r')}, "
        "`compute.gamma.stat`",
        measures.variance_effect,
    ),
    Error(
        "The threshold off by one",
        "NAU/NMU paper",
        f"{MADSEN}, figures of dataset parameters; "
        f"{STABLE.format('export/function_task_static_mse_expectation.r')}, "
        "`a.end = a.start + subset.size`",
        measures.threshold_effect,
    ),
    Error(
        "The luck of a hundred seeds",
        "NAU/NMU paper",
        f"{MADSEN}, table 1, and its slides",
        measures.luck_effect,
    ),
    Error(
        "Four criteria of success",
        "four papers",
        "Schlör, Ring and Hotho, 2020; Madsen and Johansen, 2020; Mistry, Farrahi and "
        "Hare, 2022; the DMU, 2025",
        scripts.criteria_effect,
    ),
    Error(
        "The norm of arrays",
        "NPU paper",
        "Heim, Pevný and Šmídl, NeurIPS 2020, section 4.3; "
        f"{HEIM.format('scripts/arithmetic/*_l1_runs.jl')}, `norm(ps,1)`",
        formulas.norm_effect,
    ),
    Error(
        "The best ten of twenty",
        "NPU paper",
        "Heim, Pevný and Šmídl, NeurIPS 2020, table 1; "
        f"{HEIM.format('scripts/arithmetic/revalidate.jl')}, `gdf[1:min(10,…),:]`",
        scripts.chosen_effect,
    ),
    Error(
        "Text against code",
        "NPU paper",
        "Heim, Pevný and Šmídl, NeurIPS 2020, sections 4.2 and 4.3, tables A2 to A6",
        scripts.text_effect,
    ),
    Error("Reversed k", "NPU draft", DRAFT.format("eq. 12"), formulas.k_effect),
    Error(
        "A NAU between 0 and 1", "NPU draft", DRAFT.format("eq. 6"), formulas.nau_effect
    ),
    Error(
        "A gate without its sigmoid",
        "NAU/NMU slides",
        "slides of “Neural Arithmetic Units”, ICLR 2020, on NALU",
        formulas.gate_effect,
    ),
    Error(
        "A gradient expected to be zero",
        "NAU/NMU slides",
        "slides of “Neural Arithmetic Units”, ICLR 2020, on weight issues",
        scripts.expected_effect,
    ),
    Error(
        "Slips of the note",
        "note of 2019",
        "“Gradient-based optimization of multiplication from learned input subsets”, "
        "2019, eq. 3, 6 and 10",
        scripts.slips_effect,
    ),
    Error(
        "Signs of a flattened matrix",
        "iNALU's code",
        "`nalu_architectures.py` of daschloer/inalu, the part “sign” of each layer",
        formulas.sign_effect,
    ),
    Error(
        "The benchmark's iNALU",
        "Primer's code",
        "`stable_nalu/layer/inalu.py` of bmistry4/nalm-benchmark",
        scripts.inalu_effect,
    ),
    Error(
        "Operands that are given",
        "DMU",
        "the DMU, arXiv 2509.08180; `freeze_O` in marict/nalm-benchmark",
        formulas.dmu_effect,
    ),
    Error(
        "A NAC that is a linear layer",
        "NAC elsewhere",
        "re-implementations of 2018: kevinzakka/NALU-pytorch and bharathgs/NALU, both "
        "mended in pull request 2; forks from before are not",
        lambda: "Ŵ and M̂ are never trained, and weights are not bounded",
    ),
    Error(
        "Where tanh stops",
        "XLA, PyTorch",
        "float32 tanh of XLA and PyTorch, which NAC, NALU and NRU are built of",
        formulas.tanh_effect,
    ),
    Error(
        "The slope of clamp",
        "PyTorch",
        "`torch.clamp` since 2.14, in every NAU, NMU and unit that is projected",
        formulas.clamp_effect,
    ),
)

TEXTS: dict[str, Callable[[], str]] = {
    "thresholds": measures.threshold_table,
    "four inputs": measures.four_inputs_table,
    "starts": measures.luck_table,
    "other rates": measures.luck_elsewhere,
    "criteria": scripts.criteria_table,
    "array norms": scripts.array_norms,
    "chosen": scripts.chosen_table,
    "text": scripts.text_table,
    "settings": scripts.settings_table,
    "expected": scripts.expected_table,
    "slips": scripts.slips_table,
    "benchmark": scripts.inalu_table,
}
# Pictures: how each is drawn, its height on a desk, and what is on it.
PICTURES: dict[str, tuple[Callable[[], list[str]], int, str]] = {
    "beta": (
        error_pictures.beta,
        error_pictures.HEIGHT,
        "Mean sparsity errors of table 2: orange as printed, blue of the same runs.",
    ),
    "merge": (
        error_pictures.merge,
        250,
        "The step at which each published run of the NAU was solved. Orange: read from "
        "rows out of order, by a simulation of the sort.",
    ),
    "threshold": (
        error_pictures.threshold,
        220,
        "How many times too strict the threshold of the script is, for × of subsets of "
        "so many inputs, a quarter of all.",
    ),
    "norm": (
        error_pictures.norm,
        250,
        "How hard the penalty pulls at each weight of a matrix of equal weights: blue "
        "as meant, orange as in the scripts. The ring: the mean weight with which the "
        "large task's NPU starts.",
    ),
    "nau": (
        error_pictures.nau,
        250,
        "x₁ − x₂ by the best weights: blue with a NAU's own range, orange with the "
        "printed one, grey the truth.",
    ),
    "gate": (
        error_pictures.gate,
        220,
        "A NALU between 2 + 3 and 2 · 3 (grey): blue with the σ, orange as printed.",
    ),
    "tanh": (
        error_pictures.tanh,
        250,
        "How far tanh is from 1: grey exactly, blue in PyTorch's float32, orange in "
        "XLA's. Where a line ends, it is 1.",
    ),
    "luck": (
        error_pictures.luck,
        250,
        "How many of a hundred seeds of NAC• solve the task, if each does so as often "
        "as our thousand. Orange: as few as printed, or fewer.",
    ),
    "k": (
        error_pictures.k,
        250,
        "xʷ by a RealNPU: blue with k as meant, orange as printed, grey the truth. "
        "Even powers are alike.",
    ),
    "clamp": (
        error_pictures.clamp,
        220,
        "A weight that starts on its bound, 1, and has to go to ½ (grey).",
    ),
}


@cache
def cached(make: Callable[[], str]) -> str:
    """A figure that stands on the page twice."""
    return make()


@cache
def svgs(name: str) -> list[str]:
    """A picture, for a desk and for a phone."""
    return PICTURES[name][0]()


def on_files(files, config):
    """Add the pictures."""
    for name in PICTURES:
        for kind, svg in zip(("", "-narrow"), svgs(name), strict=True):
            for uri, content in generated(f"assets/errors/{name}{kind}", svg):
                files.append(File.generated(config, uri, content=content))
    return files


def on_page_markdown(markdown, page, config, files):
    """Put figures, tables and pictures where the page asks for them."""
    by_title = {error.title: error for error in ERRORS}
    markdown = re.sub(ERROR, lambda match: by_title[match[1]].shown(), markdown)
    return re.sub(PART, lambda match: part(match[1]), markdown)


def part(name: str) -> str:
    """A table, a sentence or a picture of the page."""
    if name == "list":
        head = ["| error | where | effect |", "|---|---|---|"]
        return "\n".join([*head, *(error.listed() for error in ERRORS)])
    if not name.startswith("picture "):
        return cached(TEXTS[name])
    name = name.removeprefix("picture ")
    _, height, caption = PICTURES[name]
    return figure_html(f"../assets/errors/{name}", caption, (WIDE, height), narrow=True)
