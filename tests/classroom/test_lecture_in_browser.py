"""Slides in a real browser: a kernel edited and judged in place, and the presenter's window."""

import pytest

selenium = pytest.importorskip("selenium", reason="NO BROWSER TESTS: selenium is not installed")

import browser  # noqa: E402  (it needs selenium)
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402
from small_class import WRONG_SUM  # noqa: E402
from test_lecture import lesson, live, page  # noqa: E402, F401

from grader.course.weave import cuda_cell  # noqa: E402

pytestmark = browser.MARKS

SHOW = """
const slide = Reveal.getSlides().find(one => one.querySelector(arguments[0]));
const at = Reveal.getIndices(slide);
Reveal.slide(at.h, at.v, 99);
return slide !== undefined;"""


def keys(chrome, *pressed):
    chrome.find_element(By.TAG_NAME, "body").send_keys(*pressed)


def wait(chrome, condition):
    return WebDriverWait(chrome, browser.PATIENCE).until(lambda _: condition())


@pytest.fixture(scope="module")
def chrome():
    with browser.chromium(1280, 760) as opened:
        yield opened


@pytest.fixture
def slides(chrome, live):  # noqa: F811
    chrome.get(live[0])
    wait(chrome, lambda: chrome.execute_script("return Reveal.isReady()"))
    return chrome


def verdict(slides):
    return slides.find_element(By.CSS_SELECTOR, ".present .live-verdict").text


def test_a_kernel_is_edited_on_its_slide_and_judged_again(slides):
    assert slides.execute_script(SHOW, "[class$=live-kernel-0]")
    keys(slides, "e")
    text = slides.find_element(By.CSS_SELECTOR, ".live-open .live-text")
    assert text.is_displayed() and text.get_attribute("value").startswith("%%cuda add")
    slides.find_element(By.CSS_SELECTOR, ".live-open .live-run").click()
    wait(slides, lambda: "add: passed" in verdict(slides))
    text.clear()
    text.send_keys(cuda_cell("add", WRONG_SUM))
    text.send_keys(Keys.CONTROL, Keys.ENTER)
    wait(slides, lambda: "not there yet" in verdict(slides))
    assert "wrong answer" in verdict(slides) and "line 6" in verdict(slides).lower()
    box = slides.find_element(By.CSS_SELECTOR, ".live-open .live-box").rect
    assert box["width"] <= 1280 and box["height"] <= 760
    text.send_keys(Keys.ESCAPE)
    assert not text.is_displayed()
    keys(slides, "e")  # what was typed is still there
    assert "x[i] - y[i]" in text.get_attribute("value")
    slides.find_element(By.CSS_SELECTOR, ".live-open .live-undo").click()
    assert "x[i] + y[i]" in text.get_attribute("value")


def test_a_mistake_s_slide_has_the_mistaken_kernel_to_mend(slides):
    assert slides.execute_script(SHOW, "[class$=live-kernel-2]")
    slides.find_element(By.CSS_SELECTOR, ".present .live-edit").click()
    text = slides.find_element(By.CSS_SELECTOR, ".live-open .live-text")
    assert "if (i < n)" not in text.get_attribute("value")


def test_without_the_server_the_slides_are_as_they_were(chrome, page):  # noqa: F811
    chrome.get(f"file://{page}")
    wait(chrome, lambda: chrome.execute_script("return Reveal.isReady()"))
    assert not chrome.find_elements(By.CSS_SELECTOR, ".live-edit, .live-box")
    assert chrome.execute_script(SHOW, "[class$=live-kernel-0]")
    keys(chrome, "e")
    assert not chrome.find_elements(By.CSS_SELECTOR, ".live-box")


def test_the_presenter_s_window_has_notes_the_next_slide_and_a_clock(chrome, page):  # noqa: F811
    chrome.get(f"file://{page}")
    wait(chrome, lambda: chrome.execute_script("return Reveal.isReady()"))
    keys(chrome, "s")
    slides, notes = chrome.window_handles
    chrome.switch_to.window(notes)
    said = chrome.find_element(By.TAG_NAME, "body").text
    assert "What is coming" in said and "1 of " in said and "since the beginning" in said
    chrome.switch_to.window(slides)
    chrome.execute_script(SHOW, "[class$=live-kernel-2]")
    chrome.switch_to.window(notes)
    said = chrome.find_element(By.TAG_NAME, "body").text
    assert "They are told: out of bounds" in said
    keys(chrome, Keys.ARROW_LEFT, Keys.ARROW_LEFT)  # what a slide shows later, then the slide
    assert "They are told" not in chrome.find_element(By.ID, "notes").text
    chrome.close()
    chrome.switch_to.window(slides)
