"""Questions in a class: handed out without answers, marked with the kernels, or by a person."""

import csv
import io
import json
import re
from zipfile import ZipFile

import nbformat
import pytest
import small_class
import small_questions
from nbgrader.api import Grade
from nbgrader.converters import Autograde
from small_class import SCALED, UNGUARDED_SCALE, cell_of, grader
from small_lesson import SOLUTION
from small_questions import KEYS, LESSON, RIGHT, WRONG, answer
from test_gradescope import judged

from grader import course
from grader.classroom import bundles
from grader.classroom.folder import new_course


@pytest.fixture(scope="module")
def graded(tmp_path_factory, grading):
    """Ada is right, ben is wrong twice and has no text, and cy changed nothing."""
    kernels = small_questions.write_lesson(tmp_path_factory.mktemp("kernels"))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert grader(here, "release", LESSON).exit_code == 0
    answer(here, "ada", RIGHT, add=SOLUTION, scale=SCALED)
    answer(here, "ben", WRONG, add=SOLUTION, scale=UNGUARDED_SCALE)
    answer(here, "cy", {})
    assert grader(here, "autograde", LESSON).exit_code == 0
    return here


@pytest.fixture
def here(graded, tmp_path):
    return small_class.copied(graded, tmp_path)


def marks(here):
    """By learner and exercise: score, most, status."""
    assert grader(here, "feedback", LESSON).exit_code == 0
    assert grader(here, "report", LESSON).exit_code == 0
    rows = csv.DictReader(io.StringIO((here.root / f"report/{LESSON}.csv").read_text()))
    return {(one["learner"], one["exercise"]): (one["score"], one["status"]) for one in rows}


def page(here, learner):
    """The text of the learner's feedback page."""
    html = (here.path("feedback", LESSON, learner) / f"{LESSON}.html").read_text()
    return " ".join(re.sub(r"<style.*?</style>|<[^>]+>", " ", html, flags=re.DOTALL).split())


def test_what_is_released_has_the_questions_and_no_right_answer(graded):
    notebook = nbformat.read(graded.notebook("release", LESSON), as_version=4)
    assert cell_of(notebook, "waits").source == (
        "%%answer waits\n# Write the words of your answer, one per line."
    )
    whole = graded.notebook("release", LESSON).read_text()
    for secret in ("Neighbouring threads share", "4 sectors", "50 %", "load wait add"):
        assert secret not in whole


def test_autograde_marks_answers_with_the_kernels_and_names_who_waits_for_a_person(graded):
    said = grader(graded, "autograde", LESSON)
    assert said.exit_code == 0
    assert "graded: 3 submissions, 1 to mark by hand (ada)" in said.stdout
    found = marks(graded)
    assert found["ada", "how_many"] == ("1.0", "passed")
    assert found["ada", "share"] == ("2.0", "passed")
    assert found["ada", "why"] == ("", "kept")
    assert found["ben", "how_many"] == ("0.0", "wrong_answer")
    assert found["ben", "why"] == ("0.0", "not_attempted")
    assert found["cy", "waits"] == ("0.0", "not_attempted")
    assert found["ada", "add"] == ("4.0", "passed")


def test_nbgrader_knows_that_a_person_must_mark_the_text(graded):
    with graded.gradebook() as gradebook:
        waits = {
            who: gradebook.find_grade("check-why", LESSON, LESSON, who).needs_manual_grade
            for who in ("ada", "ben", "cy")
        }
        most = gradebook.find_grade("check-why", LESSON, LESSON, "ada").max_score
    assert (waits, most) == ({"ada": True, "ben": False, "cy": False}, 3)


def test_formgraders_button_leaves_the_same_marks(here):
    def rows():
        with here.gradebook() as gradebook:
            grades = gradebook.db.query(Grade).all()
            marks = ("auto_score", "manual_score", "needs_manual_grade")
            return {
                (one.student.id, one.cell.name): [getattr(one, mark) for mark in marks]
                for one in grades
            }

    before = rows()
    here.run(Autograde, LESSON, "ada", force=True)
    assert rows() == before
    assert before["ada", "check-why"] == [None, None, True]


