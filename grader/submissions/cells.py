"""A source text that somebody hands in: of a `%%cuda NAME` cell, or of a file.

JupyterLab numbers the lines of a cell from its first, which is the magic's. So a cell's source is
the cell with a blank line in place of the magic's: whatever is said of line 5 of it, by compiler,
simulated GPU, judge or feedback, is said of line 5 of the cell. This is the one place that knows.
"""

import re
from pathlib import Path

from ..errors import BadInput

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


def read_text(path: Path) -> str:
    """The text of a file; BadInput if there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise BadInput(f"There is no file {path}.") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not a text file (UTF-8).") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
