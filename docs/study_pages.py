"""What the site makes from the runs in `results/`: studies and the leaderboard.

MkDocs calls the functions that begin with `on_` by name.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from difference_tables import with_differences
from mkdocs.structure.files import File
from rounding_tables import with_lifted

from arithmax.benchmark import Board, boards
from arithmax.report import figures, markdown
from arithmax.report._best import best_markdown
from arithmax.report._leaderboard import slugs, standings
from arithmax.report._page import file
from arithmax.report._text import REDUCED, SIGNS
from arithmax.report._unit_scores import unit_scores
from arithmax.studies import Evaluation, Verdict, load
from arithmax.units import UNITS

ROOT = Path(__file__).parents[1]
SIGNED = {**{v.value: SIGNS[v] for v in Verdict}, "reduced": REDUCED}
BEST = "<!-- best -->"  # where the best unit for each operation is named


@cache
def evaluations() -> list[Evaluation]:
    """Every study that has runs in the repository."""
    return load(ROOT / "results")


@cache
def stored() -> list[Board]:
    """The leaderboard's tables, of the studies that have them."""
    return boards(ROOT / "results")


def on_files(files, config):
    """Add a page for each study, and for each unit of the leaderboard."""
    for evaluation in evaluations():
        uri = f"studies/{evaluation.study.name}.md"
        files.append(File.generated(config, uri, content=page(evaluation)))
    for unit, name in units().items():
        content = f"# {unit} on the leaderboard\n\n<!-- scores: {name} -->\n"
        files.append(File.generated(config, f"leaderboard/{name}.md", content=content))
    return files


def on_page_markdown(markdown, page, config, files):
    """Put the list of studies and files where a page asks for them."""
    markdown = markdown.replace("<!-- table: studies -->", overview())
    if BEST in markdown:
        markdown = markdown.replace(BEST, best("../" * page.file.src_uri.count("/")))
    markdown = with_differences(markdown, evaluations)
    markdown = with_lifted(markdown, evaluations)
    markdown = re.sub(r"<!-- file: (\S+) -->", code, markdown)
    return with_plots(markdown, evaluations(), "../" * page.url.count("/"))


def on_page_content(content, page, config, files):
    """Put the leaderboard, or one unit's part, where a page asks for it."""
    if "<!-- leaderboard -->" in content:
        names = units()
        shown = standings(stored(), lambda unit: f"{names[unit]}/")
        script = f"<script>{file('leaderboard.js')}</script>"
        content = content.replace("<!-- leaderboard -->", styled(shown) + script)
    for unit, name in units().items():
        if (marker := f"<!-- scores: {name} -->") in content:
            content = content.replace(marker, styled(unit_scores(stored(), unit)))
    return content


def best(up: str) -> str:
    """The best unit for each operation, with links from a page that is `up` below."""
    names, pages = {cls.title: name for name, cls in UNITS.items()}, units()

    def link(unit: str) -> str:
        home = f"units/{names[unit]}" if unit in names else f"leaderboard/{pages[unit]}"
        return f"{up}{home}.md"

    return best_markdown(stored(), link)


def units() -> dict[str, str]:
    """The units of the leaderboard, and the names of their pages."""
    return slugs(unit for board in stored() for unit in board.units)


def styled(shown: str) -> str:
    """A part of the leaderboard, whose numbers nobody searches for."""
    style = f"<style>{file('leaderboard.css')}</style>"
    return f'{style}<div class="leaderboard" data-search-exclude>{shown}</div>'


def code(match: re.Match) -> str:
    """A file of the repository."""
    return f"```python\n{(ROOT / match[1]).read_text(encoding='utf-8')}```"


PLOT = re.compile(r"<!-- plot: (\S+) (\S+) -->")  # of a study, the table it draws
STUDY = re.compile(r"<!-- study: (\S+) -->")


def with_plots(markdown: str, stored: Sequence[Evaluation], up: str) -> str:
    """A page with the plots and links that it asks for, of studies that have runs.

    Args:
        markdown: the page. `<!-- plot: NAME TABLE -->` stands for the first plot of
            that table that has data, `<!-- study: NAME -->` for a link.
        stored: the studies that have runs.
        up: the way from the page to the root of the site.
    """
    known = {evaluation.study.name: evaluation for evaluation in stored}

    def plot(match: re.Match) -> str:
        return _plot_of(known.get(match[1]), match[2])

    def link(match: re.Match) -> str:
        name = match[1]
        return f"[`{name}`](studies/{name}.md)" if name in known else f"`{name}`"

    linked = STUDY.sub(link, markdown)
    shown = PLOT.sub(plot, linked)
    if not PLOT.search(linked) or "Plotly.newPlot" not in shown:
        return shown  # it draws nothing, or is a study's page, which has the library
    title, _, rest = shown.partition("\n")
    return f"{title}\n\n{script(up)}\n{rest}"


def _plot_of(evaluation: Evaluation | None, table: str) -> str:
    """The first plot of a table that has data, and its caption."""
    if evaluation is None:
        return ""
    study = evaluation.study
    plots = tuple(p for p in study.plots if getattr(p, "table", "") == table)
    made = figures(replace(evaluation, study=replace(study, plots=plots)))
    return "".join(f"{drawn(f)}\n\n*{caption}*" for caption, f in made[:1])


def script(depth: str) -> str:
    """The library that draws; it must be there before the first plot."""
    return f'<script src="{depth}assets/plotly.min.js"></script>'


def drawn(figure) -> str:
    """A figure as HTML; one that has a width of its own may have to be scrolled."""
    shown = figure.to_html(
        full_html=False,
        include_plotlyjs=False,
        config={"responsive": True, "displayModeBar": False},
    )
    return f'<div style="overflow-x:auto">{shown}</div>'


def overview() -> str:
    """One line per study: what it is, and how its figures compare; then the sums."""
    heads = [f'<abbr title="{v}">{sign}</abbr>' for v, sign in SIGNED.items()]
    lines = ["| study | what it is | " + " | ".join(heads) + " |"]
    lines += ["|---|---" + "|---:" * len(SIGNED) + "|"]
    total: Counter[str] = Counter()
    for evaluation in evaluations():
        own, tally = evaluation.study, evaluation.tally
        total.update(tally)
        lines.append(
            f"| [{own.name}]({own.name}.md) | {own.title} | {_counts(tally)} |"
        )
    return "\n".join([*lines, f"| all | | {_counts(total)} |"])


def _counts(tally: Mapping[str, int]) -> str:
    """Counts in the order of the heads; none is left out."""
    return " | ".join(f"{tally[name]:,}" if tally[name] else "" for name in SIGNED)


def page(evaluation: Evaluation) -> str:
    """One study: text, plots and tables."""
    plots = [f"{drawn(f)}\n\n*{caption}*" for caption, f in figures(evaluation)]
    shown = markdown(evaluation, plots)
    return f"# {evaluation.study.title}\n\n{script('../../')}\n\n{shown}"
