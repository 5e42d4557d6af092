"""Code of one's own travels with the blocks: workers need not have its files."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from ray import cloudpickle

from .._identity import foreign_classes
from ..training._replicas import Job

INSTALLED = ("site-packages", "dist-packages")  # workers have these themselves


@contextmanager
def own_modules_sent(jobs: Iterable[Job]) -> Iterator[None]:
    """Send the modules behind units and tasks of one's own along with them."""
    sent = own_modules(jobs)
    for module in sent:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in sent:
            cloudpickle.unregister_pickle_by_value(module)


def own_modules(jobs: Iterable[Job]) -> list[ModuleType]:
    """The modules of classes from outside, and those in the folders of these."""
    cells = {(r.network, r.task, r.protocol) for job in jobs for r in job.replicas}
    classes = foreign_classes(*cells)
    homes = {file for cls in classes if (file := _file(cls.__module__))}
    folders = {_folder(file) for file in homes if not _is_installed(file)}
    return [
        module
        for name, module in [*sys.modules.items()]
        if (file := _file(name))
        and name not in ("__main__", "__mp_main__")  # always sent
        and not _is_installed(file)
        and folders & set(file.parents)
    ]


def _file(module: str) -> Path | None:
    name = getattr(sys.modules.get(module), "__file__", None)
    return Path(name).resolve() if name else None


def _is_installed(file: Path) -> bool:
    ours = Path(__file__).resolve().parents[1]
    return ours in file.parents or any(part in INSTALLED for part in file.parts)


def _folder(file: Path) -> Path:
    """The folder of a module; that of its whole package if it is in one."""
    folder = file.parent
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder
