"""NVRTC's log, read: every form in which it, its front end and ptxas report an error.

Such as:

    /learner/kernel.cu(3): error: identifier "a" is undefined
      y[0] = a;
             ^
    At end of source: error: expected a "}"
    /learner/kernel.cu(1): note #3196-D: to match this "{"
      void k() {
               ^
    .../pair.h(580): error: no operator "<" matches these operands
                operand types are: const S < const S
        return __x.first < __y.first;
                         ^
              detected during instantiation of "void g(T)" at line 6 of /learner/kernel.cu
    ptxas application ptx input, line 25; error   : Not a name of any known instruction: 'foo'
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ..cuda.diagnostics import Diagnostic, Note, bounded
from ..cuda.sanitize import lines_of
from .comments import on_its_lines
from .compiler import SOURCE_NAME
from .headers import included_as
from .out_of_reach import named

_KIND = r"((?:catastrophic |internal |command-line )?error|warning|remark|note)"
_HEAD = re.compile(
    rf"(?:(?P<file>.+?)\((?P<line>\d+)\)|(?P<end>At end of source))?"
    rf"(?:: | |^)(?P<kind>{_KIND})(?: #(?P<number>\d+)[\w-]*)?: (?P<message>.*)",
    re.IGNORECASE,
)
_PTXAS = re.compile(r"ptxas\b(?: [^;]*;)?\s*(?:error|fatal)\s*: (?P<message>.*)")
_TRACE = re.compile(r"at line (?P<line>\d+)(?: of (?P<file>.+))?$")
_INCLUDE = re.compile(r'\s*(?:#|%:)\s*include\s*[<"]([^>"]*)[>"]')
# The system's reason for not opening a file would tell whether there is one.
_NOT_FOUND = re.compile(r'(cannot open source file "[^"]*"):.*')
_NO_SEMICOLON = 'expected a ";"'
_CARET = re.compile(r"\s*\^")
_COUNTS_BYTES = sys.platform != "win32"  # NVRTC, up to where its caret stands; there, characters


@dataclass
class _Entry:
    """One report. `rows` are what stands below its first line."""

    head: re.Match[str]
    rows: list[str]

    @property
    def own(self) -> bool:
        return self.head["file"] == SOURCE_NAME

    @property
    def wrong(self) -> bool:
        return self.head["kind"].lower().endswith("error")


def diagnostics(log: str, source: str) -> tuple[Diagnostic, ...]:
    """The errors in `log`, each at a line of `source`; none if the log tells of none."""
    lines = lines_of(source)
    rows = log.split("\n")
    found = _causes([_diagnostic(group, lines) for group in _groups(_entries(rows))])
    if not found:
        found = [_assembler(match, lines) for row in rows if (match := _PTXAS.match(row))]
    return bounded(dict.fromkeys(named(one, lines) for one in found))


_OUTSIDE = "A namespace scope variable without memory space"


def _causes(found: list[Diagnostic]) -> list[Diagnostic]:
    """Without what NVRTC makes of a line outside of all functions that it has refused already: any
    word there, such as `def`, would be a variable."""
    refused = {one.line for one in found if not one.message.startswith(_OUTSIDE)}
    return [one for one in found if not (one.message.startswith(_OUTSIDE) and one.line in refused)]


# What has hardly ever a good reason; unused variables and the like are none of it.
_DOUBTFUL = {
    "39": "division by zero",
    "61": "an integer too large",
    "62": "a shift by less than nothing",
    "63": "a shift by too much",
    "111": "a statement that is never reached",
    "170": "a pointer to outside of its array",
    "174": "an expression without effect",
    "175": "an index outside of its array",
    "186": "an unsigned integer compared with 0",
    "187": "= where == may be meant",
    "549": "a variable without a value",
    "940": "no value to return",
}


def warnings(log: str, source: str) -> tuple[Diagnostic, ...]:
    """What NVRTC doubts in `source` itself, where that is worth a learner's while."""
    lines = lines_of(source)
    found = [
        _diagnostic([entry], lines)
        for entry in _entries(log.split("\n"))
        if entry.own and entry.head["number"] in _DOUBTFUL
    ]
    return bounded(dict.fromkeys(found))


