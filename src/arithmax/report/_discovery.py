"""A discovery as one HTML page: the formula, how it was verified, and its rivals."""

from collections.abc import Sequence

import plotly.offline

from ..bayes import Curve, Uncertainty
from ..discover import Account, FormulaConstant, Trust, readable
from ._discovery_sure import sure_section
from ._draw_discovery import accuracy_plot, front_plot, residual_plot, short_text
from ._html import drawing, escape, plain_table
from ._mathml import mathml
from ._page import NOSCRIPT, document, file
from ._text import NOTHING, number_text

LARGEST = 60  # complexity of a formula that is typeset; others are shown as text
SIGNS = {
    Trust.EXACT: "✓",
    Trust.WITHIN: "≈",
    Trust.NOT_FOUND: "✗",
}
CLASSES = {Trust.EXACT: "overlaps", Trust.WITHIN: "no_interval"}
STYLE = """
.formula { font-size: 1.35rem; padding: .75rem 0; }
.formula math { padding: .25rem 0; }
.digits { white-space: pre-wrap; }
"""
FOOTER = (
    "Errors are roots of mean squared errors over the spread of the target. Nothing is "
    "claimed of what was not measured."
)


def discovery_page(
    told: Account,
    command: str = "",
    known: Uncertainty | None = None,
    curves: Sequence[Curve] = (),
) -> str:
    """A discovery as one HTML document that fetches nothing.

    Args:
        told: what was found, and on which rows.
        command: what made it.
        known: how sure it is, if that is to be shown.
        curves: its bands along some columns.

    Returns:
        The document.
    """
    sections = {
        "Formula": _formula(told),
        "How it was verified": _verified(told),
        "How sure it is": "" if known is None else sure_section(told, known, curves),
        "Predictions": _predictions(told),
        "Rivals by complexity": _rivals(told),
        "Constants": _constants(told),
        "Ranges": _ranges(told),
        "What was tried": _tried(told),
        "How this was made": _made(command),
    }
    shown = {title: body for title, body in sections.items() if body}
    links = "".join(
        f'<li><a href="#{_id(title)}">{escape(title)}</a></li>' for title in shown
    )
    body = "\n".join(_section(title, content) for title, content in shown.items())
    return document(
        f"A formula for {told.target}",
        "sections",
        f"<ul>{links}</ul>",
        f"{NOSCRIPT}\n{body}",
        [plotly.offline.get_plotlyjs(), file("page.js")],
        file("page.css") + STYLE,
        FOOTER,
    )


def _id(title: str) -> str:
    return f"{title.lower().replace(' ', '_')}_"


def _section(title: str, content: str) -> str:
    name = _id(title)
    return (
        f'<section id="{name}" aria-labelledby="{name}head">'
        f'<h2 id="{name}head">{escape(title)}</h2>{content}</section>'
    )


def _formula(told: Account) -> str:
    best = told.found.best
    if best.complexity <= LARGEST:
        shown = mathml(readable(best.formula), told.target, told.sign)
    else:
        shown = f"<code>{escape(told.equation)}</code>"
    sign, kind = SIGNS[best.verdict], CLASSES.get(best.verdict, "differs")
    return (
        f'<div class="formula scroll" role="region" tabindex="0" aria-label="The '
        f'formula">{shown}</div>'
        f'<p><span class="verdict {kind}" aria-hidden="true">{sign}</span> '
        f"{escape(told.sentence)}</p>"
        f'<p><code class="digits">{escape(told.exact_equation)}</code></p>'
        + "".join(
            f"<p><code>{escape(word)}</code> is the column {escape(name)}.</p>"
            for name, word in told.written.items()
        )
    )


def _verified(told: Account) -> str:
    items = list(told.checks)
    if not told.rows("outside"):
        items.append("Outside: nothing was looked at.")
    items.append(f"The search ended because {told.found.stopped}.")
    return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"


def _predictions(told: Account) -> str:
    caption = "What the formula gives against what is true; each dot is a row."
    left = "What is left over: true minus predicted. Noise has no shape."
    first = drawing("accuracy", caption, accuracy_plot(told))
    return first + drawing("residuals", left, residual_plot(told))


def _rivals(told: Account) -> str:
    names = ["", "complexity", "fitted", "held out", "outside", "verdict", "stage"]
    lines = []
    for candidate in told.found.candidates:
        outside = candidate.extrapolation_error
        lines.append(
            [
                "▶" if told.is_best(candidate) else "",
                str(candidate.complexity),
                number_text(candidate.training_error),
                number_text(candidate.held_out_error),
                NOTHING if outside is None else number_text(outside),
                str(candidate.verdict),
                candidate.stage,
                short_text(candidate),
            ]
        )
    caption = "The smallest error of each complexity, over the spread of the target."
    table = plain_table("Rivals by complexity", [*names, "formula"], lines)
    return table + drawing("front", caption, front_plot(told))


def _constants(told: Account) -> str:
    lines = [_constant(constant) for constant in told.constants]
    if not lines:
        return "<p>The formula has no constants but 1 and whole powers.</p>"
    return plain_table("Constants", ["constant", "value", "standard error"], lines)


def _constant(constant: FormulaConstant) -> list[str]:
    number = constant.number
    if not number.free:
        return [constant.role, str(number), "exact"]
    return [constant.role, f"{number.value:.8g}", number_text(number.error)]


def _ranges(told: Account) -> str:
    lines = [
        [
            extent.column,
            number_text(extent.least),
            number_text(extent.most),
            *(map(number_text, extent.outside or ())),
        ]
        for extent in told.extents
    ]
    has_outside = any(extent.outside for extent in told.extents)
    names = ["column", "from", "to", *["outside, from", "to"] * has_outside]
    text = "<p>The columns that the formula has, and where it was found on them.</p>"
    return text + plain_table("Ranges", names, lines) if lines else ""


def _tried(told: Account) -> str:
    lines = [
        [a.stage, f"{a.candidates:,}", f"{a.seconds:.2f}"] for a in told.found.tried
    ]
    names = ["stage", "candidates", "CPU seconds"]
    return plain_table("What was tried", names, lines) if lines else ""


def _made(command: str) -> str:
    return f"<p><code>{escape(command)}</code></p>" if command else ""
