"""What the player shows of 16 and of 256 threads, at two widths and in both themes: whole lines,
values by name beside them, nothing printed over anything, and buttons that lead where they say."""

from __future__ import annotations

import re

import numpy as np
import pytest

selenium = pytest.importorskip("selenium", reason="NO BROWSER TESTS: selenium is not installed")

import browser  # noqa: E402  (it needs selenium)
import lab_times  # noqa: E402
from test_lessons_in_browser import serious  # noqa: E402
from test_player import LESSON, RACING, SOLUTION, recorded, replayed  # noqa: E402

from grader.judge.playback.strip import marks_of  # noqa: E402
from grader.notebook.player import of_replay, player  # noqa: E402

pytestmark = browser.MARKS

FRAME = {1440: 988, 1024: 572}  # pixels of a player in JupyterLab, by those of its window
MAX = LESSON.exercise("max")
FROM_0 = LESSON.solution(MAX).replace("-INFINITY", "0.0f")
ENDLESS = SOLUTION.replace("stride /= 2", "stride - 1")
LOOPS = """extern "C" __global__ void loops(const float* x, float* out, int n) {
    float total = 0.0f;
    for (int c = 0; c < n; c++) {
        total += x[c];
        out[c] = total;
    }
    #pragma unroll
    for (int d = 0; d < 4; d++) {
        out[d + n] = x[d] / total;
    }
}
"""
AT_EVERY_STEP = """
const found = [];
window.player.model.frames.forEach((_, at) => {
  window.player.go(at);
  found.push(...check().map((text) => `step ${at + 1}: ${text}`));
});
return found;"""
# Texts that leave their cell, and those that meet another one in it; cells that meet another one.
OVERLAPS = f"""
const meet = (a, b) => a.left + 0.5 < b.right && b.left + 0.5 < a.right
  && a.top + 3 < b.bottom && b.top + 3 < a.bottom;
const textsIn = (cell) => {{
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {{
    const range = document.createRange(), text = walker.currentNode.textContent;
    range.selectNodeContents(walker.currentNode);
    if (text.trim()) found.push({{text, box: range.getBoundingClientRect()}});
  }}
  return found;
}};
const cells = () => [...document.querySelectorAll('.cell, .lane, .warps .tally')];
const check = () => cells().flatMap((cell) => {{
  const own = cell.getBoundingClientRect(), next = cell.nextElementSibling?.getBoundingClientRect();
  const texts = textsIn(cell), wrong = texts.filter(({{box}}, at) => box.left < own.left - 1
    || box.right > own.right + 1 || box.top < own.top - 3 || box.bottom > own.bottom + 3
    || texts.slice(at + 1).some((other) => meet(box, other.box)));
  return [...wrong.map(({{text}}) => text), ...(next && meet(own, next) ? [cell.textContent] : [])];
}});
if (document.querySelectorAll('.cell, .lane').length < 16) return ['nothing there'];
{AT_EVERY_STEP}"""
VALUES = f"""
const check = () => {{
  const code = document.querySelector('.row.current .code').getBoundingClientRect();
  const meets = ({{left, right, top, bottom}}) =>
    left < code.right && code.left < right && top < code.bottom && code.top < bottom;
  return [...document.querySelectorAll('.known')]
    .filter((one) => meets(one.getBoundingClientRect())).map((one) => one.textContent);
}};
{AT_EVERY_STEP}"""
COLUMNS = """
const code = document.querySelector('.row.current .code'), probe = document.createElement('span');
probe.textContent = '0'.repeat(100);
document.querySelector('.source').append(probe);
const width = probe.getBoundingClientRect().width / 100;
probe.remove();
return code.getBoundingClientRect().width / width;"""
CUT = """
return [...document.querySelectorAll('main *')].filter((one) => !one.closest('.memory, svg')
  && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.className);"""
BESIDE = (
    "return [...document.querySelectorAll(`.row[data-line='${arguments[0]}'] .known`)]"
    ".map(one => one.textContent)"
)


# By step: the index of what the first loop stored last, its counter, and the second one's.
COUNTED = """
const beside = (line) => document.querySelector(`.row[data-line='${line}'] .left`).textContent;
return window.player.model.frames.map((_, at) => {
  window.player.go(at);
  return [[5, /out\\[(\\d+)\\]/], [3, /c = (\\d+)/], [8, /d = (\\d+)/]]
    .map(([line, wanted]) => beside(line).match(wanted)?.[1]);
});"""


@pytest.fixture(scope="module")
def page():
    with browser.chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def scenes():
    """By name the HTML of a player."""

    def reduced(source: str, threads: int) -> str:
        x = np.random.default_rng(5).integers(-999, 999, 2 * threads).astype(np.float32) / 4
        args = x, np.zeros(2, "f4"), np.int32(2 * threads)
        run, recording = recorded(source, "interleaved", (2,), (threads,), args)
        return player(recording, marks_of(recording, run.hazards)).html

    args = np.arange(1, 9, dtype=np.float32), np.zeros(12, "f4"), np.int32(8)
    _, loops = recorded(LOOPS, "loops", (1,), (1,), args, (0,))
    return {
        "16 threads": reduced(SOLUTION, 16),
        "256 threads": reduced(RACING, 256),
        "max from 0": of_replay(replayed(FROM_0, MAX)[1]).html,
        "endless": of_replay(replayed(ENDLESS)[1]).html,
        "loops": player(loops, []).html,
    }


