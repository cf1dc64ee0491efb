"""`grader new`, and the tutorial on a histogram as docs/authoring.md has it."""

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader import course
from grader.classroom.folder import begin, new_course
from grader.cli.app import app

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs/authoring.md").read_text()
BLOCK = re.compile(r"<!-- (file|prepend): (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)
LESSON, TUTORIAL = "08_sums", "20_histogram"


def run(here, *arguments):
    with contextlib.chdir(here.root):
        return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A course of one new lesson."""
    kernels = tmp_path_factory.mktemp("departments") / "kernels"
    kernels.mkdir()
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert run(here, "new", LESSON).exit_code == 0
    return here


@pytest.fixture(scope="module")
def held(here):
    """What all of test_course.py that is about a lesson says of two, as their author runs it after
    building: one as `grader new` leaves it, one as the tutorial does."""
    assert run(here, "new", TUTORIAL).exit_code == 0
    folder, blocks = here.kernels / TUTORIAL, BLOCK.findall(PAGE)
    assert len(blocks) == 4
    for what, name, text in blocks:
        path = folder / name
        path.write_text(text if what == "file" else text + path.read_text())
    begin(here.kernels.parent)  # as `grader --course` does
    python(here, "grader", "build")
    rules = ("-n", "0", "-vv", "-p", "no:cacheprovider", f"{TESTS}/course/test_course.py")
    return python(here, "pytest", *rules, "-k", f"{LESSON} or {TUTORIAL}")


def python(here, module, *arguments):
    """What a module says, run for the course `here` is about."""
    environment = {**os.environ, "WARPWISE_COURSE": str(here.kernels.parent)}
    command = [sys.executable, "-m", module, *arguments]
    where = {"env": environment, "cwd": TESTS.parent}
    done = subprocess.run(command, **where, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("lesson", [LESSON, TUTORIAL])
def test_a_new_lesson_and_the_tutorial_s_keep_every_rule_of_the_course(held, lesson):
    assert len(re.findall(rf"\[{lesson}.* PASSED", held)) > 15


@pytest.mark.slow
@pytest.mark.parametrize("lesson", [LESSON, TUTORIAL])
def test_both_pass_the_project_s_linter(here, held, lesson):
    settings = ("--config", str(TESTS.parent / "pyproject.toml"), str(here.kernels / lesson))
    python(here, "ruff", "check", *settings)
    python(here, "ruff", "format", "--check", *settings)


@pytest.mark.slow
def test_the_tutorial_word_for_word_makes_what_it_says(here, held):
    lesson = course.lesson(TUTORIAL, here.kernels)
    assert len(lesson.wrong_kernels) == 4 and "clear" in lesson.solution(lesson.exercises[0])


@pytest.mark.parametrize("name", ["histogram", "9_x", "09_Histogram", "../09_x", "09_", LESSON])
def test_a_name_that_cannot_be_is_refused(here, name):
    said = run(here, "new", name)
    assert said.exit_code == 2
    assert "as in 20_histogram" in said.stderr or "is a folder" in said.stderr


@pytest.mark.slow
def test_a_build_names_text_that_was_for_the_author(tmp_path):
    def grader(*arguments):
        command = [sys.executable, "-m", "grader", "--course", str(tmp_path), *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)

    grader("new", LESSON)
    page = tmp_path / f"kernels/{LESSON}/lesson.md"
    where = f"kernels/{LESSON}/lesson.md still has the text of `grader new`: "
    said = grader("build").stderr
    assert f"{where}'What a learner can do after this lesson" in said
    assert f"{where}'Fences become cells: a `python` fence" in said
    assert f"{where}'Say what a learner should look at next.' ..." in said
    prose = re.sub(r"(?m)^[A-Za-z][^#`]*?[\w`].*$", "Own words.", page.read_text())
    page.write_text(prose)
    assert "still has" not in grader("build").stderr
