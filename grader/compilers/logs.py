"""Compilers' logs, read: every form in which NVRTC, its front end, ptxas and clang report an error.

NVRTC's are such as:

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

and clang's:

    /learner/kernel.cu:8:10: error: no matching function for call to 'helper'
    /learner/kernel.cu:2:18: note: candidate function not viable: requires 2 arguments, but 1 was
    In file included from /learner/kernel.cu:1:
    /.../cuda_fp16.h:4690:25: error: unknown type name 'half'
    error: ran out of registers
"""

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

from ..cuda.errors import Diagnostic, Note, bounded, lines_of
from .advice import named
from .compiler import SOURCE_NAME, included_as
from .lexer import on_its_lines

_INCLUDE = re.compile(r'\s*(?:#|%:)\s*include\b\s*(?:[<"](?P<header>[^>"]*)[>"])?')


@dataclass
class LogEntry:
    """One message of a log."""

    head: re.Match[str]  # its first line, by groups: file, line, kind, message
    included: int | None = None  # clang: the learner's line of the #include that brought the file
    rows: list[str] = field(default_factory=list)  # NVRTC: what stands below the first line
    notes: list["LogEntry"] = field(default_factory=list)  # that belong to it

    @property
    def own(self) -> bool:
        return self.head["file"] == SOURCE_NAME

    @property
    def kind(self) -> str:
        return self.head["kind"].lower()


class CompilerLog(ABC):
    """A compiler's log about a source."""

    def __init__(self, log: str, source: str):
        self.rows, self.lines = log.split("\n"), lines_of(source)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The errors, each at a line of the source; none if the log tells of none."""
        found = self.errors(
            [self.diagnostic(one) for one in self._entries() if one.kind.endswith("error")]
        )
        return bounded(dict.fromkeys(named(one, self.lines) for one in found))

    def warnings(self) -> tuple[Diagnostic, ...]:
        """What the compiler doubts in the source itself, where that is worth a learner's while."""
        alone = (
            LogEntry(one.head, one.included, one.rows)  # without notes
            for one in self._entries()
            if one.own and self.worth_telling(one)
        )
        return bounded(dict.fromkeys(map(self.diagnostic, alone)))

    def _entries(self) -> list[LogEntry]:
        """All messages but notes, each with the notes that follow it."""
        entries: list[LogEntry] = []
        for entry in self.messages():
            if entry.kind != "note":
                entries.append(entry)
            elif entries:
                entries[-1].notes.append(entry)
        return entries

    @abstractmethod
    def messages(self) -> Iterable[LogEntry]:
        """All messages, in their order."""

    @abstractmethod
    def diagnostic(self, error: LogEntry) -> Diagnostic:
        """An error at a line of the source, with its notes."""

    @abstractmethod
    def worth_telling(self, warning: LogEntry) -> bool:
        """Whether a message about the source is a doubt that has hardly ever no reason."""

    def errors(self, found: list[Diagnostic]) -> list[Diagnostic]:
        """The errors to tell of, where those were found that have a place in a source."""
        return found

    @abstractmethod
    def message(self, entry: LogEntry) -> str:
        """The sentence, without what would tell of this machine's files."""

    @abstractmethod
    def place(self, entry: LogEntry) -> tuple[int, int | None]:
        """The line from 1, and the column from 0 in characters, of a message about the source."""

    def note(self, entry: LogEntry) -> Note:
        return Note(self.message(entry), *self.place(entry))

    def elsewhere(self, error: LogEntry, lines: list[int], notes: list[Note]) -> Diagnostic:
        """An error in a header, at the first of the learner's `lines` that led there."""
        name = included_as(error.head["file"])
        at = f", line {error.head['line']}" if name != NAMES_FILE else ""
        where = f"{name}{at}: " if name else ""
        line = min((lines or [self._include_line(name)])[0], len(self.lines))
        return Diagnostic(where + self.message(error), line, None, tuple(notes))

    def _include_line(self, name: str) -> int:
        """The line of the #include that brought the header: the one of that name, else the first
        of the same library, else the first of all."""
        included = [
            (number, found["header"])
            for number, line in enumerate(self.lines, start=1)
            if (found := _INCLUDE.match(line))
        ]
        library = name.partition("/")[0]
        same = [number for number, header in included if header == name]
        near = [n for n, header in included if header and header.split("/")[0] == library]
        return (same + near + [number for number, _ in included] + [1])[0]


