"""What a learner is told, as cards: a sentence, a failure under its source lines, a hint; and what
a card says to the notebook's editor, in its output's metadata under "warpwise".

Our labextension shows that at the lines of the `%%cuda` cell it is about, for as long as the cell
holds the text that was run; where there is none, nobody reads it. The form is in its facts.js
(grader/learner/jupyter/labextensions/warpwise/static).

The few HTML pieces that cards are made of, each with a plain-text twin.

Styles are inline and lean on JupyterLab's CSS variables, or on VS Code's, so that a card follows
the light or the dark theme, with a fallback for pages (nbconvert's, a browser's) that have neither.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from textwrap import wrap
from typing import Any
from zlib import crc32

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
from grader.status import headline
from grader.watch.findings import HazardReport


def variable(jupyterlab: str, vscode: str, otherwise: str) -> str:
    """A value of the page's theme, by what JupyterLab and VS Code call it."""
    return f"var(--jp-{jupyterlab}, var(--vscode-{vscode}, {otherwise}))"


TEXT = variable("ui-font-color1", "editor-foreground", "#212121")
MUTED = variable("content-font-color2", "descriptionForeground", "#616161")
BORDER = variable("border-color2", "panel-border", "#e0e0e0")
PAPER = variable("layout-color1", "editor-background", "#ffffff")
RAISED = variable("layout-color2", "textCodeBlock-background", "#eeeeee")
CODE_FONT = "var(--jp-code-font-family, Menlo, Consolas, 'DejaVu Sans Mono', monospace)"
ACCENTS = {
    "error": variable("error-color1", "editorError-foreground", "#d32f2f"),
    "warning": variable("warn-color0", "list-warningForeground", "#c43e00"),
    "success": variable("success-color1", "terminal-ansiGreen", "#2e7d32"),
    "note": variable("brand-color1", "textLink-foreground", "#1976d2"),
}
_TINTS = {  # laid over either theme's background
    "error": "rgba(229, 57, 53, 0.16)",
    "warning": "rgba(245, 124, 0, 0.18)",
}
_CARD = (
    f"color: {TEXT}; background: {PAPER}; border: 1px solid {BORDER}; "
    "border-left: 4px solid {accent}; border-radius: 3px; padding: 8px 14px; margin: 4px 0; "
    "max-width: 960px; line-height: 1.5; font-size: var(--jp-content-font-size1, 14px); "
    "font-family: var(--jp-content-font-family, system-ui, sans-serif);"
)
_CODE_PAPER = variable("cell-editor-background", "textCodeBlock-background", "#f7f7f7")
FRAME = (
    f"margin: 6px 0; padding: 6px 8px; border: 1px solid {BORDER}; overflow-x: auto; "
    "white-space: pre; "
    f"color: {TEXT}; background: {_CODE_PAPER}; "
    f"font-family: {CODE_FONT}; font-size: var(--jp-code-font-size, 13px); line-height: 1.5;"
)
OURS = "warpwise"  # in an output's metadata: it is the course's; cards.note says what is under it
_COLUMNS = 96  # of code that fit a card
_MOST_MARKED = 20  # lines of one excerpt
_CODE = (
    f"font-family: {CODE_FONT}; font-size: 0.95em; color: inherit; background: transparent; "
    "padding: 0;"
)


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
    return Page(card(kind, inside.html), inside.text)


def folded(summary: str, html: str, is_open: bool = False) -> str:
    """HTML that a click on its summary, HTML too, shows."""
    tag = "details open" if is_open else "details"
    return f'<{tag} style="margin: 6px 0"><summary>{summary}</summary>{html}</details>'


def button(label: str, does: str, name: str) -> str:
    """A button of a card that our labextension shows and follows (links.js): it `does` something
    with what is called `name`. Pages without the extension have none."""
    style = (
        "display: none; padding: 2px 12px; margin: 4px 0; text-decoration: none; "
        f"border: 1px solid {BORDER}; border-radius: 3px; background: {RAISED}; color: {TEXT}"
    )
    return f'<a class="warpwise-button" href="#{does}={name}" style="{style}">{label}</a>'


def card(kind: str, *parts: str) -> str:
    """A box whose left edge has the colour of `kind`, one of ACCENTS."""
    return f'<div style="{_CARD.format(accent=ACCENTS[kind])}">{"".join(parts)}</div>'


def unless_escaped(html: str) -> str:
    """`html`, hidden where it would be read as markup. A page made with `nbconvert
    --HTMLExporter.sanitize_html=True` shows a tag that it does not allow as text; it drops all
    styles then, and keeps classes, of which JupyterLab's and Bootstrap's style sheets hide these
    two."""
    return f'<div class="jp-FileSize-hidden hidden" style="display: block !important">{html}</div>'


