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
from grader.classroom.folder import new_course
from grader.cli.app import app
from grader.judge import steps

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs/authoring.md").read_text()
BLOCK = re.compile(r"<!-- (file|prepend): (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)
LESSON = "09_histogram"


def run(here, *arguments):
    with contextlib.chdir(here.root):
        return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})


@pytest.fixture
def here(tmp_path):
    (tmp_path / "kernels").mkdir()
    here = new_course(tmp_path / "course", tmp_path / "kernels")
    assert run(here, "new", LESSON).exit_code == 0
    return here


def hold_to_the_rules(here):
    """All of tests/test_course.py that is about a lesson, as its author runs it."""
    lesson = course.lesson(LESSON, here.kernels)
    steps.write(lesson)
    environment = {**os.environ, "WARPWISE_COURSE": str(here.kernels.parent)}
    rules = ("-n", "0", "-q", "-p", "no:cacheprovider", f"{TESTS}/test_course.py", "-k", LESSON)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *rules],
        env=environment,
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 15
    return lesson


@pytest.mark.slow
def test_a_new_lesson_keeps_every_rule_of_the_course_as_it_stands(here):
    hold_to_the_rules(here)


@pytest.mark.slow
def test_the_tutorial_word_for_word_makes_a_lesson_that_keeps_the_rules(here):
    folder = here.kernels / LESSON
    blocks = BLOCK.findall(PAGE)
    assert len(blocks) == 4
    for what, name, text in blocks:
        path = folder / name
        path.write_text(text if what == "file" else text + path.read_text())
    lesson = hold_to_the_rules(here)
    assert len(lesson.wrong_kernels) == 4 and "clear" in lesson.solution(lesson.exercises[0])


@pytest.mark.parametrize("name", ["histogram", "9_x", "09_Histogram", "../09_x", "09_", LESSON])
def test_a_name_that_cannot_be_is_refused(here, name):
    said = run(here, "new", name)
    assert said.exit_code == 2
    assert "as in 09_histogram" in said.stderr or "is a folder" in said.stderr
