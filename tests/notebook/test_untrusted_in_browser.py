"""A notebook that somebody else has run: JupyterLab does not know its signature, and takes frames,
scripts and style sheets out of its outputs."""

from __future__ import annotations

import re

import pytest

selenium = pytest.importorskip("selenium", reason="NO BROWSER TESTS: selenium is not installed")

import browser  # noqa: E402  (it needs selenium)
import nbformat  # noqa: E402
from nbclient import NotebookClient  # noqa: E402
from test_browser import ADDING, RACING, SET_UP, SHUFFLE, SOLUTION  # noqa: E402
from test_lessons_in_browser import COLOURS, serious  # noqa: E402

pytestmark = browser.MARKS

SHORT = "\n".join(SOLUTION).replace("stride > 0", "stride > 1")
RACE, PICTURE, WRONG = 2, 5, 7  # cells
CELLS = [
    SET_UP,
    f"%%cuda interleaved\n{RACING}",
    'check("interleaved")',
    SHUFFLE,
    "x = np.arange(32, dtype=np.float32)\nrun = watch(give, (1,), (32,), (x,))\nplay(run)",
    "draw.exchange(run)",
    f"%%cuda interleaved\n{SHORT}",
    'check("interleaved")',
]
PAPER = "return getComputedStyle(document.querySelector('.ww-picture')).backgroundColor"
TRUSTED = (
    "return [...window.jupyterapp.shell.currentWidget.model.cells]"
    ".filter(cell => cell.type === 'code').map(cell => cell.trusted)"
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Such a notebook in JupyterLab, nothing run there."""
    root = tmp_path_factory.mktemp("elsewhere")
    path = root / "lesson.ipynb"
    browser.write_notebook(path, *CELLS)
    made = nbformat.read(path, 4)
    NotebookClient(made, timeout=browser.PATIENCE).execute()
    nbformat.write(made, path)
    with browser.jupyterlab(root) as address, browser.chromium() as page:
        yield browser.Lab(page, address, path.name)


def test_where_the_player_would_be_stands_what_went_wrong_step_by_step(lab):
    assert not any(lab.page.execute_script(TRUSTED))
    said = lab.output(RACE)
    assert "✗ Data race: " in said
    assert f"Line {ADDING}, 64 threads (0-63): read tile[0] … tile[63]" in said
    assert f"warps 2-7 {'·' * 32}" in said
    assert not lab.page.find_elements(browser.By.CSS_SELECTOR, "iframe")


def test_of_a_wrong_answer_the_elements_and_the_step_that_wrote_the_first_are_told(lab):
    said = lab.output(WRONG)
    assert re.search(r"partial\[0\] is [\d.]+, and should be [\d.]+\.", said)
    assert "✗ Wrong answer: " in said
    assert "wrote partial (" in said


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1440, 1024])
def test_it_is_legible_light_and_dark_wide_and_narrow(lab, dark, width):
    lab.page.set_window_size(width, 2400)
    lab.dark(dark)
    for number in (RACE, WRONG, PICTURE):
        lab.output(number) if number != PICTURE else lab.show(number)
        assert serious(lab.page, [".jp-OutputArea-output"], COLOURS) == []


def test_a_picture_lies_on_paper_where_it_cannot_follow_the_theme(lab):
    """Its ink is dark, and axe does not look into pictures."""
    lab.dark(True)
    lab.show(PICTURE)
    lab.until("return !!document.querySelector('.ww-picture')")
    assert lab.page.execute_script(PAPER) == "rgb(255, 255, 255)"


def test_once_it_is_trusted_it_plays_and_pictures_have_no_paper(lab):
    lab.page.execute_script(
        "for (const cell of window.jupyterapp.shell.currentWidget.model.cells) cell.trusted = true"
    )
    lab.show(RACE)
    with lab.player() as player:
        assert "Data race" in player.text(".mark")
    lab.show(PICTURE)
    lab.until("return !!document.querySelector('.ww-picture')")
    assert lab.page.execute_script(PAPER) == "rgba(0, 0, 0, 0)"


def test_nothing_of_ours_complains_in_the_browser_s_console(lab):
    said = [one["message"] for one in lab.page.get_log("browser") if one["level"] == "SEVERE"]
    assert [one for one in said if "beforeunload" not in one] == []
