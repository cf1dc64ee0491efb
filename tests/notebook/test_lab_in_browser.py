"""JupyterLab as `grader lab` opens it: CUDA cells, what stands at their lines, the start page."""

from __future__ import annotations

import json

import pytest

selenium = pytest.importorskip("selenium", reason="NO BROWSER TESTS: selenium is not installed")

import browser  # noqa: E402  (it needs selenium)
import nbformat  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

from grader import course  # noqa: E402
from grader.learner import folder, progress  # noqa: E402

pytestmark = browser.MARKS

LESSON = course.lesson("02_tree_reduction")
SOLUTION = LESSON.solution(LESSON.exercise("interleaved")).splitlines()
LAST_BARRIER = max(n for n, line in enumerate(SOLUTION) if "__syncthreads();" in line)
RACING = "\n".join(line for n, line in enumerate(SOLUTION) if n != LAST_BARRIER)
# Line 1 of a cell is the magic's.
ADDING = 2 + next(n for n, line in enumerate(RACING.splitlines()) if "+= tile[" in line)
QUESTION = 4  # its cell
CELLS = (
    f'from grader.notebook import *\nimport numpy as np\nlesson("{LESSON.name}")',
    f"%%cuda interleaved\n{RACING}",
    "x, p = np.ones(64, np.float32), np.zeros(1, np.float32)\n"
    "run = watch(interleaved, (1,), (64,), (x, p, np.int32(64)))",
    "%%cuda asked_about\n" + RACING.replace(" interleaved(", " asked_about("),
    'predict("How many?", choices=["8", "16"], answer="8", because="Halving.")',
    'print("given away")',
    "run = watch(asked_about, (1,), (64,), (x, p, np.int32(64)))",
    "%%cuda ",
)
LANGUAGES = (
    "return [...document.querySelectorAll('.jp-CodeCell .cm-content')].map(c => c.dataset.language)"
)
SHOW = (
    "document.querySelector('.warpwise-counters, .jp-CodeCell').scrollIntoView({block: 'center'})"
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A learner's folder, open at a notebook of which everything but the last cell ran."""
    root = tmp_path_factory.mktemp("mine")
    folder.make(root)
    browser.write_notebook(root / "mine.ipynb", *CELLS)
    with browser.jupyterlab(root, learner=True) as address, browser.chromium(1440, 2400) as page:
        opened = browser.Lab(page, address, "mine.ipynb")
        opened.folder, opened.address = root, address
        opened.command("notebook:run-all-cells")
        opened.until("return document.querySelectorAll('.warpwise-margin').length > 0")
        opened.until("return document.querySelectorAll('.warpwise-error').length > 0")
        yield opened


COLOURS = """
const lines = [...document.querySelectorAll('.cm-focused .cm-line')];
const colour = (line, word) => {
  const spans = [...lines.find(one => one.textContent.includes(line)).querySelectorAll('span')];
  const found = spans.filter(one => one.textContent.includes(word)).at(-1);
  return found && getComputedStyle(found).color;
};
return arguments[0].map(([line, word]) => colour(line, word));"""
COMMENTED = (
    "return window.jupyterapp.shell.currentWidget.content.activeCell.editor.getLine(4).trim()"
)
MINE = """%%cuda mine
extern "C" __global__ void mine(float* values) {
    // it's not in and or for
    if (true) {
        values[0] = 1.0f;
    }
}"""


def typed(lab) -> str:
    return lab.page.execute_script(
        "return document.querySelector('.cm-focused .cm-content').innerText"
    )


def edit(lab, source: str, line: int, column: int) -> None:
    """Write a text into the last cell, and put the cursor there, counted from 0."""
    lab.page.execute_script(
        "const n = window.jupyterapp.shell.currentWidget.content;"
        "const [source, line, column] = arguments;"
        "n.activeCellIndex = n.widgets.length - 1; n.mode = 'edit';"
        "n.activeCell.model.sharedModel.setSource(source);"
        "n.activeCell.editor.setCursorPosition({line, column}); n.activeCell.editor.focus();",
        source,
        line,
        column,
    )
    lab.until(
        "return document.querySelector('.cm-focused .cm-content')?.innerText.startsWith('%%cuda')"
    )


def test_cells_that_begin_with_the_magic_are_cuda_and_others_python(lab):
    lab.until(f"{LANGUAGES.replace('return ', 'const l = ')}; return l.includes('cuda')")
    assert lab.page.execute_script(LANGUAGES) == [
        *["python", "cuda", "python", "cuda"],
        *["python", "python", "python", "cuda"],
    ]


@pytest.mark.core
def test_a_race_is_underlined_on_its_line_and_costs_stand_in_the_margin(lab):
    lab.page.execute_script(SHOW)
    underlined = lab.until(
        "return [...document.querySelectorAll('.warpwise-error')].map(e => e.textContent).join('')"
    )
    assert "tile[thread] += tile[thread + stride];" in underlined
    assert lab.page.execute_script(
        "return [...document.querySelectorAll('.warpwise-margin .cm-gutterElement')]"
        ".some(e => Number(e.textContent) > 0)"
    )


def test_a_card_s_line_leads_into_the_cell(lab):
    link = f'a[href$="#cuda=interleaved:{ADDING}"]'
    lab.page.execute_script(f"document.querySelector('{link}').click()")
    at = "const e = window.jupyterapp.shell.currentWidget.content.activeCell.editor;"
    assert lab.until(f"{at} return e.getCursorPosition().line + 1") == ADDING


def test_what_follows_a_question_is_veiled_until_it_is_answered_and_the_answer_is_kept(lab):
    veiled = "return document.querySelectorAll('.warpwise-veiled').length"
    told = (
        "const cell = window.jupyterapp.shell.currentWidget.content.widgets[arguments[0]].node;"
        "return cell.querySelectorAll('.warpwise-error').length > 0"
    )
    asked_about = QUESTION - 1
    assert lab.page.execute_script(told, 1)
    assert not lab.page.execute_script(told, asked_about), "the line underlined answers it"
    assert lab.until(veiled) == 2  # what it printed, and what was watched; not that it compiled
    lab.page.execute_script("document.querySelector('.warpwise-veiled [role=button]').focus()")
    ActionChains(lab.page).send_keys(Keys.ENTER).perform()
    assert lab.until(f"{veiled} === 1")  # one may look, by the keyboard too
    lab.page.execute_script("document.querySelectorAll('a[href*=\"#predict=\"]')[1].click()")
    lab.until(f"{veiled} === 0")
    assert lab.page.execute_script(told, asked_about)
    assert "It is not “16”" in lab.page.page_source
    (answered,) = progress.read(lab.folder)[LESSON.name].predicted.values()
    assert answered == ("16", False)
    lab.save()
    kept = nbformat.read(lab.folder / "mine.ipynb", 4).cells[QUESTION].outputs
    assert "It is not “16”" in str(kept)
    assert "widget" not in str(kept)


def test_a_typed_kernel_is_indented_and_completed(lab):
    edit(lab, "%%cuda ", 0, 7)
    keys = ActionChains(lab.page)
    keys.send_keys(
        'mine\nextern "C" __global__ void mine(float* values) {\nif (true) {\nvalues[0]'
    ).perform()
    assert "\n    if (true) {\n        values[0]" in typed(lab)
    lab.command("completer:invoke-notebook")
    assert "__syncthreads" not in typed(lab)
    ActionChains(lab.page).send_keys(" = __syncth").perform()
    lab.command("completer:invoke-notebook")
    lab.until(
        "return typeof document.querySelector('.jp-Completer-item')?.textContent === 'string'"
        " || document.querySelector('.cm-focused .cm-content').innerText.includes('__syncthreads')"
    )


HASTY = """
const cell = window.jupyterapp.shell.currentWidget.content.activeCell, view = cell.editor.editor;
view.dispatch({changes: {from: view.state.doc.length, insert: arguments[0]}});
view.dispatch({selection: {anchor: view.state.doc.length}});
const enter = {key: 'Enter', keyCode: 13, bubbles: true, cancelable: true};
view.contentDOM.dispatchEvent(new KeyboardEvent('keydown', enter));
return view.state.doc.lineAt(view.state.selection.main.head).text;"""


def test_a_line_is_indented_before_the_editor_has_read_all_above_it(lab):
    """As when somebody types faster than a busy machine parses."""
    edit(lab, "%%cuda ", 0, 7)
    above = "\nint f(int x) { return x * (x + 1); }" * 2_000
    line = lab.page.execute_script(HASTY, f"hasty{above}\nvoid g() {{")
    assert line == " " * 4


def test_a_typed_kernel_is_coloured_as_c_and_not_as_python(lab):
    """Words of Python in a comment, and an apostrophe, are a comment; a bracket has its partner."""
    edit(lab, MINE, 5, 5)
    words = [("// it's", "and"), ("// it's", "for"), ("if (true)", "if"), ("extern", "__global__")]
    lab.until("return document.querySelector('.cm-focused .cm-matchingBracket')")
    assert not lab.page.execute_script(
        "return document.querySelector('.cm-focused .cm-nonmatchingBracket')"
    )
    prose, too, keyword, qualifier = lab.page.execute_script(COLOURS, words)
    assert prose == too
    assert keyword == qualifier
    assert len({prose, keyword}) == 2


def test_a_line_of_cuda_is_commented_out_and_in_again(lab):
    edit(lab, MINE, 4, 8)
    for comes in ("// values[0] = 1.0f;", "values[0] = 1.0f;"):
        keys = ActionChains(lab.page)
        keys.key_down(Keys.CONTROL).send_keys("/").key_up(Keys.CONTROL).perform()
        assert lab.page.execute_script(COMMENTED) == comes


def test_the_start_page_shows_what_is_done_and_opens_lessons(lab):
    event = {"at": progress.now().isoformat(), "lesson": LESSON.name, "passed": "interleaved"}
    with (lab.folder / progress.FILE).open("a") as file:
        file.write(json.dumps(event) + "\n")
    lab.command("warpwise:start")
    lab.until("return !!document.querySelector('.warpwise-start h1')")
    page = lab.page.execute_script("return document.querySelector('.warpwise-start').innerText")
    assert f"Go on here: {LESSON.title}" in page
    assert f"1 of {len(LESSON.exercises)} exercises passed" in page
    lab.page.execute_script("document.querySelector('.warpwise-go').click()")
    lab.until(
        f"return window.jupyterapp.shell.currentWidget?.title.label === '{LESSON.name}.ipynb'"
    )
    lab.page.execute_script("window.jupyterapp.shell.currentWidget.dispose()")


def test_learners_see_no_instructor_s_menu_and_no_news(lab):
    assert "Nbgrader" not in lab.page.page_source
    assert "Create Assignment" not in lab.page.page_source
    assert "Validate" not in lab.page.page_source
    assert "Jupyter news" not in lab.page.page_source


def test_in_notebook_7_cells_are_cuda_and_questions_are_answered_too(tmp_path):
    folder.make(tmp_path)
    browser.write_notebook(tmp_path / "mine.ipynb", *CELLS[:-1])
    with (
        browser.jupyterlab(tmp_path, learner=True, app="notebook") as address,
        browser.chromium(1440, 2400) as page,
    ):
        opened = browser.Lab(page, address, "mine.ipynb", at="notebooks")
        opened.run_all()
        assert opened.errors() == []
        opened.until(f"{LANGUAGES.replace('return ', 'const l = ')}; return l.includes('cuda')")
        assert page.execute_script("return document.querySelector('.warpwise-error').textContent")
        assert page.execute_script("return document.querySelectorAll('.warpwise-veiled').length")
        page.execute_script("document.querySelector('a[href*=\"#predict=\"]').click()")
        opened.until("return document.querySelectorAll('.warpwise-veiled').length === 0")
        assert progress.read(tmp_path)[LESSON.name].predicted


def test_the_buttons_of_a_card_run_the_missing_cell_and_show_a_hint(tmp_path):
    folder.make(tmp_path)
    cells = CELLS[0], 'check("interleaved")', CELLS[1]
    browser.write_notebook(tmp_path / "mine.ipynb", *cells)
    shown = "return window.jupyterapp.shell.currentWidget.content.widgets[1].node.innerText"
    with browser.jupyterlab(tmp_path, learner=True) as address, browser.chromium() as page:
        opened = browser.Lab(page, address, "mine.ipynb")
        opened.command(
            "notebook:run-all-cells"
        )  # which ends at the check of a cell that did not run
        steps = ("run", "Data race"), ("hint", "A question first"), ("hint", "What to look at next")
        for button, then in steps:
            link = f"document.querySelector('a.warpwise-button[href$=\"#{button}=interleaved\"]')"
            opened.until(f"return {link}?.checkVisibility()")
            # After an error a kernel drops what is sent to it until it is idle.
            opened.until(f"return {browser.KERNEL}.status === 'idle'")
            page.execute_script(f"{link}.click()")
            opened.until(f"{shown}.includes('{then}')")
        assert "Put a __syncthreads()" in page.execute_script(shown)
