"""What can go wrong that somebody can fix, by who that is. Each message is one sentence, or two:
what is wrong, and what to do. Whatever else is raised is a fault of the grader's own.

Numbers of things in words, as sentences have them.
"""

import errno
import sqlite3
from collections.abc import Iterator
from typing import TypeVar

Held = TypeVar("Held")


class CourseError(Exception):
    """The message is for whoever gave the command, who reads nothing else."""


class NotInCourse(CourseError, LookupError):
    """There is no such lesson, exercise or benchmark; the message names those there are."""


class AuthorError(CourseError):
    """A lesson's author can fix it; the message says in which file and on which line."""


def unless(holds: Held | None, error: Exception) -> Held:
    """Raises the error unless that holds; returns it, which then is not None."""
    if not holds:
        raise error
    return holds


class LearnerError(CourseError):
    """What was handed in, or given to be judged, cannot be read."""


class BadInput(LearnerError):
    """There is nothing to judge; the message is one sentence."""


class MachineError(CourseError):
    """The disk, the gradebook's file or the network, and neither the course nor who uses it."""


# The extras of pyproject.toml that bring a module which the course does not need everywhere.
EXTRAS = {
    **dict.fromkeys(("latex2mathml", "livereload", "nbclient"), "classroom"),
    **dict.fromkeys(("nbgrader", "nh3", "openpyxl", "tomlkit"), "classroom"),
    "z3": "proofs",
    "cupy": "gpu",
    "distributed": "cluster",
}
GO_ON = "What is done stays done; then give the same command again and it goes on."
_FULL = {errno.ENOSPC, errno.EDQUOT}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
_OUT_OF_ORDER = {errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ESTALE, errno.ENOLCK}

_BUSY = "Somebody else, perhaps formgrader, keeps the gradebook locked: wait until they are done."
# By SQLite's primary result code; its extended ones have it in the lowest byte.
_GRADEBOOK = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
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
    sqlite3.SQLITE_ERROR: "gradebook.db has not this nbgrader's tables: put back a copy of it or, "
    "after an upgrade of nbgrader, run `nbgrader db upgrade`.",
}


def of_the_machine(error: BaseException | None) -> MachineError | None:
    """What the machine did to cause `error`, from the error numbers of the exceptions that led to
    it; None when it did nothing. That a file is not there, or is none, is not the machine's."""
    for cause in _chain(error):
        if isinstance(cause, MachineError):
            return cause
        code = getattr(cause, "sqlite_errorcode", -1)
        if isinstance(cause, sqlite3.Error) and (said := _GRADEBOOK.get(code & 0xFF)):
            return MachineError(f"{said} {GO_ON}")
        if isinstance(cause, OSError) and cause.errno in _FULL | _FORBIDDEN | _OUT_OF_ORDER:
            return of_a_file(cause)
        if isinstance(cause, MemoryError):
            return MachineError(f"This machine has no memory left: end other programs. {GO_ON}")
    return None


def of_a_file(error: OSError) -> MachineError:
    """What is to be fixed where a file, a folder or a connection cannot be used."""
    where = ascii(str(error.filename))[1:-1] if error.filename else ""
    if error.errno in _FULL:
        said = f"The disk is full{where and f' at {where}'}: make room."
    elif error.errno in _FORBIDDEN:
        said = (
            f"{where or 'A file'} may not be used by you ({error.strerror}): fix its permissions."
        )
    else:
        said = f"{where or 'A file or connection'} cannot be used ({error.strerror or error})."
    return MachineError(f"{said} {GO_ON}")


def of_an_extra(error: BaseException | None) -> MachineError | None:
    """What to install where something that `error` is about belongs to an extra."""
    named = error.name if isinstance(error, ModuleNotFoundError) else None
    module = (named or "").partition(".")[0]
    return (
        MachineError(
            f"This needs the course's extra [{EXTRAS[module]}], which a learner's install leaves "
            f'out ({module} is missing): pip install "warpwise[{EXTRAS[module]}]".'
        )
        if module in EXTRAS
        else None
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


# ---- numbers in words ----


def counted(number: float, noun: str, many: str = "") -> str:
    """E.g. "1 warp", "3,000 warps", "2.5 points"; `many` where more than one of them is called
    otherwise than with an s."""
    shown = f"{int(number):,}" if number == int(number) else f"{number:g}"
    return f"{shown} {noun if number == 1 else many or noun + 's'}"


def some(names: list[str], shown: int = 5) -> str:
    """The first few of these names, of which there may be hundreds; and how many there are more."""
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" if more > 0 else "")
