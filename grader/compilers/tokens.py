"""CUDA C++ taken apart into tokens, without a compiler: words, numbers, quoted text, operators."""

from __future__ import annotations

import re

from .comments import COMMENT, QUOTED, UNCLOSED

TOKEN = re.compile(
    rf"""
    (?P<comment> {COMMENT} | {UNCLOSED} )
  | (?P<quoted> {QUOTED} )
  | (?P<word> [A-Za-z_]\w* )
  | (?P<number> \.?\d (?: [\w.] | (?<=[eEpP])[+-] )* )
  | -> | \+\+ | -- | <<=? | >>=? | [-+*/%&|^=!<>]= | && | \|\| | :: | \S
    """,
    re.VERBOSE | re.DOTALL,
)


def tokens(source: str) -> tuple[list[str], list[int]]:
    """The source's tokens, comments left out, and the line of each, from 1."""
    found, lines = [], []
    line, last = 1, 0
    for one in TOKEN.finditer(source):
        line += source.count("\n", last, one.start())
        last = one.start()
        if one.lastgroup != "comment":
            found.append(one.group())
            lines.append(line)
    return found, lines
