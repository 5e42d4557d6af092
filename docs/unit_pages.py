"""A page for each unit: its formula, what it can do, how often it learns it, a picture.

Nothing on these pages is typed by hand: the text is the docstring of the unit, the
tables are what it declares and what the leaderboard has of it, the picture is what it
computes.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np
from mkdocs.structure.files import File
from pictures import FAINT, INK, axes, drawn, figure_html, generated

from arithmax import OPERATIONS, UNITS, Dense, Unit, published
from arithmax.benchmark import (
    Best,
    best_units,
    contest_rate,
    not_run,
    setting_text,
    share_text,
    shipped,
)
from arithmax.networks import Network
from arithmax.report._leaderboard import slugs
from arithmax.report._looks import looks
from arithmax.tasks import SingleModule
from arithmax.training import Protocol
from arithmax.training.recipes.primer import NOT_OF_THE_BENCHMARK
from arithmax.units import Beta, Constant, Identity, Normal, Uniform

SECOND = 2.0  # what x₂ is in the pictures
SPAN = (-4.0, 4.0)
SIZE = (520, 340)
SIGNS = {"add": "+", "sub": "−", "mul": "×", "div": "÷"}  # as the leaderboard has them


LEFT_OUT = """## What is left out

- **NSR** (Neural Status Register, 2020): it compares two numbers (<, ≤, =, …) and
  computes no arithmetic. What a unit states here, sums and products that it is exact
  for, does not fit it.
- **DMU** (2025): its published runs are given the operands, and learn only whether to
  add or to take logarithms.
- **iNPU** (2025): the slopes that it puts in place of its own hold for squared errors
  of the last layer alone, so that it is no layer of a network.
- **NAC_exact** (2018, beside NALU-sinh): an affine layer whose sign another affine
  layer chooses. Where that one is decided it is a `Linear`.
"""


def on_files(files, config):
    """Add the pages and their pictures."""
    for name in UNITS:
        page = File.generated(config, f"units/{name}.md", content=unit_page(name))
        files.append(page)
        for uri, content in generated(f"assets/units/{name}", picture(UNITS[name]())):
            files.append(File.generated(config, uri, content=content))
    index = File.generated(config, "units/index.md", content=units_index())
    files.append(index)
    return files


def on_page_markdown(markdown, page, config, files):
    """Put the table of operations, and what was not run, where a page asks for it."""
    markdown = markdown.replace("<!-- not run -->", missing_runs())
    return markdown.replace("<!-- table: operations -->", operations_table())


def missing_runs() -> str:
    """The units that the leaderboard lacks."""
    missing = not_run(shipped())
    return f"Not run: {', '.join(missing)}." if missing else ""


def units_index() -> str:
    """The list of all units, with how often each learns what."""
    signs = list(SIGNS.values())
    lines = [
        "# Units",
        "",
        "Every unit has a page: its formula, what it can do and on which inputs, how "
        "often it learns it, with which setting, and when it fails. "
        "[Which one should I use?](../choose.md)",
        "",
        f"| unit | {' | '.join(signs)} | in code | |",
        "|---" + "|---:" * len(signs) + "|---|---|",
    ]
    for name, cls in UNITS.items():
        first = (cls.__doc__ or "").split("\n")[0]
        cells = " | ".join(_learned(cls(), *pair) for pair in SIGNS.items())
        code = f"`{cls.__name__}`, `{name}`"
        lines.append(f"| [{cls.title}]({name}.md) | {cells} | {code} | {first} |")
    text = (
        "Of all runs with two inputs, so many per cent learned the operation; nothing "
        "stands where a unit cannot do it. In code: the class, and the name in a "
        "terminal. What all units share is in the [reference](../reference/units.md)."
    )
    return "\n".join([*lines, "", text, "", LEFT_OUT])


def _learned(unit: Unit, operation: str, sign: str) -> str:
    """How often a unit learns an operation with two inputs, in per cent."""
    if rate := bests()[sign].contests[0].rates.get(unit.title):
        return share_text(rate.value)
    return "not run" if operation in unit.operations else ""


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

## How often it learns it

{rates(unit)}

## The recommended setting

{setting(name)}

## What it computes

{figure_html(f"../../assets/units/{name}", caption(unit), SIZE)}

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


@cache
def bests() -> dict[str, Best]:
    """What the leaderboard has of each operation, by the operation's sign."""
    return {best.operation: best for best in best_units(shipped())}


