"""Joining a cluster that runs, or starting one on this machine, and leaving it."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ray

SECONDS = 5.0  # in which an address must answer
LOOPBACK = "127.0.0.1"
FORMS = "`auto`, `local`, HOST:PORT or ray://HOST:PORT"


def check_address(address: str) -> None:
    """Somebody must listen at an address; Ray itself would try for minutes."""
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS", address)
    if address in ("auto", "local"):
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 2**16:
        raise ValueError(f"`cluster` (={address!r}) must be {FORMS}.")
    try:
        socket.create_connection((host, int(port)), SECONDS).close()
    except OSError as error:
        raise ConnectionError(
            f"`cluster` (={address!r}) does not answer: {error.strerror or error}. "
            "Check the address that `ray start --head` printed, and that its port can "
            "be reached from here."
        ) from None


def connect(address: str) -> bool:
    """Join a cluster, or start one here; False if this process has joined before."""
    if ray.is_initialized():
        return False
    check_address(address)
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address == "local":
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        options |= {"include_dashboard": False, "_node_ip_address": LOOPBACK}
    try:
        with _own_signals():
            ray.init(address, **options)
    except ImportError as error:
        raise ImportError(
            f"`cluster` (={address!r}) needs the client of Ray: {error}. Install "
            "`ray[client]`, or run the command on a machine of the cluster."
        ) from error
    except (ConnectionError, RuntimeError, ValueError) as error:
        said = " ".join(str(error).split()).rstrip(".")
        raise ConnectionError(
            f"`cluster` (={address!r}) cannot be joined: {said}. Start one with `ray "
            "start --head`, or name its address."
        ) from error
    return True


@contextmanager
def _own_signals() -> Iterator[None]:
    """Ray takes over SIGTERM, by which a command saves what it has."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
