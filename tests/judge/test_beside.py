"""After passing, a kernel is shown beside the lesson's own."""

import pytest
import small_lesson

from grader import compilers, course
from grader.judge import judge, steps
from grader.judge.beside import beside
from grader.judge.sandbox import simulated

ID = small_lesson.ID
OTHER = small_lesson.instead("    if (i >= n) return;\n    total[i] = y[i] + x[i];")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    made = small_lesson.write(tmp_path_factory.mktemp("kernels"))
    (made / "01_add" / "benchmarks.py").unlink()
    steps.write(course.lesson("01_add", made))
    return made


def exercise(root):
    """As the compiler makes it that judges here."""
    return course.lesson("01_add", root, compilers.chosen_name()).exercise("add")


def test_what_both_cost_is_that_of_the_visible_case_with_a_budget(root):
    verdict = judge(ID, OTHER, root=root)
    (sectors,) = beside(verdict, OTHER, exercise(root)).costs
    assert (sectors.counter, sectors.yours, sectors.most, sectors.ours) == (
        "global_load_sectors",
        32,
        32,
        32,
    )


def test_the_lines_that_differ_are_shown_without_markers(root):
    verdict = judge(ID, OTHER, root=root)
    changes = beside(verdict, OTHER, exercise(root)).changes
    assert "-     total[i] = y[i] + x[i];" in changes
    assert "+         total[i] = x[i] + y[i];" in changes
    assert not any("SOLUTION" in row for row in changes)


def test_the_solution_itself_differs_in_no_line(root):
    verdict = judge(ID, small_lesson.SOLUTION, root=root)
    found = beside(verdict, small_lesson.SOLUTION, exercise(root))
    assert found.changes == ("  no line differs",)


def test_the_head_of_a_notebooks_cell_is_no_difference(root):
    cell = "%%cuda add\n// whatever stands here\n" + small_lesson.SOLUTION
    verdict = judge(ID, small_lesson.SOLUTION, root=root)
    found = beside(verdict, cell, exercise(root))
    assert found.changes == ("  no line differs",)


def test_who_has_not_passed_is_shown_nothing(root):
    wrong = small_lesson.instead("    if (i < n) total[i] = x[i] - y[i];")
    assert beside(judge(ID, wrong, root=root), wrong, exercise(root)) is None


def test_the_solution_is_not_run_for_it(root, monkeypatch):
    verdict = judge(ID, OTHER, root=root)
    monkeypatch.setattr(simulated, "run_case", None)
    assert beside(verdict, OTHER, exercise(root)).costs[0].ours == 32