@pytest.fixture
def opened(page, scenes, tmp_path):
    """Opens a scene in a frame as wide as JupyterLab's in a window of so many pixels."""

    def show(name: str, width: int = 1440, dark: bool = False) -> None:
        path = tmp_path / "player.html"
        themed = f'<body data-jp-theme-light="{str(not dark).lower()}" style="margin: 0">'
        body = f'{themed}<div style="width: {FRAME[width]}px">{scenes[name]}</div>'
        path.write_text(f"<!doctype html><title>A player</title>{body}")
        page.switch_to.default_content()
        lab_times.open_players(page, path)
        page.switch_to.frame(0)

    yield show
    page.switch_to.default_content()


def place(page) -> tuple[int, int]:
    """The step, as the player counts it, and the chosen thread of its block."""
    step, thread = page.execute_script(
        "const {chosen, model} = window.player;"
        "return [document.querySelector('.place').textContent, chosen.thread % model.stride]"
    )
    return int(re.search(r"step ([\d,]+)", step)[1].replace(",", "")), thread


@pytest.mark.parametrize("width", FRAME)
@pytest.mark.parametrize("name", ["16 threads", "256 threads"])
def test_no_value_is_printed_over_the_line_that_is_explained(page, opened, name, width):
    opened(name, width)
    assert page.execute_script(VALUES) == []


def test_eighty_columns_of_code_are_visible_at_1440(page, opened):
    opened("256 threads")
    assert page.execute_script(COLUMNS) >= 80


@pytest.mark.parametrize("width", FRAME)
@pytest.mark.parametrize("name", ["16 threads", "256 threads", "max from 0"])
def test_nothing_is_printed_over_the_text_of_a_cell(page, opened, name, width):
    opened(name, width)
    assert page.execute_script(OVERLAPS) == []


@pytest.mark.parametrize("width", FRAME)
def test_nor_in_an_array_that_was_unfolded(page, opened, width):
    opened("256 threads", width)
    page.execute_script("window.player.unfold('tile', true)")
    assert page.execute_script(OVERLAPS) == []


@pytest.mark.parametrize("name", ["16 threads", "256 threads", "max from 0", "endless"])
def test_at_1024_nothing_is_cut(page, opened, name):
    opened(name, 1024)
    assert page.execute_script(CUT) == []
    assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def test_of_256_cells_those_in_conflict_are_large_and_the_others_folded(page, opened):
    opened("256 threads")
    large = page.execute_script(
        "return [...document.querySelectorAll('.large .name')].map(one => one.textContent)"
    )
    assert "! tile[64]" in large and len(large) < 10
    assert page.execute_script("return document.querySelectorAll('.memory td').length") == 0
    page.find_element(browser.By.CSS_SELECTOR, "summary").click()
    browser.WebDriverWait(page, browser.PATIENCE).until(
        lambda page: page.execute_script("return document.querySelectorAll('.memory td').length")
    )
    assert page.execute_script("return document.querySelectorAll('.memory td').length") == 256
    page.execute_script("window.player.step('forth')")
    assert page.execute_script("return document.querySelectorAll('.memory td').length") == 256


def test_of_16_threads_every_cell_that_is_used_is_shown(page, opened):
    opened("16 threads")
    page.execute_script("window.player.step('last')")
    assert page.execute_script("return document.querySelectorAll('.memory td').length") == 16


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("256 threads", ["First access", "Second access", "The end"]),
        ("max from 0", ["First difference", "Other thread", "The end"]),
        ("endless", ["The loop", "The end"]),
    ],
)
def test_the_buttons_lead_where_they_say(page, opened, name, labels):
    opened(name)
    began = place(page)
    buttons = page.find_elements(browser.By.CSS_SELECTOR, ".jump")
    assert [one.text.partition(":")[0] for one in buttons] == labels
    for button in buttons:
        thread = re.search(r"(?:thread|Other thread:) (\d+)", button.text)
        step = int(re.search(r"step ([\d,]+)", button.text)[1].replace(",", ""))
        button.click()
        assert place(page) == (step, int(thread[1]) if thread else place(page)[1])
        assert button.get_dom_attribute("aria-pressed") == "true"
    last = page.execute_script("return window.player.model.steps")
    assert place(page)[0] >= last - 1
    page.find_element(browser.By.CSS_SELECTOR, ".to-mark").click()
    assert place(page) == began


def test_a_wrong_answer_opens_at_the_first_step_that_differs(page, opened):
    opened("max from 0")
    line = 1 + next(n for n, text in enumerate(FROM_0.splitlines()) if "fmaxf(tile[" in text)
    row = page.find_element(browser.By.CSS_SELECTOR, ".row.current")
    assert int(row.get_dom_attribute("data-line")) == line
    assert place(page)[1] == 0
    assert "tile[0] = 0" in page.execute_script(BESIDE, line)


def test_values_have_the_names_of_the_source(page, opened):
    opened("256 threads")
    lines = RACING.splitlines()
    loop = 1 + next(n for n, text in enumerate(lines) if "int stride" in text)
    own = 1 + next(n for n, text in enumerate(lines) if "const int thread" in text)
    assert page.execute_script(BESIDE, loop) == ["stride = 64"]
    page.execute_script("window.player.choose({own: 37})")
    assert page.execute_script(BESIDE, own) == ["thread = 37"]


def test_a_counter_that_the_compiler_has_changed_gets_no_name(page, opened):
    """What is shown beside a loop's line is its counter in the source, or nothing."""
    opened("loops")
    rows = page.execute_script(COUNTED)
    ahead = {int(count) - int(stored) for stored, count, _ in rows if stored and count}
    assert ahead <= {0, 1}  # the round that stored it, or the next one
    assert {unrolled for *_, unrolled in rows} <= {None, "0"}


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", FRAME)
def test_axe_finds_nothing_serious(page, opened, width, dark):
    for name in ("16 threads", "256 threads", "max from 0"):
        opened(name, width, dark)
        page.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert serious(page) == []
