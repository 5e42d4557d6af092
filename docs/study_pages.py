"""What the site makes from the runs in `results/`: a page for each study.

MkDocs calls the functions that begin with `on_` by name.
"""

from functools import cache
from pathlib import Path

from mkdocs.structure.files import File

from arithmax.report import figures, markdown
from arithmax.studies import Evaluation, Verdict, load

ROOT = Path(__file__).parents[1]


@cache
def evaluations() -> list[Evaluation]:
    """Every study that has runs in the repository."""
    return load(ROOT / "results")


def on_files(files, config):
    """Add a page for each study."""
    for evaluation in evaluations():
        uri = f"studies/{evaluation.study.name}.md"
        files.append(File.generated(config, uri, content=page(evaluation)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Put the list of studies, and files, where a page asks for them."""
    markdown = markdown.replace("<!-- table: studies -->", overview())
    start = "<!-- file: "
    while start in markdown:
        before, _, rest = markdown.partition(start)
        name, _, after = rest.partition(" -->")
        code = (ROOT / name).read_text(encoding="utf-8")
        markdown = f"{before}```python\n{code}```{after}"
    return markdown


def overview() -> str:
    """One line a study: what it is, and how its figures compare."""
    lines = ["| study | what it is | " + " | ".join([*Verdict, "reduced"]) + " |"]
    lines += ["|---" * (len(Verdict) + 3) + "|"]
    for evaluation in evaluations():
        own = evaluation.study
        counts = " | ".join(str(n) for n in evaluation.tally.values())
        lines.append(f"| [{own.name}]({own.name}.md) | {own.title} | {counts} |")
    return "\n".join(lines)


def page(evaluation: Evaluation) -> str:
    """One study: text, plots and tables."""
    plots = ['<script src="../../assets/plotly.min.js"></script>']
    for caption, figure in figures(evaluation):
        drawn = figure.to_html(
            full_html=False,
            include_plotlyjs=False,
            config={"responsive": True, "displayModeBar": False},
        )
        plots += [drawn, f"*{caption}*"]
    return f"# {evaluation.study.title}\n\n{markdown(evaluation, plots)}"
