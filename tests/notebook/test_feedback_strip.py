"""A class's feedback page shows how a visible case went wrong: a few steps, with lines, lanes,
values and words, told when the answer was judged."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from small_class import LESSON, SCALED, UNGUARDED_SCALE, feedback_page, grader, hand_in
from small_lesson import SOLUTION, instead

from grader import course
from grader.classroom import verdicts
from grader.classroom.folder import new_course
from grader.judge import cases, judge, stepped
from grader.judge.playback.strip import MOST_ROWS, MOST_STEPS, Step, Strip, Warps
from grader.judge.protocol import Scene
from grader.judge.verdict import Verdict
from grader.notebook import verdict_card
from grader.notebook.player import of_failure, of_replay

pytestmark = pytest.mark.slow

LONG = 60_000
RACING = instead(
    """    __shared__ float tile[64];
    tile[threadIdx.x] = x[i];
    total[i] = tile[63 - threadIdx.x] + y[i];"""
)
BEYOND = instead("    total[i + 64] = x[i] + y[i];")
WRONG = instead("    if (i < n) total[i] = x[i] - y[i];")
NOT_A_NUMBER = instead("    if (i < n) total[i] = x[i] / 0.0f - y[i] / 0.0f;")
MARKUP = '</pre></div><script>alert(1)</script><img src=x onerror="alert(2)">'
HOSTILE = instead(f"    if (i < n) total[i] = 1e38f * i;  // {MARKUP} {'<b>' * (LONG // 3)}")
ANSWERS = {"race": RACING, "beyond": BEYOND, "wrong": WRONG, "nan": NOT_A_NUMBER, "evil": HOSTILE}
NUMBER = r"(-?[\d.e+-]+|nan|-?inf)"
TOLD = "Step by step (case: whole blocks)"


@pytest.fixture(scope="module")
def here(tmp_path_factory, kernels, grading):
    """A graded class, each of whom has made one mistake; "hidden" fails a hidden case alone."""
    found = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert grader(found, "release", LESSON).exit_code == 0
    for learner, source in ANSWERS.items():
        hand_in(found, learner, add=source, scale=SCALED)
    hand_in(found, "hidden", add=SOLUTION, scale=UNGUARDED_SCALE)
    assert grader(found, "autograde", LESSON).exit_code == 0
    return found


def page(here, learner):
    return feedback_page(here, learner)


def text_of(html):
    """What a reader of the page reads, a line for each of its boxes."""
    lined = re.sub(r"</?(?:div|pre|section|tr|h\d)[^>]*>", "\n", html)
    return unescape(re.sub(r"<[^>]*>", "", lined))


@pytest.mark.parametrize(
    ("learner", "line", "said", "wrong"),
    [
        ("race", "total[i] = tile[63 -", "read tile[0] … tile[63]", "Data race"),
        ("beyond", "total[i + 64] = x[i]", "read y[64] … y[127]", "Out of bounds"),
        ("wrong", "total[i] = x[i] - y[i];", "wrote total[0] … total[63]", "Wrong answer"),
        ("nan", "total[i] = x[i] / 0.0f", "wrote total[0] … total[63]", "Wrong answer"),
    ],
)
def test_the_page_has_the_steps_with_lines_lanes_values_and_words(here, learner, line, said, wrong):
    shown = text_of(page(here, learner)).partition(TOLD)[2].partition("Your cells")[0]
    assert re.search(rf"step \d+ of \d+ +\d+ \| .*{re.escape(line)}", shown)
    assert f"warps 0-1 {'●' * 32}" in shown
    assert re.search(rf"{re.escape(said)} \({NUMBER}, {NUMBER}, … {NUMBER}\)", shown)
    assert f"✗ {wrong}: " in shown


def test_a_hidden_case_s_failure_has_no_steps(here):
    shown = page(here, "hidden")
    assert "Step by step" not in shown
    kept = verdicts.read(here.path("autograded", LESSON, "hidden"))["scale"]["verdict"]
    assert kept["status"] == "out_of_bounds"
    assert [case["strip"] for case in kept["cases"]] == [None, None]


def test_an_answer_s_text_cannot_break_the_page_nor_swell_it(here):
    shown = page(here, "evil")
    assert "<script" not in shown and "<img" not in shown
    steps = shown.partition(TOLD)[2].partition("Your cells")[0]
    assert "&lt;script&gt;" in steps
    assert steps.count("<div") <= steps.count("</div") + 1
    assert 1_000 < len(steps.encode()) < 12_000


def test_the_verdict_holds_it_once_and_within_ten_kilobytes(here):
    kept = verdicts.read(here.path("autograded", LESSON, "evil"))["add"]["verdict"]
    strips = [case["strip"] for case in kept["cases"] if case["strip"]]
    assert len(strips) == 1
    assert len(str(strips[0]).encode()) < 10_000


def test_it_says_what_the_notebook_says(root):
    verdict = judge("01_add/add", RACING, seed=3, root=root, steps=True)
    exercise = course.lesson(LESSON, root).exercise("add")
    played = of_replay(of_failure(verdict, RACING, exercise)).text
    told = verdict_card.page(verdict.for_learner(), RACING, exercise).text.partition("Step by")[2]
    boxes = [one for one in told.split("\n\n") if one.startswith("step ")]
    assert boxes
    assert all(one.partition("✗")[0] in played for one in boxes)


@pytest.mark.parametrize("source", [SOLUTION, instead("    total[i] = x[i]")])
def test_what_passes_or_does_not_compile_is_judged_as_without(root, source):
    asked, plain = (judge("01_add/add", source, seed=3, root=root, steps=one) for one in (1, 0))
    assert asked == plain


def test_a_verdict_that_nobody_asked_for_steps_has_none(root):
    assert not any(case.strip for case in judge("01_add/add", RACING, seed=3, root=root).cases)


# --- what a worker says --------------------------------------------------------------------------

ROWS = (Warps(0, 1, "●" * 32),)
GOOD = Step(3, 7, ROWS, 0, "Line 7, all 64 threads.", "It is wrong.")
STRIP = Strip("add", (1, 0, 0), 9, (GOOD,))


def taken(root, strip):
    exercise = course.lesson(LESSON, root).exercise("add")
    instance = next(cases.drawn(exercise, 3, hidden=False))
    return stepped.believed(strip, instance, Scene(1, None, "lockstep"), SOLUTION)


def test_what_can_be_a_strip_is_taken(root):
    assert taken(root, STRIP) == STRIP


@pytest.mark.parametrize(
    "lie",
    [
        {"steps": ()},
        {"steps": (GOOD,) * (MOST_STEPS + 1)},
        {"block": (2, 0, 0)},
        {"block": (-1, 0, 0)},
        {"of": 0},
        {"of": 1 << 60},
        {"steps": (replace(GOOD, number=9),)},
        {"steps": (replace(GOOD, line=10_000),)},
        {"steps": (replace(GOOD, more=1),)},
        {"steps": (replace(GOOD, warps=()),)},
        {"steps": (replace(GOOD, warps=(Warps(0, 1, "<b>"),)),)},
        {"steps": (replace(GOOD, warps=(Warps(0, 1, "●" * 33),)),)},
        {"steps": (replace(GOOD, warps=(Warps(1, 1, "●"), Warps(0, 0, "●"))),)},
        {"steps": (replace(GOOD, warps=(Warps(0, 0, "●"),) * (MOST_ROWS + 1)),)},
    ],
)
def test_what_can_be_none_is_left_out(root, lie):
    assert taken(root, replace(STRIP, **lie)) is None


def test_a_name_and_a_sentence_are_not_taken_as_they_come(root):
    told = f"\x1b[31m{MARKUP}\n\u202e" + "x" * LONG
    strip = taken(root, replace(STRIP, kernel=MARKUP, steps=(replace(GOOD, said=told),)))
    assert strip.kernel == "add"
    (step,) = strip.steps
    assert len(step.said) < 500
    assert "\x1b" not in step.said and "\u202e" not in step.said and "\n" not in step.said


def test_a_card_shows_a_sentence_with_markup_as_text(root):
    verdict = judge("01_add/add", RACING, seed=3, root=root, steps=True)
    exercise = course.lesson(LESSON, root).exercise("add")
    evil = [
        replace(one, strip=replace(STRIP, steps=(replace(GOOD, said=MARKUP, wrong=MARKUP),)))
        for one in verdict.cases
        if one.strip
    ]
    card = verdict_card.page(replace(verdict, cases=tuple(evil)), RACING, exercise)
    assert "<script" not in card.html and "<img" not in card.html
    assert MARKUP in card.text


def test_it_travels_with_the_verdict_and_stays_where_a_case_is_hidden(root):
    verdict = judge("01_add/add", RACING, seed=3, root=root, steps=True)
    assert Verdict.from_dict(verdict.to_dict()) == verdict
    hidden = replace(verdict, cases=tuple(replace(one, visible=False) for one in verdict.cases))
    assert not any(one.strip for one in hidden.for_learner().cases)
