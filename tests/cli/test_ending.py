"""How commands end: by signals, by pipes that nobody reads, in any terminal.

Tests wait for events (a file, a signal that the code under test sends itself), never
for the clock.
"""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from arithmax import cli
from arithmax.cli import _ending
from arithmax.cli._terminal import any_terminal, in_plain_letters
from arithmax.training import _block
from arithmax.units import UNITS

COMMAND = [sys.executable, "-m", "arithmax"]
TRAIN = ["train", "single-module", "--unit", "nau", "--operation", "add"]
TRAIN += ["--seeds", "2", "--steps", "6000", "--quiet"]


def ended(arguments: list[str]) -> int:
    """The exit status of a command in this process."""
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    assert isinstance(end.value.code, int)
    return end.value.code


# Signals.


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_saves_a_checkpoint(number, tmp_path, monkeypatch, capsys):
    """What the process gets in the third interval stops it; the same goes on."""
    straight = tmp_path / "straight"
    cli.main([*TRAIN, "--json", "--out", str(straight)])
    expected = json.loads(capsys.readouterr().out)
    advance = _block.advance_together

    def interrupted(blocks: list[_block.Block]) -> None:
        advance(blocks)
        if blocks[0].step == 3000:
            os.kill(os.getpid(), number)

    out, before = tmp_path / "out", signal.getsignal(number)
    monkeypatch.setattr(_block, "advance_together", interrupted)
    assert ended([*TRAIN, "--out", str(out)]) == 128 + number
    assert "Run the same command again to go on" in capsys.readouterr().err
    assert list(out.glob("*.checkpoint")) and not list(out.glob("*.parquet"))
    assert signal.getsignal(number) is before
    monkeypatch.undo()
    cli.main([*TRAIN, "--json", "--out", str(out)])
    assert json.loads(capsys.readouterr().out) == expected