def test_the_feedback_page_tells_each_result_and_the_authors_sentence(graded):
    marks(graded)
    ada, ben = page(graded, "ada"), page(graded, "ben")
    assert "32 floats have 128 bytes." in ada and "no mark of 14 points" in ada
    assert "marked by hand" in ada and "There is no mark yet." in ada
    assert "A thread could read too early." in ada
    assert "Neighbouring threads share a sector." in ben
    assert "Blocks do not wait for each other." in ben


def test_status_and_export_tell_who_waits(here):
    said = grader(here, "status", LESSON).stdout
    assert "1 waits for a mark by hand" in said and "unreadable" not in said
    assert "look at its marks" in said
    assert "1 to mark by hand" in grader(here, "export", LESSON, "--for", "moodle").stdout
    table = here.root / f"export/{LESSON}-moodle.csv"
    assert "why: no mark of 3 (kept)" in table.read_text()


def test_a_mark_by_hand_completes_the_lesson_and_stays(here):
    with here.gradebook() as gradebook:
        grade = gradebook.find_grade("check-why", LESSON, LESSON, "ada")
        grade.manual_score, grade.needs_manual_grade = 2.5, False
        gradebook.db.commit()
    said = grader(here, "autograde", LESSON)
    assert said.exit_code == 0, said.stdout
    assert "by hand" not in said.stdout
    assert marks(here)["ada", "why"] == ("2.5", "kept")
    assert "13.5 of 14 points" in page(here, "ada")
    assert grader(here, "autograde", LESSON, "--force").exit_code == 0
    assert marks(here)["ada", "why"] == ("2.5", "kept")


def test_another_right_answer_changes_the_marks_when_it_is_graded_again(here):
    marks(here)  # ada has seen hers, so it does not fall
    key = KEYS.replace('right = "block"', 'right = "grid"').replace('grid = "', 'block = "')
    (here.kernels / LESSON / "answers.toml").write_text(key)
    said = grader(here, "regrade", LESSON, "--dry-run").stdout
    assert "marks of 1 of 3 learners would change" in said
    assert grader(here, "regrade", LESSON).exit_code == 0
    assert marks(here)["ben", "waits"] == ("1.0", "passed")


def test_an_answer_is_data_and_its_cell_is_never_run(here, tmp_path):
    trap = tmp_path / "ran"
    evil = f"!touch {trap}\n__import__('os').system('touch {trap}')"
    answer(here, "dee", dict.fromkeys(RIGHT, evil))
    grader(here, "autograde", LESSON)
    assert not trap.exists()
    kept = json.loads((here.path("autograded", LESSON, "dee") / "verdicts.json").read_text())
    statuses = {name: one["verdict"]["status"] for name, one in kept["exercises"].items()}
    assert statuses["how_many"] == statuses["waits"] == "wrong_answer"
    assert statuses["why"] == "kept"


def test_an_answer_counts_also_where_an_editor_has_lost_nbgraders_marks(here):
    def lose(notebook):
        for cell in notebook.cells:
            cell.metadata.pop("nbgrader", None)

    answer(here, "eve", RIGHT)
    path = here.notebook("submitted", LESSON, "eve")
    notebook = nbformat.read(path, as_version=4)
    lose(notebook)
    nbformat.write(notebook, path)
    grader(here, "autograde", LESSON)
    assert marks(here)["eve", "steps"] == ("1.0", "passed")


def test_gradescope_marks_the_kernels_and_names_the_questions_that_it_does_not(here, tmp_path):
    answer(here, "fay", RIGHT, add=SOLUTION)
    lesson = course.lesson(LESSON, here.kernels)
    with ZipFile(io.BytesIO(bundles.gradescope(here, lesson, leaderboard=False))) as zipped:
        results = judged(zipped, here, "fay", tmp_path)
        assert not any("answers" in name for name in zipped.namelist() if "kernels" in name)
    kernels = {one.name for one in lesson.exercises if one.cases}
    questions = [one.name for one in lesson.exercises if not one.cases]
    assert "not_judged" not in results.get("extra_data", {}), results["output"]
    assert {one["name"].partition(":")[0] for one in results["tests"]} == kernels
    assert results["output"].endswith(f"Questions are not marked here: {', '.join(questions)}.")
