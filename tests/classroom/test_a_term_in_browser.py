"""The term of a_term.py through a real JupyterLab in a real browser, with a few of its class:
learners answer and hand in from there, a TA marks in the course's own, one is in the exam, and one
asks for a regrade. Every mark is counted by hand, as for all others of the term."""

import contextlib
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

selenium = pytest.importorskip("selenium", reason="NO BROWSER TESTS: selenium is not installed")

import a_term  # noqa: E402
import browser  # noqa: E402  (it needs selenium)
import served  # noqa: E402
from a_term import DAY, EXAM, HALF, KERNEL, MINUTE, QUESTION, TAS, VAGUE, name_of  # noqa: E402
from desk_in_lab import Desk, lab_of  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from small_class import LESSON, SCALED, UNGUARDED_SCALE  # noqa: E402
from small_lesson import SOLUTION, SUBTRACTS  # noqa: E402
from small_questions import RIGHT, WRONG  # noqa: E402
from test_a_term import expected  # noqa: E402
from test_lessons_in_browser import violations  # noqa: E402
from test_rubric_in_browser import keys, new_item, said, text, until  # noqa: E402

import grader.classroom  # noqa: E402
from grader.course.weave import learners_cell  # noqa: E402
from grader.learner import editions, sending  # noqa: E402

pytestmark = browser.MARKS

AT_ONCE, CORRECTS, IN_EXAM = 0, 2, 4  # of Morning, which is tim's; these work in JupyterLab
SAME, EQUAL, OTHERWISE, UNGUARDED, IN_THE_EVENING = 6, 8, 10, 12, 1
ALL_RIGHT = {"add": SOLUTION, "scale": SCALED, **RIGHT}
NO_TEXT = {"scale": "", **WRONG, "share": "70 %", "why": ""}
ANSWERS = {
    AT_ONCE: ALL_RIGHT,
    CORRECTS: ALL_RIGHT | {"scale": UNGUARDED_SCALE, "waits": WRONG["waits"], "why": HALF},
    IN_EXAM: ALL_RIGHT | {"why": a_term.LOUD},
    SAME: NO_TEXT | {"add": SUBTRACTS, "steps": ""},
    EQUAL: NO_TEXT | {"add": a_term.EQUAL, "steps": "add\nload\nwait", "why": VAGUE},
    OTHERWISE: NO_TEXT | {"add": a_term.OTHERWISE, "steps": ""},
    UNGUARDED: NO_TEXT | {"add": a_term.NO_GUARD, "steps": ""},
    IN_THE_EVENING: NO_TEXT | {"add": SUBTRACTS, "steps": ""},
}
FIRST = ANSWERS[CORRECTS] | {"add": SUBTRACTS, "how_many": WRONG["how_many"]}
TEXT_KEYS = {"right": "1", "in_part": "2", "not_right": "3"}  # of the rubric's items
COMMENT = "What does the last thread of the last block do?"
WHY = "All that a hidden case needs is there."
ANSWERED = "No: the guard is missing. I give half of it."
WIDE, NARROW = 1440, 1024


@pytest.fixture(scope="module")
def term(tmp_path_factory, grading):
    folder = tmp_path_factory.mktemp("term in the browser")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sending, "PAUSE", 0.3)
        patch.setenv("BROWSER", "true")  # which shows nothing
        patch.setattr(editions, "find_lesson", a_term.lesson_of(folder))
        began = a_term.began(folder)
        began.answers = dict(ANSWERS)
        yield began


@pytest.fixture(scope="module")
def chrome():
    with browser.chromium(WIDE, 900) as opened:
        yield opened


# --- learners ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def homework(term, chrome):
    """Two do their homework in JupyterLab, the others hand in as they like. By name, what was
    seen."""
    with term.serving(term.due - DAY) as service:
        for number in ANSWERS.keys() - {AT_ONCE, CORRECTS}:
            term.write(number, ANSWERS[number])
            term.submit(number, service.url)
        seen = {"right": at_once(term, chrome, service), **corrects(term, chrome, service)}
    for ta in TAS:
        term.said(ta, "autograde", LESSON)
    return seen


