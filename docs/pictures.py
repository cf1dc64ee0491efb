"""The pictures of the README and these pages, and their animation, taken from a real JupyterLab.

python docs/pictures.py        needs Chromium and chromedriver; `make pictures` runs it
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from PIL import Image

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tests"))

import browser  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.remote.webelement import WebElement  # noqa: E402

from grader import course  # noqa: E402
from grader.course import authors  # noqa: E402
from grader.learner import folder, progress  # noqa: E402

LESSON = course.lesson("02_tree_reduction")
SOLUTION = LESSON.solution(LESSON.exercise("interleaved"))
BARRIER = "__syncthreads();  // outside"  # of the loop
OTHER = course.lesson("01_expand_where")
WRONG = next(one for one in OTHER.wrong_kernels if one.name == "coordinates_swapped")


def _without(source: str, *words: str) -> str:
    """As a learner has it: without the author's marks; and without the lines with certain words."""
    gone = (" SOLUTION", *words)
    return "\n".join(line for line in source.splitlines() if not any(w in line for w in gone))


VERDICT = 'div[style*="border-left"]'
SET_UP = f'import numpy as np\nfrom grader.notebook import *\nlesson("{LESSON.name}")'
SHUFFLE = """%%cuda give
extern "C" __global__ void give(float* x) {
    float mine = x[threadIdx.x];
    float theirs = __shfl_down_sync(0xffffffff, mine, 4);
    x[threadIdx.x] = mine + theirs;
}"""
TRANSPOSE = """%%cuda transpose
extern "C" __global__ void transpose(const float* x, float* y, int n) {
    __shared__ float tile[32][32];
    int column = threadIdx.x % 32, row = threadIdx.x / 32;
    tile[row][column] = x[row * n + column];
    __syncthreads();
    y[row * n + column] = tile[column][row];
}"""
CELLS = (
    SET_UP,
    "%%cuda interleaved\n" + _without(SOLUTION, BARRIER),
    'check("interleaved")',
    "sums = np.zeros(2, np.float32)\nx = np.arange(128, dtype=np.float32)\n"
    "play(interleaved, (2,), (64,), (x, sums, np.int32(128)))",
    SHUFFLE,
    "play(give, (1,), (32,), (np.arange(32, dtype=np.float32),))",
    TRANSPOSE,
    "x = np.zeros((32, 32), np.float32)\n"
    "profile(transpose, (1,), (1024,), (x, x.copy(), np.int32(32)))",
    f'lesson("{OTHER.name}")',
    f"%%cuda {WRONG.exercise}\n" + _without(WRONG.source),
    f'check("{WRONG.exercise}")',
    "%%cuda cross_pair\n" + authors.text(LESSON.path / "1_cross_pair.cu"),
    "run = watch(cross_pair, (1,), (16,), (np.arange(1, 14, dtype=np.float32),"
    " np.zeros(1, np.float32), np.int32(13)))\ndraw.tree(run)",
)
RACE, SHUFFLED, COST, MISTAKEN, DRAWN = 3, 5, 7, 10, 12  # cells
DONE = {"00_first_kernel": 3, "01_expand_where": 2}  # exercises passed, on the start page's picture
WIDE = 1000  # pixels of a picture
_EVERY_STEP = "window.player.model.frames.forEach((_, at) => window.player.go(at))"
FRAME, LAST_FRAME = 700, 4000  # milliseconds that the animation shows a step, and its last


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch, browser.chromium(1240, 1400) as page:
        root = Path(scratch)
        folder.make(root)
        (root / progress.FILE).write_text("".join(_done()))
        browser.write_notebook(root / "pictures.ipynb", *CELLS)
        with browser.jupyterlab(root, learner=True) as address:
            lab = browser.Lab(page, address, "pictures.ipynb")
            lab.alone()
            lab.run_all()
            for dark in (False, True):
                lab.dark(dark)
                _take_all(lab, "dark" if dark else "light")
            lab.dark(False)
            _play(lab, RACE, DOCS / "player.webp")


def _take_all(lab: browser.Lab, theme: str) -> None:
    _player(lab, RACE, DOCS / f"player-race-{theme}.png")
    _player(lab, SHUFFLED, DOCS / f"player-shuffle-{theme}.png", until=".exchange")
    _output(lab, COST, DOCS / f"profile-{theme}.png")
    _output(lab, MISTAKEN, DOCS / f"wrong-{theme}.png", VERDICT)
    if theme == "light":
        _output(lab, 2, DOCS / "verdict.png", VERDICT)
        _cell(lab, DRAWN, DOCS / "lesson.png")
    lab.page.set_window_size(1240, 1060)
    lab.command("warpwise:start")
    lab.until("return !!document.querySelector('.warpwise-start h1')")
    time.sleep(1)  # JupyterLab draws tabs bit by bit
    _save(_element(lab, ".warpwise-start").screenshot_as_png, DOCS / f"start-{theme}.png")
    lab.page.execute_script(
        "const shell = window.jupyterapp.shell;"
        "shell.activateById([...shell.widgets('main')].find(one => one.context).id)"
    )
    lab.page.set_window_size(1240, 1400)


