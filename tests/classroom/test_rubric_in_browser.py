"""The page of `grader rubric` in a real browser, by keyboard alone."""

import pytest

selenium = pytest.importorskip("selenium", reason="NO BROWSER TESTS: selenium is not installed")

import browser  # noqa: E402  (it needs selenium)
import shown_page  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402
from test_rubric import AUTOMATIC, graded, here, marks, page  # noqa: E402, F401

pytestmark = browser.MARKS


@pytest.fixture(scope="module")
def chrome():
    with browser.chromium(1440, 900) as opened:
        yield opened


@pytest.fixture
def opened(chrome, here):  # noqa: F811
    shown = page(here)
    chrome.get(shown_page.address(shown))
    until(chrome, lambda: chrome.find_elements(By.CSS_SELECTOR, "#list button"))
    return chrome


def until(chrome, condition):
    return WebDriverWait(chrome, browser.PATIENCE, 0.02).until(lambda _: condition())


def said(chrome):
    return chrome.find_element(By.ID, "said").text


def keys(chrome, *pressed, says=None):
    """Press keys, one after the other; wait until the page `says` that."""
    chrome.find_element(By.TAG_NAME, "body").send_keys(*pressed)
    if says is not None:
        until(chrome, lambda: says in said(chrome))


def text(chrome, selector):
    return chrome.find_element(By.CSS_SELECTOR, selector).text


def new_item(chrome, what, points, key="n"):
    keys(chrome, key)
    chrome.switch_to.active_element.send_keys(what, Keys.TAB)
    field = chrome.switch_to.active_element
    field.clear()
    field.send_keys(points, Keys.ENTER)


def test_answers_are_marked_by_keyboard(opened, here):  # noqa: F811
    assert "5 answers, 4 different" in text(opened, "#left")
    learners = [one.text.split() for one in opened.find_elements(By.CSS_SELECTOR, "#list button")]
    assert sorted(one[0] for one in learners) == ["ada", "ben", "dee", "eve"]
    keys(opened, "j")
    while "ben" not in text(opened, "main h2"):
        keys(opened, "j")
    assert "cy" in text(opened, "main h2") and "1.6 of 4 points" in text(opened, ".mark")
    assert text(opened, ".row.fault").strip() == "if (i < n) total[i] = x[i] - y[i];"
    new_item(opened, "Good names", "0.5")
    until(opened, lambda: "On 2 answers: ben has 2.1" in said(opened))
    assert marks(here) == AUTOMATIC | {"ben": 2.1, "cy": 2.1}
    keys(opened, "s", says="all with the same mistake: 3")
    keys(opened, "2", says="Off 3 answers")
    keys(opened, "2", says="On 3 answers")
    assert marks(here) == AUTOMATIC | {"ben": 2.1, "cy": 2.1, "dee": 2.1}
    keys(opened, "u", says="Undone")
    assert marks(here) == AUTOMATIC
    keys(opened, "s", says="this answer: 1")
    keys(opened, "l", "2", says="On 1 answer: cy has 2.1")
    assert marks(here) == AUTOMATIC | {"cy": 2.1}


def test_a_named_mistake_s_item_is_changed_and_a_line_gets_a_comment(opened, here):  # noqa: F811
    while "ben" not in text(opened, "main h2"):
        keys(opened, "j")
    keys(opened, "e")
    opened.switch_to.active_element.send_keys(Keys.TAB, Keys.TAB)
    field = opened.switch_to.active_element
    field.clear()
    field.send_keys("-1", Keys.ENTER)
    until(opened, lambda: "Changed, for all answers" in said(opened))
    assert marks(here) == AUTOMATIC | {"ben": 3.0, "cy": 3.0, "dee": 3.0}
    for _ in range(4):
        keys(opened, Keys.SHIFT + Keys.ARROW_DOWN + Keys.NULL)
    row = opened.find_element(By.CSS_SELECTOR, ".row.here")
    number = row.get_attribute("data-line")
    new_item(opened, "<b>Say why.</b>", "0", "c")
    until(opened, lambda: "On 2 answers" in said(opened))
    assert not opened.find_elements(By.TAG_NAME, "b")
    assert "<b>Say why.</b>" in [
        one.text.lstrip("↑ ") for one in opened.find_elements(By.CLASS_NAME, "said")
    ]
    log = (here.root / "rubric.jsonl").read_text().splitlines()[-1]
    assert f'"line": {number},' in log
    assert "1.6 points" in text(opened, "main") and "In all 3 of 4" in text(opened, "main")


def test_what_goes_wrong_is_said_on_the_page(opened, here):  # noqa: F811
    new_item(opened, "Too much", "5")
    until(opened, lambda: "add has 4 points: give from -4 to 4." in said(opened))
    keys(opened, "x")
    until(opened, lambda: "scale" in opened.title)
    keys(opened, "u", says="You have done nothing with scale that can be undone.")
    assert marks(here) == AUTOMATIC


def test_texts_without_a_mark_are_found_and_marked(opened, here):  # noqa: F811
    keys(opened, Keys.SHIFT + "x" + Keys.NULL)
    until(opened, lambda: "why" in opened.title)
    keys(opened, "m", "1", says="has 3")
    keys(opened, "m", "3", says="has 0")
    keys(opened, "m", says="Every answer has a mark.")
    assert sorted(marks(here, "why").values()) == [0.0, 0.0, 0.0, 3.0, 3.0]
