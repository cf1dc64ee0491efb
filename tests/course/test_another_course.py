"""A course that a department keeps in a folder of its own, with `grader --course`."""

import json
import os
import subprocess
import sys

import nbformat
import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A folder with one lesson, begun from nothing by the commands that authors have."""
    folder = tmp_path_factory.mktemp("departments") / "parallel-2027"
    folder.mkdir()
    grader(folder, "new", "01_histogram")
    grader(folder, "build")
    return folder


def grader(course, *arguments, cwd=None, rc=0):
    command = [sys.executable, "-m", "grader", "--course", str(course), *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd or course.parent, capture_output=True, text=True)
    assert done.returncode == rc, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_its_lessons_are_built_there_and_ours_are_no_part_of_it(course):
    assert (course / "notebooks" / "01_histogram.ipynb").is_file()
    assert "there are: 01_histogram." in grader(course, "release", "02", rc=2)


def test_a_solution_of_it_is_checked_and_a_class_of_it_graded(course, grading):
    (solution,) = (course / "kernels" / "01_histogram").glob("1_*.cu")
    verdict = json.loads(grader(course, "check", solution, "--exercise", "01/histogram", "--json"))
    assert json.dumps(verdict).count("passed")
    grader(course, "release", "01")
    handed_in = course / "build" / "submitted" / "ada" / "01_histogram"
    handed_in.mkdir(parents=True)
    solved = course / "notebooks" / "01_histogram.ipynb"
    (handed_in / solved.name).write_text(solved.read_text())
    assert "graded: 1 submission, in" in grader(course, "autograde", "01")


def test_its_notebooks_find_its_lessons(course, tmp_path):
    """As `grader --course ... lab` starts them: the choice is in the environment."""
    from nbclient import NotebookClient

    notebook = nbformat.read(course / "notebooks" / "01_histogram.ipynb", 4)
    resources = {"metadata": {"path": str(tmp_path)}}
    env = {**os.environ, "WARPWISE_COURSE": str(course)}
    NotebookClient(notebook, resources=resources).execute(env=env)
    assert "passed" in json.dumps(notebook)


def test_standing_in_another_course_changes_nothing(course, tmp_path):
    elsewhere = tmp_path / "other"
    elsewhere.mkdir()
    grader(elsewhere, "new", "01_sums")
    grader(course, "release", "01", cwd=elsewhere)
    assert "01_histogram" in grader(course, "status", "01", cwd=elsewhere)


def test_an_author_who_stands_in_a_course_works_on_that_one(course, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    grader(folder, "new", "01_histogram")
    (page,) = folder.glob("kernels/*/lesson.md")
    page.write_text(page.read_text().replace("# Histogram", "# Counting"))
    assert "made notebooks/01_histogram.ipynb" in in_folder(folder, "build")
    assert "02_sums is a lesson" in in_folder(folder, "new", "02_sums")
    assert (folder / "kernels" / "02_sums").is_dir()


def test_who_checks_a_file_takes_no_lessons_from_where_it_lies(course):
    (solution,) = (course / "kernels" / "01_histogram").glob("1_*.cu")
    said = in_folder(course, "check", solution, "--exercise", "01_histogram/histogram", rc=2)
    assert "There is no lesson '01_histogram'" in said


def in_folder(folder, *arguments, rc=0):
    command = [sys.executable, "-m", "grader", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == rc, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_folder_without_a_course_is_said_to_have_none(tmp_path):
    said = grader(tmp_path, "release", rc=2)
    assert f"{tmp_path} holds no course that this command can change" in said


def test_a_broken_lesson_keeps_no_other_from_being_made(tmp_path):
    for name in ("01_histogram", "02_sums"):
        grader(tmp_path, "new", name)
    grader(tmp_path, "build")
    exercises = tmp_path / "kernels" / "01_histogram" / "exercises.py"
    exercises.write_text(exercises.read_text().replace("title=", "titel=", 1))
    for name in ("01_histogram", "02_sums"):
        page = tmp_path / "kernels" / name / "lesson.md"
        page.write_text(page.read_text() + "\nOne more line.\n")
    notebooks = tmp_path / "notebooks"
    before = (notebooks / "01_histogram.ipynb").read_text()
    said = grader(tmp_path, "build", rc=1)
    assert "01_histogram/exercises.py, line" in said
    assert "titel" in said
    assert "notebooks/02_sums.ipynb" in said
    assert "01_histogram.ipynb" not in said
    last = said.strip().splitlines()[-1]
    assert last.startswith("The notebook of 01_histogram is as it was: kernels/01_histogram/")
    assert "titel" in last
    assert (notebooks / "01_histogram.ipynb").read_text() == before
    assert "One more line." in (notebooks / "02_sums.ipynb").read_text()
    assert "titel" in grader(tmp_path, "build", "--check", rc=1)
    exercises.unlink()
    assert "beside kernels/01_histogram/lesson.md there is none" in grader(tmp_path, "build", rc=1)
    assert (notebooks / "01_histogram.ipynb").read_text() == before


def test_one_lesson_is_built_alone(tmp_path):
    for name in ("01_histogram", "02_sums"):
        grader(tmp_path, "new", name)
    grader(tmp_path, "build")
    for name in ("01_histogram", "02_sums"):
        page = tmp_path / "kernels" / name / "lesson.md"
        page.write_text(page.read_text() + "\nOne more line.\n")
    notebooks = tmp_path / "notebooks"
    gone = (notebooks / "02_sums.ipynb").rename(notebooks / "03_gone.ipynb")
    before = gone.read_text()
    assert "02_sums" not in grader(tmp_path, "build", "01", "--check", rc=1)
    said = grader(tmp_path, "build", "01")
    assert said.count("made ") == 1
    assert said.startswith("made ") and "notebooks/01_histogram.ipynb" in said.splitlines()[0]
    assert "One more line." in (notebooks / "01_histogram.ipynb").read_text()
    assert [path.name for path in sorted(notebooks.iterdir())] == [
        "01_histogram.ipynb",
        "03_gone.ipynb",
    ]
    assert gone.read_text() == before
    assert grader(tmp_path, "build", "01", "--check") == ""
    assert "There is no lesson '07'" in grader(tmp_path, "build", "07", rc=2)
