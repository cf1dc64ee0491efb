"""The course's secret: what the hidden cases are drawn from, the same for the whole class."""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path


def seed(secret_file: Path, exercise_id: str) -> int:
    """The official seed of an exercise, below 2**48; makes the secret when there is none yet."""
    digest = hashlib.sha256(f"{secret(secret_file)}\n{exercise_id}".encode()).digest()
    return int.from_bytes(digest[:6], "big")


def secret(path: Path) -> str:
    """The course's secret, made when there is none yet."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            draft.touch(mode=0o600)
            draft.write_text(secrets.token_hex(32), encoding="utf-8")
            # Linking is atomic: who comes second, perhaps in another process, keeps the first's.
            with suppress(FileExistsError):
                os.link(draft, path)
        finally:
            draft.unlink(missing_ok=True)
    return path.read_text(encoding="utf-8")
