"""Fleets on many machines: Ray places blocks on the cores and GPUs of a cluster.

`train_cells(cells, engine=Ray())`, or `--cluster auto` on the command line. Results are
those of a local run on the same kind of device, in the same folder.
"""

from .._extras import extras

with extras():
    from ._ray import Ray as Ray
