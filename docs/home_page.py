"""The home page: its picture, and what it shares with the README.

MkDocs calls the functions that begin with `on_` by name. A part of the README that the
page asks for is put there as it is, so that both say, and test, the same.
"""

import json
import re
from pathlib import Path

from home_picture import DATA, PICTURE, SIZE
from pictures import figure_html

README = Path(__file__).parents[1] / "README.md"
MARKER = "<!-- home picture -->"
PART = r"<!-- readme: (.+?) -->"


def on_page_markdown(markdown, page, config, files):
    """Put the picture and the README's parts where the page asks for them."""
    if MARKER in markdown:
        picture = figure_html(f"assets/{PICTURE.name}", caption(), SIZE)
        markdown = markdown.replace(MARKER, picture)
    return re.sub(PART, lambda match: part(match[1]), markdown)


def caption() -> str:
    """What the picture shows, of the runs that it was drawn from."""
    data = json.loads(DATA.read_text(encoding="utf-8"))
    (low, high), (_, far) = data["trained_on"], data["tested_on"]
    counts = ", ".join(
        f"{network['name']} {network['solved']} of {network['seeds']}"
        for network in data["networks"]
    )
    return (
        "Three networks learned (x₁ + x₂)(x₁ + x₂ + x₃ + x₄) from inputs between "
        f"{low:g} and {high:g}. Of each the seed is shown whose error <em>inside</em> "
        f"that range is the median. Seeds that are right up to {far:g}: {counts}. "
        f"<code>{data['command']}</code>"
    )


def part(name: str) -> str:
    """A part of the README: between two marks, of a bold line, or of a heading."""
    text = README.read_text(encoding="utf-8")
    until = r"(?=^## |^<!-- |^\*\*|\Z)"
    for pattern in (
        rf"<!-- {name} -->\n(.*?)<!-- /{name} -->",
        rf"^(\*\*{name}\*\*\n.*?){until}",
        rf"^(## {name}\n.*?){until}",
    ):
        if found := re.search(pattern, text, re.DOTALL | re.MULTILINE):
            return found[1].replace("](docs/", "](")
    raise ValueError(f"README.md has no part {name!r}; `docs/index.md` asks for it.")
