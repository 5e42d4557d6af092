"""`arithmax reproduce` and `arithmax report`."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from pathlib import Path, PurePath
from typing import Annotated, Any

import tyro

from ._comparisons import is_chosen, of_chosen, print_study
from ._show import page_file, percent, print_json, report_extra, write_text
from ._where import Address, ClusterDevice, Kernel, engine_options

Names = Annotated[
    tuple[str, ...],
    tyro.conf.Positional,
    tyro.conf.arg(
        metavar="NAME ...",
        help="Studies, or Python files with one: FILE.py, FILE.py:NAME.",
    ),
]
Folder = Annotated[
    Path,
    tyro.conf.Positional,
    tyro.conf.arg(metavar="DIR", help="The folder of the runs."),
]
Files = Annotated[tuple[str, ...], tyro.conf.arg(metavar="FILE.py ...")]

Only = Annotated[
    tuple[tuple[str, ...], ...],
    tyro.conf.UseAppendAction,  # given twice, both count
    tyro.conf.arg(metavar="LABEL=VALUE ..."),
]


def reproduce(
    names: Names,
    /,
    seeds: int | None = None,
    steps: int | None = None,
    only: Only = (),
    recipe: bool = False,
    out: Path = Path("runs"),
    block: int | None = None,
    cluster: Address = None,
    cluster_device: ClusterDevice | None = None,
    kernel: Kernel = "on",
    json: bool = False,
    quiet: bool = False,
) -> int:
    """Run studies and print ours beside the published figures, with verdicts.

    Args:
        names: studies that `arithmax studies` lists, or Python files with one.
        seeds: how many seeds each arm has; the study's own number if not given.
        steps: how many steps each run has at most.
        only: arms to run, by their labels, such as `model=NMU operation=×`.
        recipe: train by the one recipe, `Protocol.recipe()`, instead of the published
            settings.
        out: the folder of the runs; the same command goes on where one stopped.
        block: replicas in a block; chosen by the size of the network if not given.
        cluster: train on a cluster of Ray instead of this machine: `auto` for the one
            that this machine is in, or its address.
        cluster_device: what the cluster trains on; accelerators if it has any, if not
            given.
        kernel: whether a GPU trains by a kernel, where the network can be one.
        json: print the comparisons as JSON for scripts.
        quiet: show no progress bar.
    """
    from ..studies._run import reproduce as run

    chosen = labels([text for texts in only for text in texts])
    options: dict[str, Any] = {} if block is None else {"block": block}
    options |= engine_options(cluster, cluster_device, kernel)
    done = run(
        names,
        out=out,
        seeds=seeds,
        steps=steps,
        only=chosen,
        recipe=recipe,
        command=command(),
        progress=not quiet and not json,
        **options,
    )
    if json:
        print_json(comparisons_as_json(done.evaluations, chosen))
    else:
        for evaluation in done.evaluations:
            print_study(evaluation, chosen)
    if done.interrupted:
        print(
            f"Interrupted. Run the same command again to go on: {out}.", file=sys.stderr
        )
        return 130
    if not json:
        print(f"`arithmax report {out}` writes the page.")
    return 0


def labels(only: Sequence[str]) -> dict[str, str]:
    """`label=value` as labels and their values, each label once."""
    chosen: dict[str, str] = {}
    for text in only:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise ValueError(
                f"`only` (={text!r}) must be label=value, such as model=NMU."
            )
        if name in chosen:
            raise ValueError(
                f"`only` (={text!r}) must give each label once, but {name!r} is "
                f"{chosen[name]!r} already. Run the command once for each."
            )
        chosen[name] = value
    return chosen


def command() -> str:
    """The command as it was typed, but for where on this machine its files are."""
    return shlex.join(["arithmax", *map(_without_folders, sys.argv[1:])])


def _without_folders(argument: str) -> str:
    option, equals, value = argument.rpartition("=")
    path = PurePath(value)
    return option + equals + (path.name if path.is_absolute() else value)


def comparisons_as_json(
    evaluations: Sequence[Any], chosen: dict[str, str]
) -> list[dict[str, Any]]:
    """Every comparison, and of every arm what is exact after rounding, for scripts."""
    from ..statistics import Range

    return [
        {
            "study": evaluation.study.name,
            "labels": dict(c.labels),
            "measure": c.measure,
            "ours": c.ours and list(astuple(c.ours)),
            "range": isinstance(c.ours, Range),  # of our values, instead of an interval
            "published": [c.published.value, c.published.low, c.published.high],
            "verdict": c.verdict.value,
            "reduced": c.reduced,
            "sentence": c.sentence,
        }
        for evaluation in evaluations
        for c in of_chosen(evaluation, chosen)
    ] + [
        entry
        for evaluation in evaluations
        for entry in _rounded_as_json(evaluation, chosen)
    ]


def _rounded_as_json(
    evaluation: Any, chosen: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """The share of runs that are exact after rounding; None where it is not known."""
    for runs in evaluation.arm_runs:
        if runs.summary is None or not is_chosen(runs.arm.labels, chosen):
            continue
        share = runs.summary.rounded
        yield {
            "study": evaluation.study.name,
            "labels": dict(runs.arm.labels),
            "measure": "rounded",
            "ours": share and list(astuple(share)),
            "range": False,
            "published": [None, None, None],
            "verdict": "nothing published",
            "reduced": runs.reduced,
            "sentence": f"{runs.arm.name}: exact after rounding "
            + (percent(share) if share else "is not known"),
        }


def report(
    folder: Folder,
    /,
    study: Files = (),
    out: Path | None = None,
    open: bool = False,
    images: Path | None = None,
) -> None:
    """Write one self-contained HTML page of all studies in a folder.

    Nothing that the folder names is run. Studies that are not the package's are shown
    from their data, unless their files are named with `--study`.

    Args:
        folder: the folder of the runs.
        study: Python files with studies of your own, which are run.
        out: the file, or a folder for `report.html`; that of the runs if not given.
        open: open it in a browser.
        images: a folder for every plot as PNG and SVG.
    """
    from ..studies._run import load
    from ._tracking import tracked

    file = page_file(out, "report.html") if out else folder / "report.html"
    with tracked() as track:
        evaluations = load(folder, study, track)
        written = write_page(evaluations, file, open, images, track)
    for remark in filter(None, (e.remark for e in evaluations)):
        print(remark, file=sys.stderr)
    print(f"Wrote {written}")


def write_page(
    evaluations: Sequence[Any],
    to: Path,
    open: bool = False,
    images: Path | None = None,
    track: Any = None,
) -> Path:
    """The page of some studies as a file, and their plots as pictures."""
    with report_extra():
        from ..report import page, write_images
    track = track or (lambda things, text: things)
    write_text(to, page(evaluations, track))
    if images is not None:
        for evaluation in track(evaluations, "drawing pictures"):
            write_images(evaluation, images)
    if open:
        import webbrowser

        webbrowser.open(to.resolve().as_uri())
    return to
