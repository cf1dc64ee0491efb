"""The steps of a lesson's own solutions are kept with it, and renewed when an exercise changes."""

import pytest
import small_lesson
from small_lesson import SOLUTION

from grader import course
from grader.course import solution_counts
from grader.judge import steps


@pytest.fixture
def root(tmp_path):
    return small_lesson.write(tmp_path)


def test_each_case_of_each_exercise_has_the_solutions_steps(root):
    lesson = course.lesson("01_add", root)
    exercise = lesson.exercise("add")
    assert solution_counts.steps(lesson.path, exercise.name) == {}
    assert steps.write(lesson)
    kept = solution_counts.steps(lesson.path, exercise.name)
    assert set(kept) == {case.name for case in exercise.cases}
    assert all(0 < count < 100 for count in kept.values())
    assert not steps.write(lesson)


def test_another_solution_makes_them_stale(root):
    steps.write(course.lesson("01_add", root))
    (root / "01_add" / "1_add.cu").write_text(SOLUTION + "// changed\n")
    assert steps.stale(course.lesson("01_add", root))


def test_the_courses_own_are_up_to_date():
    assert [lesson.name for lesson in course.lessons() if steps.stale(lesson)] == []


def test_a_lesson_is_read_anew_when_its_author_has_changed_it(root):
    before = course.lesson("01_add", root)
    assert course.lesson("01_add", root) is before
    path = root / "01_add" / "exercises.py"
    path.write_text(path.read_text().replace("Add two vectors", "Add two long vectors"))
    assert course.lesson("01_add", root).exercise("add").title == "Add two long vectors"