# ---- NVRTC ----

_HEAD = re.compile(
    r"(?:(?P<file>.+?)\((?P<line>\d+)\)|(?P<end>At end of source))?"
    r"(?:: | |^)(?P<kind>(?:catastrophic |internal |command-line )?error|warning|remark|note)"
    r"(?: #(?P<number>\d+)[\w-]*)?: (?P<message>.*)",
    re.IGNORECASE,
)
_CARET = re.compile(r"\s*\^")
_COUNTS_BYTES = sys.platform != "win32"  # NVRTC, up to where its caret stands; there, characters
_OUTSIDE = "A namespace scope variable without memory space"
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


class NvrtcLog(CompilerLog):
    """NVRTC's log."""

    def messages(self) -> list[LogEntry]:
        entries: list[LogEntry] = []
        for row in self.rows:
            if head := _HEAD.fullmatch(row) if not row.startswith(" ") else None:
                entries.append(LogEntry(head))
            elif entries:
                entries[-1].rows.append(row)
        return entries

    def worth_telling(self, warning: LogEntry) -> bool:
        return warning.head["number"] in _DOUBTFUL

    def errors(self, found: list[Diagnostic]) -> list[Diagnostic]:
        """Without what NVRTC makes of a line outside of all functions that it has refused already:
        any word there, such as `def`, would be a variable. Without any, those of ptxas: it reads
        PTX, and counts its lines; what it refuses stands in the source as asm."""
        refused = {one.line for one in found if not one.message.startswith(_OUTSIDE)}
        found = [
            one for one in found if not (one.message.startswith(_OUTSIDE) and one.line in refused)
        ]
        asm = next((n for n, line in enumerate(self.lines, 1) if re.search(r"\basm\b", line)), 1)
        return found or [
            Diagnostic(f"ptxas: {said['message'].strip()}", asm)
            for row in self.rows
            if (said := re.match(r"ptxas\b(?: [^;]*;)?\s*(?:error|fatal)\s*: (?P<message>.*)", row))
        ]

    def diagnostic(self, error: LogEntry) -> Diagnostic:
        traces = [trace for entry in (error, *error.notes) for trace in _traces(entry)]
        notes = [self.note(entry) for entry in error.notes if entry.own]
        if not error.own and not error.head["end"]:
            return self.elsewhere(error, [number for _, number in traces], notes)
        notes += [Note(f"{text} is here", n) for text, n in traces if n <= len(self.lines)]
        message, (line, column) = self.message(error), self.place(error)
        if message == 'expected a ";"' and column is not None:
            line, column = self._before(line, column)
        return Diagnostic(message, line, column, tuple(notes))

    def _before(self, line: int, column: int) -> tuple[int, int | None]:
        """Where the last token before that place ends: NVRTC names the one that it did not
        expect."""
        above, here = self.lines[: line - 1], self.lines[line - 1]
        code = on_its_lines("\n".join([*above, here[:column]]))
        at, last = code.count("\n") + 1, code.rpartition("\n")[2]
        return at, len(last) if self.lines[at - 1].startswith(last) else None

    def message(self, entry: LogEntry) -> str:
        """The sentence with the rows that go on with it, e.g. the types of arguments."""
        rows = takewhile(
            lambda two: (
                two[0].startswith(" " * 12)
                and two[0].strip() != "^"
                and not _CARET.fullmatch(two[1])
            ),
            pairwise([*entry.rows, ""]),
        )
        return re.sub(  # the system's reason would tell whether there is such a file
            r'(cannot open source file "[^"]*"):.*',
            r"\1",
            "; ".join([entry.head["message"].strip(), *(row.strip() for row, _ in rows)]),
        )

    def place(self, entry: LogEntry) -> tuple[int, int | None]:
        """NVRTC's caret stands two columns further in."""
        number = min(int(entry.head["line"] or len(self.lines)), len(self.lines))
        caret = next((row for row in entry.rows if _CARET.fullmatch(row)), None)
        if caret is None or entry.head["line"] is None:
            return number, None
        line, column = self.lines[number - 1], len(caret) - 3
        return number, (
            len(line.encode()[:column].decode(errors="ignore"))
            if _COUNTS_BYTES
            else min(column, len(line))
        )


