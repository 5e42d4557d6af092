"""What the site makes from the package: tables of measured figures, and formulas.

MkDocs calls the functions that begin with `on_` by name.
"""

import html
import inspect
import json
import re
from dataclasses import fields
from pathlib import Path

import plotly.offline
from latex2mathml.converter import convert
from mkdocs.structure.files import File

from arithmax.cli._show import field_docs
from arithmax.discover import LADDER
from arithmax.tasks import TASKS

HERE = Path(__file__).parent
# What a reader of the file sees beside a marker whose place is filled in a build.
NOTE = re.compile(r"^(<!-- .+? -->) \(.+ that `make docs` builds\)$", re.MULTILINE)


def on_files(files, config):
    """Add the library that draws plots which can be turned and looked into."""
    library = plotly.offline.get_plotlyjs()
    files.append(File.generated(config, "assets/plotly.min.js", content=library))
    return files


def on_page_markdown(markdown, page, config, files):
    """Put generated tables where a page asks for them.

    This is the first hook: the notes beside markers are gone before others look.
    """
    markdown = NOTE.sub(r"\1", markdown)
    tables = {
        "layers": layers_table,
        "fleet": fleet_table,
        "growth": growth_table,
        "reference": reference_table,
        "second-order": second_order_table,
        "digits": digits_table,
        "tasks": tasks_table,
        "stages": stages_table,
        "fit": fit_table,
        "fit hidden": fit_hidden_table,
        "fit by hand": fit_by_hand_table,
    }
    for name, make in tables.items():
        marker = f"<!-- table: {name} -->"
        if marker in markdown:
            markdown = markdown.replace(marker, make())
    return markdown


def on_page_content(content, page, config, files):
    """Turn every formula into MathML, which browsers draw by themselves."""
    pattern = r'<(span|div) class="arithmatex">(.*?)</\1>'
    return re.sub(pattern, _mathml, content, flags=re.DOTALL)


def _mathml(match):
    formula = html.unescape(match[2]).strip()
    block = formula.startswith("\\[")
    drawn = convert(formula[2:-2].strip(), display="block" if block else "inline")
    return (
        f'<div style="overflow:auto hidden;padding:.5em 0">{drawn}</div>'
        if block
        else drawn
    )


