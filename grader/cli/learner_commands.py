"""`grader lab`, `update`, `restore` and `submit`: what a learner does at the command line."""

from __future__ import annotations

import subprocess
from pathlib import Path

import typer

from .. import compilers
from ..compilers import cuda_files, fetched
from ..counted import counted
from ..course import KINDS
from ..judge import Verdict
from ..learner import editions, folder, handing_in, launching, progress

DEFAULT = "warpwise"


def lab(where: Path | None, options: list[str] | None) -> int:
    """Make the learner's folder if there is none, and open JupyterLab in it with these options;
    None: do not open it."""
    root = (where or progress.folder() or Path(DEFAULT)).expanduser().absolute()
    fresh = folder.make(root)
    if fresh:
        typer.echo(f"{root} is yours to work in; {counted(len(fresh), 'notebook')} came into it.")
    newer = [name for name in folder.outdated(root) if name not in fresh]
    if newer:
        typer.echo(f"New editions of {', '.join(newer)}: `grader update` brings them in.")
    _bring_cudas_files()
    if options is None:
        return 0
    command = launching.command(root, options)
    try:
        return subprocess.run(command, env=launching.environment(), cwd=root).returncode
    except KeyboardInterrupt:
        return 0


def _bring_cudas_files() -> None:
    """What a compiler reads that no wheel has brought. Without it JupyterLab opens all the same."""
    if compilers.chosen_name() != "clang" or not cuda_files.missing():
        return
    typer.echo(f"Fetching CUDA's headers, {fetched.MEGABYTES} MB, this once ...")
    try:
        fetched.fetch(launching.package_index())
    except fetched.NotFetched as error:
        typer.echo(str(error), err=True)


def update() -> int:
    """Bring new editions in, and say what they changed."""
    root = folder.here()
    found = editions.update(root)
    for changes in found:
        typer.echo(f"{changes.lesson}:")
        for kind, cells in _told(changes):
            for cell in cells:
                typer.echo(f"  {kind:<8} {cell}")
    if found:
        typer.echo(f"The notebooks as they were are in {root / editions.BEFORE}.")
    else:
        typer.echo("Every lesson is of the newest edition.")
    return 0


def _told(changes: editions.Changes) -> list[tuple[str, list[str]]]:
    return [
        ("new", changes.added),
        ("changed", changes.changed),
        ("gone", changes.removed),
        ("kept", changes.kept),
        ("below", [f"{cell}: the new text stands below yours" for cell in changes.beside]),
    ]


def restore(lesson: str, exercise: str | None) -> int:
    """Bring back what was handed out, and say where what was there is kept."""
    root = folder.here()
    found = handing_in.find_lesson(lesson)
    kept = editions.restore(root, found, exercise)
    what = f"{exercise} in {found.name}" if exercise else found.name
    typer.echo(f"{what} is as it was handed out.")
    if kept:
        typer.echo(f"The notebook as it was is kept: {kept}")
        typer.echo("If it is open in JupyterLab: File, Reload Notebook from Disk.")
    return 0


def submit(lesson: str) -> int:
    """Hand a lesson in, and say what it does not answer."""
    root = folder.here()
    done = handing_in.hand_in(root, handing_in.find_lesson(lesson))
    for problem in done.problems:
        typer.echo(problem, err=True)
    if done.blank:
        typer.echo(f"Nothing is written yet for {', '.join(done.blank)}.", err=True)
    passed = [name for name, verdict in done.verdicts.items() if verdict.status == "passed"]
    if passed:
        typer.echo(f"In the cases that you see these pass: {', '.join(passed)}.")
    for name, verdict in done.verdicts.items():
        if verdict.status != "passed":
            typer.echo(f"{name} does not pass yet: {_said(verdict)}", err=True)
    if done.to:
        typer.echo(f"Hand in this file: {done.to}")
    else:
        typer.echo(f"{done.lesson} is handed in through nbgrader.")
    return 0


def _said(verdict: Verdict) -> str:
    """What is wrong, in few words: the rest is for check()."""
    line = verdict.line or next((one.line for one in verdict.diagnostics), None)
    where = f", line {line} of the cell" if line else ""
    return f"{KINDS[verdict.kind].word(verdict.status)}{where}."
