"""lesson.md and its kernels become a notebook, and always the same one."""

import re
from itertools import pairwise

import nbformat
import pytest
import small_class
from nbgrader.nbgraderformat import MetadataValidator

from grader import course
from grader.classroom import handing_out
from grader.classroom.folder import new_course
from grader.course.weave import LessonError, text, weave

EXERCISES = """
from grader.course import Case, Exercise
one = Exercise("twice", "Doubling", "2_twice.cu", (Case("any", lambda rng: None, 3.0),))
"""
LESSON = """\
# Small kernels

What this is about.

```python
print("hello")
```

## Reading

Some CUDA, to be read and not run:

```cpp
## not a heading
int x;
```

```{kernel} 1_once.cu
```

## Writing
```{exercise} twice
```
The end.
"""
ONCE = 'extern "C" __global__ void once() {}\n'
TWICE = "// A comment.\n// BEGIN SOLUTION\nint answer;\n// END SOLUTION\n"


@pytest.fixture
def folder(tmp_path):
    lesson = tmp_path / "01_small"
    lesson.mkdir()
    (lesson / "lesson.md").write_text(LESSON)
    (lesson / "exercises.py").write_text(EXERCISES)
    (lesson / "1_once.cu").write_text(ONCE)
    (lesson / "2_twice.cu").write_text(TWICE)
    return lesson


def woven(folder, markdown=None):
    if markdown is not None:
        (folder / "lesson.md").write_text(markdown)
    return weave(course.lesson(folder.name, folder.parent))


def test_fences_become_code_and_prose_becomes_markdown(folder):
    cells = [(cell.cell_type, cell.source) for cell in woven(folder).cells]
    assert cells[2:] == [
        ("markdown", "What this is about."),
        ("code", 'print("hello")'),
        (
            "markdown",
            "## Reading\n\nSome CUDA, to be read and not run:\n\n"
            "```cpp\n## not a heading\nint x;\n```",
        ),
        ("code", f"%%cuda once\n{ONCE.strip()}"),
        ("markdown", "## Writing"),
        ("code", f"%%cuda twice\n{TWICE.strip()}"),
        ("code", 'check("twice")'),
        ("markdown", "The end."),
    ]


def test_a_question_is_folded_because_its_text_holds_the_answer(folder):
    notebook = woven(folder, LESSON.replace('print("hello")', 'predict("?", ["a"], "a", "b")'))
    folded = [cell.source for cell in notebook.cells if cell.metadata.get("jupyter")]
    assert folded == ['predict("?", ["a"], "a", "b")']


def test_the_first_cell_has_the_title_alone(folder):
    first, set_up, *_ = woven(folder).cells
    assert first.source == "# Small kernels"
    assert 'lesson("01_small")' in set_up.source


def test_nbgrader_knows_the_solution_cell_and_the_cell_that_grades_it(folder):
    notebook = woven(folder)
    MetadataValidator().validate_nb(notebook)
    marks = [cell.metadata.nbgrader for cell in notebook.cells if "nbgrader" in cell.metadata]
    solution, check = marks
    assert (solution.grade_id, solution.solution, solution.grade) == ("twice", True, False)
    assert (check.grade_id, check.grade, check.locked) == ("check-twice", True, True)
    assert check.points == 3.0


def test_the_same_sources_make_the_same_bytes(folder):
    assert text(woven(folder)) == text(woven(folder))


def test_the_notebook_is_valid_and_holds_no_output(folder):
    notebook = woven(folder)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert not any(cell.get("outputs") for cell in notebook.cells)


def test_new_prose_changes_no_other_cells_id(folder):
    before = {cell.id for cell in woven(folder).cells}
    after = {cell.id for cell in woven(folder, LESSON + "\n## More\n").cells}
    assert before < after
    assert len(after) == len(before) + 1


def test_a_new_solution_keeps_the_cells_id(folder):
    before = [cell.id for cell in woven(folder).cells]
    (folder / "2_twice.cu").write_text(TWICE.replace("answer", "better"))
    assert [cell.id for cell in woven(folder).cells] == before


def test_equal_cells_get_different_ids(folder):
    ids = [cell.id for cell in woven(folder, LESSON + "\n## The end.\n\n## The end.\n").cells]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("# Small kernels", "Small kernels", "line 1: the first line must be"),
        ("1_once.cu", "9_gone.cu", "line 18: there is no file 9_gone.cu"),
        ("1_once.cu", "2_twice.cu", "line 18: 2_twice.cu holds a solution"),
        ("{exercise} twice", "{exercise} thrice", "line 22: Lesson 01_small has no exercise"),
        ("{exercise}", "{excercise}", "line 22: `{excercise} twice` is neither"),
        ("{kernel} 1_once.cu\n", "{kernel} 1_once.cu\nint x;\n", "line 18: the fence"),
        ("twice\n```\n", "twice\n", "line 22: the fence that opens here is never closed"),
        ("The end.", "```{exercise} twice\n```\n", "stands on line 22 too; it may stand once"),
        ("The end.", "```python\nx = = 1\n```\n", "invalid syntax"),
    ],
)
def test_what_cannot_be_woven_is_said_with_its_line(folder, old, new, sentence):
    assert old in LESSON
    with pytest.raises(LessonError) as error:
        woven(folder, LESSON.replace(old, new))
    assert "kernels/01_small/lesson.md, line " in str(error.value)
    assert sentence in str(error.value)


def test_the_launches_for_which_it_must_be_right_stand_above_an_exercise_unless_the_page_says_not():
    cells = weave(course.lesson("00_first_kernel")).cells
    above = {cell.source.partition("\n")[0]: before.source for before, cell in pairwise(cells)}
    assert "For which launches" not in above["%%cuda triple"]
    assert "For which launches" in above["%%cuda saxpy"]


# --- notebooks/ is made from kernels/, and what was changed by hand is noticed --------------------


def test_notebooks_are_what_nbgrader_releases_and_nothing_varies(tmp_path, kernels):
    (made,) = handing_out.build(new_course(tmp_path / "course", kernels), tmp_path / "notebooks")
    assert "YOUR CODE HERE" in made.read_text()
    assert handing_out.differences(kernels, tmp_path / "notebooks") == []
    solved = weave(course.lesson(small_class.LESSON, kernels))
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
