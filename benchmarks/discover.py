"""Which tool finds which formula: exactly, in structure, and for how many CPU seconds.

    python benchmarks/discover.py --set own --half development --noise 0.01
    python benchmarks/discover.py --set formulas own wide --noise 0 0.01 \\
        --tools arithmax operon gplearn floor --json docs/data/discover.json

Every tool gets the same tables (1,000 rows); the judge sees only what it prints. Rows
that the file of `--json` has are not run again (`--again` runs them), so that a tool or
a noise can be added later.
"""

import argparse
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # one core each, also for the workers' BLAS
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from formulas import _tables, _wide
from formulas._summary import summary
from formulas._tools import TOOLS
from formulas._workers import Task, run

KEY = ("tool", "set", "id", "noise", "seed")


def formulas(chosen: argparse.Namespace) -> list[_tables.Formula]:
    """The formulas asked for."""
    sets = {"wide": _wide.wide}
    every = [f for s in chosen.set for f in sets.get(s, lambda s=s: _tables.read(s))()]
    if chosen.half != "all":
        every = [f for f in every if f.set != "Own" or f.half == chosen.half]
    if chosen.kind:
        every = [f for f in every if f.kind in chosen.kind]
    return [f for f in every if f.id in chosen.only] if chosen.only else every


def tasks(chosen: argparse.Namespace, known: set[tuple]) -> Iterator[Task]:
    """The tasks that have no row yet; formula by formula, so that tools keep pace."""
    for noise in chosen.noise:
        for formula in formulas(chosen):
            for tool in chosen.tools:
                for seed in chosen.seeds:
                    task = Task(tool, formula, noise, seed, chosen.budget)
                    if task.key not in known:
                        yield task


def key(row: dict) -> tuple:
    """What a row is called."""
    return tuple(row[name] for name in KEY)


def stored(path: Path | None) -> list[dict]:
    """The rows of a file, if there is one."""
    if path is None or not path.exists():
        return []
    return json.loads(path.read_text("utf-8"))["rows"]


def store(path: Path, rows: list[dict]) -> None:
    """Write all rows, one per line, under another name first."""
    ordered = sorted(rows, key=lambda row: [str(part) for part in key(row)])
    lines = [json.dumps(plain(row), ensure_ascii=False) for row in ordered]
    text = '{"rows": [\n' + ",\n".join(lines) + "\n]}\n"
    whole = path.with_suffix(".part")
    whole.write_text(text, encoding="utf-8")
    whole.replace(path)


def plain(row: dict) -> dict:
    """A row that JSON has words for: no infinite error, short text and figures."""
    error = row["error"]
    if error is not None:
        error = float(f"{error:.3g}") if math.isfinite(error) else None
    text = row["text"] if len(row["text"]) <= 160 else row["text"][:160] + "…"
    return {name: v for name, v in row.items() if v != ""} | {
        "error": error,
        "text": text,
    }


def main() -> None:
    """Run what is asked for; write and print what was found."""
    chosen = arguments()
    rows = {key(row): row for row in stored(chosen.json)}
    known = set() if chosen.again else set(rows)
    done = []
    for row in run(tasks(chosen, known), chosen.jobs):
        rows[key(row)] = row
        done.append(row)
        if chosen.verbose:
            mark = "exact" if row["exact"] else "struct" if row["structure"] else "-"
            print(f"{mark:7}{row['cpu']:7.2f} s {row['tool']} {row['id']}", flush=True)
        if chosen.json and len(done) % 10 == 0:
            store(chosen.json, list(rows.values()))
    if chosen.json:
        store(chosen.json, list(rows.values()))
    asked = {t.key for t in tasks(chosen, set())}
    print(summary([row for name, row in rows.items() if name in asked]))


def arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sets = [*_tables.SETS, "wide"]
    add = parser.add_argument
    add("--set", nargs="+", choices=sets, default=["formulas"], help="of formulas")
    halves = ["development", "test", "all"]
    add("--half", choices=halves, default="all", help="of the own set")
    add("--kind", nargs="+", help="classes, such as radical; all if not given")
    add("--only", nargs="+", help="ids; all if not given")
    add("--noise", nargs="+", type=float, default=[0.0], help="shares of std(y)")
    add("--tools", nargs="+", choices=list(TOOLS), default=["arithmax"])
    add("--seeds", nargs="+", type=int, default=[0], help="of tables and tools")
    add("--budget", type=float, default=60.0, help="CPU seconds a formula and tool")
    add("--jobs", type=int, default=1, help="processes")
    add("--json", type=Path, help="where rows are read and written")
    add("--again", action="store_true", help="also run what the file has")
    add("--verbose", action="store_true", help="print a line for each row")
    return parser.parse_args()


if __name__ == "__main__":
    main()