def begun(chrome, address):
    """The notebook, with its first cell run."""
    desk = Desk(chrome, address)
    desk.run(desk.find("from grader.notebook import"))
    return desk


def handed_in(term, desk, service, again=False):
    """What the command of the docs says in a terminal there."""
    desk.save()
    with desk.terminal() as terminal:
        told = terminal.give(f"grader submit 01 --to {service.url}")
        browser.shot(desk.page, "submit again" if again else "submit")
    term.receipts += 1
    return told


def at_once(term, chrome, service):
    with lab_of(term, AT_ONCE) as address:
        desk = begun(chrome, address)
        cards = {name: desk.answer(name, said) for name, said in ANSWERS[AT_ONCE].items()}
        browser.shot(chrome, "right")
        return cards | {"submit": handed_in(term, desk, service)}


def corrects(term, chrome, service):
    """Wrong at first, and told so on the card; and then by the service, which has the right answers
    to the questions."""
    with lab_of(term, CORRECTS) as address:
        desk = begun(chrome, address)
        cards = {name: desk.answer(name, said) for name, said in FIRST.items()}
        desk.output(desk.find('check("add")'))
        browser.shot(chrome, "wrong")
        first = handed_in(term, desk, service)
        cell, wrong = desk.find("%%cuda add"), "x[i] -"
        lines = desk.source(cell).splitlines()
        (at,) = [number for number, line in enumerate(lines) if wrong in line]
        desk.type(cell, [Keys.BACKSPACE, "+"], at, lines[at].index(wrong) + len(wrong))
        corrected = {"add": desk.checked("add")}
        browser.shot(chrome, "corrected")
        desk.answer("how_many", RIGHT["how_many"])
        desk.save()
        second = handed_in(term, desk, service, again=True)
        desk.dark(True)
        browser.shot(chrome, "notebook dark")
        desk.dark(False)
    return {
        "wrong": cards | {"submit": first},
        "corrected": corrected | {"submit": second},
    }


def test_a_right_answer_s_card_has_all_points_that_a_learner_can_see(homework):
    cards = homework["right"]
    assert "passed" in cards["add"] and "3 of 4 points" in cards["add"]
    assert "1 of 2 points" in cards["scale"]


@pytest.mark.parametrize("question", RIGHT)
def test_the_published_course_keeps_an_answer_and_says_who_marks_it(homework, question):
    told = homework["right"][question]
    assert "The answer is kept." in told
    assert ("A person marks it." if question == "why" else "no right answers") in told


def test_a_wrong_kernel_s_card_has_its_points_and_the_corrected_one_s_more(homework):
    assert "not there yet" in homework["wrong"]["add"]
    assert "1.2 of 4 points" in homework["wrong"]["add"]
    assert "One fault (wrong answer). All else is right" in homework["wrong"]["add"]
    assert "3 of 4 points" in homework["corrected"]["add"]


def test_the_service_tells_in_the_terminal_what_was_wrong(homework):
    first, second = (homework[which]["submit"] for which in ("wrong", "corrected"))
    assert ": try 1" in first and ": try 2" in second
    assert "1.6 of 4 points" in first and "Neighbouring threads share a sector." in first
    assert "4 of 4 points" in second and "Neighbouring threads" not in second
    assert "The marks of the lesson show whether it is right." in second


# --- a TA ----------------------------------------------------------------------------------------


