"""CUDA C++ taken apart without a compiler: comments, quoted text, words, numbers, and directives
that renumber lines.

Whoever reads learners' sources outside the sandbox has no limit on time, so the patterns take a
time in proportion to the source, whatever that is: what is never closed goes on to the end (a
comment) or to the end of its line (quoted text), and no place is looked at twice.
"""

import re
from collections.abc import Iterator

COMMENT = r"//[^\n]*|/\*.*?\*/"
QUOTED = r""""(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?"""
_UNCLOSED = r"/\*.*"  # after COMMENT
_OPAQUE = re.compile(  # what is said first of all parts makes it four times as fast
    rf"""(?=[/"'RuUL\d])(?:(?P<comment>{COMMENT})|(?P<unclosed>{_UNCLOSED})"""
    r'|\b(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\((?:.*?\)(?P=mark)"|.*)'
    rf"|{QUOTED}"
    r"|\b\d[\w.]*+(?:'[\w.]++)++)",  # in a number ' is no quotation mark
    re.DOTALL,
)
TOKEN = re.compile(
    rf"""
    (?P<comment> {COMMENT} | {_UNCLOSED} )
  | (?P<quoted> {QUOTED} )
  | (?P<word> [A-Za-z_]\w* )
  | (?P<number> \.?\d (?: '?[\w.] | (?<=[eEpP])[+-] )* )
  | -> | \+\+ | -- | <<=? | >>=? | [-+*/%&|^=!<>]= | && | \|\| | :: | \S
    """,
    re.VERBOSE | re.DOTALL,
)


def tokens(source: str) -> tuple[list[str], list[int]]:
    """The source's tokens, comments left out, and the line of each, from 1."""
    code = [(token[0], line) for token, line in parts(source) if token.lastgroup != "comment"]
    return [token for token, _ in code], [line for _, line in code]


def parts(source: str) -> Iterator[tuple[re.Match[str], int]]:
    """Each token of the source, comments among them, and its line, from 1."""
    line, last = 1, 0
    for token in TOKEN.finditer(source):
        line += source.count("\n", last, token.start())
        last = token.start()
        yield token, line


def without_comments(source: str) -> str:
    """`source` with a space in place of each comment; one that is not closed is an error for the
    compiler to name, and stays."""
    return _OPAQUE.sub(lambda part: " " if part["comment"] else part[0], source)


def on_its_lines(source: str) -> str:
    """`source` without comments; the rest stays on its lines, and no space ends one."""

    def blank(part: re.Match[str]) -> str:
        return " " + "\n" * part[0].count("\n") if part["comment"] else part[0]

    return "\n".join(line.rstrip() for line in _OPAQUE.sub(blank, source).split("\n")).rstrip()


# ---- directives that renumber lines ----

_MARK = "\x1a"  # stands for a line end that is none to directives; a source cannot have it


def renumbering(source: str) -> int | None:
    """The line, from 1, of the first `#line` (or `# 1 "file"`); every number after it, in errors
    and in PTX, would be one that the source does not have. None without one."""
    if "#" not in source and "%:" not in source:
        return None

    def blank(part: re.Match[str]) -> str:
        text = part[0].replace("\n", _MARK)
        return " " + _MARK * text.count(_MARK) if part["comment"] or part["unclosed"] else text

    # A backslash at the end of a line joins it to the next.
    plain = _OPAQUE.sub(blank, re.sub(r"\\[ \t]*\n", _MARK, source))
    found = re.search(r"^[^\S\n]*(?:#|%:)[^\S\n]*(?:line\b|\d)", plain.replace(_MARK, ""), re.M)
    if found is None:
        return None
    at = [place for place, char in enumerate(plain) if char != _MARK][found.start()]
    return 1 + plain.count("\n", 0, at) + plain.count(_MARK, 0, at)
