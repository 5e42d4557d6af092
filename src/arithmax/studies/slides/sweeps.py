"""The figures of the NAU/NMU paper along one setting."""

from typing import Any

from ...tasks import Subsets
from ...training import Cell, UnitPenalty
from ...units import NMU
from .._grid import SYMBOLS, combinations
from .._sheet import sheet
from .._study import Arm, Published, Study
from ._figures import Remark, drawn, entry
from ._row_order import in_steps, shuffled, simulated, simulated_cell
from ._runs import MODELS, run, wider

FIVE = ("NMU", "NAC•", "NAC•,NMU", "NAC•,σ", "NALU")
SIX = (*FIVE, "Gated NAU/NMU")
HIDDEN = range(2, 11)
SIZES = (4, 10, 25, 50, 75, *range(100, 301, 25))
SUBSETS = (0.05, 0.1, 0.25, 0.5)
OVERLAPS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
RANGES = {
    "U[-2,-1]": ((-2.0, -1.0), (-6.0, -2.0)),
    "U[-2,2]": ((-2.0, 2.0), (-6.0, -2.0, 2.0, 6.0)),
    "U[0,1]": ((0.0, 1.0), (1.0, 5.0)),
    "U[0.1,0.2]": ((0.1, 0.2), (0.2, 2.0)),
    "U[1,2]": ((1.0, 2.0), (2.0, 6.0)),
    "U[1.1,1.2]": ((1.1, 1.2), (1.2, 6.0)),
    "U[10,20]": ((10.0, 20.0), (20.0, 40.0)),
}
ABLATION: dict[str, dict[str, Any]] = {
    "NMU": {},
    "NMU, no R_sparse": {"penalties": ()},
    "NMU, no R_sparse, no clamp": {"penalties": (), "project": False},
    "NMU, no clamp": {"project": False},
}
PENALISED = (("mul", "NMU"), ("add", "NAU"), ("sub", "NAU"))
STRENGTHS = ("0", "0.01", "0.1", "1", "10", "100")
# When the penalty begins to grow, and when it has its full strength.
RAMPS = {
    "from the start": (0, 0),
    "5,000 to 50,000": (5_000, 50_000),
    "100,000 to 200,000": (100_000, 200_000),
    "1 to 2 million": (1_000_000, 2_000_000),
}
NEVER = "never"


def hidden_size() -> Study:
    """Figure 3, left."""
    arms = [
        Arm(
            {"hidden": hidden, "model": model},
            run(wider(MODELS[model], hidden), Subsets("mul"), 25),
            drawn("hidden-size", x=str(hidden), model=model),
        )
        for model in FIVE
        for hidden in HIDDEN
    ]
    return sheet("slides", "hidden-size").study(arms)


def input_range() -> Study:
    """Figure 3, right."""
    arms = []
    for model in FIVE:
        for name, (inner, outer) in RANGES.items():
            task = Subsets("mul", interpolation=inner, extrapolation=outer)
            why = {"solved_at": _range_remark(name, model)}
            figures = drawn("input-range", remarks=why, x=name, model=model)
            labels = {"range": name, "model": model}
            arms.append(Arm(labels, run(MODELS[model], task, 25), figures))
    return sheet("slides", "input-range").study(arms)


def _range_remark(name: str, model: str) -> Remark:
    """Why a mean of the figure of ranges is not that of its runs."""
    texts = sheet("slides", "input-range").texts
    seen = texts.get(f"{name}, {model}")
    more = f". {texts['plain-loop']} {seen}" if seen else ""
    return _moved("input-range", "range", name, model, more)


def _moved(figure: str, label: str, key: str, model: str, more: str = "") -> Remark:
    """Why a mean of a figure is not that of its runs, if rows out of order tell."""
    row = entry(figure, x=key, model=model)
    part = simulated(figure)
    rows = [r for r in part if (r[label], r["model"]) == (key, model)]
    if row is None or not rows:
        return {}
    return shuffled(row["solved_at"], rows[0], rows[0]["ours"], "Our steps", more)


def input_size() -> Study:
    """Appendix: larger inputs."""
    arms = [
        Arm(
            {"inputs": size, "model": model},
            run(MODELS[model], Subsets("mul", input_size=size), 50, steps=_steps(size)),
            drawn("input-size", x=str(size), model=model),
        )
        for model in SIX
        for size in SIZES
    ]
    return sheet("slides", "input-size").study(arms)


