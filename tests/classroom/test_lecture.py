"""Live in the lecture hall: slides whose kernels are edited and judged in place, notes for whoever
presents, and a title page that says what is coming."""

import json
import re
import shutil
import urllib.error
import urllib.request

import pytest
import shown_page
import small_class
from small_class import SCALED, UNGUARDED_SCALE, WRONG_SUM

from grader import course
from grader.classroom import handing_out, lecture
from grader.classroom.handing_out import Mistake
from grader.classroom.lecture import PAGE, Preview
from grader.course.weave import cuda_cell, learners_cell
from grader.judge import judge
from grader.submissions.intake import cuda_source

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def lesson(kernels, tmp_path_factory):
    """In a folder of the name that a course's has: its notebook is executed."""
    copy = shutil.copytree(kernels, tmp_path_factory.mktemp("course") / "kernels")
    return course.lesson(small_class.LESSON, copy)


@pytest.fixture(scope="module")
def page(lesson, tmp_path_factory):
    """The slides of the small lesson with its one mistake."""
    (wrong,) = lesson.wrong_kernels
    source = cuda_source(learners_cell(wrong.exercise, wrong.source))
    verdict = judge(f"{lesson.name}/{wrong.exercise}", source, root=lesson.path.parent)
    mistakes = [Mistake(wrong, verdict.for_learner())]
    return handing_out.write(lesson, mistakes, tmp_path_factory.mktemp("demo")).slides


@pytest.fixture(scope="module")
def live(lesson, page):
    """The address with the token, and what is served there."""
    shown = lecture.Lecture(page.read_text(), lesson)
    return shown_page.address(shown), shown


def ask(live, question=None, path="/judge", **headers):
    """Status and text of the answer."""
    address, shown = live
    url = address.partition("/?")[0] + path
    headers = {lecture.TOKEN: shown.token, **headers}
    data = None if question is None else json.dumps(question).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def scale(source):
    return {"exercise": "scale", "source": cuda_cell("scale", source)}


def test_a_kernel_is_judged_as_everywhere(live):
    assert "passed" in ask(live, scale(SCALED))[1]
    status, said = ask(live, {"exercise": "add", "source": cuda_cell("add", WRONG_SUM)})
    card = json.loads(said)["html"]
    assert status == 200 and "wrong answer" in card and "line 6" in card.lower()
    hidden = ask(live, scale(UNGUARDED_SCALE))[1]
    assert "out of bounds" in hidden and "a length with a remainder (hidden)" in hidden
    assert "line 5" not in hidden.lower()


def test_what_cannot_be_judged_is_said(live):
    assert "has no exercise 'nothing'" in ask(live, {"exercise": "nothing", "source": ""})[1]
    assert ask(live, ["nonsense"])[0] == 400
    assert (
        "not attempted" in ask(live, scale(""))[1] or "still as it was" in ask(live, scale(""))[1]
    )


def test_nobody_without_the_token_gets_anything(live):
    address, shown = live
    assert address.startswith("http://127.0.0.1:")
    assert ask(live, scale(SCALED), **{lecture.TOKEN: "guessed"})[0] == 403
    assert ask(live, path="/")[0] == 403
    assert ask(live, path=f"/?token={shown.token}")[0] == 200
    assert ask(live, path=f"/secret?token={shown.token}")[0] == 404


def test_a_page_whose_name_leads_to_this_machine_gets_nothing(live):
    assert ask(live, scale(SCALED), Host="evil.example")[0] == 403
    assert ask(live, path=f"/?token={live[1].token}", Host="evil.example:80")[0] == 403


def test_the_title_page_says_what_is_coming_and_slides_have_notes(page):
    text = page.read_text()
    assert "2 exercises: write it (2)" in text and "1 typical mistake at the end" in text
    assert text.count('<aside class="notes">') == 4  # title, two exercises, one mistake
    assert "They are told: <strong>out of bounds</strong>" in text


def test_nothing_on_a_slide_ends_the_script_that_has_the_kernels(page):
    kernels = re.search('<script id="kernels"[^>]*>(.*?)</script>', page.read_text(), re.S)[1]
    assert [one["exercise"] for one in json.loads(kernels)] == ["add", "scale", "scale"]
    assert "SOLUTION" not in kernels


# --- grader preview: what an author sees of a lesson while it is written --------------------------


@pytest.fixture
def written(tmp_path, kernels):
    """A preview of a lesson whose files the test may change; it is shown once."""
    copy = shutil.copytree(kernels, tmp_path / "kernels")
    (lesson,) = (path.parent for path in copy.glob("*/exercises.py"))
    preview = Preview(lesson.name, copy, tmp_path)
    assert preview.write() == ""
    return preview, lesson


def seen(preview):
    return (preview.folder / PAGE).read_text()


def test_prose_is_there_at_once_and_outputs_stay(written):
    preview, lesson = written
    outputs = re.findall(r"jp-OutputArea-output.*", seen(preview))
    assert outputs
    page = lesson / "lesson.md"
    page.write_text(page.read_text() + "\nA last word on sums.\n")
    preview.write()
    assert "A last word on sums." in seen(preview)
    assert re.findall(r"jp-OutputArea-output.*", seen(preview)) == outputs


def test_a_kernel_that_is_changed_is_run_again(written):
    preview, lesson = written
    (solution,) = lesson.glob("1_*.cu")
    solution.write_text(solution.read_text().replace("x[i] + y[i]", "x[i] - y[i]"))
    preview.write()
    assert "should be" in seen(preview)


@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [("exercises.py", "Exercise(", "Exercice("), ("mistakes.toml", "must_get", "must_gte")],
)
def test_an_author_s_mistake_is_its_sentence_until_it_is_mended(written, file, right, wrong):
    preview, lesson = written
    path = lesson / file
    before = path.read_text()
    path.write_text(before.replace(right, wrong, 1))
    said = preview.write()
    assert file in said and wrong.strip("(") in said
    assert wrong.strip("(") in seen(preview)
    path.write_text(before)
    assert preview.write() == ""
