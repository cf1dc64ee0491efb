"""The README's pictures of the player and the source page, taken from a real JupyterLab.

python docs/pictures.py        needs Chromium and chromedriver; `make pictures` runs it
"""

from __future__ import annotations

import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tests"))

import browser  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402

from grader import course  # noqa: E402

LESSON = course.lesson("02_tree_reduction")
SOLUTION = LESSON.solution(LESSON.exercise("interleaved"))
BARRIER = "        __syncthreads();  // outside"
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
    "%%cuda interleaved\n" + SOLUTION.replace(BARRIER, "        //"),
    "sums = np.zeros(2, np.float32)\nx = np.arange(128, dtype=np.float32)\n"
    "play(interleaved, (2,), (64,), (x, sums, np.int32(128)))",
    SHUFFLE,
    "play(give, (1,), (32,), (np.arange(32, dtype=np.float32),))",
    TRANSPOSE,
    "x = np.zeros((32, 32), np.float32)\n"
    "profile(transpose, (1,), (1024,), (x, x.copy(), np.int32(32)))",
)
WIDE = 1000  # pixels of a picture


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        browser.write_notebook(Path(folder) / "pictures.ipynb", *CELLS)
        with browser.jupyterlab(Path(folder)) as address, browser.chromium(1240, 1400) as page:
            lab = browser.Lab(page, address, "pictures.ipynb")
            lab.alone()
            lab.run_all()
            for dark in (False, True):
                lab.dark(dark)
                name = "dark" if dark else "light"
                _player(lab, 0, DOCS / f"player-race-{name}.png")
                if not dark:
                    _player(lab, 1, DOCS / "player-shuffle.png", until=".exchange")
                    _output(lab, -1, DOCS / "profile.png")


def _player(lab: browser.Lab, number: int, path: Path, until: str = "") -> None:
    """A player's frame, after as many steps as it takes to show what is asked for."""
    with lab.player(number) as player:
        while until and not player.count(until):
            player.click('[data-go="forth"]')
    frame = lab.page.find_elements(By.CSS_SELECTOR, "iframe[srcdoc]")[number]
    _save(frame.screenshot_as_png, path)


def _output(lab: browser.Lab, number: int, path: Path) -> None:
    """What a cell shows."""
    output = lab.page.find_elements(By.CSS_SELECTOR, ".jp-OutputArea")[number]
    lab.page.execute_script("arguments[0].scrollIntoView({block: 'start'})", output)
    _save(output.screenshot_as_png, path)


def _save(png: bytes, path: Path) -> None:
    """In few colours, as these pictures have, so that they stay small."""
    picture = Image.open(BytesIO(png)).convert("RGB")
    if picture.width > WIDE:
        picture = picture.resize((WIDE, picture.height * WIDE // picture.width))
    picture.quantize(128).save(path, optimize=True)


if __name__ == "__main__":
    main()
