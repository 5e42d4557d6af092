"""All commands, and which one is meant."""

from collections.abc import Callable
from typing import Any

import tyro

from .. import __version__
from ._benchmark import benchmark, leaderboard
from ._demo import demo
from ._discover import discover
from ._lists import studies, tasks, units
from ._studies import report, reproduce
from ._train import train


def version() -> None:
    """Print the version of this package."""
    print(__version__)


def _train_stub() -> None:
    """Train a unit on a task with many seeds: `arithmax train` lists the tasks."""


COMMANDS: dict[str, Callable[..., Any]] = {
    "discover": discover,
    "train": _train_stub,
    "studies": studies,
    "reproduce": reproduce,
    "report": report,
    "leaderboard": leaderboard,
    "benchmark": benchmark,
    "demo": demo,
    "units": units,
    "tasks": tasks,
    "version": version,
}


RENAMED = {"--to": "--out"}  # options of earlier versions


def _check_names(arguments: list[str]) -> None:
    """Options that have another name now say which."""
    for option in (argument.partition("=")[0] for argument in arguments):
        if option in RENAMED:
            raise ValueError(
                f"`{option}` is called `{RENAMED[option]}` now, as in all commands: "
                f"write `{RENAMED[option]}`."
            )


def run(arguments: list[str]) -> int | None:
    """Run a command, and give its exit status."""
    _check_names(arguments)
    if arguments[:1] == ["train"]:
        return train(arguments[1:])
    return tyro.extras.subcommand_cli_from_dict(
        COMMANDS,
        prog="arithmax",
        description="Neural arithmetic units for PyTorch, JAX and NumPy.",
        args=arguments,
    )
