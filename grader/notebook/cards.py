"""What a learner is told, as cards: a sentence, a failure under its source line, a hint."""

from __future__ import annotations

from html import escape

from grader.cuda.errors import CudaError
from grader.cuda.sanitize import visible
from grader.judge.verdict import shortened
from grader.watch.findings import Hazard

from . import diagnosis
from .html import FRAME, Page, card, heading, paragraph, prose


def line(kind: str, title: str, text: str = "") -> Page:
    """One line: a short title in the colour of `kind`, then a sentence."""
    rest = f" · {prose(text)}" if text else ""
    plain = f"{title}: {text}" if text else title
    return Page(card(kind, heading(kind, prose(title), rest)), plain)


def notice(text: str) -> Page:
    """A sentence that says what to do next."""
    return Page(card("warning", paragraph(text)), text)


def failure(error: CudaError) -> Page:
    """What a kernel or its launch did wrong, under the line that did it. The source is the
    error's attribute of that name, and so is its cell: `failures.about` sets both."""
    shown = diagnosis.explain(diagnosis.of_error(error))
    return Page(card("error", shown.html), shown.text)


def crash(error: Exception) -> Page:
    """What a real GPU reports, some time after the launch that caused it."""
    text = (
        f"{error}. The GPU does not say which line did it, and most such errors make every later "
        "call fail too, until you restart the notebook's kernel (menu Kernel, Restart Kernel). "
        "Then launch the same thing with `watch`: the simulated GPU names the line."
    )
    return Page(card("error", heading("error", "The GPU stopped"), paragraph(text)), text)


def warning(hazard: Hazard, source: str, cell: str = "") -> Page:
    """Something the simulated GPU saw that stopped nothing."""
    what = diagnosis.of_hazard(hazard, source, cell)
    shown = diagnosis.explain(what, "warning", "Worth a look")
    return Page(card("warning", shown.html), shown.text)


def printed(case: str, text: str) -> Page:
    """What a kernel printed in one case of an exercise."""
    title, text = f"Printed (case: {case})", shortened(visible(text))
    html = card(
        "note", heading("note", escape(title)), f'<pre style="{FRAME}">{escape(text)}</pre>'
    )
    return Page(html, f"{title}\n{text}")


def hint(number: int, count: int, text: str) -> Page:
    """The exercise's hint `number` of `count`, counted from 1."""
    title = f"Hint {number} of {count}"
    html = card("note", heading("note", title), paragraph(text))
    return Page(html, f"{title}: {text}")


def hint_on(status: str, text: str) -> Page:
    """The exercise's hint for what the last check ended in."""
    title = f"A hint for: {status.replace('_', ' ')}"
    return Page(card("note", heading("note", title), paragraph(text)), f"{title}: {text}")
