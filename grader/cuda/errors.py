"""What can go wrong when CUDA C++ is compiled, launched and run, as exceptions that teach.

Each exception carries where it happened: `kernel` (name), `line` (from 1, in the source as the
learner wrote it), `block` and `thread` (each an (x, y, z) tuple); None where unknown. The class
attribute `status` is what a verdict says of it. `Message` has what the exception says, in parts.

What a source may be made of, and where its lines end: one answer for compiler, judge and
everybody who shows it. And what a compiler says against a source, as data; the lines it is about
are added when shown.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Any

from msgspec import Meta

from ..errors import counted
from ..status import Status

# A terminal's escapes, changes of direction, spaces without width, lines that end unseen.
_UNSEEN = re.compile(
    r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
    r"\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)
# What makes a source read otherwise than it compiles, also in a comment: NUL ends it for a
# compiler in C, the others move or hide what an editor or a terminal shows.
_REFUSED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

MOST = 5  # errors told of one source: the first causes the others, as a rule
_LONGEST_MESSAGE = 400  # characters: a template's type can have millions
_WIDEST = 120  # columns of a source line
_GUTTER = 11  # columns before it


def encodable(text: str) -> str:
    """`text` with a mark in place of what is half a character, and can be in no file."""
    return re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)


def visible(text: str) -> str:
    """`text` with a mark in place of each unseen character, as long as before."""
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line_end(text: str) -> str:
    """`text` with a line feed where editors see a line's end (they count a lone carriage return,
    the compiler does not), and without the mark that some editors put at a file's beginning."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def lines_of(source: str) -> list[str]:
    """The lines of `source` as compiler and editors count them: str.splitlines also splits at
    form feeds and other characters that are within a line for these. At least one."""
    lines = one_line_end(source).split("\n")
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def forbidden(source: str) -> tuple[int, int, str] | None:
    """The first character that no source may have: its line (from 1), column (from 0) and name,
    e.g. "U+202E"."""
    if (found := _REFUSED.search(source)) is None:
        return None
    *above, last = source[: found.start()].split("\n")
    return len(above) + 1, len(last), f"U+{ord(found[0]):04X}"


# ---- what a compiler says ----


@dataclass(frozen=True)
class Note:
    """A remark on an error: another place, such as the brace that was not closed, or the usual
    cause."""

    message: Annotated[str, Meta(description="The compiler's words; without a line, ours.")]
    line: Annotated[int | None, Meta(description="From 1; null if it is about no line.")] = None
    column: Annotated[int | None, Meta(description="From 0, in characters of that line.")] = None


@dataclass(frozen=True)
class Diagnostic:
    """One of the compiler's errors."""

    message: Annotated[str, Meta(description="The compiler's words.")]
    line: Annotated[int, Meta(description="From 1, and one that the source has.")]
    column: Annotated[
        int | None, Meta(description="From 0, in characters of that line; null if not known.")
    ] = None
    notes: Annotated[tuple[Note, ...], Meta(description="Remarks about other places.")] = ()


