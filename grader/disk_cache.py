"""Results kept on disk by content, for all processes of one user.

The judge's confined processes write here, so an entry is data that is checked, never code: that
rules out the libraries at hand (diskcache, joblib and cachelib unpickle what they find, and
diskcache's SQLite locks cannot be had behind Landlock). An entry is one file: a line with a
SHA-256, then a value as msgpack, which a reader converts to the type it expects. An entry that is
torn, garbled, of another key or of another type is a miss.
"""

import hashlib
import hmac
import os
import traceback
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from .whole_files import filed

Value = TypeVar("Value")

MOST_BYTES = 256 << 20


@dataclass(frozen=True)
class DiskCache:
    """A folder with one file for each entry. Keys are hexadecimal digests of all that a value
    depends on. An entry with a `secret` can be read and written only by those who know it."""

    folder: Path
    most_bytes: int | None = None  # of all files together; None: nothing is ever removed

    def read(self, key: str, kind: type[Value], secret: bytes = b"") -> Value | None:
        """The value under `key`, of the type `kind`; None if there is none, or it is damaged."""
        path = self.folder / key
        try:
            digest, _, content = path.read_bytes().partition(b"\n")
            if not hmac.compare_digest(digest, sealed(secret, key, content)):
                return None
            value = msgspec.msgpack.decode(content, type=kind)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        if self.most_bytes is not None:  # the least recently used go first
            with suppress(OSError):
                os.utime(path)
        return value

    def add(self, key: str, value: object, secret: bytes = b"") -> None:
        """Write an entry that only this user can read, so that a reader sees the whole of it or
        nothing. OSError where nothing can be written."""
        content = msgspec.msgpack.encode(value)
        filed(self.folder / key, sealed(secret, key, content) + b"\n" + content, 0o600)
        if key.startswith(("00", "40", "80", "c0")):  # one entry in 64 pays for a look at all
            self.evict()

    def evict(self) -> None:
        """Remove the least recently used files until three quarters of `most_bytes` are left, if
        there are more. A file that another process removes at the same time is gone as well."""
        if self.most_bytes is None:
            return
        with os.scandir(self.folder) as entries:
            files = [(entry.stat(), entry.path) for entry in entries if entry.is_file()]
        size = sum(stat.st_size for stat, _ in files)
        over = size - self.most_bytes * 3 // 4 if size > self.most_bytes else 0
        for stat, path in sorted(files, key=lambda file: file[0].st_mtime):
            if over > 0:
                Path(path).unlink(missing_ok=True)
                over -= stat.st_size


def sealed(secret: bytes, key: str, content: bytes) -> bytes:
    """The code of a content under its key: nobody without the secret can tell it."""
    return hmac.new(secret, f"{key}\n".encode() + content, hashlib.sha256).hexdigest().encode()


def of_user() -> DiskCache:
    """This user's cache of programs and of reasoning, which any process of theirs can write."""
    return DiskCache(cache_home() / "warpwise", MOST_BYTES)


def kept(error: Exception) -> tuple[str, str]:
    """Where a fault of ours arose, as "FILE, line 3", and the user's file with its traceback, ""
    where none can be written. The same error is kept in the same file, so that a verdict is the
    same each time."""
    last, written = traceback.extract_tb(error.__traceback__)[-1], ""
    lines = "".join(traceback.format_exception(error))
    with suppress(OSError):
        digest = hashlib.sha256(lines.encode()).hexdigest()[:8]
        path = of_user().folder / f"stumbled-{digest}.traceback.txt"
        filed(path, lines)
        written = str(path)
    return f"{Path(last.filename).name}, line {last.lineno}", written


def cache_home() -> Path:
    """The user's folder for caches."""
    return Path(os.environ.get("XDG_CACHE_HOME") or user_home() / ".cache")


def user_home() -> Path:
    """The user's own folder. A user who has none, such as the number that a container runs as,
    gets a path where nothing can be: nothing is cached then, and nothing else is lost."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(os.devnull)
