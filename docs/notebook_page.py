"""The tutorial's page: the notebook in `examples/`, with what it printed.

MkDocs calls the functions that begin with `on_` by name.
"""

import json
import re
from pathlib import Path

from mkdocs.structure.files import File

NOTEBOOK = Path(__file__).parents[1] / "examples" / "discovery.ipynb"
NOTE = """
The notebook is `examples/discovery.ipynb`; `pip install "arithmax[discover]"` has all
that it needs.
"""


def on_files(files, config):
    """Add the page."""
    files.append(File.generated(config, "tutorial.md", content=tutorial()))
    return files


def tutorial() -> str:
    """The notebook as Markdown: text, code, and what the code gave."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join([*map(_cell, cells), NOTE])


def _cell(cell) -> str:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    parts = [f"```python\n{source}\n```", *map(_output, cell["outputs"])]
    return "\n\n".join(parts)


def _output(output) -> str:
    data = output.get("data", {})
    if "text/html" in data:
        table = re.sub(r"(?s)<style.*?</style>", "", "".join(data["text/html"]))
        table = re.sub(r"<table[^>]*>", "<table>", table)  # as other tables look
        return re.sub(r"\n\s*", "", table)  # Markdown would begin a new paragraph
    text = "".join(output.get("text") or data["text/plain"])
    return f"```text\n{text.rstrip()}\n```"
