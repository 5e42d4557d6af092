"""One problem for several starts, of which the best may be taken."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .._arrays import Array, Params
from .._checks import WORD, Bounds, check_fields
from .._network import Network
from ._keys import SampleKey
from ._task import Split, Task


@dataclass(frozen=True)
class Starts(Task):
    """A task of which several seeds in a row have the same problem.

    Seeds decide where a run starts, which samples it sees, and in many tasks which
    inputs matter. To take the best of several starts they must have one problem:
    seeds 0 to 7 have that of the task's seed 0, seeds 8 to 15 that of seed 1, and so
    on. Where they start and what they see still differs.

    Examples:
        >>> from arithmax.tasks import SingleModule, Starts
        >>> ten = SingleModule("mul", input_size=10)
        >>> [ten.places(seed)[0] for seed in (1, 2)]
        [[5], [8]]
        >>> several = Starts(ten, 2)
        >>> [several.replica(seed)["masks"][0].argmax().item() for seed in range(2, 6)]
        [5, 5, 8, 8]
    """

    title: ClassVar[str] = "Several starts"
    task: Task
    """The task."""
    starts: int = 8
    """How many seeds have one problem."""

    bounds: ClassVar[Mapping[str, Bounds]] = {"starts": (1, WORD)}

    def __post_init__(self) -> None:
        if not isinstance(self.task, Task):
            raise TypeError(
                f"`task` (={self.task!r}) must be a task, such as `SingleModule()`."
            )
        check_fields(self, self.bounds)

    @property
    def in_features(self) -> Any:
        return self.task.in_features

    @property
    def out_features(self) -> int:
        return self.task.out_features

    def draw(
        self, split: Split, replica: Mapping[str, Any], key: SampleKey, size: int
    ) -> tuple[Array, Array]:
        return self.task.draw(split, replica, key, size)

    def replica(self, seed: int) -> dict[str, Any]:
        return self.task.replica(seed // self.starts)

    def shared(self) -> dict[str, Any]:
        return self.task.shared()

    def further(
        self, network: Network, params: Params, arrays: Mapping[str, Any]
    ) -> dict[str, Array]:
        return self.task.further(network, params, arrays)

    def rows(self, split: Split) -> int | None:
        return self.task.rows(split)

    @property
    def structure(self) -> tuple:
        return self.task.structure

    @property
    def operations(self) -> tuple[str, ...]:
        return self.task.operations

    def check_network(self, network: Network) -> None:
        self.task.check_network(network)

    def setting_of(self, split: Split) -> str:
        return self.task.setting_of(split)

    def largest(self, split: Split) -> float:
        return self.task.largest(split)

    def threshold(self, epsilon: float = 1e-5, rule: str = "exact") -> float:
        return self.task.threshold(epsilon, rule)

    def limits(self) -> dict[str, float]:
        return self.task.limits()
