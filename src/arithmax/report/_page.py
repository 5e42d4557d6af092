"""The whole report: one HTML document that needs nothing but itself."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from importlib import resources

import plotly.offline

from .. import __version__
from ..studies import Evaluation, Verdict
from ..studies._evaluate import LEAST_SHARE
from ..studies._run import Track, untracked
from ._draw import figures
from ._html import escape, section
from ._opening import opening
from ._text import REDUCED, SIGNS

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
<nav aria-label="{label}">{links}</nav>
<main id="main_" tabindex="-1">
{body}
</main>
<footer><p>Made by arithmax {version}. {footer}</p>
</footer>
{scripts}
</body>
</html>
"""


def page(evaluations: Sequence[Evaluation], track: Track = untracked) -> str:
    """Evaluated studies as one HTML document that fetches nothing.

    It opens with an overview; the studies behind it are shown one at a time, or one
    after the other where no script runs.

    Args:
        evaluations: the studies, in the order in which they are shown.
        track: gives the studies one by one and shows how far it is, as
            `rich.progress.track` does.

    Returns:
        The document.
    """
    drawn = {e.study.name: figures(e) for e in track(evaluations, "drawing plots")}
    sections = (section(e, drawn[e.study.name]) for e in evaluations)
    return document(
        TITLE,
        "studies",
        folded_links("overview_", "Overview", "Studies", map(_link, evaluations)),
        "\n".join([NOSCRIPT, opening(evaluations, drawn), *sections]),
        [plotly.offline.get_plotlyjs(), file("page.js"), file("sections.js")],
        file("page.css"),
        f"Intervals are 95 % intervals. {SIGNS[Verdict.OVERLAPS]} ours and the "
        f"published one overlap; {SIGNS[Verdict.WITHIN]} a figure without one lies in "
        f"ours; {SIGNS[Verdict.CONTRADICTED]} words that our runs contradict; "
        f"{REDUCED} fewer seeds or steps than published, which decides nothing; "
        f"{SIGNS[Verdict.TOO_SHORT]} less than {LEAST_SHARE:.0%} of the steps.",
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
    """A whole page: its HTML with scripts and style in it.

    Args:
        title: its heading.
        what: what its sections are.
        links: to the sections, as HTML.
        body: the sections.
        scripts: what runs, the library first.
        style: the looks.
        footer: what stands below.
    """
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


def folded_links(first: str, home: str, what: str, items: Iterable[str]) -> str:
    """A link to the section that a page opens with, and a list that unfolds.

    Args:
        first: the id of that section.
        home: what the link to it says.
        what: what the list says before it is unfolded.
        items: the links of the list.
    """
    listed = "".join(items)
    return (
        f'<a href="#{first}">{escape(home)}</a>'
        f"<details><summary>{escape(what)}</summary><ul>{listed}</ul></details>"
    )


def _link(evaluation: Evaluation) -> str:
    name = escape(evaluation.study.name)
    return f'<li><a href="#{name}">{name}</a></li>'
