"""The recipes of the guide are well formed, and name options that exist."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from arithmax.cli._commands import COMMANDS

TEXT = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def of(kind: str) -> list[str]:
    return [text for name, text in BLOCKS if name == kind]


def test_the_job_of_kuberay():
    [text] = of("yaml")
    job = yaml.safe_load(text)
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    program, command, *words = shlex.split(job["spec"]["entrypoint"])
    assert program == "arithmax" and command in COMMANDS
    assert words[words.index("--cluster") + 1] == "auto"
    cluster = job["spec"]["rayClusterSpec"]
    head = cluster["headGroupSpec"]
    assert head["rayStartParams"]["num-cpus"] == "0"  # it trains nothing
    [volume] = head["template"]["spec"]["volumes"]
    [container] = head["template"]["spec"]["containers"]
    [mount] = container["volumeMounts"]
    assert mount["name"] == volume["name"]
    assert words[words.index("--out") + 1] == mount["mountPath"]
    [workers] = cluster["workerGroupSpecs"]
    [worker] = workers["template"]["spec"]["containers"]
    assert worker["image"] == container["image"]
    assert workers["minReplicas"] <= workers["replicas"] <= workers["maxReplicas"]


@pytest.mark.parametrize("script", of("bash"))
def test_scripts_are_scripts(script):
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_commands_of_ray_exist():
    from ray.scripts.scripts import cli

    used = set(re.findall(r"\bray (start|stop|status|symmetric-run)\b(?!\w)", TEXT))
    assert {"start", "stop", "symmetric-run"} <= used <= set(cli.commands)
    known = {o for name in used for p in cli.commands[name].params for o in p.opts}
    for line in re.findall(r"\bray start (.*)", "\n".join(of(""))):
        words = [word.partition("=")[0] for word in line.partition("#")[0].split()]
        assert set(words) <= known


def test_addresses_of_the_guide_have_the_form():
    named = set(re.findall(r"--cluster ([\w.:/]+)", TEXT))
    assert named == {"auto", "10.0.0.1:6379"}
