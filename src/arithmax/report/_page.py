"""The whole report: one HTML document that needs nothing but itself."""

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources

import plotly.offline

from .. import __version__
from ..studies import Evaluation, Verdict
from ._html import cells, escape, region, section
from ._text import REDUCED, SIGNS, cost, extent

TITLE = "Arithmax report"
NOSCRIPT = "<noscript><p>Plots need JavaScript; text and tables do not.</p></noscript>"

# Ids of the page's own have an underscore, which names of studies cannot have.
DOCUMENT = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main_">Skip to the {what}</a>
<header>
<h1>{title}</h1>
<button type="button" id="theme_">Dark theme</button>
</header>
<nav aria-label="{label}"><ul>{links}</ul></nav>
<main id="main_" tabindex="-1">
{body}
</main>
<footer><p>Made by arithmax {version}. {footer}</p>
</footer>
{scripts}
</body>
</html>
"""


def page(evaluations: Sequence[Evaluation]) -> str:
    """Evaluated studies as one HTML document that fetches nothing.

    Args:
        evaluations: the studies, in the order in which they are shown.

    Returns:
        The document.
    """
    return document(
        TITLE,
        "studies",
        "".join(_link(e) for e in evaluations),
        "\n".join(
            [NOSCRIPT, _overview(evaluations), *(section(e) for e in evaluations)]
        ),
        [plotly.offline.get_plotlyjs(), file("page.js")],
        file("page.css"),
        "Intervals are 95 % intervals; a figure overlaps where ours and the published "
        "interval do.",
    )


def document(
    title: str,
    what: str,
    links: str,
    body: str,
    scripts: Sequence[str],
    style: str,
    footer: str,
) -> str:
    """A whole page: its HTML with scripts and style in it."""
    return DOCUMENT.format(
        policy=_policy(scripts),
        title=escape(title),
        style=style,
        what=what,
        label=what.capitalize(),
        links=links,
        body=body,
        footer=footer,
        version=escape(__version__),
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


def file(name: str) -> str:
    """A file that lies beside this one."""
    return (resources.files("arithmax.report") / name).read_text(encoding="utf-8")


def _policy(scripts: Sequence[str]) -> str:
    """No script but these runs, and nothing is fetched, whatever a text holds."""
    hashes = [hashlib.sha256(s.encode()).digest() for s in scripts]
    known = " ".join(f"'sha256-{base64.b64encode(h).decode()}'" for h in hashes)
    return (
        f"default-src 'none'; script-src {known}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _link(evaluation: Evaluation) -> str:
    name = escape(evaluation.study.name)
    return f'<li><a href="#{name}">{name}</a></li>'


def _overview(evaluations: Sequence[Evaluation]) -> str:
    """One line a study: how its figures compare, how much was run, at what cost."""
    verdicts = [f"{SIGNS[v]} {v}" for v in Verdict]
    names = ["study", "title", *verdicts, f"{REDUCED} reduced", "run", "cost"]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = "".join(_overview_line(e) for e in evaluations)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return (
        '<section aria-labelledby="overview_"><h2 id="overview_">Overview</h2>'
        f"{region('Overview of all studies', table)}</section>"
    )


def _overview_line(evaluation: Evaluation) -> str:
    study = evaluation.study
    name = escape(study.name)
    first = f'<th scope="row"><a href="#{name}">{name}</a></th>'
    counts = evaluation.verdicts
    counted = "".join(
        f'<td class="{v.name.lower()}">{counts[v] or ""}</td>' for v in Verdict
    )
    reduced = str(evaluation.reduced or "")
    rest = cells([reduced, extent(evaluation), cost(evaluation)])
    title = f'<td class="long">{escape(study.title)}</td>'
    return f"<tr>{first}{title}{counted}{rest}</tr>"
