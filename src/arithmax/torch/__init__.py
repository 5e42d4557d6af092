"""Every unit as a `torch.nn.Module`, and what a network of them needs.

`arithmax.torch.NMU(in_features, out_features)` is the module of `arithmax.units.NMU`,
and so on for every unit; `Layer` takes any network at all. `penalty`, `project_`,
`attach`, `discretise`, `formula` and `readout` work on whole networks, and `fit` trains
one on a table and reads its formula.
"""

from typing import Any

from .._layers import layer_names
from ._classes import LAYERS
from ._draw import draw_ as draw_
from ._fit import fit as fit
from ._layer import Layer as Layer
from ._scaled import ScaledModule as ScaledModule
from ._sequential import sequential as sequential
from ._whole import attach as attach
from ._whole import discretise as discretise
from ._whole import formula as formula
from ._whole import penalty as penalty
from ._whole import project_ as project_
from ._whole import readout as readout


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return LAYERS.named(name)


def __dir__() -> list[str]:
    public = (name for name in globals() if not name.startswith("_"))
    return sorted([*public, *layer_names()])
