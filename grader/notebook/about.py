"""What an output says to the notebook's editor, in its metadata under "warpwise".

The editor (grader/learner/jupyter/labextensions) shows it at the lines of the `%%cuda` cell it is about, for as long as
the cell holds the text that was run; where there is no such editor, nobody reads it. The form is
in grader/learner/jupyter/labextensions/warpwise/static/facts.js.
"""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

from grader.cuda.diagnostics import Diagnostic
from grader.cuda.errors import CudaError
from grader.judge.verdict import Verdict

_LONGEST = 300  # characters of what is said under a line


def error(wrong: CudaError, severity: str = "error") -> dict:
    """What a compilation or launch did wrong, or a hazard (which has the same attributes)."""
    cell, source = getattr(wrong, "cell", ""), getattr(wrong, "source", "")
    told = getattr(wrong, "diagnostics", ())
    lines = (wrong.line, getattr(wrong, "other_line", None))
    message = getattr(wrong, "message", None) or str(wrong)
    return _note(cell, source, marks=_compiler(told) or _marks(lines, message, severity))


def hazard(seen, cell: str, source: str) -> dict:
    """Something that stopped nothing."""
    marks = _marks((seen.line, getattr(seen, "other_line", None)), seen.message, "warning")
    return _note(cell, source, marks=marks)


def verdict(given: Verdict, source: str) -> dict:
    """Where the exercise fails, or that it is passed."""
    name = given.exercise.rpartition("/")[2]
    marks = _compiler(given.diagnostics) or _marks((given.line,), given.message, "error")
    return _note(name, source, marks=marks, passed=given.status == "passed")


def counters(cell: str, source: str, lines: dict[int, dict[str, int]]) -> dict:
    """What each line of a launch cost; counters that are zero everywhere are left out."""
    names = dict.fromkeys(name for costs in lines.values() for name, cost in costs.items() if cost)
    found = {
        name: {line: costs[name] for line, costs in sorted(lines.items()) if line and costs[name]}
        for name in names
    }
    return _note(cell, source, counters=found)


def prediction(key: str, answered: bool) -> dict:
    return {"warpwise": {"prediction": key, "answered": answered}}


def _note(cell: str, source: str, **said) -> dict:
    text = source.rstrip().encode("utf-8", "replace")
    return {"warpwise": {"cell": cell, "crc": crc32(text), **said}} if cell else {}


def _marks(lines: Iterable[int | None], message: str, severity: str) -> list[dict]:
    told = message.strip()[:_LONGEST]
    return [
        {"line": line, "column": None, "severity": severity, "message": told}
        for line in dict.fromkeys(lines)
        if line
    ]


def _compiler(told: tuple[Diagnostic, ...]) -> list[dict]:
    return [
        {"line": one.line, "column": one.column, "severity": "error", "message": one.message}
        for one in told
    ]