def reference_table() -> str:
    """The pages of the reference, with the names on each."""
    lines = ["| page | what is on it |", "|---|---|"]
    for path in sorted((HERE / "reference").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        names = dict.fromkeys(re.findall(r"^::: (?:\w+\.)*(\w+)", text, re.MULTILINE))
        if names:
            title = text.splitlines()[0].removeprefix("# ")
            listed = ", ".join(f"`{name}`" for name in names)
            lines.append(f"| [{title}]({path.name}) | {listed} |")
    return "\n".join(lines)


def stages_table() -> str:
    """What a search tries, in its order, each kind of stage once."""
    lines = ["| stage | what it proposes |", "|---|---|"]
    for kind in dict.fromkeys(type(stage) for stage in LADDER):
        first = " ".join(inspect.getdoc(kind).split("\n\n")[0].split())
        lines.append(f"| {kind.name} | {first.replace('|', '&#124;')} |")
    return "\n".join(lines)


def tasks_table() -> str:
    """Every task with its options."""
    parts = []
    for name, cls in TASKS.items():
        docs = field_docs(cls)
        parts += [f"### {cls.title}: `{name}`", "", first_paragraph(cls), ""]
        parts += ["| option | default | |", "|---|---|---|"]
        parts += [
            f"| `{f.name}` | `{f.default!r}` | {docs[f.name]} |" for f in fields(cls)
        ]
        parts.append("")
    return "\n".join(parts)


def first_paragraph(cls: type) -> str:
    """The docstring without its indentation."""
    return inspect.cleandoc(cls.__doc__ or "")


def fleet_table() -> str:
    """The figures of `benchmarks/fleet.py`, on a CPU and on an accelerator."""
    measured = json.loads((HERE / "data" / "fleet-cpu.json").read_text())
    lines = [
        "| task | replicas | fleet, µs | plain PyTorch, µs | ratio | compiled in |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for row in measured["cpu"]:
        lines.append(
            f"| {row['task']} | {row['replicas']} | {row['fleet_us']:.2f} | "
            f"{row['torch_us']:.0f} | {row['ratio']:.0f}× | {row['compile_s']:.1f} s |"
        )
    lines += ["", f"JAX {measured['jax']}, {measured['cpus']} cores.", ""]
    faster = json.loads((HERE / "data" / "fleet-h200.json").read_text())
    lines += [f"On one {faster['device']}, by the clock, measurements included:", ""]
    lines += ["| task | replicas | million replica-steps per second | compiled in |"]
    lines += ["|---|---:|---:|---:|"]
    for row in faster["accelerator"]:
        lines.append(
            f"| {row['task']} | {row['replicas']} | {row['million_per_s']:.1f} | "
            f"{row['compile_s']:.1f} s |"
        )
    for name, data in (("CPU", measured), (faster["device"], faster)):
        if called := data.get("called"):
            lines += [
                "",
                f"What a user calls, `train_cells`, has {called['share']:.1%} ",
            ]
            lines[-1] += f"of the rate of its compiled intervals on the {name} "
            lines[-1] += f"({called['task']}, {called['replicas']} replicas)."
    return "\n".join([*lines, "", f"JAX {faster['jax']}."])


def growth_table() -> str:
    """Cost and memory as replicas are added."""
    lines = ["| device | replicas | µs per replica-step | peak GiB of the host |"]
    lines += ["|---|---:|---:|---:|"]
    for name in ("cpu", "h200"):
        measured = json.loads((HERE / "data" / f"fleet-{name}.json").read_text())
        for row in measured["growth"]:
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
    for path in sorted((HERE / "data").glob("second-order-*.json")):
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
    for path in sorted((HERE / "data").glob("digits-*.json")):
        row = json.loads(path.read_text(encoding="utf-8"))
        fleet, loop = row["fleet_ms_per_step"], row["loop_ms_per_step_and_seed"]
        cells = [row["device"], f"{fleet:.2f} ms a step", f"{loop:.2f} ms a step"]
        cells += [f"{row['ratio']:.0f}×", f"{row['compile_s']:.0f} s"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def layers_table() -> str:
    """The figures of `benchmarks/layers.py`."""
    measured = json.loads((HERE / "data" / "layers.json").read_text())
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


def fit_data() -> dict:
    """The figures of `benchmarks/fit.py`."""
    return json.loads((HERE / "data" / "fit.json").read_text(encoding="utf-8"))


def fit_table() -> str:
    """How often `fit` finds each law, and what share of single seeds does."""
    measured = fit_data()
    lines = ["| table | found | of single seeds | CPU seconds for all ten |"]
    lines += ["|---|---:|---:|---:|"]
    rows = list(measured["laws"].items())
    for law, by_noise in measured["noise"].items():
        rows += [(f"{law}, {float(n):.0%} noise", r) for n, r in by_noise.items()]
    for law, row in rows:
        lines.append(
            f"| {law} | {row['found']} of {row['of']} | {row['share']:.0%} | "
            f"{row['cpu_s']:.0f} |"
        )
    return "\n".join([*lines, "", f"PyTorch {measured['torch']}, one thread."])


def fit_hidden_table() -> str:
    """The same for hidden sizes."""
    lines = ["| hidden size | found | of single seeds |", "|---:|---:|---:|"]
    for size, row in fit_data()["hidden"].items():
        share = f"{row['share']:.0%}" if row["found"] else "0%"
        lines.append(f"| {size} | {row['found']} of {row['of']} | {share} |")
    return "\n".join(lines)


def fit_by_hand_table() -> str:
    """A loop by hand, one seed at a time."""
    lines = ["| a loop with Adam, 6,000 steps | found |", "|---|---:|"]
    for name, row in fit_data()["by hand"].items():
        lines.append(f"| {name} | {row['found']} of {row['of']} |")
    return "\n".join(lines)