def _entries(rows: list[str]) -> Iterator[_Entry]:
    entry = None
    for row in rows:
        if head := _HEAD.fullmatch(row) if not row.startswith(" ") else None:
            if entry:
                yield entry
            entry = _Entry(head, [])
        elif entry:
            entry.rows.append(row)
    if entry:
        yield entry


def _groups(entries: Iterator[_Entry]) -> Iterator[list[_Entry]]:
    """Each error with the notes that follow it."""
    group: list[_Entry] = []
    for entry in entries:
        if entry.wrong:
            if group:
                yield group
            group = [entry]
        elif group and entry.head["kind"].lower() == "note":
            group.append(entry)
    if group:
        yield group


def _diagnostic(group: list[_Entry], lines: list[str]) -> Diagnostic:
    error, *others = group
    traces = [trace for entry in group for trace in _traces(entry)]
    notes = [_note(entry, lines) for entry in others if entry.own]
    message = _message(error)
    if error.own or error.head["end"]:
        line = min(int(error.head["line"] or len(lines)), len(lines))
        notes += [Note(f"{text} is here", n) for text, n in traces if n <= len(lines)]
        column = _column(error, lines)
        if message == _NO_SEMICOLON and column is not None:
            line, column = _before(line, column, lines)
        return Diagnostic(message, line, column, tuple(notes))
    name = included_as(error.head["file"])
    where = f"{name}, line {error.head['line']}: " if name else ""
    used = [number for _, number in traces] or [_include_line(name, lines)]
    return Diagnostic(where + message, min(used[0], len(lines)), None, tuple(notes))


def _before(line: int, column: int, lines: list[str]) -> tuple[int, int | None]:
    """Where the last token before that place ends: NVRTC names the one that it did not expect."""
    code = on_its_lines("\n".join([*lines[: line - 1], lines[line - 1][:column]]))
    at, last = code.count("\n") + 1, code.rpartition("\n")[2]
    return at, len(last) if lines[at - 1].startswith(last) else None


def _message(entry: _Entry) -> str:
    """The sentence with the rows that go on with it, e.g. the types of arguments."""
    more = []
    for row, following in pairwise([*entry.rows, ""]):
        if not row.startswith(" " * 12) or _CARET.fullmatch(following) or row.strip() == "^":
            break
        more.append(row.strip())
    return _NOT_FOUND.sub(r"\1", "; ".join([entry.head["message"].strip(), *more]))


def _column(entry: _Entry, lines: list[str]) -> int | None:
    """From 0, in characters; NVRTC's caret stands two columns further in."""
    caret = next((row for row in entry.rows if _CARET.fullmatch(row)), None)
    if caret is None or entry.head["line"] is None:
        return None
    line, column = lines[min(int(entry.head["line"]), len(lines)) - 1], len(caret) - 3
    if not _COUNTS_BYTES:
        return min(column, len(line))
    return len(line.encode()[:column].decode(errors="ignore"))


def _note(entry: _Entry, lines: list[str]) -> Note:
    line = min(int(entry.head["line"]), len(lines))
    return Note(_message(entry), line, _column(entry, lines))


def _traces(entry: _Entry) -> Iterator[tuple[str, int]]:
    """Where the learner's text instantiates what the entry is about, from inside out."""
    for row in entry.rows:
        found = _TRACE.search(row) if row.startswith(" " * 10) else None
        if found and (found["file"] or entry.head["file"]) == SOURCE_NAME:
            text = row[: found.start()].replace("detected during", "").strip(" :")
            yield text, int(found["line"])


def _include_line(name: str, lines: list[str]) -> int:
    """The line of the #include that brought the header: the one of that name, else the first of
    the same library, else the first of all."""
    included = [
        (number, found[1])
        for number, line in enumerate(lines, start=1)
        if (found := _INCLUDE.match(line))
    ]
    library = name.partition("/")[0]
    same = [number for number, header in included if header == name]
    near = [number for number, header in included if header.partition("/")[0] == library]
    return (same + near + [number for number, _ in included] + [1])[0]


def _assembler(match: re.Match[str], lines: list[str]) -> Diagnostic:
    """ptxas reads PTX, and counts its lines; what it refuses stands in the source as asm."""
    asm = (n for n, line in enumerate(lines, start=1) if re.search(r"\basm\b", line))
    return Diagnostic(f"ptxas: {match['message'].strip()}", next(asm, 1))