def course_lab(term, user="tim"):
    """The course in the JupyterLab of somebody who teaches it, as `make teach` opens it."""
    home = term.folder / "graded"
    settings = Path(grader.classroom.__file__).parent / "jupyter"
    return browser.jupyterlab(
        home,
        command=(sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={home}"),
        environment={"JUPYTER_CONFIG_PATH": str(settings), "LOGNAME": user},
    )


def opened_rubric(chrome):
    until(chrome, lambda: chrome.find_elements(By.CSS_SELECTOR, "#list button"))


@pytest.fixture(scope="module")
def marked(term, homework, chrome):
    """The TA marks the own section's answers there, by keyboard, and looks into formgrader. By
    name, what was seen."""
    seen = {}
    with course_lab(term) as address:
        chrome.get(f"{address}/warpwise/rubric")
        browser.shot(chrome, "rubrics")
        chrome.find_element(By.LINK_TEXT, LESSON).click()
        opened_rubric(chrome)
        seen["left"] = text(chrome, "#left")
        while name_of(SAME) not in text(chrome, "main h2"):
            keys(chrome, "j")
        new_item(chrome, "Good names", "0.5")
        until(chrome, lambda: f"On 2 answers: {name_of(SAME)} has 2.1" in said(chrome))
        keys(chrome, "s", says="all with the same mistake: 3")
        keys(chrome, "2", says="Off 3 answers")
        keys(chrome, "u", says="Undone")
        keys(chrome, "s", says="this answer: 1")
        keys(chrome, "s", says="all equal answers: 2")
        browser.shot(chrome, "rubric of a kernel")
        keys(chrome, "x")
        until(chrome, lambda: "scale" in chrome.title)
        while name_of(CORRECTS) not in text(chrome, "main h2"):
            keys(chrome, "j")
        keys(chrome, *[Keys.SHIFT + Keys.ARROW_DOWN + Keys.NULL] * 3)
        new_item(chrome, COMMENT, "0", "c")
        until(chrome, lambda: "On 1 answer" in said(chrome))
        browser.shot(chrome, "rubric with a comment")
        seen["comment"] = text(chrome, ".said")
        for exercise in ("add", "why"):  # backwards
            keys(chrome, Keys.SHIFT + "x" + Keys.NULL)
            until(chrome, lambda now=exercise: now in chrome.title)
        browser.shot(chrome, "rubric of a text")
        mark_texts(chrome)
        browser.shot(chrome, "rubric of texts that have marks")
        seen["formgrader"] = formgrader(chrome, address)
    term.items = {SAME: 0.5, EQUAL: 0.5}
    for ta in TAS:
        term.said(ta, "feedback", LESSON)
    return seen


def mark_texts(chrome):
    while True:
        keys(chrome, "m")
        if "Every answer has a mark." in said(chrome):
            return
        number = int(re.search(r"learner_(\d+)", text(chrome, "main h2"))[1])
        answer = ANSWERS[number]["why"]
        keys(chrome, TEXT_KEYS[a_term.TEXTS[answer]], says=f"{name_of(number)} has ")


def formgrader(chrome, address):
    """What nbgrader's formgrader shows in the same JupyterLab."""
    chrome.get(f"{address}/lab?reset")
    lab = "window.jupyterapp?.commands?.hasCommand('nbgrader:open-formgrader')"
    until(chrome, lambda: chrome.execute_script(f"return {lab}"))
    chrome.execute_script("window.jupyterapp.commands.execute('nbgrader:open-formgrader')")
    until(chrome, lambda: chrome.find_elements(By.CSS_SELECTOR, "iframe"))
    chrome.switch_to.frame(chrome.find_element(By.CSS_SELECTOR, "iframe"))
    until(chrome, lambda: LESSON in text(chrome, "body"))
    shown = text(chrome, "body")
    chrome.switch_to.default_content()
    browser.shot(chrome, "formgrader")
    return shown


def test_a_ta_sees_the_own_section_in_jupyterlab(marked):
    assert marked["left"] == "7 answers, 5 different"


def test_formgrader_opens_in_the_same_jupyterlab(marked):
    assert LESSON in marked["formgrader"]


def test_what_was_marked_by_keyboard_is_in_the_gradebook_and_on_the_pages(term, marked):
    assert COMMENT in marked["comment"]
    assert COMMENT in a_term.page(term, LESSON, name_of(CORRECTS))
    assert "Good names (+0.5)" in a_term.page(term, LESSON, name_of(EQUAL))
    for number in ANSWERS.keys() - {CORRECTS}:
        points = {
            name: mark
            for (learner, name), mark in a_term.exercises_in_gradebook(term, LESSON).items()
            if learner == name_of(number)
        }
        assert points == pytest.approx(term.expected(number)), number


# --- feedback, and a request for a regrade -------------------------------------------------------


def page_of(term, number, lesson=LESSON):
    return term.here.path("feedback", lesson, name_of(number)) / f"{lesson}.html"


@pytest.fixture(scope="module")
def asked(term, marked, chrome):
    """A learner reads the feedback page in JupyterLab, and does as it says; a TA answers."""
    seen = {}
    with lab_of(term, CORRECTS) as address:
        given = term.desk(CORRECTS) / "feedback.html"
        shutil.copy(page_of(term, CORRECTS), given)
        chrome.get(page_of(term, CORRECTS).as_uri())
        browser.shot(chrome, "feedback")
        command = text(chrome, "p code").replace("EXERCISE", "scale").replace("why", WHY)
        chrome.find_element(By.LINK_TEXT, "scale").click()
        browser.shot(chrome, "feedback of an exercise")
        desk = Desk(chrome, address)
        with desk.terminal() as terminal:
            seen["appeal"] = terminal.give(command)
            browser.shot(chrome, "appeal")
    (file,) = re.findall(r"instructor: (.*)", seen["appeal"].replace("\n", ""))
    to = term.here.root / "appeals" / name_of(CORRECTS)
    to.mkdir(parents=True)
    shutil.copy(term.desk(CORRECTS) / file, to)
    seen["open"] = term.said("tim", "appeals")
    answer = ("--answer", name_of(CORRECTS), LESSON, "scale", ANSWERED, "--points", "1.5")
    term.said("tim", "appeals", *answer)
    term.by_hand[CORRECTS, "scale"] = 1.5
    term.said("tim", "feedback", LESSON)
    chrome.get(page_of(term, CORRECTS).as_uri())
    seen["answered"] = text(chrome, "#check-scale")
    chrome.find_element(By.LINK_TEXT, "scale").click()
    browser.shot(chrome, "feedback with an answer")
    return seen


def test_the_answer_to_a_request_is_on_the_page(asked):
    assert WHY in asked["open"] and "1 open request" in asked["open"]
    assert ANSWERED in asked["answered"] and "1.5 of 2 points" in asked["answered"]


# --- the exam ------------------------------------------------------------------------------------


def in_exam(desk, service, source):
    """Answer, `check`, hand in: what the notebook and the terminal say."""
    cell = desk.find(f"%%cuda {KERNEL}")
    desk.write(cell, learners_cell(KERNEL, source))
    desk.run(cell)
    asked = desk.find(f"%%answer {QUESTION}")
    desk.write(asked, f"%%answer {QUESTION}\n")
    desk.type(asked, "guard")
    check = desk.find(f'check("{KERNEL}")')
    desk.run(check)
    told = {"check": desk.output(check)}
    browser.shot(desk.page, "exam check")
    desk.save()
    with desk.terminal() as terminal:
        terminal.give(f"cd {EXAM}")
        told["submit"] = terminal.give(f"grader submit {EXAM} --to {service.url}")
        browser.shot(desk.page, "exam submit")
    return told


@pytest.fixture(scope="module")
def exam(term, asked, chrome):
    """One begins it in a terminal of JupyterLab, hands in a wrong answer and a right one, and looks
    again when it is over. By name, what was seen."""
    seen, token = {}, term.tokens[name_of(IN_EXAM)]
    right = a_term.variant(term, IN_EXAM).solution
    with lab_of(term, IN_EXAM) as address:
        with term.serving(term.exam + MINUTE) as service:
            desk = Desk(chrome, address)
            with desk.terminal() as terminal:
                seen["begins"] = terminal.give(f"grader exam {EXAM} --to {service.url}")
                browser.shot(chrome, "exam begins")
            desk = Desk(chrome, address, f"{EXAM}/{EXAM}.ipynb")
            first = desk.find("from grader.notebook import")
            desk.run(first)
            seen["opens"] = desk.output(first)
            browser.shot(chrome, "exam opens")
            for name, source in (("wrong", right.replace("if (i < n)", "")), ("right", right)):
                seen[name] = in_exam(desk, service, source)
        with term.serving(term.exam + 151 * MINUTE) as service:
            with desk.terminal() as terminal:
                terminal.give(f"cd {EXAM}")
                seen["closed"] = terminal.give(f"grader submit {EXAM} --to {service.url}")
                browser.shot(chrome, "exam closed")
            kept = (term.desk(IN_EXAM) / EXAM).glob("handed_in/*/receipt.json")
            ids = [json.loads(path.read_text())["id"] for path in sorted(kept)]
            seen["results"] = [served.result(service, token, id, EXAM) for id in ids]
    term.done[IN_EXAM] = a_term.SOLVED
    for command in ("autograde", "feedback"):
        term.said("tim", command, EXAM)
    chrome.get(page_of(term, IN_EXAM, EXAM).as_uri())
    browser.shot(chrome, "exam feedback")
    return seen


@pytest.mark.parametrize("answer", ["wrong", "right"])
def test_the_exam_s_notebook_says_that_it_has_no_check(exam, answer):
    assert "check does not work" in exam[answer]["check"]


@pytest.mark.parametrize(("answer", "mark"), [("wrong", "✗"), ("right", "✓")])
def test_one_word_for_each_exercise_is_all_that_is_seen_during_the_exam(exam, answer, mark):
    lines = exam[answer]["submit"].splitlines()
    received, *told = [line for line in lines if not line.startswith("waiting")]
    assert f"{EXAM} is received from " in received
    assert [line.split()[:2] for line in told] == [
        [f"{EXAM}/{KERNEL}", mark],
        [f"{EXAM}/{QUESTION}", "·"],
    ]
    assert "point" not in "".join(told)


def test_after_the_end_everything_opens(term, exam):
    assert "closed for you" in exam["closed"]
    assert [one["shows"] for one in exam["results"]] == ["all", "all"]
    (wrong, _), _ = (
        [one["verdict"] for one in said["report"]["checked"]] for said in exam["results"]
    )
    assert wrong["status"] == "out_of_bounds" and wrong["line"]
    assert "within budget" in a_term.page(term, EXAM, name_of(IN_EXAM))


# --- what it has come to -------------------------------------------------------------------------


@pytest.mark.parametrize("lesson", [LESSON, EXAM])
def test_every_mark_is_the_one_counted_by_hand(term, exam, lesson):
    marks = expected(term, lesson)
    term.said(a_term.PROF, "export", lesson, "--for", "canvas")
    assert len(marks) == (len(ANSWERS) if lesson == LESSON else 1)
    assert a_term.in_gradebook(term, lesson) == marks
    assert a_term.on_pages(term, lesson) == marks


# --- legible for all -----------------------------------------------------------------------------


def rubric_alone(term, chrome):
    """The page of `grader rubric`, at an answer with an item."""
    with a_term.RubricPage(term.here, "tim") as page:
        chrome.get(f"{page.url}/?token={page.token}")
        at_an_item(chrome)
        yield


def rubric_in_lab(term, chrome):
    with course_lab(term) as address:
        chrome.get(f"{address}/warpwise/rubric/{LESSON}")
        at_an_item(chrome)
        yield


def rubrics_in_lab(term, chrome):
    with course_lab(term) as address:
        chrome.get(f"{address}/warpwise/rubric")
        yield


def at_an_item(chrome):
    opened_rubric(chrome)
    while name_of(SAME) not in text(chrome, "main h2"):
        keys(chrome, "j")


def feedback(term, chrome):
    """Of one whose page has questions, items of the rubric, and an answer to a request."""
    chrome.get(page_of(term, CORRECTS).as_uri())
    yield


def feedback_of_the_exam(term, chrome):
    chrome.get(page_of(term, IN_EXAM, EXAM).as_uri())
    yield


PAGES = (rubric_alone, rubric_in_lab, rubrics_in_lab, feedback, feedback_of_the_exam)


@pytest.fixture(scope="module", params=PAGES, ids=lambda page: page.__name__)
def shown(request, term, exam, chrome):
    """The name of a page that is open."""
    opened = contextlib.contextmanager(request.param)
    with opened(term, chrome):
        yield request.param.__name__


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_it(chrome, shown, scheme, width):
    chrome.set_window_size(width, 900)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    browser.shot(chrome, f"{shown} {scheme} {width}")
    assert violations(chrome) == []
    assert chrome.execute_script(
        "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
