"""A source, changed so that clang compiles what NVRTC compiles."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...cuda.diagnostics import Diagnostic

_NO_LOOP = "loop to follow '#pragma unroll'"
_PRAGMA = re.compile(r"\s*(?:#|%:)\s*pragma\s+unroll\b")
_NO_INITIALIZATION = "initialization is not supported for __shared__ variables"
_WORD = re.compile(r"(?:\bstatic\s+)?\b__shared__\b(?:\s+static\b)?")
_ALIGNED = re.compile(r"\balignas\b")
_MORE = re.compile(r"\s*(\[[^];]*\]\s*)*(?=[,;])")  # nothing that would be a value
NAME_VARIABLE = "__warpwise_name_"
NAMES_FILE = "the name expressions"  # what errors in them are said to lie in


def without_unroll(source: str, errors: Iterable[Diagnostic]) -> str:
    """`source` without the pragmas that these errors are about. NVRTC ignores `#pragma unroll` in
    front of what is no loop. Each is the last above what its error names; lines stay where they
    are."""
    lines = source.split("\n")
    for error in errors:
        if error.message.endswith(_NO_LOOP):
            above = range(error.line - 2, -1, -1)
            at = next((n for n in above if _PRAGMA.match(lines[n])), None)
            if at is not None:
                lines[at] = ""
    return "\n".join(lines)


def with_room(source: str, errors: Iterable[Diagnostic]) -> str:
    """`source` with each variable that these errors are about left as the launch finds it.

    Each is an object in shared memory whose constructor or destructor does something, such as a
    `cuda::barrier`. NVRTC calls neither for what a function declares there, clang refuses the
    variable. So its declaration becomes a type's, and room for that type is declared behind it
    (cuda.h). Lines stay where they are; a variable that is given a value stays refused, as NVRTC
    refuses it.
    """
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    declared: dict[int, set[int]] = {}  # by where a declaration begins where its names stand
    for error in errors:
        if error.message == _NO_INITIALIZATION and error.column is not None:
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


def name_variables(expressions: tuple[str, ...]) -> str:
    """The lines to add below a source so that clang emits these template instances: for each a
    variable that holds its address. The variable's value in PTX is the mangled name."""
    if not expressions:
        return ""
    rows = [f'# 1 "{NAMES_FILE}"']
    for number, expression in enumerate(expressions):
        whole = expression if expression.startswith("&") else f"&{expression}"
        rows.append(
            f'extern "C" __device__ __attribute__((used)) const void* const '
            f"{NAME_VARIABLE}{number} = (const void*)({whole});"
        )
    return "\n".join(rows) + "\n"