def _done() -> Iterator[str]:
    """Lines of a progress file."""
    for name, number in DONE.items():
        for exercise in course.lesson(name).exercises[:number]:
            event = {"at": "2026-11-22T10:00:00+00:00", "lesson": name, "passed": exercise.name}
            yield json.dumps(event) + "\n"


def _player(lab: browser.Lab, cell: int, path: Path, until: str = "") -> None:
    """A player's frame, after as many steps as it takes to show what is asked for."""
    number = _shown(lab, cell)
    with lab.player(number) as player:
        while until and not player.count(until):
            player.click('[data-go="forth"]')
    _save(_frames(lab)[number].screenshot_as_png, path)


def _play(lab: browser.Lab, cell: int, path: Path) -> None:
    """Every step from the first to the one that went wrong, as an animation."""
    number, pictures = _shown(lab, cell), []
    with lab.player(number) as player:
        player.page.execute_script(_EVERY_STEP)  # the frame is as tall as its tallest step so far
        player.click(".to-mark")
        last = player.step
        player.press(Keys.HOME)
        now = player.step
    while True:
        pictures.append(_picture(_frames(lab)[number].screenshot_as_png))
        if now == last:
            break
        with lab.player(number) as player:
            player.press(Keys.ARROW_RIGHT)
            now = player.step
    times = [FRAME] * (len(pictures) - 1) + [LAST_FRAME]
    first, *others = pictures
    first.save(path, save_all=True, append_images=others, duration=times, loop=0, quality=60)


def _shown(lab: browser.Lab, cell: int) -> int:
    """Scroll to a cell; the number of its player among those that are on the page."""
    lab.show(cell)
    widget = f"window.jupyterapp.shell.currentWidget.content.widgets[{cell}]"
    return lab.until(
        f"const frame = {widget}.node.querySelector('iframe[srcdoc]');"
        "return frame && [[...document.querySelectorAll('iframe[srcdoc]')].indexOf(frame)]"
    )[0]


def _frames(lab: browser.Lab) -> list:
    return lab.page.find_elements(By.CSS_SELECTOR, "iframe[srcdoc]")


def _output(lab: browser.Lab, cell: int, path: Path, part: str = "") -> None:
    """What a cell shows, or the first part of that."""
    lab.output(cell)
    found = lab.page.execute_script(
        f"return window.jupyterapp.shell.currentWidget.content.widgets[{cell}]"
        f".node.querySelector('.jp-OutputArea {part}')"
    )
    _save(found.screenshot_as_png, path)


def _cell(lab: browser.Lab, cell: int, path: Path) -> None:
    """A cell with the one above it, as the page shows them."""
    lab.page.set_window_size(1240, 1900)
    lab.show(cell)
    widget = f"window.jupyterapp.shell.currentWidget.content.widgets[{cell}]"
    lab.until(f"return {widget}.node.querySelector('img')?.complete")
    lab.show(cell - 1)
    time.sleep(1)  # JupyterLab moves what it has not measured yet
    panel = _element(lab, ".jp-NotebookPanel-notebook")
    above = lab.page.execute_script(
        f"return {widget}.node.previousElementSibling.getBoundingClientRect().top"
        " - arguments[0].getBoundingClientRect().top",
        panel,
    )
    _save(panel.screenshot_as_png, path, max(0, round(above)))
    lab.page.set_window_size(1240, 1400)


def _element(lab: browser.Lab, selector: str) -> WebElement:
    return lab.page.find_element(By.CSS_SELECTOR, selector)


def _save(png: bytes, path: Path, top: int = 0) -> None:
    """In few colours, the rare ones among them, so that pictures stay small."""
    _picture(png, top).quantize(256, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)


def _picture(png: bytes, top: int = 0) -> Image.Image:
    """What is below the row `top`, as wide as a page has room for."""
    picture = Image.open(BytesIO(png)).convert("RGB")
    picture = picture.crop((0, top, picture.width, picture.height))
    if picture.width > WIDE:
        picture = picture.resize((WIDE, picture.height * WIDE // picture.width))
    return picture


if __name__ == "__main__":
    main()
