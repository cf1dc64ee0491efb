"""Writing a file so that nobody ever sees the half of it, also when the disk is full."""

from __future__ import annotations

import os
import threading
from pathlib import Path


def whole(path: Path, content: str | bytes, mode: int = 0o666) -> None:
    """Put `content` (text as UTF-8, line ends as they are) in place of what `path` holds. `mode`:
    its rights, less what the umask takes away."""
    data = content.encode() if isinstance(content, str) else content
    part = path.with_name(f".{path.name[:40]}.{os.getpid()}.{threading.get_ident()}")
    try:
        with open(part, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(data)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
