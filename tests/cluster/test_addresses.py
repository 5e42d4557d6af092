"""What is said of clusters that are not there, or have other software."""

import http.server
import os
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass

import pytest
import ray

from arithmax import NMU, cli
from arithmax._extras import install
from arithmax.cluster import Ray, _connection, _nodes, _running, _software, _task
from arithmax.cluster._nodes import ClusterNode
from arithmax.cluster._own_modules import own_modules
from arithmax.cluster._software import check_alike, this_machine
from arithmax.training import Cell, published, train_cells
from arithmax.training._replicas import jobs, replicas
from short_runs import TASK, cell


def closed_port() -> str:
    """An address of this machine at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{taken.getsockname()[1]}"


@pytest.mark.parametrize("form", ["{}", "ray://{}"])
def test_nobody_listens(form, capsys):
    """A command ends with a sentence, at once."""
    address = form.format(closed_port())
    command = ["train", "single-module", "--steps", "1000", "--cluster", address]
    with pytest.raises(SystemExit) as ended:
        cli.main(command)
    said = capsys.readouterr().err
    assert ended.value.code == 2 and said.count("\n") == 1
    assert f"`cluster` (={address!r}) does not answer: Connection refused." in said


class Web(http.server.BaseHTTPRequestHandler):
    """What answers as the dashboard of Ray does."""

    def log_message(self, format, *args):
        pass


def test_what_is_not_ray_is_said():
    """Ray itself would try for a quarter of an hour."""
    server = http.server.HTTPServer(("127.0.0.2", 0), Web)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with pytest.raises(ConnectionError, match="something else than a cluster"):
            train_cells([cell()], engine=Ray(f"127.0.0.2:{server.server_port}"))
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_one_that_says_nothing_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(_connection, "SECONDS", 0.1)
    with socket.create_server(("127.0.0.2", 0)) as silent:
        address = f"127.0.0.2:{silent.getsockname()[1]}"
        with pytest.raises(ConnectionError, match="does not answer: timed out"):
            train_cells([cell()], engine=Ray(address))


def test_the_environment_may_name_it(monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", address := closed_port())
    with pytest.raises(ConnectionError, match=f"{address}.* does not answer"):
        train_cells([cell()], engine=Ray())


def test_the_address_of_a_head_that_died(monkeypatch):
    """Ray keeps it in a file, and would try for minutes."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    address = closed_port()
    monkeypatch.setattr(_connection.services, "find_gcs_addresses", set)
    monkeypatch.setattr(
        _connection.services, "find_bootstrap_address", lambda folder: address
    )
    with pytest.raises(ConnectionError, match=f"{address}.* does not answer"):
        train_cells([cell()], engine=Ray("auto"))


def test_tokens_are_named_where_joining_fails(monkeypatch, tmp_path):
    for name in _connection.TOKENS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    error = ConnectionError("Unauthenticated")
    assert "oken" not in _connection._refused("10.0.0.1:6379", error)
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    (tmp_path / ".ray").mkdir()
    file = tmp_path / ".ray" / "auth_token"
    file.touch()
    said = _connection._refused("10.0.0.1:6379", error)
    assert f"(RAY_AUTH_MODE is set, {file} exists)" in said


def test_a_token_of_ones_own_is_left_nowhere(monkeypatch, tmp_path):
    for name in _connection.TOKENS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with _connection._own_token():
        assert len(first := os.environ["RAY_AUTH_TOKEN"]) == 64
        os.environ["RAY_AUTH_MODE"] = "token"  # as Ray does
    assert not {*_connection.TOKENS} & os.environ.keys()
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    with _connection._own_token():
        assert "RAY_AUTH_TOKEN" not in os.environ
    assert os.environ["RAY_AUTH_MODE"] == "disabled"
    assert first == _connection._token()


MINE = ClusterNode("0" * 56, "one", {"cpu": 1.0, "gpu": 0.0, "tpu": 0.0})


