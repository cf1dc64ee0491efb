"""notebooks/ is made from kernels/, and what was changed by hand is noticed."""

import re

import nbformat
from small_class import LESSON

from grader import course
from grader.classroom import handing_out
from grader.classroom.folder import new_course
from grader.course.weave import weave


def test_notebooks_are_what_nbgrader_releases_and_nothing_varies(tmp_path, kernels):
    (made,) = handing_out.build(new_course(tmp_path / "course", kernels), tmp_path / "notebooks")
    assert "YOUR CODE HERE" in made.read_text()
    assert handing_out.differences(kernels, tmp_path / "notebooks") == []
    solved = weave(course.lesson(LESSON, kernels))
    learners = nbformat.read(made, as_version=4)
    assert [cell.id for cell in learners.cells] == [cell.id for cell in solved.cells]


def test_a_notebook_that_was_edited_by_hand_is_named_with_its_difference(tmp_path, kernels):
    (made,) = handing_out.build(new_course(tmp_path / "course", kernels), tmp_path / "notebooks")
    made.write_text(made.read_text().replace("# Adding", "# Edited"))
    (made.parent / "00_gone.ipynb").write_text('{"metadata": {"warpwise": {}}}')
    (made.parent / "mine.ipynb").write_text("{}")
    edited, gone = handing_out.differences(kernels, made.parent)
    assert re.match(r"01_add\.ipynb .*\n\s+-# Edited\n\s+\+# Adding$", edited)
    assert gone == "00_gone.ipynb: no lesson makes it."
    made.unlink()
    assert handing_out.differences(kernels, made.parent)[0] == "01_add.ipynb: missing."