def rates(unit: Unit) -> str:
    """The share of runs that found each operation, with 95 % intervals."""
    found = {sign: bests()[SIGNS[sign]] for sign in unit.operations if sign in SIGNS}
    known = {n: b for n, b in found.items() if unit.title in b.contests[0].rates}
    if not known and unit.title in not_run(shipped()):
        return (
            "It has not been run: the [leaderboard](../leaderboard/index.md) lacks it."
        )
    if not known:
        return "It is not on the [leaderboard](../leaderboard/index.md)."
    contests = next(iter(known.values())).contests
    lines = []
    for name, best in known.items():
        cells = [contest_rate(contest, unit.title) for contest in best.contests]
        cells.append(f"{best.unit}, {contest_rate(best.contests[0], best.unit)}")
        lines.append(f"| {OPERATIONS[name].symbol} | {' | '.join(cells)} |")
    heads = [f"{contest.inputs} inputs" for contest in contests]
    heads.append(f"the best, {heads[0]}")
    text = (
        "Being able to is not the same as learning to. Of all runs so many, in per "
        "cent, found weights that are right outside the range that they were trained "
        f"on (95 % intervals; over {len(contests[0].board.ranges)} ranges; of more "
        "than two inputs all but two are to be ignored):"
    )
    page = slugs(unit for board in shipped() for unit in board.units)[unit.title]
    more = f"[Range by range, and where the others end](../leaderboard/{page}.md)."
    table = [
        f"| operation | {' | '.join(heads)} |",
        "|---" + "|---:" * len(heads) + "|",
    ]
    return "\n".join([text, "", *table, *lines, "", more])


def setting(name: str) -> str:
    """How the unit was trained for these rates: what its authors recommend."""
    unit = UNITS[name]()
    groups: dict[Protocol, list[str]] = {}
    for operation in unit.operations:
        if operation in SIGNS:
            _, protocol = published(unit, SingleModule(operation))
            groups.setdefault(protocol, []).append(operation)
    if not groups:
        protocol = Protocol()
        return f"None is published. `Protocol()` is: {_settings(protocol)}."
    lines = [
        f"- {', '.join(OPERATIONS[n].symbol for n in names)}: {_settings(protocol)}"
        for protocol, names in groups.items()
    ]
    text = (
        "What its authors recommend for two inputs, what the rates above were measured "
        "with, and what `train` uses by itself ([what the words mean](../protocol.md)):"
    )
    if isinstance(unit, NOT_OF_THE_BENCHMARK):
        text = (
            "The Primer's settings for two inputs, with what is published of its "
            "optimiser and penalty: what the rates above were measured with, and what "
            "`train` uses by itself ([what the words mean](../protocol.md)):"
        )
    command = _command(name, next(iter(groups.values()))[0])
    return "\n".join([text, "", *lines, "", _bounds(unit), "", command])


def _settings(protocol: Protocol) -> str:
    return f"{setting_text(protocol)}; {protocol.batches.size} samples per step"


def _bounds(unit: Unit) -> str:
    """Whether its weights are brought back into bounds."""
    if type(unit).project is Network.project:
        return "Its weights have no bounds."
    return (
        "After each step its weights are brought back into their bounds: `train` does "
        "it; in a loop of your own call `project_()`."
    )


def _command(name: str, operation: str) -> str:
    return (
        f"```\narithmax train single-module --unit {name} --operation {operation}\n```"
    )


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


def curves(
    unit: Unit,
) -> Iterator[tuple[str, np.ndarray, np.ndarray, np.ndarray | None]]:
    """(name, x, what the unit gives, what is true) for each line of the picture."""
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


def picture(unit: Unit) -> str:
    """What a unit at discrete weights gives, over what is true, as SVG."""
    figure, [ax] = axes(1, SIZE)
    lines = list(curves(unit))
    for look, (name, x, y, true) in zip(
        looks([n for n, *_ in lines]), lines, strict=True
    ):
        if true is not None:
            ax.plot(x, _broken(true), color=look.colour, lw=7, alpha=0.3)
        ax.plot(x, _broken(y), color=look.colour, lw=2, label=name)
    ax.axhline(0, color=FAINT, lw=0.8, zorder=0)
    ax.axvline(0, color=FAINT, lw=0.8, zorder=0)
    ax.set(xlim=SPAN, ylim=(-8.5, 8.5), xlabel="input x₁", ylabel="output")
    figure.legend(loc="outside upper center", ncols=min(4, len(lines)), labelcolor=INK)
    return drawn(figure)


def _broken(y: np.ndarray) -> np.ndarray:
    """A line without what is far off the picture, where it jumps from end to end."""
    return np.where(np.abs(y) > 50, np.nan, y)


def caption(unit: Unit) -> str:
    """A sentence that says what the picture shows."""
    if isinstance(unit, Dense):
        return "Some activation functions: the output of one input with a weight of 1."
    return (
        f"The unit at its exact weights as x₁ varies and x₂ = {SECOND:g}. The broad "
        "line is the true value: where the thin line leaves it, or it ends, the input "
        "is one that the unit cannot handle."
    )
