"""The figures of the NAU/NMU paper along one setting."""

from collections.abc import Iterable
from typing import Any

from ..networks import Stack
from ..protocol import published
from ..tasks import Subsets
from ..units import NMU, Unit
from ._madsen_johansen import MODELS, PAPER, SYMBOLS, arithmetic, cell, entry, figures
from ._plots import Measured
from ._study import Arm, Published, Study


def wider(unit: Unit, hidden: int) -> Unit:
    """The authors' network of another hidden size; all sizes share a program."""
    network, _ = published(unit, Subsets())
    assert isinstance(network, Stack)
    padded = () if hidden == 2 or unit == MODELS["NAC•,σ"] else (10,)
    return Stack(network.units, (hidden,), padded)


def sweep(
    name: str, title: str, where: str, about: str, label: str, arms: Iterable[Arm]
) -> Study:
    """A figure of the paper: success, steps and sparsity along one setting."""
    return Study(
        name,
        title,
        f"{PAPER}, {where}; read back from the vector figure",
        about,
        tuple(arms),
        plots=(
            Measured("Success rate.", "success", label, "model"),
            Measured("Mean step at which it was solved.", "solved_at", label, "model"),
            Measured("Sparsity error.", "sparsity", label, "model", log=True),
        ),
    )


FIVE = ("NMU", "NAC•", "NAC•,NMU", "NAC•,σ", "NALU")


def hidden_size() -> Study:
    """Figure 3, left."""
    task = Subsets("mul")
    arms = [
        Arm(
            {"hidden": hidden, "model": model},
            cell(wider(MODELS[model], hidden), task, 25),
            figures(
                entry("hidden-size", x=str(hidden), model=model),
                drawn=True,
                reasons={"sparsity": TAIL} if model == "NMU" else None,
            ),
        )
        for model in FIVE
        for hidden in range(2, 11)
    ]
    return sweep(
        "hidden-size",
        "More hidden units than the task needs",
        "figure 3, left",
        "The × task with 2 to 10 hidden units where 2 are enough. A unit that can "
        "ignore what it does not need keeps its success rate. 25 seeds a point (the "
        "figure has 26 to 38); sizes 3 to 10 are padded to 10 and trained as one "
        "program.",
        "hidden",
        arms,
    )


QUICK = (
    "the printed mean is not that of such runs. A plain PyTorch loop that shares no "
    "code with the fleet (benchmarks/plain_loop.py) is solved when ours is: {seen}. "
    "Where runs are quick, the authors' fit is known to miss their own mean by a "
    "factor of two or three (see How success is measured)"
)
FIT = (
    "no rows were published from which to recompute the printed mean, and where runs "
    "are quick, or alike, the authors' fit is known to miss it (see How success is "
    "measured)"
)
RANGE_REASONS = {
    ("U[-2,2]", "NMU"): QUICK.format(
        seen="at 4,000 or 5,000 steps in eleven of twelve seeds"
    ),
    ("U[0,1]", "NMU"): QUICK.format(
        seen="at 66,000 to 108,000 steps in four of four seeds"
    ),
    ("U[0,1]", "NAC•,NMU"): FIT,
    ("U[0,1]", "NAC•"): FIT,
    ("U[0.1,0.2]", "NMU"): "all our solved runs are solved within 10,000 steps of the "
    "penalty's start at a million; " + FIT,
}
OTHERS = (
    "the authors' own hundred runs with these settings (table 2) have 1.50e6 [1.45e6, "
    "1.56e6]"
)
COARSE = (
    "errors are looked at every thousand steps: these are runs that were solved at "
    "4,000 and at 5,000, in other shares"
)
TAIL = (
    "a mean of few runs with a heavy tail: most solved runs have less than 0.001, "
    "single ones more than 0.1, ours at 4, 5 and 8 hidden units, the authors' here"
)


RANGES = {
    "U[-2,-1]": ((-2.0, -1.0), (-6.0, -2.0)),
    "U[-2,2]": ((-2.0, 2.0), (-6.0, -2.0, 2.0, 6.0)),
    "U[0,1]": ((0.0, 1.0), (1.0, 5.0)),
    "U[0.1,0.2]": ((0.1, 0.2), (0.2, 2.0)),
    "U[1,2]": ((1.0, 2.0), (2.0, 6.0)),
    "U[1.1,1.2]": ((1.1, 1.2), (1.2, 6.0)),
    "U[10,20]": ((10.0, 20.0), (20.0, 40.0)),
}


