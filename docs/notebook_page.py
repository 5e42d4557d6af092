"""The pages of notebooks in `examples/`, with what these printed and drew.

MkDocs calls the functions that begin with `on_` by name.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.structure.files import File

EXAMPLES = Path(__file__).parents[1] / "examples"
# The notebook of each page, the extras that it needs, and what its plots show.
NOTEBOOKS = {
    "tutorial.md": ("discovery.ipynb", "discover", ()),
    "torch-digits.md": (
        "digits.ipynb",
        "torch,discover,digits",
        (
            "One image of each digit from 1 to 9",
            "Products of both networks against the true ones, up to 36 and above",
            "What both networks read against the true digit",
        ),
    ),
}
NOTE = """
The notebook is `examples/{}`; `pip install -c constraints.txt ".[{}]" jupyterlab` in a
clone brings all that it imports, and Jupyter to open it with.
"""


def on_files(files, config):
    """Add the pages."""
    for page in NOTEBOOKS:
        files.append(File.generated(config, page, content=notebook_page(page)))
    return files


def notebook_page(page: str) -> str:
    """A notebook as Markdown: text, code, and what the code gave."""
    name, extras, plots = NOTEBOOKS[page]
    cells = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))["cells"]
    shown = iter(plots)
    return "\n\n".join([*(_cell(c, shown) for c in cells), NOTE.format(name, extras)])


def _cell(cell, plots: Iterator[str]) -> str:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    parts = [f"```python\n{source}\n```", *(_output(o, plots) for o in cell["outputs"])]
    return "\n\n".join(parts)


def _output(output, plots: Iterator[str]) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        picture = re.sub(r"\s", "", "".join(data["image/png"]))
        return f'<img alt="{next(plots)}" src="data:image/png;base64,{picture}">'
    if "text/html" in data:
        table = re.sub(r"(?s)<style.*?</style>", "", "".join(data["text/html"]))
        table = re.sub(r"<table[^>]*>", "<table>", table)  # as other tables look
        return re.sub(r"\n\s*", "", table)  # Markdown would begin a new paragraph
    text = "".join(output.get("text") or data["text/plain"])
    return f"```text\n{text.rstrip()}\n```"
