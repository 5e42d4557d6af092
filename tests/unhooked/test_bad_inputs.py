"""Bad input gets a message that names argument, value and remedy; none is accepted.

The table is data: every file of `tests/bad_inputs` holds the cases of one topic. They
run without the shape checker of the other tests, which would speak first. To add a
case, write it into a file there:

    [[case]]
    python = "Stack((NAU(), NMU()), hidden=(0,))"
    words = ["`hidden`", "(0,)", "at least 1"]

`python` is an expression, or `lines` are several; they see the public names of
`arithmax.units`, `networks`, `tasks`, `training` (iNALU's parts included) and
`statistics`, with `dataclass`, `arithmax`, `jnp`, `np` and `math`. They must raise a
ValueError, TypeError or OSError with all `words` in its message: the argument, its
value, and a part of the remedy. `command` is what follows `arithmax` on the command
line; it must end with status 2, or `status`, with all words on the error stream.
`files` (name = text) are made first, in an empty folder that is the current one. What
starts to train fails, and nothing may take long.
"""

import math
import tomllib
from dataclasses import dataclass
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

import arithmax
from arithmax import cli, networks, statistics, tasks, training, units
from arithmax.training import _block
from arithmax.training.recipes import inalu

TABLE = Path(__file__).parents[1] / "bad_inputs"
CASES = {
    f"{path.stem}-{number}": case
    for path in sorted(TABLE.glob("*.toml"))
    for number, case in enumerate(
        tomllib.loads(path.read_text(encoding="utf-8"))["case"], start=1
    )
}
FRAME = str.maketrans(dict.fromkeys("│╭╮╰╯─", " "))  # tyro's messages stand in one


def namespace() -> dict[str, object]:
    """The names that `python` and `lines` see."""
    names: dict[str, object] = {name: getattr(training, name) for name in dir(training)}
    for module in (inalu, statistics, tasks, units, networks):
        names |= {n: v for n, v in vars(module).items() if not n.startswith("_")}
    typed = {"__name__": "__main__", "dataclass": dataclass}  # as at a prompt
    return names | typed | {"arithmax": arithmax, "jnp": jnp, "np": np, "math": math}


def answer(case: dict, capsys: pytest.CaptureFixture) -> str:
    """What the package says to a case."""
    if "command" in case:
        with pytest.raises(SystemExit) as ended:
            cli.main(case["command"])
        assert ended.value.code == case.get("status", 2)
        return capsys.readouterr().err
    with pytest.raises((ValueError, TypeError, OSError)) as raised:
        if "lines" in case:
            exec(case["lines"], namespace())
        else:
            eval(case["python"], namespace())
    return str(raised.value)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_bad_input_is_refused_in_words(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_block, "train_job", lambda *given: pytest.fail("trained"))
    for name, text in case.get("files", {}).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    said = " ".join(answer(case, capsys).translate(FRAME).split())
    assert "Traceback" not in said
    for word in case["words"]:
        assert word in said, said


def test_the_table_is_large_and_each_case_has_its_words():
    assert len(CASES) >= 1200
    for name, case in CASES.items():
        assert len(case["words"]) >= 3, f"{name}: argument, value and remedy"
        assert {"python", "lines", "command"} & case.keys(), name
        known = {"python", "lines", "command", "files", "status", "words"}
        assert case.keys() <= known, name
    asked = [repr({k: v for k, v in c.items() if k != "words"}) for c in CASES.values()]
    assert len(asked) == len(set(asked))
