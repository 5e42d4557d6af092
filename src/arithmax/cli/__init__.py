"""The command line.

What takes time to import is imported below `main`, where Ctrl-C ends with a sentence.
"""

import os
import sys

from ._ending import INTERRUPTED, PIPE, SENTENCE, flush, noted, say, stopping
from ._terminal import any_terminal


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    with any_terminal(), noted(), stopping(process=arguments is None) as caught:
        code = _ended(sys.argv[1:] if arguments is None else arguments)
    if caught and code in (INTERRUPTED, PIPE):  # Ctrl-C ends the reader of a pipe, too
        code = 128 + caught[0]
    if code:
        sys.exit(code)


def _ended(arguments: list[str]) -> int:
    """The exit status of a command; what went wrong is said in a sentence."""
    try:
        return _run(arguments)
    except BrokenPipeError:
        return PIPE  # whoever reads has read enough
    except BaseException as error:
        from .._extras import remedy
        from .._own_code import sentence

        if message := sentence(error):
            say(f"arithmax: {message}")
        elif isinstance(error, ImportError) and (missing := remedy(error)):
            say(f"arithmax: {missing}")
        elif isinstance(error, KeyboardInterrupt):
            say(SENTENCE)
            return INTERRUPTED
        elif isinstance(error, ValueError | TypeError | OSError):
            say(f"arithmax: {error}")
        else:
            raise
        return 2


def _expanded(argument: str) -> str:
    """An argument with `~` for the home folder, which a shell leaves in `--out=~/x`."""
    option, equals, value = argument.rpartition("=")
    return option + equals + os.path.expanduser(value)


def _run(arguments: list[str]) -> int:
    try:
        from ._commands import run

        return run([_expanded(argument) for argument in arguments]) or 0
    except SystemExit as ended:
        from .._own_code import sentence

        if isinstance(ended.__context__, BrokenPipeError):  # what rich makes of it
            return PIPE
        if sentence(ended):
            raise
        return ended.code if isinstance(ended.code, int) else 2
    finally:
        flush()
