"""A graded course that a department keeps to itself: what learners get of it has no solution, no
secret and no class, and check() says there what it says at home."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest
import small_class
from small_class import LESSON, SCALED, WRONG_SUM
from small_lesson import SOLUTION

from grader import course
from grader.classroom.folder import new_course
from grader.course import catalogue
from grader.course.kinds import answers
from grader.course.weave import cuda_cell
from grader.judge import judge

pytestmark = pytest.mark.slow

LESSONS = course.lessons()
ONE_STATEMENT = 20  # characters
# Of each kind of kernel the first. Questions have no solution but in answers.toml.
KERNELS = [one for found in LESSONS for one in found.exercises if one.cases]
ONE_OF_EACH = list({type(one.kind): one for one in KERNELS}.values())


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A course of one lesson with a class in it, and what `grader publish` makes of it."""
    home = tmp_path_factory.mktemp("departments") / "graded-2027"
    home.mkdir()
    grader(home, "new", "02_histogram")  # makes the folder a course
    small_class.write_lesson(home / "kernels")
    shutil.rmtree(home / "kernels/02_histogram")
    grader(home, "build")
    grader(home, "release", LESSON)
    theirs = home.parent / "for-learners"
    grader(home, "publish", theirs)
    return home, theirs


def grader(folder, *arguments, rc=0):
    command = [sys.executable, "-m", "grader", "--course", str(folder), *map(str, arguments)]
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True)
    assert done.returncode == rc, done.stdout + done.stderr
    return done.stdout


def everything(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_no_solution_no_mistake_no_secret_and_no_class_is_in_it(published):
    home, theirs = published
    whole = b"\n".join(everything(theirs).values())
    for gone in (b"total[i] = x[i] + y[i]", b"doubled[i] = 2 * x[i]", b"BEGIN SOLUTION"):
        assert gone in b"\n".join(everything(home).values()) and gone not in whole
    secret = (home / "build/secret").read_bytes().strip()
    assert len(secret) > 10 and secret not in whole
    names = {path.name for path in everything(theirs)}
    assert names.isdisjoint({"mistakes.toml", "gradebook.db", "secret", "course.toml"})
    assert f"{LESSON}.ipynb" in names


@pytest.mark.parametrize(
    ("answer", "passed"), [(SOLUTION, True), (WRONG_SUM, False), (small_class.NO_GUARD, False)]
)
def test_check_says_there_what_it_says_at_home(published, tmp_path, answer, passed):
    file = tmp_path / "answer.cu"
    file.write_text(answer)
    asked = ("check", file, "--exercise", f"{LESSON}/add", "--json")
    reports = [json.loads(grader(one, *asked, rc=1 - passed)) for one in published]
    home, there = (report["checked"][0]["verdict"] for report in reports)
    # That our kernel uses a parameter is known at home alone.
    known = json.dumps(home).replace("No line uses `n`. ", "")
    home = json.loads(known.replace(" Which line should use `n`?", ""))
    for told in (home, there, *home["cases"], *there["cases"]):
        if told["status"] == "wrong_answer":
            # The first step that ours does not take, its line, what is made of what beside ours,
            # and so which block it was, are told at home alone.
            told["message"], told["line"] = told["message"].partition(". ")[0], None
            for at_home_alone in ("made_of", "patterns", "parts", "differs"):
                told.pop(at_home_alone, None)
            if told.get("where"):
                told["where"]["block"] = None
    assert home == there
    assert (home["status"] == "passed") is passed


def test_a_learner_s_notebook_checks_itself_there(published, tmp_path):
    from nbclient import NotebookClient

    _, theirs = published
    notebook = nbformat.read(theirs / "notebooks" / f"{LESSON}.ipynb", 4)
    small_class.cell_of(notebook, "add").source = cuda_cell("add", SOLUTION)
    small_class.cell_of(notebook, "scale").source = cuda_cell("scale", SCALED)
    resources = {"metadata": {"path": str(tmp_path)}}
    environment = {**os.environ, "WARPWISE_COURSE": str(theirs)}
    NotebookClient(notebook, resources=resources).execute(env=environment)
    said = json.dumps(notebook)
    assert said.count("passed, ") >= 2 and "Compare with ours" not in said


def test_it_grades_no_class(published, tmp_path):
    """Its solutions are not there to be tried first."""
    _, theirs = published
    here = new_course(tmp_path, theirs / "kernels")
    with contextlib.chdir(here.root):
        assert "02" not in grader(theirs, "release", LESSON, rc=2)


def test_a_folder_that_holds_something_else_is_left_alone(published, tmp_path):
    home, _ = published
    (tmp_path / "thesis.txt").write_text("years of work")
    grader(home, "publish", tmp_path, rc=2)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("exercise", ONE_OF_EACH, ids=lambda one: f"{one.kind.name}: {one.id}")
def test_every_kind_of_exercise_is_judged_without_its_solution(exercise, tmp_path):
    lesson = course.lesson(exercise.id.partition("/")[0])
    for name, content in catalogue.handed_out(lesson):
        path = tmp_path / lesson.name / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    there = course.lesson(lesson.name, tmp_path).exercise(exercise.name)
    assert not there.solved and there.cases[0].ours == exercise.cases[0].ours
    assert judge(exercise.id, exercise.solution, root=tmp_path).status == "passed"
    blank = judge(exercise.id, lesson.handed_out(exercise), root=tmp_path)
    assert (blank.status, blank.points) == ("not_attempted", 0)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: one.name)
def test_no_answer_of_a_lesson_is_in_what_learners_get_of_it(lesson):
    """Its own file has it not; a later kernel of the lesson may build upon it, as it does there."""
    given = dict(catalogue.handed_out(lesson))
    for exercise in lesson.exercises:
        if exercise.kind.name != "order":  # whose lines are all there, shuffled
            for answer in answers(exercise.solution):
                if len(_bare(answer)) >= ONE_STATEMENT:  # there may be another barrier
                    assert _bare(answer) not in _bare(given[exercise.source].decode()), exercise.id


def _bare(source):
    return re.sub(r"//[^\n]*|\s+", "", source)
