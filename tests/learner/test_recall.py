"""What comes back in a warm-up, and when: by the learner's own log, with a clock that is moved."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from grader import course
from grader.learner import folder, progress, recall, start_page
from grader.learner.recall import Prediction, handed_out

FIRST, SECOND = "00_first_kernel", "02_tree_reduction"


class Clock:
    def __init__(self):
        self.time = datetime(2026, 9, 1, 10, tzinfo=UTC)

    def move(self, **by):
        self.time += timedelta(**by)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress, "now", lambda: clock.time)
    return clock


@pytest.fixture
def own(tmp_path, monkeypatch, clock):
    """A learner's folder with the whole course; nothing was done yet."""
    folder.make(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pieces(root, lesson):
    (found,) = [each.pieces for each in handed_out(root) if each.name == lesson]
    return found


def do(piece, right=True, hint=False):
    """Answer a piece, as predict() and check() remember it."""
    if isinstance(piece.task, Prediction):
        progress.predicted(piece.lesson, piece.name, "any", right)
        return
    if hint:
        progress.tried(piece.lesson, piece.name, None)
    progress.tried(piece.lesson, piece.name, right)
    if right:
        progress.passed(piece.lesson, piece.name)


def do_lesson(root, name):
    """Pass every exercise of a lesson, and answer its questions, right at first."""
    for exercise in course.lesson(name).exercises:
        progress.passed(name, exercise.name)
    for piece in pieces(root, name):
        do(piece)


def remembered(root, piece):
    return next(each for each in recall.remembered(root) if each.piece.name == piece.name)


def days_until_due(root, clock, piece):
    days = 0
    while not remembered(root, piece).due:
        clock.move(days=1)
        days += 1
        assert days < 1000
    return days


@pytest.fixture
def question(own):
    """A question of a lesson that is passed, not answered yet."""
    for exercise in course.lesson(FIRST).exercises:
        progress.passed(FIRST, exercise.name)
    return next(each for each in pieces(own, FIRST) if isinstance(each.task, Prediction))


@pytest.fixture
def exercise(question, own, clock):
    """A short exercise of a lesson that is passed, and due."""
    piece = next(each for each in pieces(own, FIRST) if isinstance(each.task, str))
    days_until_due(own, clock, piece)
    return piece


# --- the pieces ----------------------------------------------------------------------------------


def test_the_pieces_are_all_predictions_and_the_short_kinds_of_exercise(own):
    for lesson in course.lessons():
        found = pieces(own, lesson.name)
        short = {one.name for one in lesson.exercises if one.kind.name in ("order", "place", "bug")}
        exercises = [each for each in found if isinstance(each.task, str)]
        assert {each.name for each in exercises} == short
        assert all(each.minutes == lesson.exercise(each.name).minutes for each in exercises)
        (counted,) = [one.predictions for one in handed_out(own) if one.name == lesson.name]
        assert len(found) - len(exercises) == counted


def test_a_piece_brings_the_section_above_it_and_no_answer_of_another_question(own):
    for lesson in course.names():
        for piece in pieces(own, lesson):
            assert piece.asked in piece.above
            assert "predict(" not in piece.above


def test_every_question_can_come_back_with_other_numbers(own):
    for lesson in course.names():
        asked = [each.task for each in pieces(own, lesson) if isinstance(each.task, Prediction)]
        for task in asked:
            every = [task.after(reviews) for reviews in range(len(task.anew) + 1)]
            assert len(every) > 2, task.text
            assert len({one.text for one in every}) == len(every), task.text
            for one in every:
                assert one.answer in one.choices, one.text
                assert len(set(one.choices)) == len(one.choices) > 1, one.text
                assert one.because, one.text


# --- the schedule --------------------------------------------------------------------------------


def test_nothing_comes_back_of_a_lesson_that_is_not_passed(own, clock):
    for piece in pieces(own, SECOND):
        do(piece, right=False)
    clock.move(days=100)
    assert recall.warm_up(own) == []


def test_nothing_is_due_on_the_day_that_a_lesson_is_passed(own):
    do_lesson(own, FIRST)
    assert recall.warm_up(own) == []


def test_a_piece_that_is_right_each_time_comes_back_after_longer_and_longer(own, clock, question):
    pauses = []
    for _ in range(4):
        do(question)
        pauses.append(days_until_due(own, clock, question))
    assert all(before < after for before, after in pairwise(pauses))


def test_a_question_comes_back_with_other_numbers_each_time_until_all_had_their_turn(
    own, clock, question
):
    asked = [remembered(own, question).piece.task]
    for _ in range(len(question.task.anew) + 1):
        do(question)
        days_until_due(own, clock, question)
        asked.append(remembered(own, question).piece.task)
    assert asked[0].text == asked[-1].text == question.task.text
    assert len({one.text for one in asked}) == len(asked) - 1


def test_what_was_wrong_or_needed_a_second_try_comes_back_sooner(own, clock, question):
    pauses = {}
    for name, tries in {"right": [True], "second": [False, True], "wrong": [False]}.items():
        (own / progress.FILE).unlink()
        do_lesson(own, FIRST)
        days_until_due(own, clock, question)
        for right in tries:
            do(question, right)
        pauses[name] = days_until_due(own, clock, question)
    assert pauses["wrong"] < pauses["second"] < pauses["right"]


def test_an_exercise_that_needed_a_hint_comes_back_sooner(own, clock, exercise):
    before = (own / progress.FILE).read_bytes()
    due = clock.time
    do(exercise)
    alone = days_until_due(own, clock, exercise)
    (own / progress.FILE).write_bytes(before)
    clock.time = due
    do(exercise, hint=True)
    assert days_until_due(own, clock, exercise) < alone


def test_a_hint_after_a_right_answer_and_a_hint_alone_change_nothing(own, clock, exercise):
    progress.tried(exercise.lesson, exercise.name, None)
    assert remembered(own, exercise).due
    clock.move(days=1)
    do(exercise)
    before = remembered(own, exercise)
    progress.tried(exercise.lesson, exercise.name, None)
    assert remembered(own, exercise) == before


def test_mastered_is_right_twice_at_least_three_days_apart(own, clock, question):
    assert remembered(own, question).state == "new"
    do(question)
    clock.move(days=2, hours=23)
    do(question)
    assert remembered(own, question).state == "learning"
    clock.move(hours=1)
    assert remembered(own, question).state == "learning"
    clock.move(hours=10)
    do(question)
    assert remembered(own, question).state == "mastered"
    clock.move(days=30)
    do(question, right=False)
    assert remembered(own, question).state == "learning"


def test_nothing_is_mastered_with_a_hint(own, clock, exercise):
    clock.move(days=10)
    do(exercise, hint=True)
    clock.move(days=10)
    do(exercise)
    assert remembered(own, exercise).state == "learning"
    clock.move(days=10)
    do(exercise)
    assert remembered(own, exercise).state == "mastered"


def test_logs_of_two_machines_are_one_in_any_order(own, clock, question):
    log = own / progress.FILE
    begun = log.read_text()
    log.write_text("")
    do(question, right=False)
    clock.move(days=1)
    here, there = log.read_text(), ""
    log.write_text("")
    do(question)
    there = log.read_text()
    clock.move(days=1)
    states = []
    for merged in (begun + here + there, there + begun + here, here + there + begun + here):
        log.write_text(merged)
        states.append(remembered(own, question))
    assert states[0] == states[1] == states[2]
    log.write_text(begun + there)
    assert remembered(own, question) != states[0]


# --- a warm-up -----------------------------------------------------------------------------------


def test_a_warm_up_is_three_to_five_pieces_of_ten_minutes_that_mix_lessons(own, clock):
    do_lesson(own, FIRST)
    do_lesson(own, SECOND)
    clock.move(days=30)
    found = recall.warm_up(own)
    assert 3 <= len(found) <= 5
    assert sum(piece.minutes for piece in found) <= 10
    assert {piece.lesson for piece in found} == {FIRST, SECOND}
    exercises = [isinstance(piece.task, str) for piece in found]
    assert sum(exercises) <= 1
    assert exercises == sorted(exercises)  # it is last


def test_what_was_done_today_does_not_come_again_and_all_that_is_due_comes_some_day(own, clock):
    do_lesson(own, FIRST)
    clock.move(days=30)
    seen, due = [], True
    while due := recall.warm_up(own):
        seen += [piece.name for piece in due]
        for piece in due:
            do(piece)
    assert len(seen) == len(set(seen)) == len(pieces(own, FIRST))


def test_one_piece_that_is_due_brings_two_more_of_passed_lessons(own, clock, question):
    do(question, right=False)
    while not any(each.due for each in recall.remembered(own)):
        clock.move(hours=1)
    found = recall.warm_up(own)
    assert question.name in {one.name for one in found}
    assert len(found) == 3


# --- the start page ------------------------------------------------------------------------------


def test_the_start_page_begins_with_the_warm_up_when_something_is_due(own, clock):
    do_lesson(own, FIRST)
    assert "Warm up first" not in start_page.page(own)
    clock.move(days=30)
    shown = start_page.page(own)
    found = recall.warm_up(own)
    minutes = sum(piece.minutes for piece in found)
    assert f'href="warm_up.ipynb">Warm up first: {len(found)} pieces, {minutes} min' in shown
    assert shown.index("Warm up first") < shown.index("Go on here" if "Go on" in shown else "Begin")
    (own / "warm_up.ipynb").unlink()
    assert "Warm up first" not in start_page.page(own)  # the learner deleted the notebook


def test_the_start_page_shows_the_state_and_the_minutes_of_each_concept(own, clock):
    assert "The guard · new · 4 minutes" in start_page.page(own)
    do_lesson(own, FIRST)
    assert "The guard · learning · 4 minutes" in start_page.page(own)
    clock.move(days=30)
    assert "The guard · learning, due · 4 minutes" in start_page.page(own)
    for piece in pieces(own, FIRST):
        if piece.section == "The guard":
            do(piece)
    assert "The guard · mastered · 4 minutes" in start_page.page(own)
    assert "1 mastered, " in start_page.page(own)
