"""What a learner is told, as cards: a sentence, a failure under its source lines, a hint; and what
a card says to the notebook's editor, in its output's metadata under "warpwise".

Our labextension shows that at the lines of the `%%cuda` cell it is about, for as long as the cell
holds the text that was run; where there is none, nobody reads it. The form is in its facts.js
(grader/learner/jupyter/labextensions/warpwise/static).

The HTML that cards are made of is in pieces.html; each piece has a plain-text twin.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from html import escape
from textwrap import wrap
from types import TracebackType
from typing import Any
from zlib import crc32

from IPython.core.getipython import get_ipython
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from jinja2 import Template
from markupsafe import Markup

from grader import cuda
from grader.cuda.errors import (
    CompileError,
    CudaError,
    DataRace,
    Diagnostic,
    Message,
    lines_of,
    visible,
    window,
)
from grader.grouped import grouped
from grader.judge.verdict import shortened
from grader.page_templates import page_template
from grader.status import headline
from grader.watch.findings import HazardReport

from ..errors import CourseError, unless

OURS = "warpwise"  # in an output's metadata: it is the course's; cards.note says what is under it

_COLUMNS = 96  # of code that fit a card
_MOST_MARKED = 20  # lines of one excerpt


@dataclass(frozen=True)
class Page:
    """Something to show: HTML where there is a browser, the same in plain text elsewhere."""

    html: str
    text: str
    note: dict[str, Any] = field(default_factory=dict)  # to the notebook's editor: see cards.note

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, str], dict[str, Any]]:
        return {"text/html": self.html, "text/plain": self.text}, {OURS: self.note}


def joined(*pages: Page) -> Page:
    """Pages one below the other."""
    return Page(
        "".join(page.html for page in pages), "\n".join(page.text for page in pages if page.text)
    )


def sentences(*texts: str, muted: bool = False) -> Page:
    """A paragraph for each text; none for one that is empty."""
    return joined(*(Page(paragraph(text, muted), text) for text in texts if text))


def boxed(kind: str, *pages: Page) -> Page:
    """Pages in one card."""
    inside = joined(*pages)
    return Page(html_of("card", kind, inside.html), inside.text)


def html_of(name: str, *given: Any, **named: Any) -> str:
    """The HTML of a piece, a macro of pieces.html."""
    return str(getattr(_template("pieces.html").module, name)(*given, **named))


def filled(page: str, **given: object) -> str:
    """A page of its own, by the name of its template in this folder."""
    return _template(page).render(given)


def _template(name: str) -> Template:
    return page_template(f"notebook/{name}", prose=prose, visible=visible)


def paragraph(text: str, muted: bool = False) -> str:
    """`text` as a paragraph, with `code` between backticks and its line breaks kept."""
    return html_of("paragraph", text, muted)


def prose(text: str) -> Markup:
    """Plain text as HTML, what stands between backticks as code."""
    return Markup(
        "".join(
            code(part) if at % 2 else escape(part)
            for at, part in enumerate(re.split(r"`([^`]+)`", text))
        )
    )


def code(text: str) -> str:
    return html_of("code", text)


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Rows of cells as text, in columns two spaces apart; those with the numbers `left` begin below
    each other, the others end there."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


@dataclass(frozen=True)
class _Row:
    """A row of an excerpt."""

    text: str
    marked: bool = False
    link: str = ""  # where its line number leads; it has one as in `> 12 |`


@dataclass(frozen=True)
class LineMark:
    """What to say under a source line."""

    message: str = ""
    column: int | None = None  # from 0; None where it is not known


def excerpt(
    source: str,
    marks: Mapping[int, Sequence[LineMark]],
    kind: str = "error",
    cell: str = "",
) -> Page:
    """The marked lines of `source` with two lines of context, numbered from 1, each mark's
    caret and message beneath its line. Empty when no marked line is in the source. The marked
    lines are links into the cell `%%cuda cell`, where there is one; our labextension
    follows them."""
    lines = lines_of(source)
    marks = {line: marks[line] for line in sorted(marks)[:_MOST_MARKED]}
    shown = sorted(
        {line + away for line in marks for away in range(-2, 3)} & set(range(1, len(lines) + 1))
    )
    if not set(marks) & set(shown):
        return Page("", "")
    rows: list[_Row] = []
    for previous, number in zip([shown[0] - 1, *shown], shown, strict=False):
        if number > previous + 1:
            rows.append(_Row("      ⋮"))
        is_marked, below = number in marks, marks.get(number, ())
        column = next((mark.column for mark in below if mark.column is not None), None)
        text, _ = window(lines[number - 1], column)
        link = f"#cuda={cell}:{number}" if cell and is_marked else ""
        rows += [
            _Row(f"{'>' if is_marked else ' '} {number:>3} | {visible(text)}", is_marked, link),
            *(
                _Row(row, marked=True)
                for mark in below
                for row in _underline(mark, lines[number - 1], text)
            ),
        ]
    return Page(html_of("excerpt", rows, kind), "\n".join(row.text.rstrip() for row in rows))


def _underline(mark: LineMark, raw: str, shown: str) -> list[str]:
    """The rows below a line of which `shown` is seen: a caret, unless its column is not, and the
    message beside it or, if long, beneath."""
    text, column = window(raw, mark.column)
    caret = "" if column is None or text != shown else " " * column + "^ "
    rows = visible(mark.message).split("\n")
    beneath = [*filter(None, [caret]), *(part for row in rows for part in wrap(row, _COLUMNS))]
    beside = [caret + rows[0]] if mark.message else []
    fits = len(rows) == 1 and len(caret) + len(rows[0]) <= _COLUMNS
    return [f"      | {row}" for row in (beside if fits else beneath)]


def difference(lines: tuple[str, ...]) -> Page:
    """The rows of a difference, in colour."""
    return Page(html_of("difference", lines), "\n".join(lines))


@dataclass(frozen=True)
class Diagnosis:
    """One thing that went wrong, and the source lines it is about."""

    status: str  # a verdict's
    message: Message
    source: str = ""
    kernel: str | None = None
    line: int | None = None  # from 1 in `source` (of a cell: see `grader.submissions.intake`)
    other_line: int | None = None  # of a race's second access
    diagnostics: tuple[Diagnostic, ...] = ()  # the compiler's
    cell: str = ""  # the name of the `%%cuda` cell to lead to, if any

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
        lines = (
            f"line {self.line}"
            if self.other_line in (None, self.line)
            else f"lines {self.line} and {self.other_line}"
        )
        return f"{lines} of your kernel" + (f" `{self.kernel}`" if self.kernel else "")


def of_error(error: CudaError) -> Diagnosis:
    """What an error says about its source, which is the error's attribute of that name, and so is
    its cell: `about` sets both."""
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
    reason = Page(
        html_of("folded", html_of("accented", "note", "Why"), paragraph(why)) if why else "", why
    )
    title, place = title or headline(what.status), what.place
    head = Page(
        html_of("heading", kind, prose(title), f" · {prose(place)}" if place else ""),
        f"{title}, {place}" if place else title,
    )
    return joined(
        *(head, sentences(first), reason, sentences(remedy)),
        excerpt(what.source, _marks(what), kind, cell=what.cell),
    )


def _marks(what: Diagnosis) -> dict[int, list[LineMark]]:
    """The lines that it is about, and what the compiler says of them."""
    found: list[tuple[int, LineMark]] = []
    for error in what.diagnostics:
        plain = [note.message for note in error.notes if note.line is None]
        found += [
            (error.line, LineMark("\n".join([error.message, *plain]), error.column)),
            *(
                (note.line, LineMark(note.message, note.column))
                for note in error.notes
                if note.line
            ),
        ]
    return {line: [] for line in what.lines} | grouped(dict.fromkeys(found))


# ---- for the editor ----


def note(cell: str, source: str, **said: object) -> dict[str, Any]:
    """What an output says of a cell that was run with this source; nothing without a cell."""
    return (
        {"cell": cell, "crc": crc32(source.rstrip().encode("utf-8", "replace")), **said}
        if cell
        else {}
    )


def marked(what: Diagnosis, severity: str = "error", **said: object) -> dict[str, Any]:
    """A note with the lines at which something is wrong."""
    marks = [
        {"line": line, "column": column, "severity": severity, "message": message}
        for line, column, message in [
            *((one.line, one.column, one.message) for one in what.diagnostics),
            *((line, None, str(what.message)[:300]) for line in what.lines),
        ]
    ]
    return note(what.cell, what.source, marks=marks, **said)


def costs(cell: str, source: str, lines: Mapping[int, Mapping[str, int]]) -> dict[str, Any]:
    """A note with what each line of a launch cost, by counter; without those that are zero."""
    counters = {
        name: {line: costs[name] for line, costs in sorted(lines.items()) if line and costs[name]}
        for name in dict.fromkeys(
            name for costs in lines.values() for name, cost in costs.items() if cost
        )
    }
    return note(cell, source, counters=counters)


# ---- cards ----


def line(kind: str, title: str, text: str = "") -> Page:
    """One line: a short title in the colour of `kind`, then a sentence."""
    return Page(
        html_of(
            "card",
            kind,
            html_of("heading", kind, prose(title), f" · {prose(text)}" if text else ""),
        ),
        f"{title}: {text}" if text else title,
    )


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
    return replace(
        boxed("warning", explain(what, "warning", "Worth a look")), note=marked(what, "warning")
    )


def crash(error: Exception) -> Page:
    """What a real GPU reports, some time after the launch that caused it."""
    text = (
        f"{error}. The GPU does not say which line did it, and most such errors make every later "
        "call fail too, until you restart the notebook's kernel (menu Kernel, Restart Kernel). "
        "Then launch the same thing with `watch`: the simulated GPU names the line."
    )
    return Page(
        html_of("card", "error", html_of("heading", "error", "The GPU stopped"), paragraph(text)),
        text,
    )


def printed(case: str, text: str) -> Page:
    """What a kernel printed in one case of an exercise."""
    title, text = f"Printed (case: {case})", shortened(visible(text))
    return Page(
        html_of(
            "card", "note", html_of("heading", "note", escape(title)), html_of("preformatted", text)
        ),
        f"{title}\n{text}",
    )


def hint(title: str, text: str) -> Page:
    """One of the exercise's hints."""
    return Page(
        html_of("card", "note", html_of("heading", "note", title), paragraph(text)),
        f"{title}: {text}",
    )


