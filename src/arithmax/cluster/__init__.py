"""Fleets on many machines: Ray places blocks on the cores and GPUs of a cluster.

`train_cells(cells, engine=Ray())`, or `--cluster auto` on the command line. Results are
those of a local run on the same kind of device, in the same folder.

Names are loaded when they are first used: the process that takes the news of workers
needs no JAX.
"""

from typing import TYPE_CHECKING, Any

from .._extras import extras

if TYPE_CHECKING:
    from ._ray import Ray as Ray


def __dir__() -> list[str]:
    return ["Ray"]


def __getattr__(name: str) -> Any:
    if name != "Ray":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with extras():
        from ._ray import Ray
    globals()[name] = Ray
    return Ray
