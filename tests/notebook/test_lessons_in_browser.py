"""The lessons in JupyterLab as `grader lab` opens it: run through, left, brought up to date.

One of them is run through beside the one that is brought up to date: that every cell of all lessons
runs is held by test_course.py, without a browser. WARPWISE_LESSONS=all opens every one."""

from __future__ import annotations

import json
import os
import random
import shutil

import pytest

selenium = pytest.importorskip("selenium", reason="NO BROWSER TESTS: selenium is not installed")

import browser  # noqa: E402  (it needs selenium)
import lab_times  # noqa: E402
import nbformat  # noqa: E402
import test_player  # noqa: E402
from selenium_axe_python import Axe  # noqa: E402

from grader import course  # noqa: E402
from grader.learner import editions, folder  # noqa: E402
from grader.notebook import cards  # noqa: E402
from grader.notebook.draw.picture import themed  # noqa: E402
from grader.notebook.player import player  # noqa: E402

pytestmark = browser.MARKS

LESSON = course.lesson("02_tree_reduction")
OTHERS = [name for name in course.names() if name != LESSON.name]
ALL = "WARPWISE_LESSONS" in os.environ
NAME = "interleaved"
SOLUTION = LESSON.solution(LESSON.exercise(NAME))
PROSE = "A *reduction* turns many numbers into one"
OLDER = "This is what the lesson said before."
NEWER_STUB = "// The stub of the newer edition.\n"
SOURCES = (
    "return JSON.stringify(window.jupyterapp.shell.currentWidget.model.sharedModel.toJSON().cells)"
)
EDITED_BY_BOTH = "This cell has a new text in this edition of the course. Yours, above, was kept:"
# What is ours on the page: outputs, the marks in cells, the start page. The rest is JupyterLab's.
OURS = [".jp-OutputArea-output", ".warpwise-counters", ".warpwise-start"]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A learner's folder, made of an older edition of one lesson and brought up to date after an
    exercise of it was solved; in JupyterLab."""
    older = tmp_path_factory.mktemp("older")
    for path in folder.NOTEBOOKS.glob("*.ipynb"):
        shutil.copyfile(path, older / path.name)
    edited(older / f"{LESSON.name}.ipynb", older_edition)
    root = tmp_path_factory.mktemp("mine")
    folder.make(root, older)
    edited(root / f"{LESSON.name}.ipynb", solved)
    (changes,) = editions.update(root).values()
    assert changes[editions.BELOW] == [NAME]
    with browser.jupyterlab(root, learner=True) as address, browser.chromium(1440, 2400) as page:
        yield page, address


def edited(path, change):
    found = nbformat.read(path, 4)
    change(found)
    nbformat.write(found, path)


def older_edition(notebook):
    for cell in notebook.cells:
        if cell.source.startswith(PROSE):
            cell.source = OLDER
        if cell.source.startswith(f"%%cuda {NAME}"):
            cell.source += f"\n{NEWER_STUB}"


def solved(notebook):
    for cell in notebook.cells:
        if cell.source.startswith(f"%%cuda {NAME}"):
            cell.source = f"%%cuda {NAME}\n{SOLUTION}"


def opened(lab, name: str) -> browser.Lab:
    page, address = lab
    return browser.Lab(page, address, f"{name}.ipynb")


@pytest.mark.parametrize("name", OTHERS if ALL else random.Random(15).sample(OTHERS, 1))
def test_a_lesson_runs_from_top_to_bottom_without_an_error(lab, name):
    notebook = opened(lab, name)
    notebook.run_all()
    assert notebook.errors() == []
    assert "Error displaying widget" not in notebook.page.page_source
    notebook.close()


def test_a_half_solved_lesson_runs_after_an_update_and_is_as_it_was_left_when_reopened(lab):
    notebook = opened(lab, LESSON.name)
    assert OLDER not in notebook.page.page_source
    notebook.run_all()
    assert notebook.errors() == []
    check = notebook.find(f'check("{NAME}")')
    assert f"{NAME}: passed" in notebook.output(check)
    assert EDITED_BY_BOTH in notebook.page.execute_script(SOURCES)
    question = notebook.find("predict(")
    notebook.output(question)
    notebook.page.execute_script("document.querySelector('a[href*=\"#predict=\"]').click()")
    notebook.until(
        f"return /Right|It is not/.test("
        f"window.jupyterapp.shell.currentWidget.content.widgets[{question}]"
        ".outputArea.node.innerText)"
    )
    told = notebook.output(question)
    notebook.close()

    again = opened(lab, LESSON.name)
    # What is scrolled out of view has the same text, but no line breaks.
    assert "".join(again.output(question).split()) == "".join(told.split())
    assert "Error displaying widget" not in again.page.page_source
    assert f"{NAME}: passed" in again.output(check)
    exercise = again.find(f"%%cuda {NAME}")
    for number in (exercise, check):
        again.run(number)
        first, traceback = again.output(number).split("\n", 1)
        assert "run the first cell" in first
        assert "not found" in traceback or "NameError" in traceback
    toasts = "[...document.querySelectorAll('.Toastify__toast')]"
    said = again.until(f"return {toasts}.length === 1 && {toasts}[0].innerText")
    assert "run the first cell" in said
    again.until(
        "const button = [...document.querySelectorAll('.Toastify__toast button')]"
        ".find(one => one.textContent === 'Run both'); button?.click(); return !!button"
    )
    again.until(
        f"return window.jupyterapp.shell.currentWidget.content.widgets[{exercise}]"
        ".outputArea.node.innerText.includes('Compiled')"
    )
    again.run(question)
    # What is scrolled out of view has the same text, but no line breaks.
    assert "".join(again.output(question).split()) == "".join(told.split())
    again.close()


def test_axe_finds_nothing_serious_in_what_is_ours(lab):
    """Cards, pictures, questions, what stands in cells, the start page, and the player."""
    page, _ = lab
    notebook = opened(lab, LESSON.name)
    for number in (notebook.find("from grader"), notebook.find(f"%%cuda {NAME}")):
        notebook.run(number)
    racing = SOLUTION.replace("        __syncthreads();  // outside", "        // outside")
    notebook.write(notebook.find(f"%%cuda {NAME}"), f"%%cuda {NAME}\n{racing}")
    notebook.run(notebook.find(f"%%cuda {NAME}"))
    notebook.run(notebook.find(f'check("{NAME}")'))
    for dark, rules in ((False, None), (True, COLOURS)):
        notebook.dark(dark)
        assert serious(page, OURS[:2], rules) == []
        with notebook.player():
            assert serious(page, rules=rules) == []
    notebook.dark(False)
    notebook.command("warpwise:start")
    notebook.until("return !!document.querySelector('.warpwise-start h1')")
    assert serious(page, OURS[2:]) == []


COLOURS = ["color-contrast", "link-in-text-block"]  # the rules that a theme is about
PLANTED = {  # a fault in a card, or in a player's frame, by the rule of axe's that names it
    "image-alt": "document.querySelector('.ww-picture').removeAttribute('alt')",
    "color-contrast": "document.querySelector('code').style.color = '#dddddd'",
    "link-name": "document.querySelector('a').textContent = ''",
    "label": "document.querySelector('input[type=range]').removeAttribute('aria-label')",
    "button-name": "document.querySelector('[data-go=forth]').removeAttribute('aria-label');"
    "document.querySelector('[data-go=forth]').removeAttribute('title');"
    "document.querySelector('[data-go=forth]').textContent = ''",
}
IN_FRAME = ("label", "button-name")


def test_axe_finds_what_is_planted_in_what_is_ours(lab, tmp_path):
    """A card with a link into a cell, a picture and a player: nothing, and then one fault each."""
    page, _ = lab
    run, recording = test_player.summed(test_player.RACING)
    what = cards.of_hazard(run.hazards[0], test_player.RACING, cell=NAME)
    shown = cards.explain(what).html + themed(b"", "What it shows") + player(recording, []).html
    path = tmp_path / "ours.html"
    path.write_text(f'<!doctype html><body><div class="jp-OutputArea-output">{shown}</div>')
    for rule, fault in PLANTED.items():
        lab_times.open_players(page, path)
        if rule in IN_FRAME:
            page.switch_to.frame(0)
        within = None if rule in IN_FRAME else OURS[:1]
        assert serious(page, within) == []
        page.execute_script(fault)
        assert [one.partition(":")[0] for one in serious(page, within)] == [rule]
        page.switch_to.default_content()


def serious(page, within: list[str] | None = None, rules: list[str] | None = None) -> list[str]:
    """What axe calls serious or critical, by all of its rules or some of them, with the first
    element it says that of."""
    found = violations(page, within, rules)
    return [said for impact, said in found if impact in ("serious", "critical")]


def violations(page, within: list[str] | None = None, rules: list[str] | None = None):
    """All that axe finds, the impact and what it says of the first element."""
    axe = Axe(page)
    axe.inject()
    there = [one for one in within or [] if page.find_elements(browser.By.CSS_SELECTOR, one)]
    context = {"include": [[one] for one in there]} if within else None
    options = {"iframes": False, "resultTypes": ["violations"]}
    options |= {"runOnly": rules} if rules else {}
    found = axe.run(json.dumps(context) if context else "document", json.dumps(options))
    return [
        (
            one["impact"],
            f"{one['id']}: {one['nodes'][0]['target']} {one['nodes'][0]['failureSummary']}",
        )
        for one in found["violations"]
    ]
