"""Typical mistakes as data: what a learner changes in a solution, and the diagnosis that must get.

A lesson's mistakes.toml has a table `[[exercise]]` for each:

    [[interleaved]]
    name = "missing_barrier"             # unique in its lesson
    mistake = "no barrier between one step and the next"
    must_get = "data_race"               # the verdict's status
    line = 'tile[thread] += tile'        # words of the line it must name, if any
    replace = '__syncthreads();  // a'   # words of the solution; left out with `answer`
    with = ''

More replacements follow in `[[interleaved.also]]`; `course.edits` has the other forms of an edit.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from . import edits
from .edits import Table

FILE = "mistakes.toml"

_TEXTS = {"name", "mistake", "must_get"}
_KEYS = _TEXTS | {"line"} | edits.KEYS


class MistakeError(edits.EditError):
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
        listed = tomllib.loads(path.read_text(encoding="utf-8"))
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
        if not edits.are_tables(entries):
            raise MistakeError(f"{path}: a mistake in {exercise} begins with [[{exercise}]]")
        for entry in entries:
            try:
                yield _wrong_kernel(exercise, entry, solutions[exercise])
            except edits.EditError as error:
                name = entry.get("name", "a mistake without a name")
                raise MistakeError(f"{path}: {exercise}/{name}: {error}") from None


def _wrong_kernel(exercise: str, entry: Table, solution: str) -> WrongKernel:
    edits.require(entry, _TEXTS, _KEYS)
    source = edits.edited(solution, exercise, entry)
    line = _line_of(entry["line"], source) if "line" in entry else None
    return WrongKernel(entry["name"], exercise, entry["must_get"], line, entry["mistake"], source)


def _line_of(words: str, source: str) -> int:
    return source.count("\n", 0, edits.place(words, source)) + 1
