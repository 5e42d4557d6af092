"""`NAME.study.json`: how a study was run, in the folder of its runs.

A record may be somebody else's. It names a file for people to look for; nothing that
it names is read or run.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .._files import write_whole
from ..results import FORMAT
from ._study import Study, check_name

SUFFIX = ".study.json"
SECONDS = ("seconds", "cpu_seconds")  # by the clock, and those of the processor


@dataclass(frozen=True)
class Record:
    """What is remembered of a study.

    Args:
        study: its name.
        history: one entry for each command.
        file: the name of its Python file, without the folder; "" if it has none.
        source: the hash of that file when its tables were computed, if they were.
    """

    study: str
    history: list[dict[str, Any]] = field(default_factory=list)
    file: str = ""
    source: str = ""


def records(folder: Path) -> dict[str, Record]:
    """The records of a folder, by the names of their studies."""
    listed = [read_record(path) for path in sorted(folder.glob(f"*{SUFFIX}"))]
    return {record.study: record for record in listed}


def record_of(study: Study, folder: Path) -> Record:
    """What a folder remembers of a study; an empty record if nothing."""
    path = folder / f"{study.name}{SUFFIX}"
    return read_record(path) if path.exists() else Record(study.name)


def history(study: Study, folder: Path) -> list[dict[str, Any]]:
    """How the study was run so far."""
    return record_of(study, folder).history


def read_record(path: Path) -> Record:
    """A record, or an error that names its file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        json.dumps(content, ensure_ascii=False).encode()  # half a character is no text
        made = content["format"]
        record = Record(
            _name(content["study"], path),
            [_entry(entry) for entry in content["history"]],
            _base(content.get("file", "")),
            str(content.get("source", "")),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{path} is no record of a study ({error!r}). Move it away; runs are kept."
        ) from None
    if made != FORMAT:
        raise ValueError(
            f"{path} was written by another version of arithmax (its format is {made}, "
            f"not {FORMAT}). Read it with that version, or use another folder."
        )
    return record


def _name(name: Any, path: Path) -> str:
    """A name becomes a part of other names: it must be that of the file."""
    check_name("study", str(name))
    if name != path.name.removesuffix(SUFFIX):
        raise ValueError(f"it names the study {name!r}")
    return name


def _entry(entry: Any) -> dict[str, Any]:
    """One command: plain values alone, and seconds that can be added up."""
    if not isinstance(entry, Mapping):
        raise TypeError(f"{entry!r} is no entry of a history")
    for name, value in entry.items():
        if not isinstance(value, str | int | float | None):
            raise TypeError(f"{name} is {value!r}")
    for name in SECONDS:
        seconds = entry.get(name) or 0
        if isinstance(seconds, str) or not (0 <= seconds < math.inf):
            raise ValueError(f"{name} is {seconds!r}")
    return dict(entry)


def _base(file: Any) -> str:
    """A file's name without folders, those of any system; "" for odd ones."""
    name = re.split(r"[\\/]", str(file))[-1]
    return name if re.fullmatch(r"[\w.+ -]+\.py", name) else ""


def remember(
    study: Study,
    folder: Path,
    entry: dict[str, Any],
    file: Path | None = None,
    source: str = "",
) -> None:
    """Add an entry to the history of a study.

    One command is one entry, with all its seconds: it may have been stopped.

    Args:
        study: the study.
        folder: where its runs are.
        entry: what is to be remembered.
        file: its Python file, if it has one.
        source: the hash of that file, if its tables were computed now.
    """
    before = record_of(study, folder)
    same = [e for e in before.history if e.get("command") == entry["command"]]
    spent = {
        name: round(sum(e.get(name) or 0.0 for e in [*same, entry]), 1)
        for name in SECONDS
        if all(name in e for e in [*same, entry])  # earlier versions had one of them
    }
    told = {name: value for name, value in entry.items() if name not in SECONDS}
    others = [e for e in before.history if e not in same]
    record = Record(
        study.name,
        [*others, told | spent],
        _base(file.name) if file else before.file,
        source or before.source,
    )
    kept = {name: value for name, value in asdict(record).items() if value != ""}
    text = json.dumps({"format": FORMAT} | kept, indent=2, ensure_ascii=False)
    write_whole(
        folder / f"{study.name}{SUFFIX}", lambda p: p.write_text(text, encoding="utf-8")
    )
