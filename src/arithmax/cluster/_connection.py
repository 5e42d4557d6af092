"""Joining a cluster that runs, or starting one on this machine, and leaving it."""

import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ray

SECONDS = 5.0  # in which an address must answer
# Of this machine alone: Ray asks nobody who connects for a password. It takes 127.0.0.1
# for the machine's address; other systems than Linux have no second one.
LOOPBACK = "127.0.0.2"
LOCAL = ("localhost", "127.0.0.1", "::1")
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = b"\0\0\0\4\0\0\0\0\0"  # a frame of HTTP/2 of type 4, which is empty
CHECK = "Check the address that `ray start --head` printed"
FORMS = "`auto`, `local`, HOST:PORT or ray://HOST:PORT"


def check_address(cluster: str) -> None:
    """Somebody must listen at an address; Ray itself would try for minutes."""
    address = cluster
    if cluster == "auto":
        address = os.environ.get("RAY_ADDRESS", cluster)
    if address in ("auto", "local"):
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 2**16:
        raise ValueError(f"`cluster` (={address!r}) must be {FORMS}.")
    if host in LOCAL and not address.startswith("ray://"):
        host = ray.util.get_node_ip_address()  # as Ray does
    try:
        with socket.create_connection((host, int(port)), SECONDS) as connection:
            heard = _greeted(connection)
    except OSError as error:
        raise ConnectionError(
            f"`cluster` (={address!r}) does not answer: {error.strerror or error}. "
            f"{CHECK}, and that its port can be reached from here."
        ) from None
    if not heard:
        raise ConnectionError(
            f"`cluster` (={address!r}) is something else than a cluster of Ray. "
            f"{CHECK}."
        )


def _greeted(connection: socket.socket) -> bool:
    """Whether the other side speaks gRPC, as Ray does: it greets with its settings."""
    if os.environ.get("RAY_USE_TLS", "0") not in ("", "0"):
        return True  # what it says is encrypted
    connection.sendall(GREETING + SETTINGS)
    answer = b""
    while len(answer) < len(SETTINGS) and (more := connection.recv(64)):
        answer += more
    return answer[3:4] == SETTINGS[3:4]


def connect(cluster: str) -> bool:
    """Join a cluster, or start one here; False if this process has joined before."""
    if ray.is_initialized():
        return False
    check_address(cluster)
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if cluster == "local":
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        options |= {"include_dashboard": False}
        options |= {"_node_ip_address": LOOPBACK} if sys.platform == "linux" else {}
    try:
        with _own_signals():
            ray.init(cluster, **options)
    except ImportError as error:
        raise ImportError(
            f"`cluster` (={cluster!r}) needs the client of Ray: {error}. Install "
            "`ray[client]`, or run the command on a machine of the cluster."
        ) from error
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ConnectionError(_refused(cluster, error)) from error
    return True


def _refused(cluster: str, error: Exception) -> str:
    if cluster == "auto" and "any running Ray instance" in str(error):
        return (
            "`cluster` (='auto') finds no Ray on this machine. Start one with `ray "
            "start --head`, or name an address."
        )
    said = " ".join(str(error).split()).rstrip(".")
    return f"`cluster` (={cluster!r}) cannot be joined: {said}."


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
