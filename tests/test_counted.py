"""A number of things is said in one way, by `counted`: nobody is told of "1 submissions"."""

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

from grader.counted import counted

GRADER = Path(__file__).parents[1] / "grader"
# What ends in s behind a value, and is no noun that the value counts.
VERB = re.compile(
    "afterwards|always|answers|as|asks|begins|budgets|comes|consists|costs|counts|does|draws|ends|"
    "fails|gives|goes|hangs|has|his|holds|is|its|keeps|knows|lacks|launches|leaves|less|loads|means|"
    "names|needs|overwrites|passes|plus|reaches|reads|runs|says|shows|speaks|stands|stores|takes|tells|"
    "this|times|uses|waits|was|wastes|writes"
)
ENDS_THE_PHRASE = re.compile(
    "an?|and|are|at|be|by|for|from|in|must|no|not|of|on|or|than|that|the|to|which|will|with"
)
# By file, what is more than one wherever it is said: beyond a limit that is, or asked before.
MORE_THAN_ONE = {
    "bench/speed.py": "most fewer",
    "classroom/exports/__init__.py": "system",
    "cli/cases_screen.py": "alone pairs",
    "cli/classroom_commands.py": "lesson",
    "course/choosing.py": "rule.kernel",
    "bench/conformance/__init__.py": "n result",
    "cuda/limits.py": "threads blocks static+dynamic",
    "machine/machine.py": "self.options.step_limit",
    "machine/barriers.py": "of",
    "ptx/instructions/moves.py": "parts",
    "say/reporting/index_advice.py": "times all_threads width taken threads place.count length",
    "say/reporting/reporter.py": "access.width access.width//place.size",
    "ptx/declarations.py": "number",
    "judge/arrangement.py": "len(mine)-len(frame)",
    "judge/compare.py": "size count",
    "judge/explaining/done_with.py": "len(found)",
    "judge/explaining/places.py": "names[b]",
    "judge/protocol.py": "end-LENGTH array.data.nbytes",
    "notebook/draw/owner_map.py": "launched max(counts) len(_COLOURS) len(box.who) block",
    "notebook/draw/sector_map.py": "len(self.later)+1 count most",
    "notebook/wrong_elements.py": "each",
    "judge/playback/elements.py": "len(offsets)",
    "profiler/profile.py": "device.threads device.sms",
    "submissions/intake.py": "len(found)",
}


@pytest.mark.parametrize(
    "number, said",
    [
        (1, "1 point"),
        (0, "0 points"),
        (1.0, "1 point"),
        (2.5, "2.5 points"),
        (3000, "3,000 points"),
    ],
)
def test_one_thing_is_no_plural(number, said):
    assert counted(number, "point") == said


def test_a_noun_may_have_a_plural_of_its_own():
    assert [counted(n, "entry", "entries") for n in (1, 2)] == ["1 entry", "2 entries"]


def test_no_sentence_puts_a_plural_behind_a_number_that_may_be_one():
    found = [
        f"{name}:{value.lineno}: {{{ast.unparse(value.value)}}} ... {word}"
        for name, value, word in _all_plurals()
        if _plain(value) not in MORE_THAN_ONE.get(name, "").split()
    ]
    assert not found, "\n".join(["say these with `counted`:", *found])


def test_what_is_said_to_be_more_than_one_is_still_said():
    said = {(name, _plain(value)) for name, value, _ in _all_plurals()}
    listed = {(name, one) for name, values in MORE_THAN_ONE.items() for one in values.split()}
    assert listed <= said


def test_no_page_puts_a_plural_behind_a_number_that_may_be_one():
    pages = sorted(GRADER.rglob("pages/*.html"))
    assert pages
    found = [
        f"{path.relative_to(GRADER)}: ... {word}"
        for path in pages
        for behind in path.read_text(encoding="utf-8").split("}}")[1:]
        if (word := _noun(behind))
    ]
    assert not found, "\n".join(["say these with the filter `counted`:", *found])


def _all_plurals():
    """Where a sentence has a word in the plural behind a value: file, value, word."""
    for path in sorted(GRADER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            parts = node.values if isinstance(node, ast.JoinedStr) else []
            for value, behind in pairwise(parts):
                word = _noun(behind.value) if isinstance(behind, ast.Constant) else ""
                if word and _may_be_one(value):
                    yield path.relative_to(GRADER).as_posix(), value, word


def _may_be_one(value):
    """Not a text, a constant of the module, or what is counted already."""
    if not isinstance(value, ast.FormattedValue) or "counted(" in ast.unparse(value):
        return False
    names = [one.id for one in ast.walk(value) if isinstance(one, ast.Name)]
    return not all(name.isupper() for name in names)


def _plain(value):
    return ast.unparse(value.value).replace(" ", "")


def _noun(text):
    """The word with an s among the first three behind a value; "" where there is none."""
    words = re.match(r"(?: [a-z-]+){1,3}", text)
    for word in words[0].split() if words else ():
        if VERB.fullmatch(word) or ENDS_THE_PHRASE.fullmatch(word):
            return ""
        if re.fullmatch(r".+[^s]s", word):
            return word
    return ""
