"""The text of a `%%cuda NAME` cell as a source, whose lines count as JupyterLab shows them.

JupyterLab numbers the lines of a cell from its first, which is the magic's. So a cell's source is
the cell with a blank line in place of the magic's: whatever is said of line 5 of it, by compiler,
simulated GPU, judge or feedback, is said of line 5 of the cell. This is the one place that knows.
"""

from __future__ import annotations

import re

# The magic's line, and blank ones before it.
_MAGIC = re.compile(r"\s*%%cuda\b[^\n]*(?:\n|\Z)")


def cuda_source(cell: str) -> str:
    """The CUDA source in the text of a cell; of one without the magic, the text itself."""
    match = _MAGIC.match(cell)
    return below_magic(cell[match.end() :], match[0].count("\n")) if match else cell


def as_typed(source: str, name: str) -> str:
    """The source as the cell of exercise `name` shows it: with the magic's line."""
    return f"%%cuda {name}{source}" if source.startswith("\n") else source


def below_magic(body: str, lines: int = 1) -> str:
    """The source of which `body` is what stands below the magic, after so many lines."""
    return "\n" * lines + body
