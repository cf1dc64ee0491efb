"""The steps of a lesson's own solutions are kept with it, and renewed when an exercise changes."""

import json

import pytest
import small_lesson
from small_lesson import SOLUTION

from grader import compilers, course
from grader.course import solution_counts
from grader.judge import steps

HERE = [name for name, one in compilers.COMPILERS.items() if one.available()]
WITH = "clang"  # another than the one whose counts stand in


@pytest.fixture
def root(tmp_path):
    return small_lesson.write(tmp_path)


def test_each_case_of_each_exercise_has_the_solutions_steps(root):
    lesson = course.lesson("01_add", root)
    exercise = lesson.exercise("add")
    assert solution_counts.of_exercise(lesson.path, exercise.name) == {}
    assert steps.write(lesson) == [solution_counts.file(lesson.path, name) for name in HERE]
    for compiler in HERE:
        kept = solution_counts.of_exercise(lesson.path, exercise.name, compiler)
        assert set(kept) == {case.name for case in exercise.cases}
        assert all(0 < counted["steps"] < 100 for counted in kept.values())
    assert not steps.write(lesson)


def test_another_solution_makes_them_stale(root):
    steps.write(course.lesson("01_add", root))
    (root / "01_add" / "1_add.cu").write_text(SOLUTION + "// changed\n")
    assert steps.stale(course.lesson("01_add", root))


def test_a_budget_in_times_is_that_of_the_compiler_that_judges(root):
    exercises = root / "01_add" / "exercises.py"
    stated = exercises.read_text().replace("import Budget", "import longest_path, Budget")
    exercises.write_text(stated.replace("budgets=(sectors,)", "budgets=(longest_path(),)"))
    counts = {"within budget": {"steps": 20, "longest_path": 20}}
    path = solution_counts.file(root / "01_add")
    path.write_text(json.dumps({"add": counts}))

    def most(compiler):
        case = course.lesson("01_add", root, compiler).exercise("add").cases[1]
        return case.name, case.budgets[0].at_most

    assert most(WITH) == ("within budget", 60)  # nobody has measured with it yet
    counts["within budget"]["longest_path"] = 11
    solution_counts.file(path.parent, WITH).write_text(json.dumps({"add": counts}))
    assert most(WITH) == ("within budget", 33)
    assert most(solution_counts.COMPILER) == ("within budget", 60)


def test_what_has_changed_is_dropped_of_a_compiler_that_is_not_here(root, monkeypatch):
    lesson = course.lesson("01_add", root)
    steps.write(lesson)
    monkeypatch.setattr(type(compilers.COMPILERS[WITH]), "available", lambda self: False)
    assert not steps.stale(lesson)
    (root / "01_add" / "1_add.cu").write_text(SOLUTION + "// changed\n")
    lesson = course.lesson("01_add", root)
    assert solution_counts.file(lesson.path, WITH) in steps.stale(lesson)
    steps.write(lesson)
    assert "add" not in solution_counts.kept(lesson.path, WITH)
    assert not steps.stale(lesson)


def test_the_courses_own_are_up_to_date():
    assert [lesson.name for lesson in course.lessons() if steps.stale(lesson)] == []


def test_a_lesson_is_read_anew_when_its_author_has_changed_it(root):
    before = course.lesson("01_add", root)
    assert course.lesson("01_add", root) is before
    path = root / "01_add" / "exercises.py"
    path.write_text(path.read_text().replace("Add two vectors", "Add two long vectors"))
    assert course.lesson("01_add", root).exercise("add").title == "Add two long vectors"
