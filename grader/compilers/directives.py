"""Directives of a source's preprocessor that renumber its lines."""

from __future__ import annotations

import re

from .comments import COMMENT, QUOTED, UNCLOSED

_SPLICE = re.compile(r"\\[ \t]*\n")
_RAW = r'\b(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\((?:.*?\)(?P=mark)"|.*)'
_WORD = r"[A-Za-z_]\w*+|\.?\d(?:'?[\w.])*+"  # in a number ' is no quotation mark
_TOKEN = re.compile(f"({COMMENT}|{UNCLOSED})|{_RAW}|{QUOTED}|{_WORD}", re.DOTALL)
_RENUMBERS = re.compile(r"^[^\S\n]*(?:#|%:)[^\S\n]*(?:line\b|\d)", re.MULTILINE)
_MARK = "\x1a"  # stands for a splice; a source cannot have it


def renumbering(source: str) -> int | None:
    """The line, from 1, of the first `#line` (or `# 1 "file"`); every number after it, in errors
    and in PTX, would be one that the source does not have. None without one."""
    if "#" not in source and "%:" not in source:
        return None
    plain = _TOKEN.sub(_blank, _SPLICE.sub(_MARK, source))
    found = _RENUMBERS.search(plain.replace(_MARK, ""))
    if found is None:
        return None
    return _line_of(plain, found.start())


def _blank(token: re.Match[str]) -> str:
    """A comment as a space, anything else as it is; line ends inside are none to directives."""
    text = token[0].replace("\n", _MARK)
    return " " + _MARK * text.count(_MARK) if token[1] is not None else text


def _line_of(plain: str, position: int) -> int:
    """The line of the character that is at `position` when the marks are taken out."""
    line = 1
    for char in plain:
        if char == _MARK:
            line += 1
        elif position == 0:
            return line
        else:
            position -= 1
            line += char == "\n"
    return line
