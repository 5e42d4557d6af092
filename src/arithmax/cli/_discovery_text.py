"""What `arithmax discover` prints: for people, and as JSON for scripts."""

from typing import Any

from ..discover import Account, Candidate, FormulaConstant, Trust, readable
from ._discovery_lines import MOST, WIDTH, folded_formula, print_wrapped, shortened
from ._discovery_sure import SureTable, print_sure
from ._scatter import scatter
from ._show import show, table

LONGEST = 34  # signs of a rival's formula, so that a line has 80


def print_discovery(told: Account, sure: SureTable | None = None) -> None:
    """The formula, how it was verified, its constants, its rivals, and a plot."""
    best = told.found.best
    print("", *folded_formula(told.equation, WIDTH - 2), sep="\n  ", end="\n\n")
    if told.equation != told.exact_equation:
        print(
            "With all digits:",
            *folded_formula(told.exact_equation, WIDTH),
            "",
            sep="\n",
        )
    for name, word in told.written.items():
        print(f"{word} is the column {name!r}.")
    print_wrapped(told.sentence)
    for sentence in told.checks:
        print_wrapped(f"- {sentence}")
    if not told.rows("outside"):
        print_wrapped(
            '- Outside: nothing was looked at. `--hold-out "COLUMN > VALUE"` keeps '
            "rows away from the search and measures the error on them."
        )
    print_wrapped(f"- The search ended because {told.found.stopped}.")
    if best.verdict is Trust.NOT_FOUND and told.found.tried:
        print_attempts(told)
    if sure is None or sure.known.posterior is None:
        print_constants(told)
    print_front(told)
    if sure is not None:
        print_sure(told, sure)
    print(f"\n{scatter(told.parts, told.target)}")


def print_attempts(told: Account) -> None:
    """What was tried, stage by stage."""
    rows = [[a.stage, str(a.candidates), f"{a.seconds:.2f}"] for a in told.found.tried]
    show(table("What was tried", ["stage", "candidates", "CPU seconds"], rows))


def print_constants(told: Account) -> None:
    """The numbers of the formula, and how well they are known."""
    rows = [_constant(c) for c in told.constants[:MOST]]
    if rows:
        show(table("Constants", ["constant", "value", "standard error"], rows))
    if len(told.constants) > MOST:
        print(f"… and {len(told.constants) - MOST} more.")


def _constant(constant: FormulaConstant) -> list[str]:
    number = constant.number
    if not number.free:
        return [constant.role, str(number), "exact"]
    error = number.error
    spread = f"{error:.2g}" if error == error else "unknown"
    return [constant.role, f"{number.value:.6g}", spread]


def print_front(told: Account) -> None:
    """The best formula of each complexity, simplest first."""
    has_outside = any(c.extrapolation_error is not None for c in told.found.candidates)
    names = ["", "complexity", "held out", *["outside"] * has_outside, "formula"]
    rows = [_rival(c, told, has_outside) for c in told.found.candidates]
    title = f"Rivals by complexity; errors over the spread of {told.target}"
    show(table(title, names, rows))


def _rival(candidate: Candidate, told: Account, has_outside: bool) -> list[str]:
    outside = candidate.extrapolation_error
    mark = "▶" if told.is_best(candidate) else ""
    text = str(readable(candidate.formula))
    return [
        mark,
        str(candidate.complexity),
        f"{candidate.held_out_error:.1e}",
        *([_share(outside)] if has_outside else []),
        shortened(text, LONGEST),
    ]


def _share(value: float | None) -> str:
    return "undefined" if value is None or value != value else f"{value:.1e}"


def as_json(told: Account, hold_out: str | None, seed: int) -> dict[str, Any]:
    """Everything, for scripts."""
    found, best = told.found, told.found.best
    return {
        "target": told.target,
        "formula": str(found.formula),
        "equation": told.equation,
        "verdict": str(best.verdict),
        "verified": best.verified,
        "sentence": told.sentence,
        "checks": list(told.checks),
        "stopped": found.stopped,
        "stage": best.stage,
        "complexity": best.complexity,
        "errors": _errors(best),
        "rows": {part.name.replace(" ", "_"): len(part.truth) for part in told.parts},
        "hold_out": hold_out,
        "seed": seed,
        "columns": [
            {
                "name": e.column,
                "written": told.written.get(e.column, e.column),
                "range": [e.least, e.most],
                "outside": e.outside,
            }
            for e in told.extents
        ],
        "constants": [
            {
                "role": c.role,
                "value": c.number.value,
                "text": str(c.number),
                "exact": c.kind == "exact",
                "standard_error": c.number.error,
            }
            for c in told.constants
        ],
        "front": [
            {
                "formula": str(c.formula),
                "complexity": c.complexity,
                "stage": c.stage,
                "verdict": str(c.verdict),
                "errors": _errors(c),
                "seconds": c.seconds,
            }
            for c in found.candidates
        ],
        "tried": [vars(attempt) for attempt in found.tried],
    }


def _errors(candidate: Candidate) -> dict[str, float | None]:
    return {
        "training": candidate.training_error,
        "held_out": candidate.held_out_error,
        "outside": candidate.extrapolation_error,
    }
