"""The text of a file that somebody names."""

from __future__ import annotations

from pathlib import Path

from ..errors import BadInput


def read_text(path: Path) -> str:
    """The file's text; BadInput if there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise BadInput(f"There is no file {path}.") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not a text file (UTF-8).") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