def _traces(entry: LogEntry) -> Iterator[tuple[str, int]]:
    """Where the learner's text instantiates what the entry is about, from inside out."""
    for row in entry.rows:
        found = (
            re.search(r"at line (?P<line>\d+)(?: of (?P<file>.+))?$", row)
            if row.startswith(" " * 10)
            else None
        )
        if found and (found["file"] or entry.head["file"]) == SOURCE_NAME:
            text = row[: found.start()].replace("detected during", "").strip(" :")
            yield text, int(found["line"])


# ---- clang ----

NAMES_FILE = "the name expressions"  # what errors in them are said to lie in
_CLANG_HEAD = re.compile(
    r"(?:(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): )?"
    r"(?P<kind>fatal error|error|warning|note): (?P<message>.*)"
)


class ClangLog(CompilerLog):
    """clang's log; `clang.source` says what clang is asked to doubt."""

    def messages(self) -> Iterator[LogEntry]:
        included = None
        for row in self.rows:
            # Told once for all errors of one header.
            if found := re.match(rf"In file included from {re.escape(SOURCE_NAME)}:(\d+)[:,]", row):
                included = int(found[1])
            elif (head := _CLANG_HEAD.fullmatch(row)) and not re.search(  # the end of the list
                r"too many errors emitted|\d+ errors? generated", row
            ):
                yield LogEntry(head, included)

    def worth_telling(self, warning: LogEntry) -> bool:
        return (
            warning.kind == "warning"
            and "may be uninitialized when used here" not in warning.head["message"]
        )  # for us alone

    def diagnostic(self, error: LogEntry) -> Diagnostic:
        own = [note for note in error.notes if note.own]
        for note in own:
            if (
                "call to __host__ function from" in note.head["message"]
            ):  # told where it is defined, as NVRTC does
                called = [Note("it is called here", *self.place(error))] if error.own else []
                return Diagnostic(
                    "a function without __device__ or __global__ before it belongs to the host, "
                    "and a kernel cannot call it; write __device__ before it",
                    *self.place(note),
                    tuple(called),
                )
        notes = [self.note(note) for note in own]
        if error.own:
            line, column = self.place(error)
            stop = (
                "#error directive: "
                if re.match(r"\s*(?:#|%:)\s*error\b", self.lines[line - 1])
                else ""
            )
            return Diagnostic(stop + self.message(error), line, column, tuple(notes))
        used = [
            self.place(note)[0]
            for note in own
            if re.search(
                "in (instantiation|evaluation) of|expanded from macro|in call to",
                note.head["message"],
            )
        ]
        return self.elsewhere(error, [*used, *filter(None, [error.included])], notes)

    def message(self, entry: LogEntry) -> str:
        text = re.sub(r" \[-W[^]]*\]$", "", entry.head["message"].strip())
        text = re.sub(r"'(?:/[^'\s]*|[A-Za-z]:\\[^'\s]*)[/\\]([^'/\\]+)'", r"'\1'", text)
        return re.sub(  # the system's reason would tell whether there is such a file
            r"^(?:cannot open file )?'([^']*)'(?: file not found|: [A-Z][\w ]*).*",
            r"cannot open source file '\1'",
            text,
        )

    def place(self, entry: LogEntry) -> tuple[int, int | None]:
        """clang counts bytes from 1."""
        line = min(max(int(entry.head["line"]), 1), len(self.lines))
        return line, len(
            self.lines[line - 1].encode()[: int(entry.head["column"]) - 1].decode(errors="ignore")
        )
