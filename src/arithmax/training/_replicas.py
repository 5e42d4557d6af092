"""Replicas, and the blocks in which they are trained.

The program of a block depends on the network, the structures of task and protocol, and
the size of the block: never on which cells are asked for.
"""

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

import jax

from .._checks import check_whole, plain, shown
from .._identity import code_of, describe, digest, run_name
from .._network import Network
from ..tasks import Task
from ._cell import Cell, represents
from ._limits import check_kind
from ._program import Configuration
from ._protocol import Protocol

# Replicas in a block. Small networks want more of them side by side.
CPU_BLOCKS = (16, 64)
ACCELERATOR_BLOCKS = (32, 128, 256, 512, 1024, 4096, 16384)
SMALL = 16  # inputs of a network that is small
IMAGE = 256  # numbers in an input with several axes: few networks fill a machine
IMAGE_BLOCKS = (1, 2, 5, 10)
KERNEL = "gpu-kernel"  # the platform of runs that a kernel of a GPU trained


@dataclass(frozen=True)
class Replica:
    """One run to be trained."""

    network: Network
    task: Task
    protocol: Protocol
    seed: int
    block: int
    platform: str

    @cached_property
    def identity(self) -> tuple:
        """What tells this run from every other; `results.identity` of its row."""
        *described, code = _described(self.network, self.task, self.protocol)
        return *described, self.seed, self.platform, code

    @cached_property
    def name(self) -> str:
        """The same as a short name."""
        return run_name(*self.identity)

    @cached_property
    def program(self) -> Configuration:
        """What the compiled program depends on, but for the size of the block."""
        return _configuration(self.network, self.task, self.protocol)

    @property
    def threshold(self) -> float:
        """The extrapolation error below which this run counts as solved."""
        criterion = self.protocol.criterion
        return criterion.threshold or _threshold(
            self.task, criterion.epsilon, criterion.rule
        )

    @property
    def limits(self) -> dict[str, float]:
        """The errors at which the task notes when a run was first below them."""
        return _limits(self.task)


@lru_cache(maxsize=4096)
def _described(network: Network, task: Task, protocol: Protocol) -> tuple[str, ...]:
    """The configuration that the replicas of a cell share, and the hash of its code."""
    things = network, task, protocol
    return *map(describe, things), code_of(*things)


@lru_cache(maxsize=4096)
def _configuration(network: Network, task: Task, protocol: Protocol) -> Configuration:
    return Configuration(network, task, protocol)


@lru_cache(maxsize=4096)
def _threshold(task: Task, epsilon: float, rule: str) -> float:
    return task.threshold(epsilon, rule)


@lru_cache(maxsize=4096)
def _limits(task: Task) -> dict[str, float]:
    return task.limits()


def replicas(
    cells: Sequence[Cell],
    block: int | None,
    platform: str = "",
    kernel: bool = True,
    devices: int = 1,
) -> list[Replica]:
    """Every run of some cells; those of one program have blocks of one size.

    Args:
        cells: the cells.
        block: the size of a block; by the size of the network if None.
        platform: the kind of device that trains them; this machine's if empty.
        kernel: whether a GPU trains them by a kernel, where there is one.
        devices: over how many devices runs that need none beside them are spread.
    """
    if not isinstance(cells, Sequence) or not cells:
        raise ValueError(f"`cells` (={shown(cells)}) must hold at least one cell.")
    if block is not None:
        block = plain(block)
        check_whole("block", block, 1)
    for cell in cells:
        check_kind("cells", cell, Cell, "Cell(network, task, protocol, (0, 1))")
        _check(cell)
    platform = platform or jax.default_backend()
    made = [
        Replica(cell.network, cell.task, cell.protocol, seed, block or 0, where)
        for cell in cells
        for where in [_platform(cell, platform, kernel)]
        for seed in cell.seeds
    ]
    if block:
        return made
    groups: dict[Configuration, list[Replica]] = {}
    for r in dict.fromkeys(made):
        groups.setdefault(r.program, []).append(r)
    sizes = {
        program: block_size(group[0].task, len(group), group[0].platform, devices)
        for program, group in groups.items()
    }
    return [replace(r, block=sizes[r.program]) for r in made]


def _platform(cell: Cell, platform: str, kernel: bool) -> str:
    """The kind of device, and whether it trains the runs of a cell by a kernel."""
    if platform != "gpu" or not kernel:
        return platform
    from ._kernel_choice import kernel_lacks

    of = _configuration(cell.network, cell.task, cell.protocol)
    return platform if kernel_lacks(of) else KERNEL


def _check(cell: Cell) -> None:
    if not represents(cell.network, cell.task):
        warnings.warn(
            f"{cell.network} cannot represent `operation` "
            f"(={'/'.join(cell.task.operations)!r}) exactly; it is trained all the "
            "same.",
            stacklevel=4,
        )


def input_count(task: Task) -> int:
    """How many inputs a task has, whatever their shape."""
    return math.prod(task.input_shape)


def block_size(task: Task, count: int, platform: str, devices: int = 1) -> int:
    """Replicas in a block: on a CPU by the size of the inputs, else by a list."""
    inputs = input_count(task)
    image = len(task.input_shape) > 1 and inputs >= IMAGE
    if platform == "cpu":
        return 1 if image else CPU_BLOCKS[inputs <= SMALL]
    if platform == KERNEL:  # each replica is trained by itself: none are filled in
        return min(-(-count // devices), ACCELERATOR_BLOCKS[-1])
    sizes = IMAGE_BLOCKS if image else ACCELERATOR_BLOCKS
    return next((b for b in sizes if b >= count), sizes[-1])


@dataclass
class Job:
    """A block of replicas that one program trains."""

    replicas: list[Replica]
    folder: Path | None
    checkpoint_seconds: float

    @cached_property
    def name(self) -> str:
        """What its files are called; made once, since replicas are many."""
        return digest(self.first.block, *(r.name for r in self.replicas))

    @property
    def first(self) -> Replica:
        return self.replicas[0]

    @property
    def steps(self) -> int:
        """How long the block is trained."""
        return self.first.protocol.steps


def jobs(
    replicas: Iterable[Replica], folder: Path | None, checkpoint_seconds: float
) -> list[Job]:
    """Replicas of one program and length, in blocks."""
    groups: dict[tuple, list[Replica]] = {}
    for r in replicas:
        groups.setdefault((r.program, r.protocol.steps, r.block), []).append(r)
    return [
        Job(group[i : i + group[0].block], folder, checkpoint_seconds)
        for group in groups.values()
        for i in range(0, len(group), group[0].block)
    ]
