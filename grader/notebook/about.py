"""What an output says to the notebook's editor, in its metadata under "warpwise".

Our labextension shows it at the lines of the `%%cuda` cell it is about, for as long as the cell
holds the text that was run; where there is none, nobody reads it. The form is in its facts.js
(grader/learner/jupyter/labextensions/warpwise/static).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from zlib import crc32

from grader.cuda.diagnostics import Diagnostic
from grader.cuda.errors import CompileError, CudaError, DataRace
from grader.judge.verdict import Verdict
from grader.watch.findings import Hazard

from .html import OURS

_LONGEST = 300  # characters of what is said under a line


def error(wrong: CudaError) -> dict[str, Any]:
    """What a compilation or launch did wrong."""
    told = wrong.diagnostics if isinstance(wrong, CompileError) else ()
    other = wrong.other_line if isinstance(wrong, DataRace) else None
    marks = _compiler(told) or _marks((wrong.line, other), str(wrong), "error")
    return _note(wrong.cell, wrong.source, marks=marks)


def hazard(seen: Hazard, cell: str, source: str) -> dict[str, Any]:
    """Something that stopped nothing."""
    marks = _marks((seen.line, seen.other_line), seen.message, "warning")
    return _note(cell, source, marks=marks)


def verdict(given: Verdict, source: str) -> dict[str, Any]:
    """Where the exercise fails, or that it is passed."""
    name = given.exercise.rpartition("/")[2]
    marks = _compiler(given.diagnostics) or _marks((given.line,), given.message, "error")
    return _note(name, source, marks=marks, passed=given.status == "passed")


def counters(cell: str, source: str, lines: dict[int, dict[str, int]]) -> dict[str, Any]:
    """What each line of a launch cost; counters that are zero everywhere are left out."""
    names = dict.fromkeys(name for costs in lines.values() for name, cost in costs.items() if cost)
    found = {
        name: {line: costs[name] for line, costs in sorted(lines.items()) if line and costs[name]}
        for name in names
    }
    return _note(cell, source, counters=found)


def prediction(key: str, answered: bool) -> dict[str, Any]:
    return {OURS: {"prediction": key, "answered": answered}}


def _note(cell: str, source: str, **said: object) -> dict[str, Any]:
    text = source.rstrip().encode("utf-8", "replace")
    return {OURS: {"cell": cell, "crc": crc32(text), **said}} if cell else {}


def _marks(lines: Iterable[int | None], message: str, severity: str) -> list[dict[str, Any]]:
    told = message.strip()[:_LONGEST]
    return [
        {"line": line, "column": None, "severity": severity, "message": told}
        for line in dict.fromkeys(lines)
        if line
    ]


def _compiler(told: tuple[Diagnostic, ...]) -> list[dict[str, Any]]:
    return [
        {"line": one.line, "column": one.column, "severity": "error", "message": one.message}
        for one in told
    ]
