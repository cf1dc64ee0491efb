"""docs/misconceptions.md has every mistake of every lesson, with what the judge says first."""

from __future__ import annotations

import pytest

from tools import misconceptions_page as page

EVERY = {name: (lesson, wrong) for name, lesson, wrong in page.every()}
AGAIN = "run `python -m tools.misconceptions_page`"


def test_every_mistake_is_kept_with_the_source_that_was_judged():
    current = {name: page.key(wrong) for name, (_, wrong) in EVERY.items()}
    assert {name: key for name, (key, _) in page.kept().items()} == current, AGAIN


def test_the_page_is_current():
    assert page.PAGE.read_text(encoding="utf-8") == page.text(page.kept()), AGAIN


def test_each_kind_has_mistakes_and_says_what_it_reveals():
    found = {page.kind_of(wrong, page.kept()[name][1]) for name, (_, wrong) in EVERY.items()}
    assert found == set(page.MISTAKE_KINDS)
    assert len({kind.reveals for kind in found}) == len(found)


def test_no_mistake_is_without_a_first_message():
    assert all(message.strip() for _, message in page.kept().values())


@pytest.mark.costly
@pytest.mark.parametrize("name", EVERY)
def test_the_first_message_is_what_the_judge_says(name):
    lesson, wrong = EVERY[name]
    assert page.kept()[name][1] == page.first_message(lesson, wrong), AGAIN
