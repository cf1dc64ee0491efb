"""What a learner is told, as cards: a sentence, a failure under its source lines, a hint; and what
a card says to the notebook's editor, in its output's metadata under "warpwise".

Our labextension shows that at the lines of the `%%cuda` cell it is about, for as long as the cell
holds the text that was run; where there is none, nobody reads it. The form is in its facts.js
(grader/learner/jupyter/labextensions/warpwise/static).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any
from zlib import crc32

from grader.cuda.diagnostics import Diagnostic, visible
from grader.cuda.errors import CompileError, CudaError, DataRace, Message
from grader.judge.verdict import shortened
from grader.status import headline
from grader.watch.findings import HazardReport

from .html import (
    FRAME,
    LineMark,
    Page,
    accented,
    boxed,
    card,
    excerpt,
    folded,
    heading,
    joined,
    paragraph,
    prose,
    sentences,
)

_LONGEST = 300  # characters of what is said under a line


@dataclass(frozen=True)
class Diagnosis:
    """One thing that went wrong, and the source lines it is about."""

    status: str  # a verdict's
    message: Message
    source: str = ""
    kernel: str | None = None
    line: int | None = None  # from 1 in `source` (of a cell: see `grader.submissions.cells`)
    other_line: int | None = None  # of a race's second access
    diagnostics: tuple[Diagnostic, ...] = ()  # the compiler's
    cell: str = ""  # the name of the `%%cuda` cell to lead to, if any

    @property
    def title(self) -> str:
        return headline(self.status)

    @property
    def lines(self) -> list[int]:
        """Those that it is about; a compiler's diagnostics have their own."""
        lines = dict.fromkeys(filter(None, (self.line, self.other_line)))
        return [] if self.diagnostics else list(lines)

    @property
    def place(self) -> str:
        """Where it happened, unless the message says so itself."""
        if self.diagnostics or f"line {self.line}" in self.message.first:
            return ""
        if self.line is None:
            return f"kernel `{self.kernel}`" if self.kernel else ""
        one = self.other_line in (None, self.line)
        lines = f"line {self.line}" if one else f"lines {self.line} and {self.other_line}"
        return f"{lines} of your kernel" + (f" `{self.kernel}`" if self.kernel else "")


def of_error(error: CudaError) -> Diagnosis:
    """What an error says about its source, which is the error's attribute of that name, and so is
    its cell: `failures.about` sets both."""
    return Diagnosis(
        error.status,
        error.parts,
        error.source,
        error.kernel,
        error.line,
        error.other_line if isinstance(error, DataRace) else None,
        error.diagnostics if isinstance(error, CompileError) else (),
        error.cell,
    )


def of_hazard(hazard: HazardReport, source: str, cell: str = "") -> Diagnosis:
    """The same of what the simulated GPU saw, and did not stop at."""
    return Diagnosis(
        hazard.status,
        hazard.parts,
        source,
        hazard.kernel,
        hazard.line,
        hazard.other_line,
        cell=cell,
    )


def explain(what: Diagnosis, kind: str = "error", title: str = "") -> Page:
    """Title and place, the message, and the lines it is about; without a card around it. A click
    shows the reason."""
    said = Message() if what.diagnostics else what.message
    first, why, remedy = (shortened(one.strip()) for one in (said.first, said.why, said.remedy))
    reason = Page(folded(accented("note", "Why"), paragraph(why)), why) if why else Page("", "")
    title, place = title or what.title, what.place
    head = Page(
        heading(kind, prose(title), f" · {prose(place)}" if place else ""),
        f"{title}, {place}" if place else title,
    )
    shown = excerpt(what.source, _marks(what), kind, cell=what.cell)
    return joined(head, sentences(first), reason, sentences(remedy), shown)


def _marks(what: Diagnosis) -> dict[int, list[LineMark]]:
    """The lines that it is about, and what the compiler says of them."""
    marks: dict[int, list[LineMark]] = {line: [] for line in what.lines}
    for error in what.diagnostics:
        plain = [note.message for note in error.notes if note.line is None]
        said = [
            (error.line, LineMark("\n".join([error.message, *plain]), error.column)),
            *(
                (note.line, LineMark(note.message, note.column))
                for note in error.notes
                if note.line
            ),
        ]
        for line, mark in said:
            if mark not in marks.setdefault(line, []):
                marks[line].append(mark)
    return marks


# ---- for the editor ----


def note(cell: str, source: str, **said: object) -> dict[str, Any]:
    """What an output says of a cell that was run with this source; nothing without a cell."""
    text = source.rstrip().encode("utf-8", "replace")
    return {"cell": cell, "crc": crc32(text), **said} if cell else {}


def marked(what: Diagnosis, severity: str = "error", **said: object) -> dict[str, Any]:
    """A note with the lines at which something is wrong."""
    places = [
        *((one.line, one.column, one.message) for one in what.diagnostics),
        *((line, None, str(what.message)[:_LONGEST]) for line in what.lines),
    ]
    marks = [
        {"line": line, "column": column, "severity": severity, "message": message}
        for line, column, message in places
    ]
    return note(what.cell, what.source, marks=marks, **said)


def costs(cell: str, source: str, lines: Mapping[int, Mapping[str, int]]) -> dict[str, Any]:
    """A note with what each line of a launch cost, by counter; without those that are zero."""
    names = dict.fromkeys(name for costs in lines.values() for name, cost in costs.items() if cost)
    counters = {
        name: {line: costs[name] for line, costs in sorted(lines.items()) if line and costs[name]}
        for name in names
    }
    return note(cell, source, counters=counters)


# ---- cards ----


def line(kind: str, title: str, text: str = "") -> Page:
    """One line: a short title in the colour of `kind`, then a sentence."""
    rest = f" · {prose(text)}" if text else ""
    plain = f"{title}: {text}" if text else title
    return Page(card(kind, heading(kind, prose(title), rest)), plain)


def notice(text: str, button: str = "") -> Page:
    """A sentence that says what to do next, with the HTML of a button that does it, if any."""
    return boxed("warning", sentences(text), Page(button, ""))


def failure(error: CudaError) -> Page:
    """What a kernel or its launch did wrong, under the line that did it."""
    what = of_error(error)
    return replace(boxed("error", explain(what)), note=marked(what))


def warning(hazard: HazardReport, source: str, cell: str = "") -> Page:
    """Something the simulated GPU saw that stopped nothing."""
    what = of_hazard(hazard, source, cell)
    page = boxed("warning", explain(what, "warning", "Worth a look"))
    return replace(page, note=marked(what, "warning"))


def crash(error: Exception) -> Page:
    """What a real GPU reports, some time after the launch that caused it."""
    text = (
        f"{error}. The GPU does not say which line did it, and most such errors make every later "
        "call fail too, until you restart the notebook's kernel (menu Kernel, Restart Kernel). "
        "Then launch the same thing with `watch`: the simulated GPU names the line."
    )
    return Page(card("error", heading("error", "The GPU stopped"), paragraph(text)), text)


def printed(case: str, text: str) -> Page:
    """What a kernel printed in one case of an exercise."""
    title, text = f"Printed (case: {case})", shortened(visible(text))
    frame = f'<pre style="{FRAME}">{escape(text)}</pre>'
    return Page(card("note", heading("note", escape(title)), frame), f"{title}\n{text}")


def hint(title: str, text: str) -> Page:
    """One of the exercise's hints."""
    return Page(card("note", heading("note", title), paragraph(text)), f"{title}: {text}")
