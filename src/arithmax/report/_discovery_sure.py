"""How sure a discovery is, as a section of its page."""

from collections.abc import Sequence

from ..bayes import Curve, Uncertainty, interval_text, probability_text
from ..discover import Account
from ._draw_discovery import short_text
from ._draw_posterior import MOST, band_plot, constants_plot
from ._html import drawing, escape, plain_table, region
from ._text import number_text


def sure_section(told: Account, known: Uncertainty, curves: Sequence[Curve]) -> str:
    """The formula with intervals, its constants, columns, rivals and bands.

    Args:
        told: what was found.
        known: what is known of it; if that is nothing, the section says why.
        curves: its bands along some columns.

    Returns:
        HTML.
    """
    if known.posterior is None:
        return f"<p>{escape(known.reason)}</p>"
    return "".join(
        [
            _formula(told, known),
            _constants(known),
            _relevance(known),
            _evidence(told, known),
            *(_band(told, known, curve, i) for i, curve in enumerate(curves)),
        ]
    )


def _formula(told: Account, known: Uncertainty) -> str:
    posterior = known.posterior
    assert posterior is not None
    equation = f'<code class="digits">{escape(f"{told.target} = {posterior}")}</code>'
    sentences = [known.meaning]
    if not told.found.best.verified:
        sentences.append("That formula was not verified.")
    sentences += [known.held] * bool(known.held)
    sentences.append(f"Noise: {posterior.noise_text}.")
    text = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    return region("The formula with intervals", f"<p>{equation}</p>") + text


def _constants(known: Uncertainty) -> str:
    lines = [
        [m.name, str(m), interval_text(m), str(number) if number.exact else "fitted"]
        for m, number, held in known.constants
        if not held
    ]
    names = ["constant", "mean ±", f"{known.share} interval", "in the formula"]
    caption = (
        f"The {known.share} interval of each constant, on a scale of its own; a "
        "diamond is the number that the formula names."
    )
    if len(lines) > MOST:
        caption += f" The first {MOST} of {len(lines)}."
    plot = drawing("constants_known", caption, constants_plot(known))
    return plain_table("Constants with intervals", names, lines) + plot


def _relevance(known: Uncertainty) -> str:
    assert known.posterior is not None
    ordered = sorted(known.posterior.relevance.items(), key=lambda pair: -pair[1])
    lines = [[name, probability_text(p)] for name, p in ordered]
    text = (
        "<p>The probability that the target depends on each column; one half before "
        "the rows were seen.</p>"
    )
    return text + plain_table("Columns", ["column", "probability"], lines)


def _evidence(told: Account, known: Uncertainty) -> str:
    rated = zip(told.found.candidates, known.evidences, strict=True)
    lines = [
        [
            "▶" if told.is_best(candidate) else "",
            number_text(evidence.logarithm),
            probability_text(evidence.probability),
            short_text(candidate),
        ]
        for candidate, evidence in rated
    ]
    text = (
        "<p>How much the rows speak for each rival, if all are held to be equally "
        "likely before.</p>"
    )
    names = ["", "log evidence", "probability", "formula"]
    return text + plain_table("Evidence of the rivals", names, lines)


def _band(told: Account, known: Uncertainty, curve: Curve, place: int) -> str:
    caption = (
        f"{told.target} along {curve.column}, other columns at their middle. Rows were "
        "seen in the grey range."
    )
    return drawing(f"band_{place}", caption, band_plot(curve, told.target, known.share))
