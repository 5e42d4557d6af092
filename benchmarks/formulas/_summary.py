"""What a run of tools amounts to, as text."""

import statistics
from collections.abc import Iterable, Sequence

ORDER = ("monomial", "polynomial", "rational", "radical")


def summary(rows: Sequence[dict]) -> str:
    """Counts by tool, noise and class, CPU seconds, and what failed.

    Args:
        rows: Of `run`.

    Returns:
        Lines to print.

    Example:
        >>> row = {"tool": "t", "noise": 0.0, "kind": "radical", "set": "s", "id": "f",
        ...        "text": "x", "exact": True, "structure": True, "cpu": 0.5, "seed": 0}
        >>> print(summary([row]))
        t, noise 0
          radical      1 exact,   1 structure, of 1
          all          1 exact,   1 structure, of 1
          within 5 s   1 exact,   1 structure
          CPU seconds: median 0.50, 95 % 0.50, all 0.5
    """
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault((row["tool"], row["noise"]), []).append(row)
    return "\n".join(line for g in groups.values() for line in of_group(g))


def of_group(rows: list[dict]) -> Iterable[str]:
    """The lines of one tool at one noise."""
    yield f"{rows[0]['tool']}, noise {rows[0]['noise']:g}"
    kinds = dict.fromkeys([*ORDER, *(row["kind"] for row in rows)])
    for kind in kinds:
        if own := [row for row in rows if row["kind"] == kind]:
            yield f"  {kind:11}{counts(own)}, of {len(own)}"
    yield f"  {'all':11}{counts(rows)}, of {len(rows)}"
    yield f"  {'within 5 s':11}{counts([row for row in rows if row['cpu'] <= 5])}"
    spent = sorted(row["cpu"] for row in rows)
    late = spent[min(len(spent) - 1, int(0.95 * len(spent)))]
    middle = statistics.median(spent)
    yield f"  CPU seconds: median {middle:.2f}, 95 % {late:.2f}, all {sum(spent):.1f}"
    yield from (missed(row) for row in rows if not row["exact"])


def counts(rows: list[dict]) -> str:
    """How many are exact, and how many have the structure."""
    exact = sum(row["exact"] for row in rows)
    return f"{exact:3} exact, {sum(row['structure'] for row in rows):3} structure"


def missed(row: dict) -> str:
    """One failure."""
    kind = "structure" if row["structure"] else "missed"
    seed = f" seed {row['seed']}" if row["seed"] else ""
    text = row["text"][:110] or row.get("note", "")
    said = f" [{row.get('stage', '')} {row.get('verdict', '')[:30]}]".replace("[ ]", "")
    return f"    {kind:9} {row['id']}{seed} {row['cpu']:.1f} s:{said} {text}"
