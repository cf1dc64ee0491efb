"""A kernel told as a small edit of the solution: what mistakes.toml and test suites hold.

An edit is a table with `replace` (words that stand once in the solution) and `with`, and further
such pairs in `also`; or with `answer`, what is put in place of all that stands between BEGIN
SOLUTION and END SOLUTION: a text, or a list of texts where the solution has several such places.
`above` is put before the first line.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..counted import counted
from ..errors import AuthorError

Table = Mapping[str, Any]  # one of TOML's, not yet looked at

KEYS = {"replace", "with", "answer", "also", "above"}

_PLACE = re.compile(
    r"// BEGIN SOLUTION\n(.*?)(?=^[ \t]*// END SOLUTION$)", re.DOTALL | re.MULTILINE
)


class EditError(AuthorError):
    """An edit that cannot be made; the sentence says why."""


def edited(solution: str, exercise: str, entry: Table) -> str:
    """The exercise's `solution` with the edits of the table `entry` made. Raises `EditError`."""
    also = entry.get("also", [])
    if not are_tables(also):
        raise EditError(f"a further edit begins with [[{exercise}.also]]")
    first = {key: entry[key] for key in ("replace", "with") if key in entry}
    pairs = [first] if first or not ({"answer", "above"} & entry.keys()) else []
    edits = [*_answers(entry, solution), *(_replacement(pair, solution) for pair in pairs + also)]
    source: str = entry.get("above", "") + _made(solution, sorted(edits))
    if source == solution:
        raise EditError("nothing is changed in the solution")
    return source


def in_answer(solution: str, change: Callable[[str], str]) -> str:
    """`solution` with what stands between each BEGIN and END SOLUTION changed."""
    return _PLACE.sub(lambda found: found[0].replace(found[1], change(found[1])), solution)


def are_tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def require(table: Table, needed: set[str], known: set[str]) -> None:
    """That a table has all the `needed` keys, none but `known` ones, and texts in them."""
    if strange := ", ".join(sorted(table.keys() - known)):
        raise EditError(f"nobody reads {strange}; there are: {', '.join(sorted(known))}")
    if missing := ", ".join(sorted(needed - table.keys())):
        raise EditError(f"{missing} is missing")
    for key in table.keys() - {"also", "answer"}:
        if not isinstance(table[key], str):
            raise EditError(f"{key} must be a text, between quotes")


def place(words: str, source: str) -> int:
    """Where `words` begin in `source`, in which they must stand once."""
    found = source.count(words) if words else 0
    if found != 1:
        times = "nowhere" if not found else counted(found, "time")
        raise EditError(f"{words.strip()!r} stands {times} in the kernel, and must stand once")
    return source.index(words)


def _answers(entry: Table, solution: str) -> Iterator[tuple[int, int, str]]:
    """Where in the solution (first character, one past the last) what is to be put."""
    if "answer" not in entry:
        return
    answers = [entry["answer"]] if isinstance(entry["answer"], str) else entry["answer"]
    places = list(_PLACE.finditer(solution))
    if len(answers) != len(places) or not all(isinstance(one, str) for one in answers):
        raise EditError(
            f"answer must have {counted(len(places), 'text')}, one for each BEGIN SOLUTION of the "
            "kernel"
        )
    for found, text in zip(places, answers, strict=True):
        yield found.start(1), found.end(1), text


def _replacement(edit: Table, solution: str) -> tuple[int, int, str]:
    require(edit, {"replace", "with"}, {"replace", "with"})
    begin = place(edit["replace"], solution)
    return begin, begin + len(edit["replace"]), edit["with"]


def _made(solution: str, edits: list[tuple[int, int, str]]) -> str:
    made, at = "", 0
    for begin, end, text in edits:
        if begin < at:
            raise EditError(f"two edits meet in {solution[begin:end].strip()!r}")
        made, at = made + solution[at:begin] + text, end
    return made + solution[at:]
