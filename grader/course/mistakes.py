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

The wrong kernel is told as a small edit of the solution, as the answers of test suites are. An edit
is a table with `replace` (words that stand once in the solution) and `with`, and further such pairs
in `also`; or with `answer`, what is put in place of all that stands between BEGIN SOLUTION and END
SOLUTION: a text, or a list of texts where the solution has several such places. `above` is put
before the first line.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import AuthorError, counted, unless
from ..status import Status
from . import authors
from .kinds import ANSWER

FILE = "mistakes.toml"

Table = Mapping[str, Any]  # one of TOML's, not yet looked at

KEYS = {"replace", "with", "answer", "also", "above"}  # of an edit
_TEXTS = {"name", "mistake", "must_get"}
MOST_LEFT = 0.6  # of the exercise's points


class EditError(AuthorError):
    """An edit that cannot be made; the sentence says why."""


class MistakeError(EditError):
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
        where = f", line {line[1]}" if line else ""
        raise MistakeError(f"{authors.shown(path)}{where}: this is not TOML: {said}.") from error
    made = tuple(_all(path, listed, solutions))
    if twice := authors.named_twice(made):
        raise MistakeError(f"{authors.at(path, twice)}: two mistakes are called {twice!r}.")
    return made


def _all(path: Path, listed: Table, solutions: Mapping[str, str]) -> Iterator[WrongKernel]:
    for exercise, entries in listed.items():
        where = _header(path, exercise)
        unless(
            exercise in solutions,
            MistakeError(
                f"{where}: there is no exercise {exercise!r}; there are: {', '.join(solutions)}."
            ),
        )
        unless(
            are_tables(entries),
            MistakeError(f"{where}: a mistake in {exercise} begins with [[{exercise}]]."),
        )
        for number, entry in enumerate(entries):
            try:
                yield _wrong_kernel(exercise, entry, solutions[exercise])
            except EditError as error:
                name = str(entry.get("name", ""))
                quoted = bool(name) and f'"{name}"' in authors.text(path)
                where = authors.at(path, name) if quoted else _header(path, exercise, number)
                raise MistakeError(
                    f"{where}: {exercise}/{name or 'a mistake without a name'}: {error}".rstrip(".")
                    + "."
                ) from None


def _header(path: Path, exercise: str, number: int = 0) -> str:
    """The file, and the line on which that table of an exercise begins, counted from 0."""
    begins = re.compile(rf"\s*\[*{re.escape(exercise)}\b(?!\.)")
    found = [at for at, line in enumerate(authors.text(path).splitlines(), 1) if begins.match(line)]
    return f"{authors.shown(path)}, line {found[number]}" if found[number:] else authors.shown(path)


def _wrong_kernel(exercise: str, entry: Table, solution: str) -> WrongKernel:
    leaves = entry.get("leaves")
    require({**entry, "leaves": ""}, _TEXTS, _TEXTS | {"line", "leaves"} | KEYS)
    if empty := [key for key in sorted(_TEXTS) if not entry[key].strip()]:
        raise EditError(f"{empty[0]} is empty")
    unless(
        entry["must_get"] in set(Status),
        EditError(f"must_get is {entry['must_get']!r}, which no verdict's status is"),
    )
    source = edited(solution, exercise, entry)
    line = source.count("\n", 0, place(entry["line"], source)) + 1 if "line" in entry else None
    unless(
        "leaves" not in entry or (isinstance(leaves, int | float) and 0 <= leaves <= MOST_LEFT),
        EditError(f"leaves is {leaves!r}, and should be from 0 to {MOST_LEFT}"),
    )
    return WrongKernel(
        *(entry["name"], exercise, entry["must_get"]), line, entry["mistake"], source, leaves
    )


# ---- a kernel told as an edit of the solution ----


def edited(solution: str, exercise: str, entry: Table) -> str:
    """The exercise's `solution` with the edits of the table `entry` made. Raises `EditError`."""
    also = entry.get("also", [])
    unless(are_tables(also), EditError(f"a further edit begins with [[{exercise}.also]]"))
    first = {key: entry[key] for key in ("replace", "with") if key in entry}
    pairs = [first] if first or not ({"answer", "above"} & entry.keys()) else []
    edits = list(_answers(entry, solution))  # first character, one past the last, what is put there
    for pair in pairs + also:
        require(pair, {"replace", "with"}, {"replace", "with"})
        begin = place(pair["replace"], solution)
        edits.append((begin, begin + len(pair["replace"]), pair["with"]))
    source, at = str(entry.get("above", "")), 0
    for begin, end, text in sorted(edits):
        unless(at <= begin, EditError(f"two edits meet in {solution[begin:end].strip()!r}"))
        source, at = source + solution[at:begin] + text, end
    source += solution[at:]
    unless(source != solution, EditError("nothing is changed in the solution"))
    return source


def in_answer(solution: str, change: Callable[[str], str]) -> str:
    """`solution` with what stands between each BEGIN and END SOLUTION changed."""
    return ANSWER.sub(
        lambda found: found[0].replace(found["text"], change(found["text"])), solution
    )


def are_tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def require(table: Table, needed: set[str], known: set[str]) -> None:
    """That a table has all the `needed` keys, none but `known` ones, and texts in them."""
    strange, missing = (
        ", ".join(sorted(names)) for names in (table.keys() - known, needed - table.keys())
    )
    unless(not strange, EditError(f"nobody reads {strange}; there are: {', '.join(sorted(known))}"))
    unless(not missing, EditError(f"{missing} is missing"))
    for key in table.keys() - {"also", "answer"}:
        unless(isinstance(table[key], str), EditError(f"{key} must be a text, between quotes"))


def place(words: str, source: str) -> int:
    """Where `words` begin in `source`, in which they must stand once."""
    found = source.count(words) if words else 0
    times = counted(found, "time") if found else "nowhere"
    unless(
        found == 1,
        EditError(f"{words.strip()!r} stands {times} in the kernel, and must stand once"),
    )
    return source.index(words)


def _answers(entry: Table, solution: str) -> Iterator[tuple[int, int, str]]:
    """Where in the solution (first character, one past the last) what is to be put."""
    if "answer" not in entry:
        return
    answers = [entry["answer"]] if isinstance(entry["answer"], str) else entry["answer"]
    places = list(ANSWER.finditer(solution))
    unless(
        len(answers) == len(places) and all(isinstance(one, str) for one in answers),
        EditError(
            f"answer must have {counted(len(places), 'text')}, one for each BEGIN SOLUTION of the "
            "kernel"
        ),
    )
    yield from ((*found.span("text"), text) for found, text in zip(places, answers, strict=True))
