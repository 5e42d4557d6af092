"""What the site makes from the package: a page for each unit, plots, and formulas.

MkDocs calls the functions that begin with `on_` by name. Nothing on these pages is
typed by hand: the text is the docstring of the unit, the tables are what it declares,
the plot is what it computes.
"""

import html
import inspect
import json
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import plotly.offline
from latex2mathml.converter import convert
from mkdocs.structure.files import File

from arithmax import OPERATIONS, UNITS, Dense, Unit
from arithmax.cli._show import field_docs
from arithmax.discover import LADDER
from arithmax.report._looks import looks
from arithmax.tasks import TASKS
from arithmax.units import Beta, Constant, Identity, Normal, Uniform

HERE = Path(__file__).parent
SECOND = 2.0  # what x₂ is in the plots
SPAN = (-4.0, 4.0)


def on_files(files, config):
    """Add the generated pages, and the library that draws the plots."""
    pages = {f"units/{name}.md": unit_page(name) for name in UNITS}
    pages["units/index.md"] = units_index()
    pages["assets/plotly.min.js"] = plotly.offline.get_plotlyjs()
    for uri, content in pages.items():
        files.append(File.generated(config, uri, content=content))
    return files


def on_page_markdown(markdown, page, config, files):
    """Put generated tables where a page asks for them."""
    tables = {
        "operations": operations_table,
        "doors": doors_table,
        "fleet": fleet_table,
        "growth": growth_table,
        "second-order": second_order_table,
        "tasks": tasks_table,
        "stages": stages_table,
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


def units_index() -> str:
    """The list of all units."""
    lines = [
        "# Units",
        "",
        "Every unit is a frozen dataclass of pure functions; see the "
        "[reference](../reference.md) for what they share.",
        "",
        "| unit | class | command line | |",
        "|---|---|---|---|",
    ]
    for name, cls in UNITS.items():
        first = (cls.__doc__ or "").split("\n")[0]
        lines.append(
            f"| [{cls.title}]({name}.md) | `{cls.__name__}` | `{name}` | {first} |"
        )
    return "\n".join(lines)


def unit_page(name: str) -> str:
    """One unit's page."""
    cls = UNITS[name]
    unit = cls()
    return f"""# {unit.title}

::: {cls.__module__}.{cls.__name__}
    options:
      members: false
      show_root_heading: false
      show_root_toc_entry: false

## What it represents exactly

{exact_table(unit)}

## What it computes

{plot(unit)}

## What it learns

For `in` inputs and `out` outputs, with the default options:

{parameters_table(unit)}

## In a model

```python
import arithmax.torch
layer = arithmax.torch.{cls.__name__}(in_features=4, out_features=2)

import arithmax.equinox, jax
layer = arithmax.equinox.{cls.__name__}(4, 2, key=jax.random.key(0))
```
"""


def exact_table(unit: Unit) -> str:
    """Operations and domains."""
    if not unit.operations:
        return "Nothing: it is a baseline."
    lines = ["| operation | | for |", "|---|---|---|"]
    for name, domain in unit.operations.items():
        lines.append(f"| {OPERATIONS[name].symbol} | `{name}` | {domain.text} |")
    notes = []
    for path, exactness in unit.exact.items():
        if exactness.error:
            notes.append(
                f"The {path} adds {exactness.error:.0e} to the magnitude of each input."
            )
        if exactness.limit < np.inf:
            notes.append(f"The {path} is clipped at {exactness.limit:.2e}.")
    return "\n".join([*lines, "", *notes])


def operations_table() -> str:
    """Which unit represents which operation, on which inputs."""
    names = list(OPERATIONS)
    head = " | ".join(OPERATIONS[name].symbol for name in names)
    lines = [f"| unit | {head} |", "|---" * (len(names) + 1) + "|"]
    for name, cls in UNITS.items():
        domains = cls().operations
        cells = " | ".join(domains[n].text if n in domains else "" for n in names)
        lines.append(f"| [{cls.title}](units/{name}.md) | {cells} |")
    return "\n".join(lines)


def stages_table() -> str:
    """What a search tries, in its order, each kind of stage once."""
    lines = ["| stage | what it proposes |", "|---|---|"]
    for kind in dict.fromkeys(type(stage) for stage in LADDER):
        first = " ".join(inspect.getdoc(kind).split("\n\n")[0].split())
        lines.append(f"| {kind.name} | {first.replace('|', '&#124;')} |")
    return "\n".join(lines)


def parameters_table(unit: Unit) -> str:
    """Names, shapes and starts."""
    sizes = {100: "in", 200: "2·in", 2: "out", 3: "out + 1"}
    other = unit.parameters(3, 3)
    lines = ["| name | shape | starts |", "|---|---|---|"]
    for name, parameter in unit.parameters(100, 2).items():
        shape = ", ".join(sizes.get(n, str(n)) for n in parameter.shape)
        start = _start(parameter.distribution)
        if parameter.distribution != other[name].distribution:
            start += " for 100 inputs and 2 outputs"
        lines.append(f"| `{name}` | [{shape}] | {start} |")
    return "\n".join(lines)


def _start(distribution) -> str:
    match distribution:
        case Uniform(low, high):
            return f"uniform on [{low:.3g}, {high:.3g}]"
        case Normal(mean, std):
            return f"normal, mean {mean:g}, standard deviation {std:.3g}"
        case Beta(a, b, low, high):
            return f"Beta({a:g}, {b:g}) on [{low:g}, {high:g}]"
        case Constant(value):
            return f"{value:g}"
        case Identity():
            return "the identity"
    return "orthogonal"


def curves(unit: Unit):
    """(name, x, what the unit gives, what is true) for each line of the plot."""
    x = np.linspace(*SPAN, 401)
    if isinstance(unit, Dense):
        for activation in ("relu", "tanh", "softsign", "elu", "softplus"):
            params = {"W": np.ones((1, 1)), "b": np.zeros(1)}
            yield activation, x, Dense(activation).apply(params, x[:, None])[:, 0], None
        return
    for name in unit.operations:
        op = OPERATIONS[name]
        inputs = np.stack([x, np.full_like(x, SECOND)], axis=-1)[:, : len(op.weights)]
        with np.errstate(all="ignore"):  # outside its domain a unit may give NaN
            y = unit.apply(unit.solution(name, len(op.weights)), inputs)[:, 0]
            yield op.symbol, x, y, op.function(*inputs.T)


def figure(unit: Unit) -> go.Figure:
    """What a unit at discrete weights gives, over what is true."""
    drawn = go.Figure()
    lines = list(curves(unit))
    for look, (name, x, y, true) in zip(
        looks([n for n, *_ in lines]), lines, strict=True
    ):
        line = look.line()
        drawn.add_scatter(x=x, y=y, name=name, line=line, legendgroup=name)
        if true is not None:
            dashed = {**line, "dash": "dot", "width": 4}
            drawn.add_scatter(
                x=x,
                y=true,
                name=f"{name}, true",
                line=dashed,
                opacity=0.35,
                legendgroup=name,
                showlegend=False,
            )
    axis = {
        "gridcolor": "rgba(128,128,128,0.25)",
        "zerolinecolor": "rgba(128,128,128,0.6)",
    }
    drawn.update_layout(
        height=360,
        margin={"l": 40, "r": 10, "t": 10, "b": 40},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": "#808080"},
        xaxis={"title": {"text": "x₁"}, **axis},
        yaxis={"range": [-8.5, 8.5], **axis},
    )
    return drawn


def plot(unit: Unit) -> str:
    """The figure, and a sentence that says what it shows."""
    drawn = figure(unit).to_html(
        full_html=False,
        include_plotlyjs=False,
        config={"responsive": True, "displayModeBar": False},
    )
    caption = (
        "Some activation functions."
        if isinstance(unit, Dense)
        else f"The unit at its discrete weights as x₁ varies and x₂ = {SECOND:g}. "
        "Broad dots are the true values: where the line leaves them, or they end, the "
        "input is outside the unit's domain."
    )
    script = '<script src="../../assets/plotly.min.js"></script>'
    return f"{script}\n\n{drawn}\n\n{caption}"


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


def doors_table() -> str:
    """The figures of `benchmarks/doors.py`."""
    measured = json.loads((HERE / "data" / "doors.json").read_text())
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
