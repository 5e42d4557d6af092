"""Joining a cluster that runs, or starting one on this machine, and leaving it."""

import logging
import os
import secrets
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import ray
from ray._private import ray_constants, services, worker

SECONDS = 5.0  # in which an address must answer
LOOPBACK = "127.0.0.1"  # Ray listens there alone at this address, else everywhere
LOCAL = ("localhost", "127.0.0.1", "::1")
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = b"\0\0\0\4\0\0\0\0\0"  # a frame of HTTP/2 of type 4, which is empty
CHECK = "Check the address that `ray start --head` printed"
FORMS = "`auto`, `local`, HOST:PORT or ray://HOST:PORT"
PORTS = "with a port from 1 to 65535"
PRINTS = worker.print_to_stdstream
TOKENS = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


def check_address(cluster: str) -> None:
    """Somebody must listen at an address; Ray itself would try for minutes."""
    address = _meant(cluster)
    if address in ("auto", "local"):
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 2**16:
        raise ValueError(f"`cluster` (={address!r}) must be {FORMS}, {PORTS}.")
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


def _meant(cluster: str) -> str:
    """The address that `auto` stands for: Ray keeps that of a head that is gone."""
    if cluster != "auto":
        return cluster
    try:
        named = os.environ.get("RAY_ADDRESS")
        return named or services.get_ray_address_from_environment("auto", None)
    except ConnectionError:
        return cluster  # there is none, which Ray will say


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
    try:
        with _own_signals():
            if cluster == "local":
                _start_here(options)
            else:
                ray.init(cluster, **options)
    except ImportError as error:
        raise ImportError(
            f"`cluster` (={cluster!r}) needs the client of Ray: {error}. Install "
            "`ray[client]`, or run the command on a machine of the cluster."
        ) from error
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ConnectionError(_refused(cluster, error)) from error
    # Ray prints on stdout what it thinks of a lost machine, into JSON and into bars.
    worker.print_to_stdstream = lambda data, ignore_prefix: None
    return True


def leave() -> None:
    """Leave a cluster; it ends if it was started here."""
    worker.print_to_stdstream = PRINTS
    ray.shutdown()


def answers(address: str) -> bool:
    """Whether somebody listens at an address of Ray, HOST:PORT."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), SECONDS).close()
    except OSError:
        return False
    return True


def _start_here(options: dict[str, Any]) -> None:
    """Start a cluster that nobody else can reach, and that leaves nothing behind."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with loopback_alone(), _own_token():
        ray.init("local", include_dashboard=False, _node_ip_address=LOOPBACK, **options)


@contextmanager
def loopback_alone() -> Iterator[None]:
    """Let Ray take 127.0.0.1 as it is; on Linux it takes the machine's address."""
    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


def token_file() -> Path:
    """Where Ray keeps a token, and finds one."""
    return Path.home() / ".ray" / "auth_token"


@contextmanager
def _own_token() -> Iterator[None]:
    """A token in the environment alone: Ray would leave a file, and find it later."""
    before = {name: os.environ.get(name) for name in TOKENS}
    if not any(before.values()) and not token_file().exists():
        os.environ["RAY_AUTH_TOKEN"] = _token()
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            os.environ |= {name: value} if value is not None else {}


@cache
def _token() -> str:
    """One for all clusters of this process: Ray remembers the first."""
    return secrets.token_hex(32)


def _refused(cluster: str, error: Exception) -> str:
    if cluster == "auto" and "any running Ray instance" in str(error):
        return (
            "`cluster` (='auto') finds no Ray on this machine. Start one with `ray "
            "start --head`, or name an address."
        )
    said = " ".join(str(error).split()).rstrip(".")
    return f"`cluster` (={cluster!r}) cannot be joined: {said}.{_of_tokens()}"


def _of_tokens() -> str:
    """What decides whether a token is asked for and sent, if anything does."""
    there = [f"{name} is set" for name in TOKENS if os.environ.get(name)]
    there += [f"{token_file()} exists"] * token_file().exists()
    if not there:
        return ""
    return (
        f" Tokens of Ray may be why ({', '.join(there)}): all machines need the same "
        "token and RAY_AUTH_MODE=token, or RAY_AUTH_MODE=disabled."
    )


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