def test_a_missing_device_is_said_at_once_or_awaited(monkeypatch):
    monkeypatch.setattr(_nodes, "nodes", lambda: [MINE])
    monkeypatch.setattr(_nodes, "TELL_SECONDS", 0.0)
    with pytest.raises(ValueError, match=r"no GPU: .* one\. Train on cores with .*cpu"):
        _nodes.awaited_device("gpu", 1e9, "local")
    with (
        pytest.warns(UserWarning, match="no GPU yet: waiting up to 1 seconds"),
        pytest.raises(ValueError, match=r"--num-gpus=N`, or train .*-device cpu"),
    ):
        _nodes.awaited_device("gpu", 0.01, "auto")


@pytest.mark.parametrize("error", _software.GONE)
def test_a_node_that_died_is_no_other_software(monkeypatch, error):
    def get(answer, timeout):
        raise error("gone")

    monkeypatch.setattr(_software.ray, "get", get)
    assert _software._answered(MINE, ray.ObjectRef.nil(), 0.1) is None


def test_a_lost_node_is_said_once():
    running = _running.Running.__new__(_running.Running)
    running.names, running.gone = {}, set()
    running._look_for_lost({"a": "one", "b": "two"})
    with pytest.warns(UserWarning, match="the node two is gone: its blocks go on"):
        running._look_for_lost({"a": "one"})
    running._look_for_lost({"a": "one"})  # a second warning would be an error


def test_a_lost_head_ends_a_command():
    """After some seconds, in which it may start again."""
    running = _running.Running.__new__(_running.Running)
    running.head, running.heard = closed_port(), 0.0
    assert not running._has_head(1.0)
    with pytest.raises(ConnectionError, match=r"head of the cluster is gone.*goes on"):
        running._has_head(_running.HEAD_SECONDS + 1.0)


def test_no_ray_on_this_machine():
    error = ConnectionError("Could not find any running Ray instance. Please ...")
    assert "Start one with `ray start --head`" in _connection._refused("auto", error)


def test_other_versions_are_refused():
    ours = this_machine().software
    assert {"Python", "the code of arithmax", "jax", "jaxlib"} <= ours.keys()
    check_alike(ours, dict(ours), "one")
    for name in ours:
        with pytest.raises(
            ValueError, match=rf"node one .*{name} 0.1, not {ours[name]}"
        ):
            check_alike(ours, ours | {name: "0.1"}, "one")
    with pytest.raises(ValueError, match=r"jax none, not"):
        check_alike(ours, {n: v for n, v in ours.items() if n != "jax"}, "one")


WITHOUT = """
import sys
sys.modules["ray"] = None
from arithmax.cli import main
main(["train", "single-module", "--steps", "1000", "--cluster", "auto"])
"""


def test_ray_is_an_extra():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.strip().endswith(f"Install it with {install('cluster')}.")


def test_a_device_that_jax_does_not_see_is_refused():
    """A machine with a GPU may have JAX for CPUs alone."""
    [job] = jobs(replicas([cell()], None, "gpu"), None, 30.0)
    with pytest.raises(ValueError, match="node one lends a gpu by Ray, but JAX there"):
        _task._device(job, "one")
    [job] = jobs(replicas([cell()], None), None, 30.0)
    assert _task._device(job, "one").platform == "cpu"


@dataclass(frozen=True)
class Mine(NMU):
    """A unit of this file, which workers do not have."""


def test_modules_of_ones_own_are_sent():
    """The file of a class from outside, and those beside it; nothing installed."""
    [job] = jobs(replicas([cell()], None), None, 30.0)
    assert own_modules([job]) == []
    network, protocol = published(Mine(), TASK, steps=1000)
    [job] = jobs(replicas([Cell(network, TASK, protocol, (0,))], None), None, 30.0)
    names = {module.__name__ for module in own_modules([job])}
    assert __name__ in names
    assert not {"arithmax", "arithmax.units", "jax", "numpy", "dataclasses"} & names
