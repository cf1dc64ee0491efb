"""What can go wrong that somebody can mend, by who that is. Each message is one sentence, or two:
what is wrong, and what to do. Whatever else is raised is a fault of the grader's own.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator


class CourseError(Exception):
    """The message is for whoever gave the command, who reads nothing else."""


class NotInCourse(CourseError, LookupError):
    """There is no such lesson, exercise or benchmark; the message names those there are."""


class AuthorError(CourseError):
    """A lesson's author can mend it; the message says in which file and, where known, which line."""


class LearnerError(CourseError):
    """What was handed in, or given to be judged, cannot be read."""


class InstructorError(CourseError):
    """Whoever runs the course can mend it: a step is missing, or two commands meet."""


class MachineError(CourseError):
    """The disk, the gradebook's file or the network, and neither the course nor who uses it."""


GO_ON = "What is done stays done; then give the same command again and it goes on."
_FULL = {errno.ENOSPC, errno.EDQUOT}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}

# By SQLite's primary result code; its extended ones have it in the lowest byte.
_GRADEBOOK = {
    sqlite3.SQLITE_BUSY: "Somebody else, perhaps formgrader, keeps the gradebook locked: wait "
    "until they are done.",
    sqlite3.SQLITE_LOCKED: "Somebody else, perhaps formgrader, keeps the gradebook locked: wait "
    "until they are done.",
    sqlite3.SQLITE_FULL: "The disk is full, and the gradebook cannot be written: make room.",
    sqlite3.SQLITE_IOERR: "The disk fails to read or write the gradebook: see whether it is full "
    "or broken.",
    sqlite3.SQLITE_READONLY: "The gradebook may not be written: give yourself the right to write "
    "gradebook.db and its folder.",
    sqlite3.SQLITE_CANTOPEN: "The gradebook cannot be opened: give yourself the right to write "
    "gradebook.db and its folder.",
    sqlite3.SQLITE_PERM: "The gradebook may not be opened: give yourself the right to write "
    "gradebook.db and its folder.",
    sqlite3.SQLITE_NOTADB: "gradebook.db is damaged, it is no database: put back a copy of it.",
    sqlite3.SQLITE_CORRUPT: "gradebook.db is damaged: put back a copy of it.",
    sqlite3.SQLITE_ERROR: "gradebook.db has not the tables of this nbgrader: put back a copy of it, "
    "or, after an upgrade of nbgrader, run `nbgrader db upgrade`.",
}


def of_the_machine(error: BaseException | None) -> MachineError | None:
    """What the machine did to cause `error`, from the error numbers of the exceptions that led to
    it; None when it did nothing."""
    for cause in _chain(error):
        if isinstance(cause, MachineError):
            return cause
        if isinstance(cause, sqlite3.Error) and (said := _of_sqlite(cause)):
            return MachineError(f"{said} {GO_ON}")
        if isinstance(cause, OSError) and cause.errno:
            return MachineError(f"{_of_files(cause)} {GO_ON}")
        if isinstance(cause, MemoryError):
            return MachineError(f"This machine has no memory left: end other programs. {GO_ON}")
    return None


def is_busy(error: MachineError) -> bool:
    """Whether somebody else held the gradebook, so that it is worth another try."""
    codes = (getattr(cause, "sqlite_errorcode", 0) & 0xFF for cause in _chain(error))
    return any(code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) for code in codes)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _of_sqlite(error: sqlite3.Error) -> str:
    return _GRADEBOOK.get(getattr(error, "sqlite_errorcode", -1) & 0xFF, "")


def _of_files(error: OSError) -> str:
    where = ascii(str(error.filename))[1:-1] if error.filename else ""
    if error.errno in _FULL:
        return f"The disk is full{f' at {where}' if where else ''}: make room."
    if error.errno in _FORBIDDEN:
        return f"{where or 'A file'} is not yours to write ({error.strerror}): mend that."
    return f"{where or 'A file or connection'} cannot be used ({error.strerror}): mend that."
