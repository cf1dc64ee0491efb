"""Objects in shared memory whose constructor or destructor does something, such as a
`cuda::barrier`: NVRTC runs neither for what a function declares there, clang refuses the variable.
So its declaration becomes a type's, and room for that type is declared behind it (cuda.h)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...diagnostics import Diagnostic

_REFUSED = "initialization is not supported for __shared__ variables"
_WORD = re.compile(r"(?:\bstatic\s+)?\b__shared__\b(?:\s+static\b)?")
_ALIGNED = re.compile(r"\balignas\b")
_MORE = re.compile(r"\s*(\[[^];]*\]\s*)*(?=[,;])")  # nothing that would be a value


def with_room(source: str, errors: Iterable[Diagnostic]) -> str:
    """`source` with each variable that these errors are about left as the launch finds it. Lines
    stay where they are; a variable that is given a value stays refused, as NVRTC refuses it."""
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    declared: dict[int, set[int]] = {}  # by where a declaration begins where its names stand
    for error in errors:
        if error.message == _REFUSED and error.column is not None:
            at = starts[error.line - 1] + error.column
            begin = max(source.rfind(mark, 0, at) for mark in ";{}") + 1
            declared.setdefault(begin, set()).add(at)
    for begin in sorted(declared, reverse=True):
        if source.count("{", 0, begin) > source.count("}", 0, begin):  # in a function
            source = _with_room(source, begin, sorted(declared[begin]))
    return source


def _with_room(source: str, begin: int, places: list[int]) -> str:
    """The same for the declaration that begins there, and the names at these places."""
    end = source.find(";", places[-1]) + 1
    names = [re.compile(r"\w*").match(source, at) for at in places]
    if not end or not all(name and _MORE.match(source, name.end()) for name in names):
        return source
    head = _ALIGNED.sub("__align__", _WORD.sub("typedef", source[begin : places[0]], count=1))
    rest = source[places[0] : end]
    for name in filter(None, reversed(names)):
        at = name.end() - places[0]
        rest = f"{rest[:at]}__type{rest[at:]} WARPWISE_UNCONSTRUCTED({name[0]})"
    return source[:begin] + head + rest + source[end:]
