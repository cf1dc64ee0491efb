"""Typical mistakes as data: what a learner changes in a solution, and the diagnosis that must get.

A lesson's mistakes.toml has a table `[[exercise]]` for each:

    [[interleaved]]
    name = "missing_barrier"             # unique in its lesson
    mistake = "no barrier between one step and the next"
    must_get = "data_race"               # the verdict's status
    line = 'tile[thread] += tile'        # words of the line it must name, if any
    leaves = 0.4                         # of the points, where it is the only fault; see below
    replace = '__syncthreads();  // a'   # words of the solution; left out with `answer`
    with = ''

An answer whose only fault is this mistake gets `leaves` of what it would get without it: at most
0.6, and 0 where the exercise teaches just that. Where nothing is said, it is 0.4 in an exercise of
the kind "write it", and 0 in the others, where the one fault is the task.

More replacements follow in `[[interleaved.also]]`; `course.edits` has the other forms of an edit.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..status import Status
from . import authors, edits
from .edits import Table

FILE = "mistakes.toml"

_TEXTS = {"name", "mistake", "must_get"}
_KEYS = _TEXTS | {"line", "leaves"} | edits.KEYS
MOST_LEFT = 0.6  # of the exercise's points


class MistakeError(edits.EditError):
    """mistakes.toml says something that cannot be; the sentence says of which mistake, and what."""


@dataclass(frozen=True)
class WrongKernel:
    """A typical mistake: `mistake` in words, the `source` with it, and the diagnosis it must get;
    `line` counts from 1 in `source`, and is None where the diagnosis is about no line. `leaves` is
    the part of the points that an answer keeps whose only fault this is, where the lesson says."""

    name: str
    exercise: str
    status: str
    line: int | None
    mistake: str
    source: str
    leaves: float | None = None


_TOMLS_OWN = re.compile(r" \(at line (\d+), column \d+\)")


def wrong_kernels(folder: Path, solutions: Mapping[str, str]) -> tuple[WrongKernel, ...]:
    """The mistakes of the lesson in `folder`, exercise by exercise; `solutions` are the sources of
    its solved kernels by exercise. Raises `MistakeError`."""
    path = folder / FILE
    if not path.is_file():
        return ()
    try:
        listed = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        said, line = _TOMLS_OWN.sub("", str(error)), _TOMLS_OWN.search(str(error))
        where = f"{authors.shown(path)}{f', line {line[1]}' if line else ''}"
        raise MistakeError(f"{where}: this is not TOML: {said}.") from error
    made = tuple(_all(path, listed, solutions))
    names = [one.name for one in made]
    if twice := [name for name in names if names.count(name) > 1]:
        raise MistakeError(f"{authors.at(path, twice[0])}: two mistakes are called {twice[0]!r}.")
    return made


def _all(path: Path, listed: Table, solutions: Mapping[str, str]) -> Iterator[WrongKernel]:
    for exercise, entries in listed.items():
        where = _header(path, exercise)
        if exercise not in solutions:
            known = ", ".join(solutions)
            raise MistakeError(f"{where}: there is no exercise {exercise!r}; there are: {known}.")
        if not edits.are_tables(entries):
            raise MistakeError(f"{where}: a mistake in {exercise} begins with [[{exercise}]].")
        for number, entry in enumerate(entries):
            try:
                yield _wrong_kernel(exercise, entry, solutions[exercise])
            except edits.EditError as error:
                name = str(entry.get("name", ""))
                quoted = bool(name) and f'"{name}"' in authors.text(path)
                where = authors.at(path, name) if quoted else _header(path, exercise, number)
                told = f"{exercise}/{name or 'a mistake without a name'}: {error}"
                raise MistakeError(f"{where}: {told}".rstrip(".") + ".") from None


def _header(path: Path, exercise: str, number: int = 0) -> str:
    """The file, and the line on which that table of an exercise begins, counted from 0."""
    lines = enumerate(authors.text(path).splitlines(), 1)
    begins = re.compile(rf"\s*\[*{re.escape(exercise)}\b(?!\.)")
    found = [at for at, line in lines if begins.match(line)]
    return f"{authors.shown(path)}, line {found[number]}" if found[number:] else authors.shown(path)


def _wrong_kernel(exercise: str, entry: Table, solution: str) -> WrongKernel:
    leaves = entry.get("leaves")
    edits.require({**entry, "leaves": ""}, _TEXTS, _KEYS)
    if empty := [key for key in sorted(_TEXTS) if not entry[key].strip()]:
        raise edits.EditError(f"{empty[0]} is empty")
    if entry["must_get"] not in set(Status):
        raise edits.EditError(f"must_get is {entry['must_get']!r}, which no verdict's status is")
    source = edits.edited(solution, exercise, entry)
    line = None
    if "line" in entry:
        line = source.count("\n", 0, edits.place(entry["line"], source)) + 1
    if "leaves" in entry and not (isinstance(leaves, int | float) and 0 <= leaves <= MOST_LEFT):
        raise edits.EditError(f"leaves is {leaves!r}, and should be from 0 to {MOST_LEFT}")
    name, status, mistake = entry["name"], entry["must_get"], entry["mistake"]
    return WrongKernel(name, exercise, status, line, mistake, source, leaves)