def bounded(errors: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The first few of `errors`, each of bounded length."""
    all_errors = list(errors)
    kept = [
        replace(
            error,
            message=shortened(error.message),
            notes=tuple(replace(n, message=shortened(n.message)) for n in error.notes[:3]),
        )
        for error in all_errors[:MOST]
    ]
    if more := len(all_errors) - len(kept):
        kept[-1] = replace(
            kept[-1],
            notes=(
                *kept[-1].notes,
                Note(f"and {counted(more, 'more error')}; fix the first one first"),
            ),
        )
    return tuple(kept)


def shortened(text: str) -> str:
    """`text`, or its two ends where it is long: what is wrong stands at either."""
    half = _LONGEST_MESSAGE // 2
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[:half]} ... {text[-half:]}"


def summary(errors: tuple[Diagnostic, ...]) -> str:
    """A line for each error and each note that has one."""
    return "\n".join(said for said, _, _ in _told(errors))


def shown(errors: tuple[Diagnostic, ...], source: str, columns: int = _WIDEST + _GUTTER) -> str:
    """The same with each line, and a caret where the column is known, beneath its sentence; of a
    line as much as fits into so many columns."""
    return visible(
        "\n".join(
            row
            for said, line, column in _told(errors)
            for row in (said, *(_excerpt(source, line, column, columns) if line else ()))
        )
    )


def _told(errors: tuple[Diagnostic, ...]) -> Iterator[tuple[str, int | None, int | None]]:
    """Each error, then its notes: the sentence, and the line and the column that it is about."""
    for error in errors:
        yield f"line {error.line}: {error.message}", error.line, error.column
        for note in error.notes:
            place = f"line {note.line}: " if note.line else ""
            yield f"    {place}{note.message}", note.line, note.column


def _excerpt(source: str, line: int, column: int | None, columns: int) -> list[str]:
    text, caret = window(lines_of(source)[line - 1], column, min(_WIDEST, columns - _GUTTER))
    rows = [f"{line:>8} | {text}"]
    return rows if caret is None else [*rows, f"{'':>8} | {' ' * caret}^"]


def window(text: str, column: int | None, widest: int = _WIDEST) -> tuple[str, int | None]:
    """As much of a source line as fits into `widest` columns (20 at least), around `column`,
    without tabs; and the column in it."""
    widest = max(widest, 20)
    column = None if column is None else len(text[:column].expandtabs(4))
    text = text.expandtabs(4)
    start = max(0, min((column or 0) - widest // 2, len(text) - widest))
    end = start + widest
    front = "... " if start else ""
    back = " ..." if end < len(text) else ""
    cut = front + text[start + len(front) : end - len(back)] + back
    return cut, None if column is None else column - start


Index = tuple[int, int, int]

MOST_WORDS = 25  # of what everybody reads first: 30 with the place that a heading names
_SENTENCE = re.compile(r"(?:`[^`]*`|[^`])*?[.!?](?=\s|$)", re.DOTALL)


@dataclass(frozen=True)
class Message:
    """A message about a mistake in its parts: each is whole sentences, or empty. In an exercise
    that is open `remedy` and `ours` are hints, which a person asks for."""

    first: Annotated[
        str,
        Meta(
            description="The event and its place: at most 30 words, except in the compiler's own "
            "messages. A card always shows it."
        ),
    ] = ""
    why: Annotated[
        str,
        Meta(description="The reason why it is wrong, what it leads to, and details: in a fold."),
    ] = ""
    remedy: Annotated[str, Meta(description="The next thing to look at or to do.")] = ""
    ours: Annotated[
        str, Meta(description="The step of our own kernel in its place. Only a hint shows it.")
    ] = ""

    def __str__(self) -> str:
        """All but `ours`."""
        return _joined(self.first, self.why, self.remedy)

    def __add__(self, more: "Message") -> "Message":
        """Both, part by part. What comes first in `more` stays first if there is room for it."""
        first, rest = _led(self.first, more.first)
        return Message(
            first,
            _joined(self.why, rest, more.why),
            _joined(self.remedy, more.remedy),
            _joined(self.ours, more.ours),
        )

    @property
    def while_open(self) -> "Message":
        """Only what a person may read who has not asked for a hint."""
        return replace(self, remedy="", ours="")

    @property
    def hints(self) -> tuple[tuple[str, str], ...]:
        """The titles and texts of the other parts, to be shown one at a time."""
        return tuple(
            (title, text)
            for title, text in (
                ("What to look at next", self.remedy),
                ("What our kernel does", self.ours),
            )
            if text
        )


def in_parts(text: str | Message) -> Message:
    """A text without parts as a message: as many of its sentences come first as there is room
    for. A message is left as it is."""
    if isinstance(text, Message):
        return text
    told = Message() + Message(text)
    return told if str(told) == text else Message(text)


def _led(begun: str, text: str) -> tuple[str, str]:
    """What is begun with as many sentences of a text as there is room for, at least one in all;
    and the rest of the text."""
    # Sentences are looked for in the first 1,000 characters.
    ends = [*(found.end() for found in _SENTENCE.finditer(text[:1000])), len(text)]
    room = [end for end in ends if len(f"{begun} {text[:end]}".split()) <= MOST_WORDS]
    end = max(room, default=0 if begun else ends[0])
    return _joined(begun, text[:end].strip()), text[end:].strip()


def _joined(*texts: str) -> str:
    return " ".join(filter(None, texts))


class CudaError(Exception):
    """Base of every error a kernel can cause; `str(error)` is a sentence a learner understands."""

    status = Status.LAUNCH_ERROR
    source = ""  # the text it is about, from whoever knows that
    cell = ""  # the `%%cuda` cell that has that text, if any
    launch = 0  # of several, from 1, and in which order threads ran, from whoever launched them
    order = ""

    def __init_subclass__(cls, status: Status):
        """A class of errors has one `status`: the verdict's word for them."""
        cls.status = status

    def __init__(
        self,
        message: str | Message,
        *,
        kernel: str | None = None,
        line: int | None = None,
        block: Index | None = None,
        thread: Index | None = None,
    ):
        super().__init__(str(message))
        self.parts = in_parts(message)
        self.kernel, self.line = kernel, line
        self.block, self.thread = block, thread


class CompileError(CudaError, status=Status.COMPILE_ERROR):
    """The compiler rejected the source: `diagnostics` say what and where, the message has a line
    for each. Without any the message says it all."""

    def __init__(
        self,
        message: str | Message = "",
        *,
        diagnostics: tuple[Diagnostic, ...] = (),
        **where: Any,
    ):
        if diagnostics:
            message, where = summary(diagnostics), {"line": diagnostics[0].line} | where
        super().__init__(message, **where)
        self.diagnostics = diagnostics


class CompilerFailure(CompileError, status=Status.UNSUPPORTED):
    """The compiler could not do its work, and the source is not what it complains of."""


class CompilerTimeout(CompileError, status=Status.TIMEOUT):
    """The compiler was stopped before it was through."""


class LaunchError(CudaError, status=Status.LAUNCH_ERROR):
    """The launch itself is impossible: unknown kernel, wrong arguments, grid or block too large."""


class OutOfBounds(CudaError, status=Status.OUT_OF_BOUNDS):
    """A thread touched memory outside every buffer it was given."""


class Misaligned(CudaError, status=Status.MISALIGNED):
    """An address is not a multiple of the size of the access."""


class UninitializedRead(CudaError, status=Status.UNINITIALIZED_READ):
    """A thread read memory that nobody had written, or needed a variable that never got a value."""


class DataRace(CudaError, status=Status.DATA_RACE):
    """Two threads touched one place, at least one wrote, and nothing ordered them."""

    def __init__(
        self,
        message: str | Message,
        *,
        other_line: int | None = None,
        other_thread: Index | None = None,
        **where: Any,
    ):
        super().__init__(message, **where)
        self.other_line, self.other_thread = other_line, other_thread


class BarrierDivergence(CudaError, status=Status.BARRIER_DIVERGENCE):
    """Some threads of a block wait at a barrier that others of the block never reach."""


class ShuffleDivergence(CudaError, status=Status.SHUFFLE_DIVERGENCE):
    """A warp-wide operation names lanes that do not take part in it."""


class DivisionByZero(CudaError, status=Status.WRONG_ANSWER):
    """An integer was divided by zero; the hardware gives an undefined result and goes on."""


class ConstWrite(CudaError, status=Status.WRONG_ANSWER):
    """A thread wrote to what the kernel promised, or was told, only to read."""


class StepLimit(CudaError, status=Status.TIMEOUT):
    """The kernel ran longer than the simulator was told to wait, most likely an endless loop.
    `counters`: what its case had come to by then, where somebody counted."""

    counters: Mapping[str, int] = MappingProxyType({})


class UnsupportedInstruction(CudaError, status=Status.UNSUPPORTED):
    """The kernel uses an instruction that the simulated GPU does not have."""


class OutOfTime(BaseException):
    """Raised into a running kernel by whoever watches the clock; a machine that hears it says
    where the kernel was, as StepLimit."""
