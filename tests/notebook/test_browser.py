"""What a learner sees, in a real JupyterLab: the player at a race, at a shuffle, light and dark."""

from __future__ import annotations

import re

import pytest

selenium = pytest.importorskip("selenium", reason="NO BROWSER TESTS: selenium is not installed")

import browser  # noqa: E402  (it needs selenium)
import lab_times  # noqa: E402
import nbformat  # noqa: E402
from nbconvert import HTMLExporter  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

from grader import course  # noqa: E402
from grader.course.weave import CHECK, grade_id  # noqa: E402
from grader.learner import folder  # noqa: E402

pytestmark = browser.MARKS

LESSON = course.lesson("02_tree_reduction")
SOLUTION = LESSON.solution(LESSON.exercise("interleaved")).splitlines()
LAST_BARRIER = max(n for n, line in enumerate(SOLUTION) if "__syncthreads();" in line)
RACING = "\n".join(line for n, line in enumerate(SOLUTION) if n != LAST_BARRIER)
# Line 1 of a cell is the magic's.
ADDING = 2 + next(n for n, line in enumerate(RACING.splitlines()) if "+= tile[" in line)
SET_UP = f"""import numpy as np
from grader.notebook import *
lesson("{LESSON.name}")"""
IN_VIEW = """
const box = document.querySelector('.source').getBoundingClientRect();
const row = document.querySelector('.row.current').getBoundingClientRect();
return row.top >= box.top && row.bottom <= box.bottom;"""
SHUFFLE = """%%cuda give
extern "C" __global__ void give(float* x) {
    float mine = x[threadIdx.x];
    float theirs = __shfl_down_sync(0xffffffff, mine, 4);
    x[threadIdx.x] = mine + theirs;
}"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab with a lesson in which an exercise has a mistake; everything has been run."""
    root = tmp_path_factory.mktemp("lab")
    notebook = root / "lesson.ipynb"
    browser.write_notebook(
        notebook,
        SET_UP,
        f"%%cuda interleaved\n{RACING}",
        'check("interleaved")',
        SHUFFLE,
        "x = np.arange(32, dtype=np.float32)\nrun = watch(give, (1,), (32,), (x,))\nplay(run)",
        "draw.exchange(run)",
    )
    with browser.jupyterlab(root) as address, browser.chromium() as page:
        opened = browser.Lab(page, address, notebook.name)
        opened.folder, opened.address = root, address
        opened.run_all()
        yield opened


def test_a_failing_check_opens_the_player_at_the_hazard(lab):
    with lab.player() as player:
        assert player.line == ADDING
        assert "Data race" in player.text(".mark")
        assert player.count(".lane.wrong") == 1
        assert player.count(".cell.wrong") >= 1


def test_steps_go_forth_and_back_and_the_frame_changes(lab):
    with lab.player() as player:
        here = player.step, player.panels
        player.press(Keys.ARROW_LEFT)
        before = player.step, player.panels
        assert before != here
        player.click('[data-go="forth"]')
        assert (player.step, player.panels) == here
        player.press(Keys.HOME)
        assert player.step.startswith("step 1 of")
        player.click(".to-mark")
        assert (player.step, player.panels) == here


def test_a_step_by_barrier_stops_at_barriers_alone(lab):
    with lab.player() as player:
        player.press(Keys.HOME)
        player.choose("by", "barrier")
        player.press(Keys.ARROW_RIGHT)
        assert "The barrier opens" in player.text(".said")
        player.choose("by", "line")
        player.click(".to-mark")


def test_another_thread_shows_its_own_values(lab):
    with lab.player() as player:
        of_thread_0 = player.text(".panels section:nth-of-type(2)")
        player.choose("own", "5")
        of_thread_5 = player.text(".panels section:nth-of-type(2)")
        assert "Thread 5" in of_thread_5
        assert of_thread_5 != of_thread_0


def test_a_shuffle_has_an_arrow_for_each_value_that_moved(lab):
    with lab.player(1) as player:
        while not player.count(".exchange"):
            before = player.step
            player.press(Keys.ARROW_RIGHT)
            assert player.step != before, "there is no shuffle"
        assert player.count(".exchange .arrow") == 28  # lanes 28 to 31 keep their own


def test_a_hundred_steps_forth_and_back_end_where_they_began(lab):
    def stepped(player, direction):
        player.page.execute_script(
            f"for (let n = 0; n < 100; n++) window.player.step('{direction}')"
        )
        return player.step, player.panels

    with lab.player() as player:
        player.press(Keys.HOME)
        first = player.step, player.panels
        last = stepped(player, "forth")
        assert last != first
        assert stepped(player, "back") == first
        assert stepped(player, "forth") == last
        player.press(Keys.HOME)
        player.click(".to-mark")