def test_an_interrupt_while_a_program_is_compiled(tmp_path, monkeypatch, capsys):
    """The worker compiles on, and stops before its first step."""
    compiled = _block.program

    def slow(*arguments: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return compiled(*arguments)

    monkeypatch.setattr(_block, "program", slow)
    assert ended([*TRAIN, "--out", str(tmp_path)]) == 130
    shown = capsys.readouterr().err
    assert shown.startswith("Interrupted") and "Traceback" not in shown
    assert not list(tmp_path.iterdir())


def test_an_ignored_signal_stays_ignored(monkeypatch):
    """As SIGHUP is under `nohup`, and SIGINT in the background of a shell."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with _ending.stopping() as caught:
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            os.kill(os.getpid(), signal.SIGHUP)
        assert caught == []
    finally:
        signal.signal(signal.SIGHUP, before)


def test_only_a_second_ctrl_c_ends_at_once(monkeypatch):
    """Who closes a terminal may send SIGHUP twice: checkpoints are saved still."""
    ends: list[int] = []
    monkeypatch.setattr(_ending, "_end", lambda number, text: ends.append(number))
    with _ending.stopping(process=False) as caught:
        with pytest.raises(_ending.Interrupted):
            signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGTERM)
        assert ends == [] and caught == [signal.SIGHUP]
        signal.raise_signal(signal.SIGINT)
        assert ends == [signal.SIGINT]


def test_an_interrupt_that_a_callback_swallows_is_raised_again():
    """Python ignores exceptions in callbacks of its garbage collector."""

    class Swallows:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    with _ending.stopping(process=False) as caught:
        thing = Swallows()
        with pytest.raises(_ending.Interrupted):
            del thing
            while True:
                signal.pause()  # until the second one
        assert caught == [signal.SIGTERM]


# An audit hook sends the signal at the moment in which a library is imported.
IMPORTING = """
import os, signal, sys
target, number = sys.argv.pop(1), int(sys.argv.pop(1))
sent = []
def hook(event, arguments):
    if event == "import" and arguments[0] == target and not sent:
        sent.append(1)
        os.kill(os.getpid(), number)
sys.addaudithook(hook)
from arithmax.cli import main
main()
"""


def imported(target: str, number: int, *arguments: str) -> tuple[int, str]:
    """Exit status and errors of a command that gets a signal during an import."""
    command = [sys.executable, "-c", IMPORTING, target, str(number), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stderr


def test_ctrl_c_during_an_import_ends_with_a_sentence():
    assert imported("tyro", signal.SIGINT, "units") == (130, _ending.SENTENCE + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "target",
    ["numpy", "rich", "jax", "jaxlib.xla_client", "jax._src.xla_bridge"],
)
def test_signals_during_imports_end_with_a_sentence(target, number):
    expected = 128 + number, _ending.SENTENCE + "\n"
    assert imported(target, number, *TRAIN) == expected


STUDY = """
from arithmax import NAU, Cell, published
from arithmax.studies import Arm, Study
from arithmax.tasks import SingleModule
TASK = SingleModule("add")

def arm(steps):
    network, protocol = published(NAU(), TASK, steps=steps)
    return Arm({"steps": steps}, Cell(network, TASK, protocol, (0, 1)))

MINE = Study("mine", "t", "s", "a", (arm(1000), arm(1_000_000_000)))
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_process_saves_what_it_trains(number, tmp_path):
    """The same as above from outside: of a process, by a signal."""
    (tmp_path / "mine.py").write_text(STUDY, encoding="utf-8")
    out = tmp_path / "out"
    process = subprocess.Popen(
        [
            *COMMAND,
            "reproduce",
            str(tmp_path / "mine.py"),
            "--quiet",
            "--out",
            str(out),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and not list(out.glob("*.rows.parquet")):
        time.sleep(0.1)  # until the short arm is there and the long one runs
    process.send_signal(number)
    _, said = process.communicate()
    assert process.returncode == 128 + number
    assert "Run the same command again" in said and "Traceback" not in said
    assert list(out.glob("*.checkpoint"))


# Pipes.


def into_closed_pipe(*arguments: str) -> tuple[int, str]:
    """Exit status and errors of a command whose output nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=writer, stderr=subprocess.PIPE, text=True
    )
    os.close(writer)
    _, said = process.communicate()
    return process.returncode, said


def test_a_pipe_that_nobody_reads_is_no_error():
    assert into_closed_pipe("units") == (141, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [["--help"], ["units", "--json"], ["tasks"], ["train", "--help"]]
)
def test_no_command_minds_a_closed_pipe(arguments):
    assert into_closed_pipe(*arguments) == (141, "")


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="needs a device that is full"
)
def test_a_full_disk_ends_with_a_sentence():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "version"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("arithmax: ") and "No space left" in done.stderr


def test_what_a_folder_is_called_does_not_move_the_cursor(capsys):
    assert ended(["report", "\x1b[2Jname"]) == 2
    shown = capsys.readouterr().err
    assert "\\x1b[2Jname" in shown and "\x1b" not in shown


# Terminals.


def test_signs_have_their_nearest_ascii():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="\n")
    text = "x₁ × x₂ − ½ ÷ ε • NAC₊ 10⁻⁵ λ Ŵ ─│╭ … 漢 \ud800"
    stdout, sys.stdout = sys.stdout, stream
    try:
        with any_terminal():
            print(text)
    finally:
        sys.stdout = stdout
    stream.flush()
    written = stream.buffer.getvalue().decode("ascii")  # type: ignore[attr-defined]  # BytesIO
    assert written == "x1 x x2 - 1/2 / eps * NAC+ 10^-5 lamda W -|+ ... ? ?\n"
    assert stream.errors == "strict"  # as it was


def test_every_sign_of_units_and_tasks_has_a_nearest():
    source = Path(cli.__file__).parents[1]
    files = [*(source / "units").glob("*.py"), *(source / "tasks").glob("*.py")]
    signs = {sign for file in files for sign in file.read_text(encoding="utf-8")}
    assert not [s for s in signs if not s.isascii() and in_plain_letters(s) == "?"]


@pytest.mark.parametrize(
    "settings",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
    ids=lambda s: " ".join(s.values()),
)
def test_a_terminal_that_is_not_utf_8(settings):
    code = "from arithmax.cli import main\nmain(['units'])\nmain(['units', '--json'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=os.environ | settings
    )
    assert done.returncode == 0 and done.stderr == b""
    shown = done.stdout.decode("latin-1")
    table, _, rest = shown.partition("\n[\n")
    assert all(name in table for name in UNITS) and "NAC+" in table
    listed = json.loads("[" + rest)  # JSON keeps every sign
    nac = next(unit for unit in listed if unit["name"] == "nac")
    assert nac["title"] == UNITS["nac"].title == "NAC₊"


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["train", "--help"], ["tasks"], ["studies"], [*TRAIN[:-1]], ["demo"]],
    ids=lambda a: " ".join(a[:2]),
)
def test_every_command_prints_in_ascii(arguments, tmp_path):
    if arguments == ["demo"]:
        arguments = ["demo", "--seeds", "1", "--steps", "1000"]
    done = subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii() and done.stderr.isascii()
