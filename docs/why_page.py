"""Puts the pictures of `why.md` on its page, with captions, links and commands.

MkDocs calls the functions that begin with `on_` by name. `<!-- picture: NAME -->` on a
page becomes the picture, its caption, a link to the study and the command that trains
its runs again.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from mkdocs.structure.files import File
from pictures import figure_html, generated
from run_panels import SAMPLES, SHARE, WIDE, WITHIN
from why_pictures import (
    copy,
    division,
    functions,
    gates,
    landscape,
    nalu,
    product,
    remedies,
    signs,
    starts,
    sums,
    weights,
)

MARKER = r"<!-- picture: (\S+) -->"


@dataclass(frozen=True)
class Picture:
    """A picture of the page.

    Args:
        studies: whose runs it shows.
        caption: what a reader sees on it.
        draw: draws it, for a desk and for a phone.
        height: in pixels, on a desk.
    """

    studies: tuple[str, ...]
    caption: str
    draw: Callable[[], list[str]]
    height: float = 250


RIGHT = (
    f"Blue runs are right: at least {SHARE:.0%} of {SAMPLES:,} answers in the test "
    f"range are within {WITHIN:.0%} of the truth, and so is the line. Orange runs are "
    "wrong."
)
PICTURES = {
    "copy": Picture(
        ("mlp-identity",),
        "One number in, the same number out. Each thin line is one of 100 networks, by "
        "the activation function of their hidden layers; the broad grey line is the "
        f"truth, and the shaded part is where they were trained. {RIGHT}",
        copy,
    ),
    "sums": Picture(
        ("nac-operands",),
        "The sum of four numbers by a NAC; each line is a run. Trained between 20 and "
        "40 (shaded).",
        sums,
    ),
    "nalu": Picture(
        ("nalu-operands",),
        "Four operations by one NALU layer, trained between 20 and 40 (shaded).",
        nalu,
    ),
    "gates": Picture(
        ("nalu-operands",),
        "Where the gates of these runs end. Blue is the side that can compute the "
        "operation, orange the side that cannot.",
        gates,
        230,
    ),
    "signs": Picture(
        ("negative-products",),
        "a × b for numbers of both signs, trained between −2 and 2 (shaded).",
        signs,
    ),
    "starts": Picture(
        ("initialisation-sensitivity",),
        "How many answers of a NALU are right, by where the weights of its gate start: "
        "the darker, the better. Trained between 20 and 40.",
        starts,
        210,
    ),
    "remedies": Picture(
        ("reinitialisation", "independent-weights"),
        "The two remedies on products: without and with fresh starts (left), and with "
        "shared and separate weights for inputs below −1 (right).",
        remedies,
    ),
    "landscape": Picture(
        ("loss-curvature",),
        "The loss over two weights: blue is small, orange is large. The star "
        "is the solution.",
        landscape,
        320,
    ),
    "product": Picture(
        ("simple-mul",),
        "(x₁ + x₂) · (x₁ + x₂ + x₃ + x₄), trained between 1 and 2 (shaded).",
        product,
    ),
    "weights": Picture(
        ("weight-bias",),
        "Learned weights of runs that solved a sum. Blue are whole numbers.",
        weights,
        230,
    ),
    "division": Picture(
        ("npu-xy",),
        "a ÷ b for numbers of both signs, learned from positive ones between 0.1 and 2 "
        "(shaded), twenty runs each.",
        division,
    ),
    "functions": Picture(
        ("npu-functions",),
        "Two functions that no finite sum of products has. Of twenty runs the one with "
        "the least error in the training range (shaded).",
        functions,
        280,
    ),
}


@cache
def svgs(name: str) -> list[str]:
    """A picture, for a desk and for a phone."""
    return PICTURES[name].draw()


def on_files(files, config):
    """Add the pictures."""
    for name in PICTURES:
        for kind, svg in zip(("", "-narrow"), svgs(name), strict=True):
            for uri, content in generated(f"assets/why/{name}{kind}", svg):
                files.append(File.generated(config, uri, content=content))
    return files


def on_page_markdown(markdown, page, config, files):
    """Put the pictures where a page asks for them."""
    depth = "../" * page.url.count("/")
    return re.sub(MARKER, lambda match: shown(match[1], depth), markdown)


def shown(name: str, depth: str) -> str:
    """A picture with its caption, the study and the command behind it."""
    picture = PICTURES[name]
    links = ", ".join(
        f'<a href="{depth}studies/{one}/">{one}</a>' for one in picture.studies
    )
    command = f"<code>arithmax reproduce {' '.join(picture.studies)}</code>"
    caption = f"{picture.caption} All figures: {links}; {command}"
    size = (WIDE, picture.height)
    return figure_html(f"{depth}assets/why/{name}", caption, size, narrow=True)
