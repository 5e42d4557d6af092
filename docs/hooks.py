"""What the site makes from the package: tables of measured figures, and formulas.

MkDocs calls the functions that begin with `on_` by name.
"""

import html
import inspect
import json
import re
from dataclasses import fields
from pathlib import Path

import plotly.offline
from latex2mathml.converter import convert
from mkdocs.structure.files import File

from arithmax.cli._show import field_docs
from arithmax.discover import LADDER
from arithmax.tasks import TASKS

HERE = Path(__file__).parent
# What a reader of the file sees beside a marker whose place is filled in a build.
NOTE = re.compile(r"^(<!-- .+? -->) \(.+ that `make docs` builds\)$", re.MULTILINE)


def on_files(files, config):
    """Add the library that draws plots which can be turned and looked into."""
    library = plotly.offline.get_plotlyjs()
    files.append(File.generated(config, "assets/plotly.min.js", content=library))
    return files


def on_page_markdown(markdown, page, config, files):
    """Put generated tables where a page asks for them.

    This is the first hook: the notes beside markers are gone before others look.
    """
    markdown = NOTE.sub(r"\1", markdown)
    tables = {
        "reference": reference_table,
        "tasks": tasks_table,
        "stages": stages_table,
        "fit": fit_table,
        "fit hidden": fit_hidden_table,
        "fit by hand": fit_by_hand_table,
    }
    for name, make in tables.items():
        marker = f"<!-- table: {name} -->"
        if marker in markdown:
            markdown = markdown.replace(marker, make())
    return markdown


def on_page_content(content, page, config, files):
    """Turn every formula into MathML, which browsers draw by themselves."""
    pattern = r'<(span|div) class="arithmatex">(.*?)</\1>'
    return re.sub(pattern, _mathml, content, flags=re.DOTALL)


def _mathml(match):
    formula = html.unescape(match[2]).strip()
    block = formula.startswith("\\[")
    drawn = convert(formula[2:-2].strip(), display="block" if block else "inline")
    return (
        f'<div style="overflow:auto hidden;padding:.5em 0">{drawn}</div>'
        if block
        else drawn
    )


def reference_table() -> str:
    """The pages of the reference, with the names on each."""
    lines = ["| page | what is on it |", "|---|---|"]
    for path in sorted((HERE / "reference").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        names = dict.fromkeys(re.findall(r"^::: (?:\w+\.)*(\w+)", text, re.MULTILINE))
        if names:
            title = text.splitlines()[0].removeprefix("# ")
            listed = ", ".join(f"`{name}`" for name in names)
            lines.append(f"| [{title}]({path.name}) | {listed} |")
    return "\n".join(lines)


def stages_table() -> str:
    """What a search tries, in its order, each kind of stage once."""
    lines = ["| stage | what it proposes |", "|---|---|"]
    for kind in dict.fromkeys(type(stage) for stage in LADDER):
        first = " ".join(inspect.getdoc(kind).split("\n\n")[0].split())
        lines.append(f"| {kind.name} | {first.replace('|', '&#124;')} |")
    return "\n".join(lines)


def tasks_table() -> str:
    """Every task with its options."""
    parts = []
    for name, cls in TASKS.items():
        docs = field_docs(cls)
        parts += [f"### {cls.title}: `{name}`", "", first_paragraph(cls), ""]
        parts += ["| option | default | |", "|---|---|---|"]
        parts += [
            f"| `{f.name}` | `{f.default!r}` | {docs[f.name]} |" for f in fields(cls)
        ]
        parts.append("")
    return "\n".join(parts)


def first_paragraph(cls: type) -> str:
    """The docstring without its indentation."""
    return inspect.cleandoc(cls.__doc__ or "")


def fit_data() -> dict:
    """The figures of `benchmarks/fit.py`."""
    return json.loads((HERE / "data" / "fit.json").read_text(encoding="utf-8"))


def fit_table() -> str:
    """How often `fit` finds each law, and what share of single seeds does."""
    measured = fit_data()
    lines = ["| table | found | of single seeds | CPU seconds for all ten |"]
    lines += ["|---|---:|---:|---:|"]
    rows = list(measured["laws"].items())
    for law, by_noise in measured["noise"].items():
        rows += [(f"{law}, {float(n):.0%} noise", r) for n, r in by_noise.items()]
    for law, row in rows:
        lines.append(
            f"| {law} | {row['found']} of {row['of']} | {row['share']:.0%} | "
            f"{row['cpu_s']:.0f} |"
        )
    return "\n".join([*lines, "", f"PyTorch {measured['torch']}, one thread."])


def fit_hidden_table() -> str:
    """The same for hidden sizes."""
    lines = ["| hidden size | found | of single seeds |", "|---:|---:|---:|"]
    for size, row in fit_data()["hidden"].items():
        share = f"{row['share']:.0%}" if row["found"] else "0%"
        lines.append(f"| {size} | {row['found']} of {row['of']} | {share} |")
    return "\n".join(lines)


def fit_by_hand_table() -> str:
    """A loop by hand, one seed at a time."""
    lines = ["| a loop with Adam, 6,000 steps | found |", "|---|---:|"]
    for name, row in fit_data()["by hand"].items():
        lines.append(f"| {name} | {row['found']} of {row['of']} |")
    return "\n".join(lines)
