"""The grade is fair: a part of the suites that `python tests/suites.py` judges whole."""

import random
from collections import Counter

import pytest
import suites

from grader import course

pytestmark = pytest.mark.slow

SEED, SAMPLE = 14, 5
SUITES = {suite: list(suites.answers(suite)) for suite in ("alternatives", "skips", "mistakes")}
EXERCISES = [  # those with a kernel; the others are questions
    exercise.id for lesson in course.lessons() for exercise in lesson.exercises if exercise.cases
]
WRITTEN = [
    exercise.id
    for lesson in course.lessons()
    for exercise in lesson.exercises
    if exercise.kind.name == "write"
]


def some(suite: str):
    chosen = random.Random(SEED).sample(SUITES[suite], SAMPLE)
    return pytest.mark.parametrize("answer", chosen, ids=[one.path for one in chosen])


@some("alternatives")
def test_a_right_answer_of_another_style_gets_full_marks(answer):
    verdict = suites.judged(answer)
    assert verdict.points == verdict.max_points, verdict.message


TEXTBOOK = list(suites.answers("textbook"))


@pytest.mark.core
@pytest.mark.parametrize("answer", TEXTBOOK, ids=[one.path for one in TEXTBOOK])
def test_the_answer_of_a_textbook_loses_only_what_the_page_names(answer):
    verdict = suites.judged(answer)
    assert suites.lost(verdict) == [answer.loses] * bool(answer.loses), verdict.message
    assert verdict.status == ("over_budget" if answer.loses else "passed")


@some("skips")
def test_going_around_what_is_taught_gets_at_most_half(answer):
    verdict = suites.judged(answer)
    assert verdict.points <= verdict.max_points / 2


@some("mistakes")
def test_a_mistake_in_values_alone_is_seen_by_a_visible_case_and_its_cause_is_told(answer):
    verdict = suites.judged(answer)
    assert verdict.status == "wrong_answer", verdict.message
    assert suites.cause_is_told(answer, verdict), verdict.message


def test_the_suites_are_as_large_as_they_are_said_to_be():
    assert len(SUITES["alternatives"]) >= 300
    assert len(SUITES["mistakes"]) >= 150
    for suite, least in (("alternatives", 5), ("mistakes", 3)):
        per_exercise = Counter(one.exercise for one in SUITES[suite])
        assert min(per_exercise[exercise] for exercise in WRITTEN) >= least
    per_exercise = Counter(one.exercise for one in SUITES["alternatives"])
    assert min(per_exercise[exercise] for exercise in EXERCISES) >= 1
    per_exercise = Counter(one.exercise for one in SUITES["skips"])
    assert sum(per_exercise[exercise] >= 4 for exercise in EXERCISES) >= 25


def test_each_answer_is_told_once_and_each_mistake_has_a_known_cause():
    for listed in SUITES.values():
        sources = Counter((one.exercise, one.source) for one in listed)
        assert max(sources.values()) == 1
    assert {one.cause for one in SUITES["mistakes"]} <= suites.CAUSES.keys()
