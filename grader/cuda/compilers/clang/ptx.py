"""clang's PTX in NVRTC's form, where the two differ in how they say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from .source import NAME_VARIABLE

# .loc 1 6 12        // kernel.cu:6:12 @[ kernel.cu:9:9 @[ kernel.cu:16:12 ] ]
_LOC = re.compile(r"^(\s*\.loc\s+)(\d+) (\d+) (\d+)[^\n]*?//([^\n]* @\[ [^\n]*)$", re.MULTILINE)
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"\n]*)"', re.MULTILINE)
_PLACE = re.compile(r"(?P<path>.*?):(?P<line>\d+)(?::(?P<column>\d+))?(?: \])*\s*")
_TARGET = re.compile(r"^\.target \w+", re.MULTILINE)
# A function's first row, that of its signature, and what comes before the next one.
_PROLOGUE = re.compile(
    r"^(?P<head>\$L__func_begin\d+:\n(?P<row>\s*\.loc\s+(?P<file>\d+) \d+ 0\b.*\n))"
    r"(?P<code>(?:(?!\s*\.loc\b|\$L__|\}).*\n)*)",
    re.MULTILINE,
)
_TAKEN = re.compile(r"^(?:\s*ld\.param\b.*\n)+", re.MULTILINE)
_DEBUGGING = re.compile(r"^\$L__tmp\d+:\n", re.MULTILINE)  # labels that no branch goes to
_NO_NAME = "$L__warpwise_no_name"
_NAMES = f"\n\t.section\t.debug_str\n\t{{\n{_NO_NAME}:\n.b8 0\n\t}}\n"
_NAME = re.compile(
    rf"^.*\b{NAME_VARIABLE}(?P<number>\d+)(?:\[\d*\])? = "
    r"\{?(?:generic\()?(?P<name>[\w$]+)\)?\}?;\n",
    re.MULTILINE,
)
_NAME_HEADER = re.compile(rf"^.*// @{NAME_VARIABLE}\d+\n", re.MULTILINE)

Place = tuple[int, int, int]  # file, line, column


def like_nvrtc(ptx: str, *, debug: bool = False) -> str:
    """`ptx` in that form; `debug`: it says that it is a debug build."""
    if debug:
        ptx = _TARGET.sub(r"\g<0>, debug", ptx)
    return _with_calls(_PROLOGUE.sub(_where_known, _DEBUGGING.sub("", ptx)))


def _where_known(found: re.Match[str]) -> str:
    """Only what takes the parameters stands on the line of the signature; of the rest, which was
    moved there, clang knows no line."""
    unknown = f"\t.loc\t{found['file']} 0 0\n"
    code = _TAKEN.sub(lambda taken: f"{found['row']}{taken[0]}{unknown}", found["code"])
    return f"{found['head']}{unknown}{code}"


def _with_calls(ptx: str) -> str:
    """`ptx` with `inlined_at` in the rows of code that was inlined: clang tells the calls that it
    was inlined through in a comment."""
    files = {path: int(number) for number, path in _FILE.findall(ptx)}
    known = dict(files)

    def place(text: str) -> Place | None:
        found = _PLACE.fullmatch(text)
        if found is None:
            return None
        file = files.setdefault(found["path"], len(files) + 1)
        return file, int(found["line"]), int(found["column"] or 0)

    def rows(match: re.Match[str]) -> str:
        here = (int(match[2]), int(match[3]), int(match[4]))
        calls = [place(text) for text in match[5].split(" @[ ")[1:]]
        return "\n".join(_rows(match[1], [here, *filter(None, calls)]))

    text = _LOC.sub(rows, ptx)
    if text == ptx:
        return ptx
    more = (f'\t.file\t{n} "{path}"' for path, n in files.items() if path not in known)
    return "\n".join([text.rstrip("\n"), *more]) + _NAMES


def _rows(start: str, chain: list[Place]) -> Iterator[str]:
    """A row for each call, outermost first, then the code's own: so NVRTC tells of calls in
    calls."""
    for here, above in reversed(list(pairwise(chain))):
        at, there = (" ".join(map(str, one)) for one in (here, above))
        yield f"{start}{at}, function_name {_NO_NAME}, inlined_at {there}"


def named(ptx: str, expressions: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """`ptx` without the variables of `source.name_variables`, and the mangled name of each
    expression."""
    found = {int(one["number"]): one["name"] for one in _NAME.finditer(ptx)}
    if found:
        ptx = _NAME.sub("", _NAME_HEADER.sub("", ptx))
    return ptx, {text: found[n] for n, text in enumerate(expressions) if n in found}
