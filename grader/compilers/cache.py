"""What was compiled, and what reasoning came to, kept on disk by content, for all processes of one
user.

The judge's confined processes write here, so an entry is data that is checked, never code: that
rules out the libraries at hand (diskcache, joblib and cachelib unpickle what they find, and
diskcache's SQLite locks cannot be had behind Landlock). An entry is one file: a line with the
SHA-256 of the rest, a line of JSON, the content. What is torn or garbled is a miss.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from ..cuda.diagnostics import Diagnostic
from .compiler import Program

MOST_BYTES = 256 << 20
_SWEPT_BY = "00", "40", "80", "c0"  # keys' beginnings: one entry in 64 pays for a look at all


def folder() -> Path:
    return base() / "warpwise"


def base() -> Path:
    """The user's folder for caches."""
    given = os.environ.get("XDG_CACHE_HOME")
    return Path(given) if given else home() / ".cache"


def home() -> Path:
    """The user's own folder. Who has none, such as the number that a container runs as, gets a
    path where nothing can be: nothing is kept then, and nothing else is lost."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(os.devnull)


def find(key: str) -> Program | None:
    """The program kept under `key` (hexadecimal); None if there is none, or it is damaged."""
    if (found := entry(key)) is None:
        return None
    about, code = found
    try:
        warnings = msgspec.convert(about["warnings"], tuple[Diagnostic, ...])
        return Program(code, dict(about["names"]), warnings=warnings)
    except (ValueError, KeyError, TypeError, msgspec.ValidationError):
        return None


def keep(key: str, program: Program) -> None:
    warnings = msgspec.to_builtins(program.warnings)
    keep_entry(key, {"names": program.names, "warnings": warnings}, program.code)


def entry(key: str) -> tuple[dict[str, Any], bytes] | None:
    """What is kept under `key`, and what was said about it; None as of `find`."""
    path = folder() / key
    try:
        digest, _, content = path.read_bytes().partition(b"\n")
        if digest.decode() != hashlib.sha256(content).hexdigest():
            return None
        head, _, rest = content.partition(b"\n")
        about = json.loads(head)
        if about["key"] != key:
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    with suppress(OSError):
        os.utime(path)  # the least recently used go first
    return about, rest


def keep_entry(key: str, about: dict[str, Any], content: bytes) -> None:
    """Write it so that a reader sees the whole of it or nothing. A cache that cannot be written
    costs time and nothing else."""
    head = json.dumps({"key": key, **about}).encode()
    content = b"\n".join((head, content))
    digest = hashlib.sha256(content).hexdigest().encode()
    with suppress(OSError):
        folder().mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder(), delete=False) as part:
            part.write(digest + b"\n" + content)
        Path(part.name).replace(folder() / key)
        if key.startswith(_SWEPT_BY):
            evict(MOST_BYTES)


def evict(most_bytes: int) -> None:
    """Remove the least recently used until three quarters of `most_bytes` are left, if there are
    more. What another process removes at the same time is gone all the same."""
    with os.scandir(folder()) as entries:
        files = [(found.stat(), found.path) for found in entries if found.is_file()]
    size = sum(stat.st_size for stat, _ in files)
    if size <= most_bytes:
        return
    for stat, path in sorted(files, key=lambda file: file[0].st_mtime):
        if size <= most_bytes * 3 // 4:
            return
        Path(path).unlink(missing_ok=True)
        size -= stat.st_size
