"""How long a key takes until its letter is painted: in a `%%cuda` cell beside a Python cell.

Both cells are 100 lines long and open in the same JupyterLab, and keys go to one and the other in
turn. A third is a `%%cuda` cell that ran: errors underlined, counters in the margin.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path

import browser
from selenium.webdriver.common.action_chains import ActionChains

from grader.learner import folder

LINES = 100
ROUNDS, KEYS = 5, 40  # of a round, in each cell
# From the key going down, by the event's own clock, to the first task after the next frame.
_WATCH = """
window.lags = [];
document.addEventListener('keydown', event => {
  const down = event.timeStamp;
  requestAnimationFrame(() => {
    const painted = new MessageChannel();
    painted.port1.onmessage = () => window.lags.push(performance.now() - down);
    painted.port2.postMessage(null);
  });
}, {capture: true});"""
_HERE = """
const n = window.jupyterapp.shell.currentWidget.content;
n.activeCellIndex = arguments[0]; n.mode = 'edit';
n.activeCell.editor.setCursorPosition({line: arguments[1], column: 4});
n.activeCell.editor.focus();
n.activeCell.node.querySelector('.cm-activeLine')?.scrollIntoView({block: 'center'});"""


def notebook(path: Path) -> None:
    """A cell to import, the three cells to type into, and a launch of the third."""
    python = ["def mine(values):", *["    values[0] = 1.0  # it is one"] * (LINES - 1)]
    body = ["    values[0] = 1.0f;  // it's one"] * (LINES - 3)
    cuda = ['extern "C" __global__ void {}(float* values) {{', *body, "}}"]
    browser.write_notebook(
        path,
        "import numpy as np\nfrom grader.notebook import *",
        "\n".join(python),
        "\n".join(["%%cuda typed", *cuda]).format("typed"),
        "\n".join(["%%cuda ran", *cuda]).format("ran"),
        "run = watch(ran, (1,), (32,), (np.zeros(1, np.float32),))",
    )


def measure(root: Path, say: Callable[[str], None]) -> None:
    """Type, and say how long the 50th and the 95th of 100 keys took in each cell."""
    folder.make(root)
    notebook(root / "typed.ipynb")
    cells = {"Python": 1, "%%cuda": 2, "%%cuda that ran": 3}
    lags: dict[str, list[float]] = {name: [] for name in cells}
    with browser.jupyterlab(root, learner=True) as address, browser.chromium() as page:
        lab = browser.Lab(page, address, "typed.ipynb")
        lab.run(0)
        for number in (3, 4):
            lab.run(number)
        lab.until("return document.querySelectorAll('.warpwise-margin').length > 0")
        page.execute_script(_WATCH)
        for turn in range(-1, ROUNDS):  # the first one is not counted: everything is new
            for name, number in cells.items():
                found = _typed(lab, number)
                lags[name] += found if turn >= 0 else []
    plain = _percentile(lags["Python"], 95)
    for name, found in lags.items():
        median, p95 = statistics.median(found), _percentile(found, 95)
        say(
            f"a key in a {name} cell of {LINES} lines is painted after {median:.0f} ms, "
            f"95 of 100 within {p95:.0f} ms, {p95 / plain:.2f} times a Python cell's"
        )


def _typed(lab: browser.Lab, number: int) -> list[float]:
    """Milliseconds of each of some keys in the middle of a cell."""
    lab.page.execute_script(_HERE, number, LINES // 2)
    lab.until("return !!document.querySelector('.cm-focused')")
    lab.page.execute_script("window.lags.length = 0")
    for at in range(KEYS):
        ActionChains(lab.page, duration=0).send_keys("abc(x) ; "[at % 9]).perform()
    lab.until(f"return window.lags.length >= {KEYS}")
    return lab.page.execute_script("return window.lags")


def _percentile(found: list[float], percent: int) -> float:
    return sorted(found)[len(found) * percent // 100]
