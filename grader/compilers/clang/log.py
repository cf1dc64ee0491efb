"""clang's log, read.

Such as:

    /learner/kernel.cu:8:10: error: no matching function for call to 'helper'
    /learner/kernel.cu:2:18: note: candidate function not viable: requires 2 arguments, but 1 was
    In file included from /learner/kernel.cu:1:
    /.../cuda_fp16.h:4690:25: error: unknown type name 'half'
    error: ran out of registers
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...cuda.diagnostics import Diagnostic, Note, bounded
from ...cuda.sanitize import lines_of
from ..compiler import SOURCE_NAME
from ..headers import included_as
from ..out_of_reach import named
from .llvm_text import MAY_BE
from .source import NAMES_FILE

_PLACE = r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+)"
_HEAD = re.compile(rf"(?:{_PLACE}: )?(?P<kind>fatal error|error|warning|note): (?P<message>.*)")
_INCLUDED = re.compile(rf"In file included from {re.escape(SOURCE_NAME)}:(?P<line>\d+)[:,]")
# A message that ends the list, and one about another that was told.
_NO_ERRORS = re.compile(r"too many errors emitted|\d+ errors? generated")
_USED = re.compile(r"in (?:instantiation of|evaluation of)|expanded from macro|in call to")
_HOST = re.compile(r"call to __host__ function from")
_STOP = re.compile(r"\s*(?:#|%:)\s*error\b")
_FLAG = re.compile(r" \[-W[^]]*\]$")
# The system's reason for not opening a file would tell whether there is one.
_NOT_FOUND = re.compile(r"^(?:cannot open file )?'([^']*)'(?: file not found|: [A-Z][\w ]*).*")
_PATHS = re.compile(r"'(?:/[^'\s]*|[A-Za-z]:\\[^'\s]*)[/\\]([^'/\\]+)'")


@dataclass
class _Entry:
    """One message. `included`: the learner's line of the #include that brought its file."""

    head: re.Match[str]
    included: int | None
    notes: list[_Entry] = field(default_factory=list)

    @property
    def own(self) -> bool:
        return self.head["file"] == SOURCE_NAME

    @property
    def message(self) -> str:
        text = _PATHS.sub(r"'\1'", self.head["message"].strip())
        text = _FLAG.sub("", text)
        return _NOT_FOUND.sub(r"cannot open source file '\1'", text)


def diagnostics(log: str, source: str) -> tuple[Diagnostic, ...]:
    """The errors in `log`, each at a line of `source`; none if the log tells of none."""
    lines = lines_of(source)
    errors = (entry for entry in _entries(log) if entry.head["kind"] != "warning")
    found = [_diagnostic(entry, lines) for entry in errors]
    return bounded(dict.fromkeys(named(one, lines) for one in found)) if found else ()


def warnings(log: str, source: str) -> tuple[Diagnostic, ...]:
    """What clang doubts in `source` itself; `flags` says what it is asked to doubt."""
    lines = lines_of(source)
    doubts = (entry for entry in _entries(log) if entry.head["kind"] == "warning" and entry.own)
    doubts = (one for one in doubts if MAY_BE not in one.message)  # for us alone
    return bounded(dict.fromkeys(Diagnostic(one.message, *_at(one, lines)) for one in doubts))


def _entries(log: str) -> Iterator[_Entry]:
    """The errors and warnings, each with its notes."""
    told, included = None, None
    for row in log.split("\n"):
        if found := _INCLUDED.match(row):  # told once for all errors of one header
            included = int(found["line"])
            continue
        head = _HEAD.fullmatch(row)
        if head is None or _NO_ERRORS.search(row):
            continue
        entry = _Entry(head, included)
        if head["kind"] != "note":
            if told:
                yield told
            told = entry
        elif told:
            told.notes.append(entry)
    if told:
        yield told


def _diagnostic(error: _Entry, lines: list[str]) -> Diagnostic:
    own = [note for note in error.notes if note.own]
    if (host := _host_function(error, own, lines)) is not None:
        return host
    if error.own:
        line, column = _at(error, lines)
        message = f"#error directive: {error.message}" if _STOP.match(lines[line - 1]) else ""
        return Diagnostic(message or error.message, line, column, _notes(own, lines))
    used = [_at(note, lines)[0] for note in own if _USED.search(note.head["message"])]
    used += [line for line in (error.included,) if line]
    line = min((used or [_first_include(lines)])[0], len(lines))
    return Diagnostic(_where(error) + error.message, line, None, _notes(own, lines))


def _notes(entries: list[_Entry], lines: list[str]) -> tuple[Note, ...]:
    return tuple(_note(one, lines) for one in entries)


def _host_function(error: _Entry, notes: list[_Entry], lines: list[str]) -> Diagnostic | None:
    """A function that lacks `__device__`: told where it is defined, as NVRTC does."""
    for note in notes:
        if _HOST.search(note.head["message"]):
            line, column = _at(note, lines)
            called = Note("it is called here", *_at(error, lines)) if error.own else None
            return Diagnostic(_NO_DEVICE, line, column, (called,) if called else ())
    return None


_NO_DEVICE = (
    "a function without __device__ or __global__ before it belongs to the host, and a kernel "
    "cannot call it; write __device__ before it"
)


def _where(error: _Entry) -> str:
    name = included_as(error.head["file"])
    if name == NAMES_FILE:
        return f"{NAMES_FILE}: "
    return f"{name}, line {error.head['line']}: " if name else ""


def _at(entry: _Entry, lines: list[str]) -> tuple[int, int]:
    """The line from 1, and the column from 0 in characters, where clang counts bytes from 1."""
    line = min(max(int(entry.head["line"]), 1), len(lines))
    before = lines[line - 1].encode()[: int(entry.head["column"]) - 1]
    return line, len(before.decode(errors="ignore"))


def _note(entry: _Entry, lines: list[str]) -> Note:
    return Note(entry.message, *_at(entry, lines))


def _first_include(lines: list[str]) -> int:
    found = (n for n, line in enumerate(lines, start=1) if re.match(r"\s*(#|%:)\s*include\b", line))
    return next(found, 1)