def _steps(size: int) -> int:
    return 5_000_000 if size <= 100 else 10_000_000 if size <= 200 else 15_000_000


def subset_ratio() -> Study:
    """Appendix: smaller and larger subsets."""
    return _ratios("subset-ratio", "subset_ratio", SUBSETS)


def overlap_ratio() -> Study:
    """Appendix: subsets that have less or more in common."""
    return _ratios("overlap-ratio", "overlap_ratio", OVERLAPS)


def _ratios(name: str, field: str, ratios: tuple[float, ...]) -> Study:
    """A ratio of the data set and its figure."""
    arms = []
    for labels in combinations(model=SIX, ratio=ratios):
        model, ratio = labels["model"], labels["ratio"]
        cell = run(MODELS[model], Subsets("mul", **{field: ratio}), 50)
        why = {"solved_at": _moved(name, "ratio", str(ratio), model)}
        figures = drawn(name, remarks=why, x=str(ratio), model=model)
        arms.append(Arm({"ratio": ratio, "model": model}, cell, figures))
    return sheet("slides", name).study(arms)


def regularisation() -> Study:
    """Appendix: the strength of the sparsity penalty."""
    arms = []
    for operation, model in PENALISED:
        for text in STRENGTHS:
            labels = {"strength": text, "model": f"{model}, {SYMBOLS[operation]}"}
            cell = _penalised(operation, model, strength=float(text))
            arms.append(Arm(labels, cell, _strengths(operation, model, text)))
    return sheet("slides", "regularisation").study(arms)


def regularisation_scaling() -> Study:
    """Regulariser scaling: when the sparsity penalty sets in."""
    arms = []
    for operation, model in PENALISED:
        published = _penalised(operation, model)
        (penalty,) = published.protocol.penalties
        assert isinstance(penalty, UnitPenalty)
        name = f"{model}, {SYMBOLS[operation]}"
        for ramp, (start, end) in RAMPS.items():
            cell = _penalised(operation, model, start=start, end=end)
            theirs = f"{penalty.strength:g}" if cell == published else ""
            figures = _strengths(operation, model, theirs)
            arms.append(Arm({"penalty": ramp, "model": name}, cell, figures))
        cell = _penalised(operation, model, strength=0.0)
        figures = _strengths(operation, model, "0")
        arms.append(Arm({"penalty": NEVER, "model": name}, cell, figures))
    return sheet("slides", "regularisation-scaling").study(arms)


def _penalised(operation: str, model: str, **changes: float) -> Cell:
    """The authors' run of a unit with another penalty; of strength 0 with none."""
    given: dict[str, Any] = {f"penalties__0__{n}": v for n, v in changes.items()}
    if changes.get("strength") == 0:
        given = {"penalties": ()}
    task = Subsets(operation)  # type: ignore[arg-type]  # a literal
    return run(MODELS[model], task, 50, **given)


def _strengths(operation: str, model: str, text: str) -> dict[str, Published]:
    """The published figures of a strength of the penalty, if there are any."""
    # Steps at − come before the penalty begins, whatever its strength.
    alike = operation == "sub" or (operation, text) == ("mul", "10")
    remarks = {"solved_at": _fifty(model, operation)} if alike else {}
    labels = {"operation": operation, "x": text, "model": model}
    return drawn("regularisation", remarks=remarks, **labels)


def _fifty(model: str, operation: str) -> Remark:
    """Why fifty seeds of a figure have another mean than ours."""
    row = simulated_cell("table", model=model, operation=operation)
    first, every = in_steps(*row["first_fifty"]), in_steps(*row["others"])
    text = sheet("slides", "regularisation").texts["fifty"]
    return {"reason": text.format(first=first, every=every)}


def ablation() -> Study:
    """Appendix: what the penalty and the clamp are for."""
    arms = []
    for labels in combinations(model=ABLATION, hidden=HIDDEN):
        model, hidden = labels["model"], labels["hidden"]
        published = (hidden, model) == (2, "NMU")
        why = {"solved_at": _fifty("NMU", "mul")} if published else {}
        figures = drawn("ablation", remarks=why, x=str(hidden), model=model)
        figures.pop("sparsity", None)  # it could not be read back
        cell = run(wider(NMU(), hidden), Subsets("mul"), 50, **ABLATION[model])
        arms.append(Arm({"hidden": hidden, "model": model}, cell, figures))
    return sheet("slides", "ablation").study(arms)
