"""The leaderboard: success rates of all units as coloured tables that can be filtered.

Without JavaScript every table is shown, one after the other; with it, those that the
filters choose. Whatever can be chosen is computed here and stands in the page: the
script shows, hides and sorts, and computes nothing.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..benchmark import Board, Score, Standing, choices, standing
from ._best import best_html
from ._html import escape, heading, region
from ._page import document, file, folded_links
from ._unit_scores import cell, means, range_text, rate_text, unit_scores

TITLE = "Arithmax leaderboard"
COUNTS = (
    '<p class="caption">Which seeds were solved is not stored: over several ranges a '
    "seed counts as one run, so that intervals are wide.</p>"
)
APART = (
    "Places are among units that can do the same operations. Choose an operation to "
    "see who leads it."
)
Link = Callable[[str], str]  # from the name of a unit to the address of its page
ABOUT = (
    "Each number is the share of seeds, in per cent, with which a unit found weights "
    "that are right outside the range it was trained on, with its 95\N{NO-BREAK SPACE}"
    "% interval below it. Units are trained on one operation at a time, those that "
    "they can represent, each as its authors did, and are compared only with units "
    "that can do the same."
)
CRITERIA = {
    "ε = 1e-4": "as wrong as a perfect unit whose weights are 10⁻⁴ off",
    "ε = 1e-5": "as wrong as a perfect unit whose weights are 10⁻⁵ off",
    "flat 1e-5": "a mean squared error of 10⁻⁵, whatever the range",
    "rounded": "the nearest discrete weights are the solution",
}


def slugs(units: Iterable[str]) -> dict[str, str]:
    """A name for each unit that an address can hold, no two alike."""
    addresses: dict[str, str] = {}
    for unit in units:
        spelt = unit.replace("•", " mul").replace("₊", "")
        plain = unicodedata.normalize("NFKD", spelt).encode("ascii", "ignore").decode()
        base = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-") or "unit"
        taken, name, k = set(addresses.values()), base, 2
        while name in taken:
            name, k = f"{base}-{k}", k + 1
        addresses.setdefault(unit, name)
    return addresses


def leaderboard(boards: Sequence[Board], highlighted: str = "") -> str:
    """Boards as one HTML document that fetches nothing.

    Args:
        boards: what is shown, in that order.
        highlighted: the name of a unit that is marked, if any.

    Returns:
        The document.
    """
    units = list(dict.fromkeys(unit for board in boards for unit in board.units))
    names = slugs(units)
    links = (f'<li><a href="#unit_{names[u]}">{escape(u)}</a></li>' for u in units)
    sections = "\n".join(
        f'<section id="unit_{names[u]}" aria-labelledby="head_{names[u]}">'
        f'<h2 id="head_{names[u]}">{escape(u)}</h2>{unit_scores(boards, u)}</section>'
        for u in units
    )
    body = standings(boards, lambda unit: f"#unit_{names[unit]}", highlighted)
    return document(
        TITLE,
        "units",
        folded_links("standings_", "Standings", "Units", links),
        f'<section id="standings_" class="leaderboard" aria-label="Standings">{body}'
        f'</section>\n<div class="leaderboard">{sections}</div>',
        [file("page.js"), file("leaderboard.js"), file("sections.js")],
        file("page.css") + file("leaderboard.css"),
        "Intervals are 95 % intervals (Wilson's; over several ranges they allow for "
        "seeds that fail together), and an ε says how wrong a perfect unit's weights "
        "may be.",
    )


def standings(boards: Sequence[Board], link: Link, highlighted: str = "") -> str:
    """The best units, filters, and a table for each board, criterion and operation."""
    tables = [
        _standing(board, criterion, operation, link, highlighted)
        for board in boards
        for criterion, operation in choices(board)
    ]
    if not tables:
        return (
            "<p>There are no runs yet. <code>arithmax reproduce single-module</code> "
            "makes them.</p>"
        )
    first = best_html(boards, link)
    return "\n".join([first, f"<p>{ABOUT}</p>", _filters(boards), _key(), *tables])


def _filters(boards: Sequence[Board]) -> str:
    """The choices, which are shown where a script can act on them."""

    def union(lists: Iterable[list[str]]) -> list[str]:
        return list(dict.fromkeys(name for names in lists for name in names))

    everything = [("", "all")]
    operations = [(n, n) for n in union(b.operations for b in boards)]
    ranges = [(n, range_text(n)) for n in union(b.ranges for b in boards)]
    criteria = [(n, _criterion(n)) for n in union(b.criteria for b in boards)]
    titles = [(b.name, b.title) for b in boards]
    menus = [
        _menu("board", "Task", titles),
        _menu("operation", "Operation", everything + operations),
        _menu("range", "Range", everything + ranges),
        _menu("criterion", "Solved means", criteria),
    ]
    return (
        f'<form class="filters" aria-label="Filters" hidden>{"".join(menus)}</form>'
        '<p class="said" role="status" hidden></p>'
    )


def _menu(name: str, label: str, choices: Sequence[tuple[str, str]]) -> str:
    options = "".join(
        f'<option value="{escape(value)}">{escape(text)}</option>'
        for value, text in choices
    )
    return f'<label>{label} <select name="{name}">{options}</select></label>'


def _criterion(name: str) -> str:
    return f"{name}: {CRITERIA[name]}" if name in CRITERIA else name


def _key() -> str:
    """What the colours mean."""
    steps = "".join(f'<span class="r{i}">{10 * i}</span>' for i in range(11))
    return f'<p class="key" aria-hidden="true">{steps}<span>% solved</span></p>'


def _standing(
    board: Board, criterion: str, operation: str, link: Link, highlighted: str
) -> str:
    """One table: units down, ranges (or operations) across."""
    across = board.ranges if operation else board.operations
    kind, last = ("range", "all") if operation else ("operation", "mean")
    title = f"{board.title}, {operation or 'all operations'}, {criterion}"
    head = "".join(
        f'<th scope="col" data-{kind}="{escape(n)}">{escape(range_text(n))}</th>'
        for n in across
    )
    whole = standing(board, criterion, operation)
    by_range = {
        name: standing(board, criterion, operation, name) for name in board.ranges
    }
    places = whole.places
    lines = {
        unit: f'<tr data-unit="{escape(unit)}"'
        f"{' class=own' if unit == highlighted else ''}>"
        f'<td class="place">{places[unit]}</td>'
        + heading(unit, f'<a href="{escape(link(unit))}">{escape(unit)}</a>')
        + _entries(board, unit, operation, criterion, by_range)
        + f"{_total(score)}</tr>"
        for unit, score in whole.scores.items()
    }
    body = "".join(
        f"<tbody>{_group(able, len(across) + 4)}"
        f"{''.join(lines[unit] for unit in group.scores)}</tbody>"
        for able, group in whole.groups.items()
    )
    table = (
        '<table class="heat"><thead><tr><th scope="col"><span class="unseen">place'
        f'</span></th><th scope="col" class="first">unit</th>{head}'
        f'<th scope="col">{last}</th><th scope="col">mean step</th>'
        '<th scope="col">sparsity error</th></tr></thead>'
        f"{body}</table>"
    )
    return (
        f'<section class="standing" data-board="{escape(board.name)}" '
        f'data-criterion="{escape(criterion)}" data-operation="{escape(operation)}">'
        f"<h3>{escape(title)}</h3>{'' if board.seeds_known else COUNTS}"
        f"{region(title, table)}{_known({'': whole, **by_range})}</section>"
    )


def _group(able: Sequence[str], columns: int) -> str:
    """The heading of units that can do the same operations, and are compared."""
    if not able:
        return ""
    title = f"can do {escape(' '.join(able))}"
    return (
        f'<tr class="group"><td class="place"></td><th scope="rowgroup">{title}</th>'
        f'<td colspan="{columns}"></td></tr>'
    )


def _known(by_range: Mapping[str, Standing]) -> str:
    """What the script shows for each range: the order of the units and who leads."""
    known = {
        name: {"order": list(standing.scores), "leads": leads(standing)}
        for name, standing in by_range.items()
    }
    # "<" would let a name end the script, or begin a comment in it.
    text = json.dumps(known, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c")
    return f'<script type="application/json">{text}</script>'


def leads(standing: Standing) -> str:
    """Who leads a standing, in words; nobody leads units that do other operations."""
    if len(standing.groups) > 1:
        return APART
    if not standing.leaders:
        return "No unit has runs of this."
    *others, last = standing.leaders
    rate = f"{100 * standing.scores[last].success.value:.0f} %"
    if not others:
        return f"{last} leads with {rate}."
    return f"{', '.join(others)} and {last} lead with {rate}."


def _entries(
    board: Board,
    unit: str,
    operation: str,
    criterion: str,
    by_range: Mapping[str, Standing],
) -> str:
    """The cells of a line.

    Of an operation, one for each range. Of all, one for each operation, and unseen ones
    for each range.
    """
    of_ranges = [
        _of_range(name, standing, unit, "" if operation else "hidden ")
        for name, standing in by_range.items()
        if operation or unit in standing.scores
    ]
    if operation:
        return "".join(of_ranges)
    shown = (
        cell(board.score(unit, n, criterion), f'data-operation="{escape(n)}"')
        for n in board.operations
    )
    return "".join([*shown, *of_ranges])


def _of_range(name: str, standing: Standing, unit: str, hidden: str) -> str:
    """A cell with what the script shows of it if its range is chosen."""
    known, score = f'{hidden}data-range="{escape(name)}"', standing.scores.get(unit)
    if score is not None:
        step, sparsity = means(score)
        known += f' data-place="{standing.places[unit]}"'
        known += f' data-step="{step}" data-sparsity="{sparsity}"'
    return cell(score, known)


def _total(score: Score) -> str:
    """The last columns of a line: rate, speed and sparsity."""
    step, sparsity = means(score)
    return (
        f'<td class="total">{rate_text(score)}</td><td class="step">{step}</td>'
        f'<td class="sparsity">{sparsity}</td>'
    )
