"""One thing that went wrong, explained under the source lines it is about."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.cuda.diagnostics import Diagnostic
from grader.cuda.errors import CompileError, CudaError, DataRace
from grader.judge.verdict import shortened
from grader.status import headline
from grader.watch.findings import Hazard

from .html import Mark, Page, excerpt, heading, paragraph, prose


@dataclass(frozen=True)
class Diagnosis:
    """`status` is a verdict's; lines count from 1 in `source` (of a cell: see
    `grader.submissions.cells`). `other_line` is a race's second access; `diagnostics` are a
    compiler's; `cell` is the name of the `%%cuda` cell to lead to, if any."""

    status: str
    message: str
    source: str = ""
    kernel: str | None = None
    line: int | None = None
    other_line: int | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    cell: str = ""

    @property
    def title(self) -> str:
        return headline(self.status)


def of_error(error: CudaError) -> Diagnosis:
    """What an error says about its source."""
    other_line = error.other_line if isinstance(error, DataRace) else None
    told = error.diagnostics if isinstance(error, CompileError) else ()
    where = (error.kernel, error.line, other_line)
    return Diagnosis(error.status, str(error), error.source, *where, told, error.cell)


def of_hazard(hazard: Hazard, source: str, cell: str = "") -> Diagnosis:
    """The same of what the simulated GPU saw, and did not stop at."""
    where = (hazard.kernel, hazard.line, hazard.other_line)
    return Diagnosis(hazard.status, hazard.message, source, *where, cell=cell)


def explain(what: Diagnosis, kind: str = "error", title: str = "") -> Page:
    """Title and place, the message, and the lines it is about; without a card around it."""
    message, marks = _message_and_marks(replace(what, message=shortened(what.message)))
    shown = excerpt(what.source, marks, kind, cell=what.cell)
    place = _place(what)
    rest = f" · {prose(place)}" if place else ""
    title = title or what.title
    html = heading(kind, prose(title), rest) + (paragraph(message) if message else "") + shown.html
    first = f"{title}, {place}" if place else title
    parts = (first, message, shown.text)
    return Page(html, "\n".join(part for part in parts if part))


def _place(what: Diagnosis) -> str:
    """Where it happened, unless the message says so itself."""
    if what.diagnostics or f"line {what.line}" in what.message:
        return ""
    if what.line is None:
        return f"kernel `{what.kernel}`" if what.kernel else ""
    lines = f"line {what.line}"
    if what.other_line not in (None, what.line):
        lines = f"lines {what.line} and {what.other_line}"
    return f"{lines} of your kernel" + (f" `{what.kernel}`" if what.kernel else "")


def _message_and_marks(what: Diagnosis) -> tuple[str, dict[int, tuple[Mark, ...]]]:
    if what.diagnostics:
        return "", _marks(what.diagnostics)
    lines = {line for line in (what.line, what.other_line) if line is not None}
    return what.message, dict.fromkeys(lines, ())


def _marks(errors: tuple[Diagnostic, ...]) -> dict[int, tuple[Mark, ...]]:
    """What the compiler says, under the lines it says it of."""
    marks: dict[int, tuple[Mark, ...]] = {}
    for error in errors:
        plain = [note.message for note in error.notes if note.line is None]
        told = [(error.line, Mark("\n".join([error.message, *plain]), error.column))]
        told += [(note.line, Mark(note.message, note.column)) for note in error.notes if note.line]
        for line, mark in told:
            if mark not in marks.get(line, ()):
                marks[line] = (*marks.get(line, ()), mark)
    return marks
