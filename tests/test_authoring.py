"""`grader new`, and the tutorial on a histogram as docs/authoring.md has it."""

import contextlib
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader import course
from grader.classroom.folder import new_course
from grader.cli.app import app
from grader.course.weave import weave
from grader.judge import judge, steps

PAGE = (Path(__file__).parents[1] / "docs/authoring.md").read_text()
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


def hold_to_the_rules(lesson):
    """Those of tests/test_course.py that speak of solution, mistakes and budget."""
    weave(lesson)
    (exercise,) = lesson.exercises
    solved = judge(exercise.id, lesson.solution(exercise), root=lesson.path.parent)
    assert solved.status == "passed", solved.message
    found = [
        (wrong.name, judge(exercise.id, wrong.source, root=lesson.path.parent))
        for wrong in lesson.wrong_kernels
    ]
    foreseen = [(wrong.name, wrong.status) for wrong in lesson.wrong_kernels]
    assert [(name, verdict.status) for name, verdict in found] == foreseen
    assert len(found) >= 4 and len({verdict.status for _, verdict in found}) >= 3
    assert not steps.stale(lesson)


def test_a_new_lesson_works_as_it_stands(here):
    hold_to_the_rules(course.lesson(LESSON, here.kernels))


def test_the_tutorial_word_for_word_makes_a_lesson_that_keeps_the_rules(here):
    folder = here.kernels / LESSON
    blocks = BLOCK.findall(PAGE)
    assert len(blocks) == 4
    for what, name, text in blocks:
        path = folder / name
        path.write_text(text if what == "file" else text + path.read_text())
    lesson = course.lesson(LESSON, here.kernels)
    steps.write(lesson)
    hold_to_the_rules(lesson)


@pytest.mark.parametrize("name", ["histogram", "9_x", "09_Histogram", "../09_x", "09_", LESSON])
def test_a_name_that_cannot_be_is_refused(here, name):
    said = run(here, "new", name)
    assert said.exit_code == 2
    assert "as in 09_histogram" in said.stderr or "is a folder" in said.stderr
