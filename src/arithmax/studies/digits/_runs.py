"""The networks that read digits and calculate, and how they are trained."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ...networks import LSTM, Accumulator, Network, Recurrent
from ...tasks import Digits
from ...training import Cell, InputPenalty, published
from ...units import NAC, NALU, NAU, NMU, MultiplicativeNAC
from .._grid import combinations
from .._study import Arm

FULL = "all 70,000"  # the images of the published figures
IMAGES = {FULL: "full", "5,000": "bundled"}
SEEDS = 10
REFERENCES = {"product": 7, "sum": 9}  # of which the paper's thresholds are made
HIDDEN = 64  # numbers that the LSTM remembers
REFERENCE = "reference"


class Variant(NamedTuple):
    """A unit or a network, and whether the mean of its inputs is penalised (R_z)."""

    network: Network
    r_z: bool = False


CLIPPED = MultiplicativeNAC(weight_map="clipped")
PRODUCT = {
    "NMU": Variant(NMU(), True),
    "NMU, no R_z": Variant(NMU()),
    "NAC•,NMU": Variant(CLIPPED, True),
    "NAC•,NMU, no R_z": Variant(CLIPPED),
    "NAC•,σ": Variant(MultiplicativeNAC(weight_map="sigmoid")),
    "NAC•": Variant(MultiplicativeNAC()),
    "NALU": Variant(NALU()),
    "LSTM": Variant(LSTM(hidden=HIDDEN)),
    REFERENCE: Variant(Recurrent(Accumulator("product"))),
}
SUM = {
    "NAU": Variant(NAU(), True),
    "NAU, no R_z": Variant(NAU()),
    "NAC+": Variant(NAC()),
    "NAC+, R_z": Variant(NAC(), True),
    "NALU": Variant(NALU()),
    "LSTM": Variant(LSTM(hidden=HIDDEN)),
    REFERENCE: Variant(Recurrent(Accumulator("sum"))),
}
COUNT = {
    "NAC+": Variant(NAC()),
    "NALU": Variant(NALU()),
    "NAU": Variant(NAU(), True),
    "LSTM": Variant(LSTM(hidden=HIDDEN, every_step=False)),
}


def run(model: Variant, task: Digits, **changes: Any) -> Cell:
    """A model as published, with R_z or without; `changes` are settings that differ."""
    given = model.network
    if given.free_axes:  # a sequence, read by what reads for a unit
        unit: Any = published(NMU(), task)[0]
        given = replace(given, reader=unit.reader, readings=unit.readings)  # type: ignore[type-var]  # a dataclass
    network, protocol = published(given, task)
    others = [p for p in protocol.penalties if not isinstance(p, InputPenalty)]
    penalties = (*others, *[InputPenalty(1.0)] * model.r_z)
    protocol = protocol.updated(penalties=penalties).updated(**changes)
    return Cell(network, task, protocol, tuple(range(SEEDS)))


def arms(operation: Any, models: Mapping[str, Variant]) -> Iterator[Arm]:
    """Every model, on all images and on few of them."""
    for labels in combinations(images=IMAGES, model=models):
        source: Any = IMAGES[labels["images"]]
        task = Digits(operation, images=source)
        cell = run(models[labels["model"]], task)
        if labels == {"images": FULL, "model": REFERENCE}:
            cell = replace(cell, seeds=cell.seeds[: REFERENCES[operation]])
        yield Arm(labels, cell)
