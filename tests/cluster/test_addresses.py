"""What is said of clusters that are not there, or have other software."""

import socket
import subprocess
import sys

import pytest

from arithmax import cli
from arithmax._extras import install
from arithmax.cluster import Ray, _connection
from arithmax.cluster._software import check_alike, this_machine
from arithmax.training import train_cells
from short_runs import cell


def closed_port() -> str:
    """An address of this machine at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{taken.getsockname()[1]}"


@pytest.mark.parametrize(
    "address", ["nonsense", "host:", ":6379", "host:port", "host:99999", "ray://host"]
)
def test_an_address_has_a_form(address):
    with pytest.raises(ValueError, match=r"`cluster` .* must be `auto`, `local`, HOST"):
        train_cells([cell()], engine=Ray(address))


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


def test_the_environment_may_name_it(monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", address := closed_port())
    with pytest.raises(ConnectionError, match=f"{address}.* does not answer"):
        train_cells([cell()], engine=Ray())


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "npu"}, r"`device` \(='npu'\) must be one of None, 'cpu', 'gpu'"),
        ({"patience": -1.0}, r"`patience` \(=-1.0\)"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        Ray(**options)


def test_an_engine_is_an_engine():
    with pytest.raises(TypeError, match=r"`engine` \(='auto'\) must be a FleetEngine"):
        train_cells([cell()], engine="auto")  # type: ignore[arg-type]  # is refused
    with pytest.raises(ValueError, match=r"`workers` \(=2\) is for this machine"):
        train_cells([cell()], engine=Ray(), workers=2)


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


def test_a_device_without_a_cluster(capsys):
    with pytest.raises(SystemExit):
        cli.main(["train", "single-module", "--cluster-device", "cpu"])
    assert "is for `cluster`, which was not given" in capsys.readouterr().err
