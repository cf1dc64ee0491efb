"""What a source may be made of, and where its lines end: one answer for compiler, judge and
everybody who shows it. And what a compiler says against a source, as data; the lines it is about
are added when shown."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated

from msgspec import Meta

from ..counted import counted

# A terminal's escapes, changes of direction, spaces without width, lines that end unseen.
_UNSEEN = re.compile(
    r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
    r"\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
# What makes a source read otherwise than it compiles, also in a comment: NUL ends it for a
# compiler in C, the others move or hide what an editor or a terminal shows.
_REFUSED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

MOST = 5  # errors told of one source: the first causes the others, as a rule
_MOST_NOTES = 3
_LONGEST_MESSAGE = 400  # characters: a template's type can have millions
_WIDEST = 120  # columns of a source line
_GUTTER = 11  # columns before it
_NARROWEST = 20


def encodable(text: str) -> str:
    """`text` with a mark in place of what is half a character, and can be in no file."""
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)


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
    found = _REFUSED.search(source)
    if found is None:
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
    all_errors, kept = list(errors), []
    for number, error in enumerate(all_errors[:MOST], start=1):
        notes = [
            replace(note, message=shortened(note.message)) for note in error.notes[:_MOST_NOTES]
        ]
        if number == MOST < len(all_errors):
            left = counted(len(all_errors) - MOST, "more error")
            notes.append(Note(f"and {left}; fix the first one first"))
        kept.append(replace(error, message=shortened(error.message), notes=tuple(notes)))
    return tuple(kept)


def shortened(text: str) -> str:
    """`text`, or its two ends where it is long: what is wrong stands at either."""
    half = _LONGEST_MESSAGE // 2
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[:half]} ... {text[-half:]}"


def summary(errors: tuple[Diagnostic, ...]) -> str:
    """A line for each error and each note that has one."""
    return "\n".join(
        row
        for error in errors
        for row in (f"line {error.line}: {error.message}", *map(_noted, error.notes))
    )


def shown(errors: tuple[Diagnostic, ...], source: str, columns: int = _WIDEST + _GUTTER) -> str:
    """The same with each line, and a caret where the column is known, beneath its sentence; of a
    line as much as fits into so many columns."""
    rows = []
    for error in errors:
        rows.append(f"line {error.line}: {error.message}")
        rows += _excerpt(source, error.line, error.column, columns)
        for note in error.notes:
            rows.append(_noted(note))
            if note.line:
                rows += _excerpt(source, note.line, note.column, columns)
    return visible("\n".join(rows))


def _noted(note: Note) -> str:
    return f"    line {note.line}: {note.message}" if note.line else f"    {note.message}"


def _excerpt(source: str, line: int, column: int | None, columns: int) -> list[str]:
    text, caret = window(lines_of(source)[line - 1], column, min(_WIDEST, columns - _GUTTER))
    rows = [f"{line:>8} | {text}"]
    return rows if caret is None else [*rows, f"{'':>8} | {' ' * caret}^"]


def window(text: str, column: int | None, widest: int = _WIDEST) -> tuple[str, int | None]:
    """As much of a source line as fits into `widest` columns (20 at least), around `column`,
    without tabs; and the column in it."""
    widest = max(widest, _NARROWEST)
    if column is not None:
        column = len(text[:column].expandtabs(4))
    text = text.expandtabs(4)
    start = max(0, min((column or 0) - widest // 2, len(text) - widest))
    end = start + widest
    front = "... " if start else ""
    back = " ..." if end < len(text) else ""
    cut = front + text[start + len(front) : end - len(back)] + back
    return cut, None if column is None else column - start
