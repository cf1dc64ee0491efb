"""The linter of prose finds what docs/style.md forbids, and nothing in what it recommends."""

from itertools import chain

import pytest

from grader.errors import counted
from tools.prose import blocks_of_module, blocks_of_page, files, lint, rules, settings


def found(text):
    return [finding.rule for finding in lint(blocks_of_page(text))]


ROWS = [(rule.name, *pair) for rule in rules() for pair in rule.pairs]


@pytest.mark.parametrize("rule, before, after", ROWS, ids=[row[1] for row in ROWS])
def test_every_example_of_the_page_is_found_before_and_not_after(rule, before, after):
    assert rule in found(before)
    assert found(after) == []


def test_code_is_no_prose():
    assert found("    dearest = 30000\n\nRead `stands in 64MB`.\n\n```text\nNor dear.\n```\n") == []


def test_a_place_has_its_line():
    (finding,) = lint(blocks_of_page("# A title\n\nOne line is right.\nThe other is dear.\n"))
    assert (finding.line, finding.words, finding.message) == (4, "dear", "Write “expensive”.")


def test_messages_are_texts_of_a_module_and_not_its_docstrings():
    module = 'def say(n):\n    """Nor this."""\n    return f"Of {n} threads one reads."\n'
    (finding,) = lint(blocks_of_module(module))
    assert (finding.line, finding.rule) == (3, "A sentence begins with its subject")


def test_every_page_lesson_and_message_is_in_a_list_of_the_linter():
    listed = {path.name for path in chain(files(settings()["files"]), files(settings()["later"]))}
    assert {"README.md", "style.md", "lesson.md", "messages.py"} <= listed


# --- a number of things is said in one way: nobody is told of "1 submissions" ---------------------


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
