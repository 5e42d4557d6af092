"""The tables of the page on performance, of what files in `benchmarks/` measured.

Nothing is computed here: figures are those of `docs/data`.
"""

import json
from pathlib import Path

DATA = Path(__file__).parent / "data"


def on_page_markdown(markdown, page, config, files):
    """Put tables where the page asks for them."""
    tables = {
        "fleet": fleet_table,
        "cores": cores_table,
        "growth": growth_table,
        "account": account_table,
        "kernel": kernel_table,
        "profile": profile_table,
        "table-2": whole_tables,
        "agreement": agreement_table,
        "inputs": inputs_table,
        "tries": tries_tables,
        "second-order": second_order_table,
        "digits": digits_table,
        "layers": layers_table,
    }
    for name, make in tables.items():
        marker = f"<!-- table: {name} -->"
        if marker in markdown:
            markdown = markdown.replace(marker, make())
    return markdown


def measured_by(name: str) -> dict:
    """What a benchmark wrote."""
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


def table(heads: list[str], rows: list[list[str]], words: int = 1) -> str:
    """A table whose columns after the first few are numbers."""
    ruler = "|---" * words + "|---:" * (len(heads) - words) + "|"
    lines = [f"| {' | '.join(heads)} |", ruler]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def fleet_table() -> str:
    """The figures of `benchmarks/fleet.py` on a CPU."""
    cpu = measured_by("fleet-cpu")
    heads = ["task", "replicas", "fleet, µs", "plain PyTorch, µs", "ratio"]
    rows = [
        [
            row["task"],
            str(row["replicas"]),
            f"{row['fleet_us']:.2f}",
            f"{row['torch_us']:.0f}",
            f"{row['ratio']:,.0f}×",
            f"{row['compile_s']:.1f} s",
        ]
        for row in cpu["cpu"]
    ]
    parts = [table([*heads, "compiled in"], rows), "", f"JAX {cpu['jax']}.", ""]
    return "\n".join(parts[:-1])


def kernel_table() -> str:
    """What `train_cells` does per second on a GPU, with its kernel and without."""
    measured = measured_by("fleet-h200")
    heads = ["unit", "task", "replicas", "kernel", "XLA's program", "ratio"]
    rows = [
        [
            row["unit"],
            row["task"],
            f"{row['replicas']:,}",
            f"{row['million_per_s']:.1f}",
            f"{row['without_kernel']:.1f}",
            f"{row['million_per_s'] / row['without_kernel']:.1f}×",
            f"{row['compile_s']:.1f} s",
        ]
        for row in measured["accelerator"]
    ]
    return "\n".join(
        [
            f"Million replica-steps per second by `train_cells` on one "
            f"{measured['device']}, measurements and rows included:",
            "",
            table([*heads, "first call"], rows, words=2),
            "",
            f"JAX {measured['jax']}.",
        ]
    )


def profile_table() -> str:
    """What an interval of the kernel consists of."""
    profile = measured_by("fleet-h200")["profile"]
    parts = profile["parts_ms"]
    whole = sum(parts.values())
    rows = [[name, f"{ms:.2f}", f"{ms / whole:.1%}"] for name, ms in parts.items()]
    head = f"NAU→NMU, 100 inputs, {profile['replicas']:,} replicas"
    return table([head, "ms", "share"], rows)


def whole_tables() -> str:
    """How long whole tables took."""
    texts = [
        f"{row['what']} took {row['seconds'] / 60:.1f} minutes"
        for row in measured_by("tables-h200")
    ]
    return "; ".join(texts) + "."


def agreement_table() -> str:
    """Success rates by the kernel and by XLA's program."""
    heads = ["network", "task", "XLA's program", "kernel", "intervals overlap"]
    rows = [
        [
            f"`{row['network']}`",
            f"`{row['task']}`",
            rate(row["gpu"]),
            rate(row["gpu-kernel"]),
            "yes" if row["overlap"] else "no",
        ]
        for row in measured_by("agreement-h200")
    ]
    return table(heads, rows, words=2)


def rate(found: dict) -> str:
    """Solved runs with the interval of their share."""
    low, high = (f"{100 * found[end]:.0f}" for end in ("low", "high"))
    return f"{found['solved']} of {found['of']} [{low}, {high} %]"


def cores_table() -> str:
    """The same blocks by one worker and by two."""
    heads = ["task", "replicas", "one worker", "two", "ratio", "CPU seconds"]
    rows = [
        [
            row["task"],
            str(row["replicas"]),
            f"{row['one_s']:.2f} s",
            f"{row['two_s']:.2f} s",
            f"{row['ratio']:.2f}×",
            f"{row['cpu_ratio']:.2f}×",
        ]
        for row in measured_by("fleet-cpu").get("cores", ())
    ]
    return table(heads, rows) if rows else "(not measured on an idle machine yet)"


