"""diff(): what was changed from one kernel to the next."""

from __future__ import annotations

from html import escape

from ..judge.beside import changes
from .html import FRAME, Page
from .kernel import Kernel

_TINTS = {"-": "rgba(213, 94, 0, 0.18)", "+": "rgba(0, 114, 178, 0.16)"}  # told apart by all eyes


def diff(before: Kernel, after: Kernel) -> Page:
    """The lines that differ between the cells of two kernels, `-` gone and `+` new. The comment
    at the head of a cell is left out."""
    return rows(changes(before.source, after.source))


def rows(lines: tuple[str, ...]) -> Page:
    """The rows of a difference, in colour."""
    html = "\n".join(
        f'<span style="background: {_TINTS.get(line[0], "none")}">{escape(line)}</span>'
        for line in lines
    )
    return Page(f'<pre style="{FRAME}">{html}</pre>', "\n".join(lines))
