"""What a source may be made of, and where its lines end: one answer for compiler, judge and
everybody who shows it."""

import re

# A terminal's escapes, changes of direction, spaces without width, lines that end unseen.
_UNSEEN = re.compile(
    r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
    r"\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
# What makes a source read otherwise than it compiles, also in a comment: NUL ends it for a
# compiler in C, the others move or hide what an editor or a terminal shows.
_REFUSED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


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
