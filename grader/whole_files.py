"""Reading a text that a person names. Writing a file so that nobody ever sees the half of it, also
when the disk is full."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from .errors import BadInput


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


def whole(path: Path, content: str | bytes, mode: int = 0o666) -> None:
    """Put `content` (text as UTF-8, line ends as they are) in place of what `path` holds. `mode`:
    its rights, less what the umask takes away."""
    data = content.encode() if isinstance(content, str) else content
    part = _part(path)
    try:
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(data)
        part.replace(path)
    except BaseException as error:
        with suppress(OSError):  # also where nothing may be written
            part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename, error.filename2 = str(path), None  # nobody knows of the part
        raise


def filed(path: Path, content: str | bytes, mode: int = 0o666) -> None:
    """The same, in a folder that is made if there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole(path, content, mode)


def linked(path: Path, twin: Path) -> bool:
    """Put the file `twin` in place of what `path` holds, so that both are one on the disk: for what
    is never written to again, only replaced. False if the file system cannot do that."""
    part = _part(path)
    try:
        os.link(twin, part)
        part.replace(path)
    except OSError:  # no links there, no more of them, or no twin any longer
        part.unlink(missing_ok=True)
        return False
    return True


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}")
