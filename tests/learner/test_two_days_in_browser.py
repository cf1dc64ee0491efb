"""A learner's first lesson, and the warm-ups of two later days, in JupyterLab as `grader lab` opens
it. Days pass when all times in the learner's `progress.jsonl` become earlier."""

import sys
from datetime import timedelta

import pytest

selenium = pytest.importorskip("selenium", reason="NO BROWSER TESTS: selenium is not installed")

import browser  # noqa: E402  (it needs selenium)
from day_in_lab import GUARD, HINTS, LESSON, OURS, RIGHT, WRONG, Day, later  # noqa: E402

from grader.learner import recall  # noqa: E402

pytestmark = browser.MARKS

PATIENCE = 60  # seconds, for each wait


@pytest.fixture(scope="module")
def days(tmp_path_factory):
    """What a learner saw on each day, by the day's number."""
    root, seen, today = tmp_path_factory.mktemp("mine"), {}, 1
    command = (sys.executable, "-m", "grader", "lab", str(root), "--no-browser")
    with pytest.MonkeyPatch.context() as patch, browser.chromium() as page:
        patch.setattr(browser, "PATIENCE", PATIENCE)
        page.set_script_timeout(PATIENCE)
        for number in (1, 5, 12):
            if seen:
                later(root, timedelta(days=number - today))
            today, pieces = number, recall.warm_up(root)
            with browser.jupyterlab(root, command=command) as address:
                day = Day(page, address, number)
                seen[number] = day.warm_up(pieces) if pieces else day.first_lesson(root)
    return seen


def test_a_mistake_is_told_and_the_button_gives_its_remedy_and_stronger_hints(days):
    told, hints = days[1]["wrong"], days[1]["hints"]
    assert "saxpy: not there yet" in told and "Out of bounds" in told
    assert "should stop this thread" not in told and "should stop this thread" in hints
    places = [hints.index(one) for one in (*HINTS, "Step through it")]  # the player is below
    assert places == sorted(places)


def test_a_question_comes_before_the_hints_and_a_wrong_answer_gets_a_second_try(days):
    asked, again, right = days[1]["asked"]
    assert "Which is the largest index into x?" in asked
    assert "It is not “" in again and "What to look at next" not in right
    assert "and the first index is 0" in right and "and the first index is 0" not in again


def test_the_last_hint_leads_to_a_puzzle_of_our_lines_and_of_mistakes(days):
    said, lines, checked = days[1]["puzzle"]
    assert "from grader.notebook import puzzle" in days[1]["hints"]
    assert "Some lines belong to common mistakes" in said
    assert {line.strip() for line in OURS.splitlines()} < set(lines)
    assert "saxpy: passed" in checked


def test_a_kernel_that_passes_stands_beside_ours(days):
    assert "saxpy: passed" in days[1]["passed"]
    assert "-     if (i >= n) return;" in days[1]["ours"] and f"+     {GUARD}" in days[1]["ours"]


def test_the_start_page_knows_what_is_new_and_what_is_learned_with_minutes(days):
    assert "Concepts: 9 new, 0 learning, 0 mastered, 0 due" in days[1]["start"]
    assert f"Go on here: {LESSON.title}" in days[1]["half way"]
    assert "2 of 10 predictions made, 1 right" in days[1]["half way"]  # no question of a hint
    assert "Concepts: 7 new, 2 learning, 0 mastered, 0 due" in days[1]["half way"]
    assert f"{WRONG} · learning · 1 minute" in days[1]["half way"]
    assert "The guard · new · 4 minutes" in days[1]["half way"]
    assert "9 of 9 exercises passed" in days[1]["end"] and "Warm up first" not in days[1]["end"]


@pytest.mark.parametrize("number", [5, 12])
def test_on_a_later_day_the_start_page_begins_with_a_warm_up_that_can_be_done(days, number):
    seen, name = days[number], days[number]["pieces"][-1].name
    assert f"Warm up first: {recall.length(seen['pieces'])}" in seen["start"]
    assert 3 <= len(seen["pieces"]) <= 5
    assert f"{WRONG} · learning, due · 1 minute" in seen["start"]
    assert f'run the cell with check("{name}"), which comes below it' in seen["said"]
    assert f"{name}: passed" in seen["passed"]


def test_mastered_is_right_twice_at_least_three_days_apart(days):
    assert f"{RIGHT} · mastered · 1 minute" in days[5]["end"]
    assert f"{WRONG} · learning · 1 minute" in days[5]["end"]  # right once
    assert f"{WRONG} · mastered · 1 minute" in days[12]["end"]