def account_table() -> str:
    """What the time of a step is spent on, by `benchmarks/account.py`."""
    account = measured_by("account-cpu")
    parts = sorted(account["parts_us"].items(), key=lambda part: -part[1])
    rows = [[name, f"{us:.2f}"] for name, us in parts]
    rows.append(["**all**", f"**{account['whole_us']:.2f}**"])
    return table([account["task"], "µs per replica-step"], rows)


def inputs_table() -> str:
    """The stages of inputs, each with those before it."""
    stages = measured_by("account-cpu")["stages_us"].items()
    rows = [[name, f"{us:.2f}"] for name, us in stages]
    return table(["inputs alone, up to", "µs per replica-step"], rows)


def tries_tables() -> str:
    """Every try, on each kind of device of which there are figures."""
    parts = []
    for name in ("cpu", "h200"):
        if (DATA / f"tries-{name}.json").exists():
            tries = measured_by(f"tries-{name}")
            about = f"{tries['device']}, JAX {tries['jax']}."
            parts += [tries_table(tries["tries"]), "", about, ""]
    return "\n".join(parts)


def tries_table(tries: list[dict]) -> str:
    """The tries of one device; an outcome is a number, or one for each task."""
    outcomes = [row["measured"] for row in tries]
    tasks = list(dict.fromkeys(t for o in outcomes if isinstance(o, dict) for t in o))
    heads = ["", "change", "kept", "predicted", *(tasks or ["measured"])]
    return table(heads, [tried(row, tasks) for row in tries], words=4)


def tried(row: dict, tasks: list[str]) -> list[str]:
    """One try as a row of its table."""
    change = " ".join(filter(None, (row["change"] + ".", row["note"])))
    kept = "yes" if row["kept"] else "no"
    outcome = row["measured"]
    if isinstance(outcome, dict):
        measured = [f"{outcome[t]:.2f}" if t in outcome else "" for t in tasks]
    else:
        measured = [str(outcome), *([""] * (len(tasks) - 1))]
    return [row["name"], change, kept, str(row["predicted"]), *measured]


def growth_table() -> str:
    """Cost and memory as replicas are added."""
    lines = ["| device | replicas | µs per replica-step | peak GiB of the host |"]
    lines += ["|---|---:|---:|---:|"]
    for name in ("cpu", "h200"):
        measured = measured_by(f"fleet-{name}")
        for row in measured.get("growth", ()):
            lines.append(
                f"| {measured['device']} | {row['replicas']} | {row['us']:.3g} | "
                f"{row['peak_gib']} |"
            )
    return "\n".join(lines)


def second_order_table() -> str:
    """The figures of `benchmarks/second_order.py`, of each device it was run on."""
    heads = ["optimiser", "seeds", "steps", "exact", "first at step", "until then"]
    heads += ["all steps", "compiled in"]
    lines = []
    for path in sorted(DATA.glob("second-order-*.json")):
        measured = json.loads(path.read_text(encoding="utf-8"))
        lines += [f"| {' | '.join(heads)} |", "|---" + "|---:" * 7 + "|"]
        for row in measured["arms"]:
            first, until = row["first_exact_step"], row["seconds_to_first"]
            cells = [row["arm"], row["seeds"], f"{row['steps']:,}", row["exact"]]
            cells += ["—", "—"] if first is None else [first, f"{until:.1f} s"]
            cells += [f"{row['seconds']:.1f} s", f"{row['compile_s']:.1f} s"]
            lines.append(f"| {' | '.join(map(str, cells))} |")
        about = f"{measured['device']}, JAX {measured['jax']}, {measured['clock']}."
        lines += ["", about, ""]
    return "\n".join(lines)


def digits_table() -> str:
    """The figures of `benchmarks/digits.py`, of each device it was run on."""
    heads = ["device", "ten seeds side by side", "a PyTorch loop, one seed"]
    heads += ["ten of those / ours", "compiled in"]
    lines = [f"| {' | '.join(heads)} |", "|---" + "|---:" * 4 + "|"]
    for path in sorted(DATA.glob("digits-*.json")):
        row = json.loads(path.read_text(encoding="utf-8"))
        fleet, loop = row["fleet_ms_per_step"], row["loop_ms_per_step_and_seed"]
        cells = [row["device"], f"{fleet:.2f} ms a step", f"{loop:.2f} ms a step"]
        cells += [f"{row['ratio']:.0f}×", f"{row['compile_s']:.0f} s"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def layers_table() -> str:
    """The figures of `benchmarks/layers.py`."""
    measured = measured_by("layers")
    lines = [
        "| unit | mode | batch | in → out | ours, µs | by hand, µs | ratio |",
        "|---|---|---:|---|---:|---:|---:|",
    ]
    for row in measured["rows"]:
        lines.append(
            f"| {row['unit']} | {row['mode']} | {row['batch']} | {row['in']} → "
            f"{row['out']} | {row['ours_us']} | {row['hand_us']} | {row['ratio']} |"
        )
    about = (
        f"PyTorch {measured['torch']}, Python {measured['python']}, one thread of an "
    )
    return "\n".join([*lines, "", about + f"{measured['machine']} CPU."])