# ---- a learner's mistake ends its cell with a card instead of a traceback ----


class Notice(CourseError):
    """A sentence that tells the learner what to do next; `button` is the HTML of one that does."""

    def __init__(self, text: str, button: str = ""):
        super().__init__(text)
        self.button = button


def shell() -> InteractiveShell:
    """The notebook's; a Notice where there is none."""
    return unless(get_ipython(), Notice("This works in a notebook, or in IPython."))


def install(shell: InteractiveShell) -> None:
    """From now on a cell that ends in a CudaError or a CourseError, or in an error that a real GPU
    reports, shows its card.

    The cell still counts as failed: "Run All" stops there, and nbclient and nbconvert raise."""
    kinds: tuple[type[Exception], ...] = (CudaError, CourseError)
    if cuda.device == "gpu":
        gpu = cuda.xp.cuda
        kinds += (gpu.runtime.CUDARuntimeError, gpu.driver.CUDADriverError)
    shell.set_custom_exc(kinds, _show)


@contextmanager
def about(source: str, cell: str = "") -> Iterator[None]:
    """Give a CudaError raised inside the text it is about, that of `%%cuda cell`, so that its card
    can show the line, and the editor too."""
    try:
        yield
    except CudaError as error:
        error.source, error.cell = source, cell
        raise


def _show(
    shell: Any,  # ipykernel's, of which it keeps `_last_traceback`
    kind: type[Exception],
    error: Exception,
    traceback: TracebackType,
    tb_offset: int | None = None,
) -> list[str]:
    page = (
        notice(str(error), getattr(error, "button", ""))
        if isinstance(error, CourseError)
        else failure(error)
        if isinstance(error, CudaError)
        else crash(error)
    )
    display(page)
    rows = page.text.splitlines()
    shell._last_traceback = rows  # what ipykernel tells nbclient of the failure
    return rows
