"""A study's sheet: its words and published figures, in one Markdown file.

A sheet is `NAME.md` in the folder of the study's document. Between two lines `+++` it
has TOML: `title`, `question`, `source`, and what of the following there is; then comes
the prose.

```
[shown]                    # captions of the computed tables that are printed
starts = "How often it is solved, by its start."

[[plots]]                  # `draw` is a class of `arithmax.studies`
draw = "Measured"
caption = "Success rate."
x = "model"

[claims.rate]              # `sheet.claim("rate", model=…)` gives the name
name = "{model}: share of runs that are right"
note = "read from the figure"
figures = [
    {model = ["NAU", "NMU"], solved = 98, runs = 100},
    {model = "NALU", between = [0.0, 0.5], reason = "one run was drawn"},
]

[claims.never]
name = "share of runs that are solved"
value = 0.0
note = "“never converges”"
statement = true           # words about what happens, which runs may contradict

[[arms]]                   # of arms with these labels: notes, reasons, tried, figures
where = {model = "NALU"}
reasons.solved_at = "a hundred seeds are few"
tried.sparsity = "float64"  # where no reason was found

[texts]                    # sentences that the module fills in
late = "{count} of the steps were read from rows out of order"
```

Line breaks inside a text are blanks, and before the prose texts are plain. A figure
has `value`, and `low` and `high` if an interval was published; or `solved` of `runs`,
which has Wilson's interval; or `between` two ends, with the middle as its value; or
`exact`, a value without doubt.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from itertools import product
from typing import Any

from ..statistics import success_rate
from . import _plots
from ._study import Arm, Published, Study

FENCE = "+++\n"


@dataclass(frozen=True)
class Sheet:
    """What a sheet holds.

    Args:
        name: the study's name.
        prose: the Markdown below the front matter.
        front: the front matter, with every text in one line.
    """

    name: str
    prose: str
    front: Mapping[str, Any] = field(repr=False)

    @property
    def texts(self) -> Mapping[str, str]:
        """The sentences that the module fills in."""
        return self.front.get("texts", {})

    def claim(self, key: str, **labels: Any) -> str:
        """The name of a claim.

        Args:
            key: its table in the sheet, `[claims.KEY]`.
            labels: what the name's braces stand for.
        """
        return self.front["claims"][key]["name"].format(**labels)

    def labels(self, key: str) -> list[dict[str, Any]]:
        """The labels of each figure of a claim, for the grid of arms."""
        return [labels for labels, _ in _figures(self.front["claims"][key], ())]

    def claims(
        self, derived: Mapping[str, Iterable[Mapping[str, Any]]] | None = None
    ) -> dict[str, Published]:
        """Every published figure that is compared with a computed one, by name.

        Args:
            derived: figures that follow from a formula, by the key of their claim, as
                the sheet would write its `figures`.
        """
        given, entries = derived or {}, self.front.get("claims", {})
        if unknown := given.keys() - entries.keys():
            raise ValueError(
                f"`derived` (={min(unknown)!r}) must be a claim of the sheet "
                f"{self.name!r}, which has {', '.join(entries) or 'none'}."
            )
        return {
            self.claim(key, **labels): figure
            for key, entry in entries.items()
            for labels, figure in _figures(entry, given.get(key, ()))
        }

    @property
    def plots(self) -> tuple[_plots.Plot, ...]:
        """What a report draws."""
        return tuple(map(_plot, self.front.get("plots", ())))

    def study(
        self,
        arms: Iterable[Arm] = (),
        compute: Any = None,
        claims: Mapping[str, Published] | None = None,
        derived: Mapping[str, Iterable[Mapping[str, Any]]] | None = None,
    ) -> Study:
        """The study of this sheet.

        Args:
            arms: what is trained; the sheet adds its notes and reasons.
            compute: what is computed besides, as `Study` takes it.
            claims: further published figures by the names of their claims.
            derived: published figures that follow from a formula, as `claims` of the
                sheet takes them: `{"rate": [{"model": "NAU", "exact": 0.5}]}`.
        """
        return Study(
            name=self.name,
            title=self.front["title"],
            source=self.front["source"],
            about=self.prose,
            arms=tuple(self._remarked(list(arms))),
            compute=compute,
            claims=self.claims(derived) | dict(claims or {}),
            shown=self.front.get("shown", {}),
            plots=self.plots,
            question=self.front["question"],
        )

    def _remarked(self, arms: list[Arm]) -> list[Arm]:
        """The arms with what the sheet says about some of them."""
        for entry in self.front.get("arms", ()):
            changed = [_with(arm, entry) for arm in arms]
            if changed == arms:
                raise ValueError(
                    f"`arms` of the sheet {self.name!r} has `where` = {entry['where']},"
                    " which changes no figure of an arm. Correct its labels."
                )
            arms = changed
        return arms


@cache
def sheet(document: str, name: str) -> Sheet:
    """The sheet of a study.

    Args:
        document: the folder below `arithmax/studies`, such as "slides".
        name: the name of the study.

    Examples:
        >>> from arithmax.studies._sheet import sheet
        >>> sheet("slides", "simple-mul").front["title"]
        '(x₁ + x₂) · (x₁ + x₂ + x₃ + x₄): the smallest product of sums'
    """
    file = resources.files("arithmax.studies") / document / f"{name}.md"
    return parsed(name, file.read_text(encoding="utf-8"))


def parsed(name: str, text: str) -> Sheet:
    """The sheet that a text holds."""
    before, *parts = text.split(FENCE, 2)
    if before or len(parts) != 2:
        raise ValueError(
            f"the sheet {name!r} must begin with TOML between two lines `+++`."
        )
    if "`" in parts[0]:
        raise ValueError(
            f"the sheet {name!r} has a backquote before its prose: write it plainly."
        )
    front = _in_one_line(tomllib.loads(parts[0]))
    if missing := {"title", "question", "source"} - front.keys():
        raise ValueError(f"the sheet {name!r} must have `{min(missing)}`.")
    return Sheet(name, parts[1].strip(), front)


def _in_one_line(value: Any) -> Any:
    """Every text without line breaks; hard spaces stay as they are."""
    if isinstance(value, str):
        return re.sub(r"[ \t\n]+", " ", value).strip()
    if isinstance(value, dict):
        return {key: _in_one_line(v) for key, v in value.items()}
    return [_in_one_line(v) for v in value] if isinstance(value, list) else value


def _plot(entry: Mapping[str, Any]) -> _plots.Plot:
    given = {n: tuple(v) if isinstance(v, list) else v for n, v in entry.items()}
    draw = getattr(_plots, str(given.pop("draw")))
    return draw(**given)


def _figures(
    entry: Mapping[str, Any], derived: Iterable[Mapping[str, Any]]
) -> Iterable[tuple[dict[str, Any], Published]]:
    """The labels and figures of a claim; lists of labels are every one of them."""
    shared = {n: entry[n] for n in REMARKS if n in entry}
    single = {n: v for n, v in entry.items() if n in FIGURE}
    rows = [single] if single.keys() - shared.keys() else entry.get("figures", [])
    for row in [*rows, *derived]:
        labels = {n: _listed(v) for n, v in row.items() if n not in FIGURE}
        figure = figure_of(shared | {n: v for n, v in row.items() if n in FIGURE})
        for values in product(*labels.values()):
            yield dict(zip(labels, values, strict=True)), figure


REMARKS = ("note", "reason", "tried", "statement")
FIGURE = ("value", "low", "high", "solved", "runs", "between", "exact", *REMARKS)


def figure_of(entry: Mapping[str, Any]) -> Published:
    """A published figure as a sheet or a table of figures writes it."""
    remarks = {n: entry[n] for n in REMARKS if n in entry}
    if "solved" in entry:
        rate = success_rate(entry["solved"], entry["runs"])
        return Published(rate.value, rate.low, rate.high, **remarks)
    if "between" in entry:
        low, high = entry["between"]
        return Published((low + high) / 2, low, high, **remarks)
    if "exact" in entry:
        return Published(*[entry["exact"]] * 3, **remarks)
    return Published(entry["value"], entry.get("low"), entry.get("high"), **remarks)


def _with(arm: Arm, entry: Mapping[str, Any]) -> Arm:
    """An arm with the figures, notes and reasons of an entry, if it is meant."""
    where = {name: _listed(value) for name, value in entry["where"].items()}
    if any(arm.labels[name] not in values for name, values in where.items()):
        return arm
    published = dict(arm.published)
    for measure, figure in entry.get("published", {}).items():
        published[measure] = figure_of(figure)
    for kind, change in (("notes", "note"), ("reasons", "reason"), ("tried", "tried")):
        for measure, text in entry.get(kind, {}).items():
            if measure in published:
                published[measure] = replace(published[measure], **{change: text})
    return replace(arm, published=published)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
