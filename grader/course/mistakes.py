"""Typical mistakes as data: what a learner changes in a solution, and the diagnosis that must get.

A lesson's mistakes.toml has a table `[[exercise]]` for each:

    [[interleaved]]
    name = "missing_barrier"             # unique in its lesson
    mistake = "no barrier between one step and the next"
    must_get = "data_race"               # the verdict's status
    line = 'tile[thread] += tile'        # words of the line it must name, if any
    replace = '__syncthreads();  // a'   # words of the solution; left out with `answer`
    with = ''

More replacements follow in `[[interleaved.also]]`, each with `replace` and `with`. `answer` is put
in place of all that stands between BEGIN SOLUTION and END SOLUTION.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import AuthorError

Table = Mapping[str, Any]  # one of TOML's, not yet looked at

FILE = "mistakes.toml"

_BEGIN, _END = "// BEGIN SOLUTION\n", "// END SOLUTION\n"
_TEXTS = {"name", "mistake", "must_get"}
_KEYS = _TEXTS | {"line", "replace", "with", "answer", "also"}


class MistakeError(AuthorError):
    """mistakes.toml says something that cannot be; the sentence says of which mistake, and what."""


@dataclass(frozen=True)
class WrongKernel:
    """A typical mistake: `mistake` in words, the `source` with it, and the diagnosis it must get;
    `line` counts from 1 in `source`, and is None where the diagnosis is about no line."""

    name: str
    exercise: str
    status: str
    line: int | None
    mistake: str
    source: str


def wrong_kernels(folder: Path, solutions: Mapping[str, str]) -> tuple[WrongKernel, ...]:
    """The mistakes of the lesson in `folder`, exercise by exercise; `solutions` are the sources of
    its solved kernels by exercise. Raises `MistakeError`."""
    path = folder / FILE
    if not path.is_file():
        return ()
    try:
        listed = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise MistakeError(f"{path}: this is not TOML: {error}") from error
    made = tuple(_all(path, listed, solutions))
    names = [one.name for one in made]
    for name in names:
        if names.count(name) > 1:
            raise MistakeError(f"{path}: two mistakes are called {name!r}")
    return made


def _all(path: Path, listed: Table, solutions: Mapping[str, str]) -> Iterator[WrongKernel]:
    for exercise, entries in listed.items():
        if exercise not in solutions:
            known = ", ".join(solutions)
            raise MistakeError(f"{path}: there is no exercise {exercise!r}; there are: {known}")
        if not _are_tables(entries):
            raise MistakeError(f"{path}: a mistake in {exercise} begins with [[{exercise}]]")
        for entry in entries:
            try:
                yield _wrong_kernel(exercise, entry, solutions[exercise])
            except MistakeError as error:
                name = entry.get("name", "a mistake without a name")
                raise MistakeError(f"{path}: {exercise}/{name}: {error}") from None


def _are_tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def _wrong_kernel(exercise: str, entry: Table, solution: str) -> WrongKernel:
    _require(entry, _TEXTS, _KEYS)
    source = _edited(solution, sorted(_edits(exercise, entry, solution)))
    line = _line_of(entry["line"], source) if "line" in entry else None
    return WrongKernel(entry["name"], exercise, entry["must_get"], line, entry["mistake"], source)


def _require(table: Table, needed: set[str], known: set[str]) -> None:
    if strange := ", ".join(sorted(table.keys() - known)):
        raise MistakeError(f"nobody reads {strange}; there are: {', '.join(sorted(known))}")
    if missing := ", ".join(sorted(needed - table.keys())):
        raise MistakeError(f"{missing} is missing")
    for key in table.keys() - {"also"}:
        if not isinstance(table[key], str):
            raise MistakeError(f"{key} must be a text, between quotes")


def _edits(exercise: str, entry: Table, solution: str) -> Iterator[tuple[int, int, str]]:
    """Where in the solution (first character, one past the last) what is to be put."""
    if "answer" in entry:
        begin = _place(_BEGIN, solution) + len(_BEGIN)
        end = solution.rindex("\n", 0, _place(_END, solution)) + 1
        yield begin, end, entry["answer"]
    also = entry.get("also", [])
    if not _are_tables(also):
        raise MistakeError(f"a further edit begins with [[{exercise}.also]]")
    first = {key: entry[key] for key in ("replace", "with") if key in entry}
    for edit in ([first] if first or "answer" not in entry else []) + also:
        _require(edit, {"replace", "with"}, {"replace", "with"})
        begin = _place(edit["replace"], solution)
        yield begin, begin + len(edit["replace"]), edit["with"]


def _place(words: str, source: str) -> int:
    """Where `words` begin in `source`, in which they must stand once."""
    found = source.count(words) if words else 0
    if found != 1:
        times = "nowhere" if not found else f"{found} times"
        raise MistakeError(f"{words.strip()!r} stands {times} in the kernel, and must stand once")
    return source.index(words)


def _edited(solution: str, edits: list[tuple[int, int, str]]) -> str:
    parts, at = [], 0
    for begin, end, text in edits:
        if begin < at:
            raise MistakeError(f"two edits meet in {solution[begin:end].strip()!r}")
        parts += [solution[at:begin], text]
        at = end
    source = "".join([*parts, solution[at:]])
    if source == solution:
        raise MistakeError("nothing is changed in the solution")
    return source


def _line_of(words: str, source: str) -> int:
    return source.count("\n", 0, _place(words, source)) + 1