def test_the_line_of_the_step_is_in_view(lab):
    with lab.player() as player:
        for key in (Keys.HOME, Keys.ARROW_RIGHT, Keys.END):
            player.press(key)
            assert player.page.execute_script(IN_VIEW), player.step
        player.click(".to-mark")
        assert player.page.execute_script(IN_VIEW)


def test_the_players_colours_follow_the_theme(lab):
    def colours():
        with lab.player() as player:
            script = "return getComputedStyle(document.body).backgroundColor"
            return player.page.execute_script(script)

    light = colours()
    lab.dark(True)
    try:
        dark = colours()
        turned = lab.page.execute_script(
            "return getComputedStyle(document.querySelector('.ww-picture')).filter"
        )
    finally:
        lab.dark(False)
    assert sum(map(int, re.findall(r"\d+", light)[:3])) > 600
    assert sum(map(int, re.findall(r"\d+", dark)[:3])) < 150
    assert "invert" in turned


def test_pictures_have_their_text_twin_as_alternative_text(lab):
    alternative = lab.page.execute_script("return document.querySelector('.ww-picture').alt")
    assert "28 lanes received from lane + 4" in alternative


def test_a_saved_notebook_still_plays_as_a_page_without_a_kernel(lab):
    lab.save()
    html, _ = HTMLExporter().from_filename(str(lab.folder / "lesson.ipynb"))
    saved = lab.folder / "lesson.html"
    saved.write_text(html)
    address = lab.page.current_url
    try:
        lab.page.get(saved.as_uri())
        with lab.player() as player:
            assert player.line == ADDING
            before = player.panels
            player.press(Keys.ARROW_LEFT)
            assert player.panels != before
    finally:
        lab.page.get(address)
        lab.until("return !!window.jupyterapp && !!document.querySelector('iframe[srcdoc]')")


@pytest.mark.parametrize("template", ["lab", "classic"])
def test_where_frames_are_escaped_the_steps_are_read_and_no_markup_of_a_frame(
    lab, template, tmp_path
):
    lab.save()
    exporter = HTMLExporter(template_name=template, sanitize_html=True)
    html, _ = exporter.from_filename(str(lab.folder / "lesson.ipynb"))
    path = tmp_path / "sanitized.html"
    path.write_text(html)
    assert "&lt;iframe" in html
    address = lab.page.current_url
    try:
        lab.page.get(path.as_uri())
        read = lab.page.execute_script("return document.body.innerText")
        assert f"Line {ADDING}, 64 threads (0-63): read tile[0] … tile[63]" in read
        assert "✗ Data race: " in read
        assert "iframe" not in read and "srcdoc" not in read
    finally:
        lab.page.get(address)
        lab.until("return !!window.jupyterapp && !!document.querySelector('iframe[srcdoc]')")


def test_validate_says_of_an_untouched_lesson_that_it_is_not_there_yet(lab):
    """nbgrader's button, which only those see who do not come by `grader lab`. Of the lesson as far
    as its first exercise, since all of it would be run."""
    given = nbformat.read(folder.NOTEBOOKS / f"{LESSON.name}.ipynb", 4)
    checks = [at for at, one in enumerate(given.cells) if grade_id(one).startswith(CHECK)]
    given.cells = given.cells[: checks[0] + 1]
    nbformat.write(given, lab.folder / f"{LESSON.name}.ipynb")
    untouched = browser.Lab(lab.page, lab.address, f"{LESSON.name}.ipynb")
    untouched.page.execute_script(
        "[...document.querySelectorAll('.jp-Toolbar button, .jp-Toolbar jp-button')]"
        ".find(one => one.textContent.trim() === 'Validate').click()"
    )
    said = untouched.until(
        "const dialog = document.querySelector('.jp-Dialog'); return dialog &&"
        " !/Validating/.test(dialog.innerText) && dialog.innerText"
    )
    assert "Success" not in said
    assert "still as it was handed out" in said


def test_five_players_on_one_page_all_open(lab, tmp_path):
    """How long that takes is told by tests/lab_times.py."""
    path = tmp_path / "five.html"
    path.write_text(lab_times.five_players())
    assert path.stat().st_size < 10_000_000
    lab.page.switch_to.new_window("tab")
    lab_times.open_players(lab.page, path)
    assert len(lab.page.find_elements(browser.By.CSS_SELECTOR, "iframe")) == 5