def input_range() -> Study:
    """Figure 3, right."""
    arms = [
        Arm(
            {"range": name, "model": model},
            cell(
                MODELS[model],
                Subsets("mul", interpolation=inner, extrapolation=outer),
                25,
            ),
            figures(
                entry("input-range", x=name, model=model),
                drawn=True,
                reasons={"solved_at": RANGE_REASONS.get((name, model), "")},
            ),
        )
        for model in FIVE
        for name, (inner, outer) in RANGES.items()
    ]
    return sweep(
        "input-range",
        "Other ranges to train on",
        "figure 3, right; extrapolation ranges in appendix C.4",
        "The × task trained on seven ranges. Products of negative sums need a unit "
        "that keeps signs, which the logarithm of NAC• loses; on [1.1, 1.2] nothing "
        "published is solved. 25 seeds a point (the figure has 50).",
        "range",
        arms,
    )


def input_size() -> Study:
    """Appendix: larger inputs."""
    sizes = (4, 10, 25, 50, 75, *range(100, 301, 25))
    arms = [
        Arm(
            {"inputs": size, "model": model},
            cell(
                MODELS[model], Subsets("mul", input_size=size), 50, steps=_steps(size)
            ),
            figures(entry("input-size", x=str(size), model=model), drawn=True),
        )
        for model in (*FIVE, "Gated NAU/NMU")
        for size in sizes
    ]
    return sweep(
        "input-size",
        "4 to 300 inputs",
        "appendix, effect of the input size",
        "The × task with more inputs, subsets growing with them. Published: 5 million "
        "steps up to 100 inputs, 10 million up to 200, 15 million up to 300; 50 seeds. "
        "The authors' threshold for 4 inputs is for another subset than the data has "
        "(7.1e-8 instead of 4.8e-7); it is used here too, to compare like with like.",
        "inputs",
        arms,
    )


def _steps(size: int) -> int:
    return 5_000_000 if size <= 100 else 10_000_000 if size <= 200 else 15_000_000


def regularisation() -> Study:
    """Appendix: the strength of the sparsity penalty."""
    arms = []
    for operation, model in (("mul", "NMU"), ("add", "NAU"), ("sub", "NAU")):
        for text in ("0", "0.01", "0.1", "1", "10", "100"):
            row = entry(f"regularisation-{operation}", x=text, model=model)
            labels = {"strength": text, "model": f"{model}, {SYMBOLS[operation]}"}
            run = cell(MODELS[model], arithmetic(operation), 50, penalty=float(text))
            why = {"mul": OTHERS, "sub": COARSE}.get(operation, "")
            found = figures(row, drawn=True, reasons={"solved_at": why})
            arms.append(Arm(labels, run, found))
    return sweep(
        "regularisation",
        "How strong should the sparsity penalty be?",
        "appendix, regularisation",
        "The strength λ̂ of the penalty that pulls weights to −1, 0 and 1: too little "
        "leaves them between, too much freezes wrong ones. 50 seeds, 5 million steps.",
        "strength",
        arms,
    )


ABLATION: dict[str, dict[str, Any]] = {
    "NMU": {},
    "NMU, no R_sparse": {"penalty": 0.0},
    "NMU, no R_sparse, no clamp": {"penalty": 0.0, "project": False},
    "NMU, no clamp": {"project": False},
}


def ablation() -> Study:
    """Appendix: what the penalty and the clamp are for."""
    arms = [
        Arm(
            {"hidden": hidden, "model": model},
            cell(wider(NMU(), hidden), Subsets("mul"), 50, **changes),
            _without_sparsity(
                figures(
                    entry("ablation", x=str(hidden), model=model),
                    drawn=True,
                    reasons={"solved_at": OTHERS if hidden == 2 else ""},
                )
            ),
        )
        for model, changes in ABLATION.items()
        for hidden in range(2, 11)
    ]
    return sweep(
        "ablation",
        "What the penalty and the clamp are for",
        "appendix, ablation",
        "The NMU without its sparsity penalty, without putting weights back into [0, "
        "1] after each step, and without both. With more hidden units than needed the"
        " penalty is what makes the difference. The figure's sparsity errors could "
        "not be read back and are not compared.",
        "hidden",
        arms,
    )


def _without_sparsity(found: dict[str, Published]) -> dict[str, Published]:
    return {name: figure for name, figure in found.items() if name != "sparsity"}
