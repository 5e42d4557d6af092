"""`--cluster` and `--kernel`: where and how a fleet is trained."""

from typing import Annotated, Any, Literal

import tyro

ClusterDevice = Literal["cpu", "gpu", "tpu"]
Kernel = Literal["on", "off"]
FORMS = "auto|local|[ray://]HOST:PORT"
Address = Annotated[str | None, tyro.conf.arg(metavar=FORMS)]


def engine_options(
    cluster: str | None, device: ClusterDevice | None = None, kernel: Kernel = "on"
) -> dict[str, Any]:
    """What `train_cells` is given for the options of a command.

    Args:
        cluster: the address of a cluster; this machine if None.
        device: what the cluster shall train on, if that was said.
        kernel: whether a GPU may train by a kernel.
    """
    options: dict[str, Any] = {} if kernel == "on" else {"kernel": False}
    if cluster is None:
        if device is not None:
            raise ValueError(
                f"`cluster_device` (={device!r}) is for `cluster`, which was not "
                "given. Add `--cluster auto`, or leave it out."
            )
        return options
    from ..cluster import Ray

    return options | {"engine": Ray(cluster, device)}
