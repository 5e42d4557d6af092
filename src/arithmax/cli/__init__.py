"""The command line."""

import sys
from collections.abc import Callable
from typing import Any

import tyro

from .. import __version__
from ._benchmark import benchmark, leaderboard
from ._lists import tasks, units
from ._show import field_docs as field_docs
from ._studies import demo, report, reproduce, studies
from ._train import parse_unit as parse_unit
from ._train import train, train_command


def version() -> None:
    """Print the version of this package."""
    print(__version__)


def _train_stub() -> None:
    """Train a unit on a task with many seeds; see `arithmax train --help`."""


COMMANDS: dict[str, Callable[..., Any]] = {
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


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if arguments[:1] == ["train"]:
            parsed = tyro.cli(
                train_command(), prog="arithmax train", args=arguments[1:]
            )
            code = train(parsed)
        else:
            code = tyro.extras.subcommand_cli_from_dict(
                COMMANDS,
                prog="arithmax",
                description="Neural arithmetic units for PyTorch, JAX and NumPy.",
                args=arguments,
            )
    except (ValueError, TypeError, OSError) as error:
        print(f"arithmax: {error}", file=sys.stderr)
        code = 2
    except KeyboardInterrupt:
        print("Interrupted. Run the same command again to go on.", file=sys.stderr)
        code = 130
    if code:
        sys.exit(code)
