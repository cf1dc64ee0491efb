"""A feedback page in a real browser: legible, on a screen and on paper, as it is told to load
nothing."""

from __future__ import annotations

import pytest

selenium = pytest.importorskip("selenium", reason="NO BROWSER TESTS: selenium is not installed")

import browser  # noqa: E402  (it needs selenium)
from small_class import LESSON, UNGUARDED_SCALE, grader, hand_in  # noqa: E402
from test_feedback_strip import RACING  # noqa: E402
from test_lessons_in_browser import serious  # noqa: E402

from grader.classroom.folder import new_course  # noqa: E402

pytestmark = browser.MARKS


@pytest.fixture(scope="module")
def page(tmp_path_factory, kernels, grading):
    """The feedback page of a learner with a race in one answer, and a hidden case that fails in
    the other, open in Chromium."""
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert grader(here, "release", LESSON).exit_code == 0
    hand_in(here, "ada", add=RACING, scale=UNGUARDED_SCALE)
    for command in ("autograde", "feedback"):
        assert grader(here, command, LESSON).exit_code == 0
    with browser.chromium() as opened:
        opened.get((here.path("feedback", LESSON, "ada") / f"{LESSON}.html").as_uri())
        yield opened


def test_axe_finds_nothing_serious_on_it(page):
    assert serious(page, ["body"], []) == []


@pytest.mark.parametrize("medium", ["screen", "print"])
@pytest.mark.parametrize("width", [1024, 520])
def test_the_steps_are_within_the_page(page, medium, width):
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": medium})
    page.set_window_size(width, 900)
    assert "✗ Data race: " in page.execute_script("return document.body.innerText")
    assert page.execute_script(
        "const card = [...document.querySelectorAll('strong')]"
        ".find(one => one.textContent.startsWith('Step by step')).parentElement;"
        "return [...card.querySelectorAll('*')]"
        ".every(one => one.getBoundingClientRect().right <= innerWidth + 1)"
    )


def test_nothing_is_refused_or_missing_in_the_browser_s_console(page):
    assert page.get_log("browser") == []
