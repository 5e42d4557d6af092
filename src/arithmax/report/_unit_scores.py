"""One unit of the leaderboard: its success on each range, and what its failures are."""

from collections.abc import Iterable, Mapping, Sequence

from ..benchmark import Board, Failure, Score, failures_of, kind
from ._html import escape, region
from ._text import NOTHING, count_of_steps, number_text


def range_text(name: str) -> str:
    """A range with a true minus sign."""
    return name.replace("-", "−")


def rate_text(score: Score) -> str:
    """A rate in per cent, and its interval below it."""
    value = score.success
    low, high = (f"{100 * v:.0f}" for v in (value.low, value.high))
    return f"{100 * value.value:.0f}<small>{low}–{high}</small>"


def means(score: Score) -> tuple[str, str]:
    """Mean step and sparsity error, as they are shown."""
    step = NOTHING if score.step is None else count_of_steps(score.step)
    return step, NOTHING if score.sparsity is None else number_text(score.sparsity)


def cell(score: Score | None, known: str = "") -> str:
    """A coloured cell of a heat map, with what is known of it."""
    if score is None:
        return f'<td class="none" {known}>{NOTHING}</td>'
    step, sparsity = means(score)
    text = f"{score.solved} of {score.seeds} runs"
    if score.solved:
        text += f", mean step {step}, sparsity error {sparsity}"
    colour = f"r{round(10 * score.solved / score.seeds)}"
    return f'<td class="{colour}" {known} title="{text}">{rate_text(score)}</td>'


def unit_scores(boards: Sequence[Board], unit: str) -> str:
    """Everything that is known of one unit."""
    listed = [board for board in boards if unit in board.units]
    parts = [part for board in listed for part in _of_board(board, unit)]
    return "\n".join([*parts, _sentences(failures_of(listed, unit))])


def _of_board(board: Board, unit: str) -> Iterable[str]:
    title = f"{unit}: {board.title}"
    yield f"<h3>{escape(board.title)}</h3>"
    yield region(f"Success rates, {title}", _rates(board, unit))
    operations = [
        o for o in board.operations if board.score(unit, o, board.criteria[0])
    ]
    if any(counts for key, counts in board.failures.items() if key[0] == unit):
        yield (
            '<p class="caption">Where its seeds ended: solved, or in which failure '
            f"({escape(board.criteria[0])})</p>"
        )
        for operation in operations:
            yield _bars(board, unit, operation)


def _rates(board: Board, unit: str) -> str:
    """Success by range: a line for each operation and criterion."""
    head = "".join(
        f'<th scope="col">{escape(range_text(n))}</th>' for n in board.ranges
    )
    lines = ""
    for operation in board.operations:
        for criterion in board.criteria:
            if (score := board.score(unit, operation, criterion)) is None:
                continue
            keys = [(unit, operation, name, criterion) for name in board.ranges]
            lines += (
                f'<tr><th scope="row">{escape(operation)} '
                f"<small>{escape(criterion)}</small></th>"
                + "".join(cell(board.scores.get(key)) for key in keys)
                + f'<td class="total">{rate_text(score)}</td></tr>'
            )
    return (
        '<table class="heat"><thead><tr><th scope="col" class="first">operation</th>'
        f'{head}<th scope="col">all</th></tr></thead><tbody>{lines}</tbody></table>'
    )


def _bars(board: Board, unit: str, operation: str) -> str:
    """A bar for each range, with its parts in words beside it."""
    lines = ""
    for name in board.ranges:
        score = board.scores.get((unit, operation, name, board.criteria[0]))
        if score is not None:
            counts = board.failures.get((unit, operation, name), {})
            lines += _bar(name, score, counts)
    return (
        f'<figure class="bars"><figcaption>{escape(operation)}</figcaption>'
        f"<ul>{lines}</ul></figure>"
    )


def _bar(name: str, score: Score, counts: Mapping[str, int]) -> str:
    parts = [("solved", "solved", score.solved)] if score.solved else []
    parts += [(_class(kind(failure)), failure, n) for failure, n in counts.items()]
    shares = "".join(
        f'<i class="{cls}" style="flex-grow:{n}"></i>' for cls, _, n in parts
    )
    words = "; ".join(f"{n} {escape(_unbroken(failure))}" for _, failure, n in parts)
    return (
        f'<li><span class="range">{escape(range_text(name))}</span>'
        f'<span class="bar" aria-hidden="true">{shares}</span>'
        f'<span class="words">{words}</span></li>'
    )


def _unbroken(text: str) -> str:
    """Weights stay in one line."""
    words, equals, weights = text.partition("W = ")
    return words + (equals + weights).replace(" ", "\N{NO-BREAK SPACE}")


def _class(failure: Failure) -> str:
    return f"k{list(Failure).index(failure)}"


def _sentences(kinds: Mapping[Failure, int]) -> str:
    """What each failure means."""
    if not kinds:
        return '<p class="caption">All of its seeds solved all of its tasks.</p>'
    items = "".join(
        f'<dt><i class="{_class(failure)}" aria-hidden="true"></i>{escape(failure)} '
        f"<small>{n} seeds</small></dt><dd>{escape(failure.sentence)}</dd>"
        for failure, n in kinds.items()
    )
    return f'<dl class="failures">{items}</dl>'
