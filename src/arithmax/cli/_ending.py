"""How a command ends: by signals, and by pipes that nobody reads any more."""

import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

INTERRUPTED = 128 + 2  # the exit status after Ctrl-C
PIPE = 128 + 13  # and that after SIGPIPE, which Python turns into an exception
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
SENTENCE = "Interrupted. Run the same command again to go on."
# The fleet saves its blocks, and a search has a best formula.
AT_WORK = {("arithmax.training._fleet", "_run")}
AT_WORK |= {("arithmax.discover._search", "discover")}
CURSOR = b"\x1b[?25h"  # progress bars hide it


class Interrupted(KeyboardInterrupt):
    """Somebody pressed Ctrl-C, or a signal asked the process to end."""


@contextmanager
def stopping(process: bool = True) -> Iterator[list[int]]:
    """SIGTERM and SIGHUP stop a command as Ctrl-C does: what is there is kept.

    Where nothing is trained or searched the process ends on the spot: libraries that
    are being imported may forget an exception or break on it. A second Ctrl-C ends any
    process. (A second SIGHUP does not: who closes a terminal may send several.) Signals
    that are ignored stay so, such as SIGHUP under `nohup`.

    Args:
        process: whether the process is the command's own, and may be ended.

    Yields:
        The signals that came: none, or one.
    """
    caught: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        if caught and number == signal.SIGINT:
            _end(number, "")
        if not caught:
            if process and not _is_at_work(frame):
                _end(number, SENTENCE)
            caught.append(number)
            raise Interrupted

    def lost(ignored: Any) -> None:
        """Nobody hears what is raised in a callback of the collector: try again."""
        if ignored.exc_type is not Interrupted:
            hook(ignored)
            return
        again = threading.Timer(0.1, os.kill, (os.getpid(), caught.pop()))
        again.daemon = True
        again.start()

    before, hook = {}, sys.unraisablehook
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
        for number in numbers:
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, stop)
        sys.unraisablehook = lost
    try:
        yield caught
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_at_work(frame: FrameType | None) -> bool:
    """Whether something runs that has results when it is interrupted."""
    while frame is not None:
        name = frame.f_globals.get("__name__")
        if (name, frame.f_code.co_name) in AT_WORK:
            return True
        frame = frame.f_back
    return False


def _end(number: int, text: str) -> None:
    """End the process now; `print` may be in the middle of a line."""
    try:
        os.write(2, CURSOR * os.isatty(2) + text.encode() + b"\n" * bool(text))
    finally:
        os._exit(128 + number)


def say(text: str) -> None:
    """A sentence on the standard error stream, which may be closed as well."""
    if sys.stderr is None:  # closed before we began; `print` would take another
        return
    try:
        # A name in somebody's folder may hold codes that move the cursor.
        print(_printable(text), file=sys.stderr, flush=True)
    except OSError:
        pass


@contextmanager
def noted() -> Iterator[None]:
    """Warnings for users are notes, without the line of code that they come from."""
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def note(message: Any, category: type, *place: Any) -> None:
            if issubclass(category, UserWarning):
                say(f"Note: {message}")
            else:
                shown(message, category, *place)

        warnings.showwarning = note
        yield


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def flush() -> None:
    """Write what is left; a stream that takes no more is told no more at the end."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        raise