def heading(kind: str, title: str, rest: str = "") -> str:
    """The card's first line: `title` in the colour of `kind`, then `rest` (both HTML)."""
    return f'<div style="margin: 2px 0 4px 0">{accented(kind, title)}{rest}</div>'


def accented(kind: str, title: str) -> str:
    """A title within a line, in the colour of its kind; `title` is HTML."""
    return f'<strong style="color: {ACCENTS[kind]}">{title}</strong>'


def paragraph(text: str, muted: bool = False) -> str:
    """`text` as a paragraph, with `code` between backticks and its line breaks kept."""
    return (
        f'<div style="margin: 4px 0; color: {MUTED if muted else TEXT}; white-space: pre-line">'
        f"{prose(text)}</div>"
    )


def prose(text: str) -> str:
    """Plain text as HTML, what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", lambda match: code(match[1], escaped=True), escape(text))


def code(text: str, escaped: bool = False) -> str:
    return f'<code style="{_CODE}">{text if escaped else escape(text)}</code>'


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A small left-aligned table; cells are HTML."""
    cell = (
        f"text-align: left; padding: 3px 16px 3px 0; border-bottom: 1px solid {BORDER};"
        f" background: transparent; color: {TEXT}; vertical-align: top; white-space: normal;"
    )
    head = "".join(f'<th style="{cell} color: {MUTED}; font-weight: 600">{h}</th>' for h in header)
    body = "".join(
        '<tr style="background: transparent">'
        + "".join(f'<td style="{cell}">{value}</td>' for value in row)
        + "</tr>"
        for row in rows
    )
    return (
        '<table style="border-collapse: collapse; margin: 6px 0; font-size: inherit; '
        f'table-layout: auto;"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
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
    return Page(_frame(rows, kind), "\n".join(row.text.rstrip() for row in rows))


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


_LINK = "color: inherit; text-decoration: underline"


def _frame(rows: list[_Row], kind: str) -> str:
    width = max(len(row.text) for row in rows)  # so that every highlight is equally long
    tint = _TINTS.get(kind, _TINTS["warning"])
    lines = []
    for row in rows:
        number, bar, rest = (row.text.ljust(width) if row.marked else row.text).partition(" |")
        linked = f'<a href="{row.link}" style="{_LINK}">{escape(number)}</a>' if row.link else ""
        line = f"{linked or escape(number)}{escape(bar + rest)}"
        span = f'<span style="background: {tint}; padding: 0.2em 0">{line}</span>'
        lines.append(span if row.marked else line)
    return f'<pre style="{FRAME}">' + "\n".join(lines) + "</pre>"


_CHANGED = {"-": "rgba(213, 94, 0, 0.18)", "+": "rgba(0, 114, 178, 0.16)"}  # for all eyes


def difference(lines: tuple[str, ...]) -> Page:
    """The rows of a difference, in colour."""
    html = "\n".join(
        f'<span style="background: {_CHANGED.get(line[0], "none")}">{escape(line)}</span>'
        for line in lines
    )
    return Page(f'<pre style="{FRAME}">{html}</pre>', "\n".join(lines))


_LONGEST = 300  # characters of what is said under a line


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
    crc = crc32(source.rstrip().encode("utf-8", "replace"))
    return {"cell": cell, "crc": crc, **said} if cell else {}


def marked(what: Diagnosis, severity: str = "error", **said: object) -> dict[str, Any]:
    """A note with the lines at which something is wrong."""
    marks = [
        {"line": line, "column": column, "severity": severity, "message": message}
        for line, column, message in [
            *((one.line, one.column, one.message) for one in what.diagnostics),
            *((line, None, str(what.message)[:_LONGEST]) for line in what.lines),
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
        card(kind, heading(kind, prose(title), f" · {prose(text)}" if text else "")),
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
    return Page(card("error", heading("error", "The GPU stopped"), paragraph(text)), text)


def printed(case: str, text: str) -> Page:
    """What a kernel printed in one case of an exercise."""
    title, text = f"Printed (case: {case})", shortened(visible(text))
    return Page(
        card("note", heading("note", escape(title)), f'<pre style="{FRAME}">{escape(text)}</pre>'),
        f"{title}\n{text}",
    )


def hint(title: str, text: str) -> Page:
    """One of the exercise's hints."""
    return Page(card("note", heading("note", title), paragraph(text)), f"{title}: {text}")
