"""diff(): what was changed from one kernel to the next."""

from __future__ import annotations

import difflib
from html import escape

from ..cuda.sanitize import lines_of
from .html import FRAME, Page
from .kernel import Kernel

_TINTS = {"-": "rgba(213, 94, 0, 0.18)", "+": "rgba(0, 114, 178, 0.16)"}  # told apart by all eyes


def diff(before: Kernel, after: Kernel) -> Page:
    """The lines that differ between the cells of two kernels, `-` gone and `+` new. The comment
    at the head of a cell is left out."""
    lines = _changes(_body(before.source), _body(after.source))
    html = "\n".join(
        f'<span style="background: {_TINTS.get(line[0], "none")}">{escape(line)}</span>'
        for line in lines
    )
    return Page(f'<pre style="{FRAME}">{html}</pre>', "\n".join(lines))


def _body(source: str) -> list[str]:
    lines = lines_of(source)
    while lines and (not lines[0].strip() or lines[0].startswith("//")):
        lines.pop(0)
    return [line.rstrip() for line in lines]


def _changes(before: list[str], after: list[str]) -> list[str]:
    """A row for each line that differs; a row of dots where lines between are the same."""
    rows: list[str] = []
    for line in list(difflib.unified_diff(before, after, n=0, lineterm=""))[2:]:
        if not line.startswith("@@"):
            rows.append(f"{line[0]} {line[1:]}".rstrip())
        elif rows:
            rows.append("  ⋮")
    return rows or ["  no line differs"]
