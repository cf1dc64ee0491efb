"""Verdicts as GitHub's annotations, on the learner's own lines of the notebook's or kernel's file.

The form is that of GitHub's *Workflow commands for GitHub Actions*, escaped as its toolkit does
(actions/toolkit, packages/core/src/command.ts).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from ..counted import counted
from ..status import Status
from ..submissions.cells import cuda_source
from .check_file import Checked


def workflow_commands(path: Path, checked: list[Checked]) -> Iterator[str]:
    """A line for each exercise that did not pass, and for what is wrong with the file."""
    text = path.read_text(encoding="utf-8")
    for one in checked:
        if one.problem:
            yield _command("warning", path, None, one.exercise, one.problem)
        if (verdict := one.verdict) is None or verdict.status == Status.PASSED:
            continue
        found = verdict.for_learner()
        line = found.line and line_in_file(path, text, cuda_source(one.shown), found.line)
        said = found.message or found.status.replace("_", " ")
        points = f"{found.points:g} of {counted(found.max_points, 'point')}"
        kind = "notice" if found.status == Status.NOT_ATTEMPTED else "error"
        yield _command(kind, path, line or None, f"{one.exercise}: {points}", said)


def line_in_file(path: Path, text: str, source: str, line: int) -> int | None:
    """Where line `line` of the CUDA `source` stands in its file, from 1. In a notebook as Jupyter
    writes it each line of a cell is one of the file; None where it is written in another way."""
    if path.suffix != ".ipynb":
        return line
    for cell in json.loads(text)["cells"]:
        lines = "".join(cell["source"]).splitlines(keepends=True)
        if cuda_source("".join(lines)) == source:
            return _place(text.splitlines(), lines, line)
    return None


def _place(file: list[str], cell: list[str], line: int) -> int | None:
    """The line of the file with the cell's line `line`, where all of the cell's lines stand one
    after the other."""
    read = [_string(one) for one in file]
    for start in range(len(read) - len(cell) + 1):
        if read[start : start + len(cell)] == cell and line <= len(cell):
            return start + line
    return None


def _string(line: str) -> str | None:
    """The text that a line of a JSON file holds, if it is one text of a list."""
    try:
        found = json.loads(line.strip().removesuffix(","))
    except ValueError:
        return None
    return found if isinstance(found, str) else None


def _command(kind: str, path: Path, line: int | None, title: str, message: str) -> str:
    where = f",line={line}" if line else ""
    text = _escaped(message)
    return f"::{kind} file={_property(str(path))}{where},title={_property(title)}::{text}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
