"""One thing that went wrong, explained under the source lines it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.cuda.errors import CudaError

from .html import Mark, Page, excerpt, heading, paragraph, prose

_TITLES = {
    "compile_error": "Does not compile",
    "launch_error": "Cannot be launched",
    "over_budget": "Right, but over budget",
    "timeout": "Ran too long",
}


@dataclass(frozen=True)
class Diagnosis:
    """`status` is a verdict's; lines count from 1 in `source` (of a cell: see `grader.cells`).
    `other_line` is a race's second access."""

    status: str
    message: str
    source: str = ""
    kernel: str | None = None
    line: int | None = None
    other_line: int | None = None

    @property
    def title(self) -> str:
        return _TITLES.get(self.status, self.status.replace("_", " ").capitalize())


def of(failure: CudaError, source: str) -> Diagnosis:
    """What an error (or a hazard, which has the same attributes) says about `source`."""
    message = getattr(failure, "message", None) or str(failure)
    other_line = getattr(failure, "other_line", None)
    return Diagnosis(failure.status, message, source, failure.kernel, failure.line, other_line)


def explain(what: Diagnosis, kind: str = "error", title: str = "") -> Page:
    """Title and place, the message, and the lines it is about; without a card around it."""
    message, marks = _message_and_marks(what)
    shown = excerpt(what.source, marks, kind)
    place = _place(what)
    rest = f" · {prose(place)}" if place else ""
    title = title or what.title
    html = heading(kind, prose(title), rest) + paragraph(message) + shown.html
    first = f"{title}, {place}" if place else title
    parts = (first, message, shown.text)
    return Page(html, "\n".join(part for part in parts if part))


def _place(what: Diagnosis) -> str:
    """Where it happened, unless the message says so itself."""
    if what.status == "compile_error" or f"line {what.line}" in what.message:
        return ""
    if what.line is None:
        return f"kernel `{what.kernel}`" if what.kernel else ""
    lines = f"line {what.line}"
    if what.other_line not in (None, what.line):
        lines = f"lines {what.line} and {what.other_line}"
    return f"{lines} of your kernel" + (f" `{what.kernel}`" if what.kernel else "")


def _message_and_marks(what: Diagnosis) -> tuple[str, dict[int, tuple[Mark, ...]]]:
    if what.status == "compile_error":
        return _compile_errors(what.message)
    lines = {what.line, what.other_line} - {None}
    return what.message, dict.fromkeys(lines, ())


_ERROR = re.compile(r"line (\d+): (.*)")
_CARET = re.compile(r"\s+\| (\s*)\^")


def _compile_errors(message: str) -> tuple[str, dict[int, tuple[Mark, ...]]]:
    """The compiler's message (see compiler.py) taken apart: what belongs under which line, and
    what is left over."""
    marks: dict[int, tuple[Mark, ...]] = {}
    rest = []
    line = None
    for row in message.splitlines():
        if error := _ERROR.fullmatch(row):
            line = int(error[1])
            marks[line] = (*marks.get(line, ()), Mark(error[2]))
        elif line and (caret := _CARET.fullmatch(row)):
            *before, last = marks[line]
            marks[line] = (*before, Mark(last.message, len(caret[1])))
        elif not re.match(r"\s+\d+ \| ", row):
            rest.append(row)
    return "\n".join(rest), marks
