"""`grader preview`: what an author sees of a lesson while it is written."""

import re
import shutil

import pytest

from grader.classroom.lecture import PAGE, Preview

pytestmark = pytest.mark.slow


@pytest.fixture
def written(tmp_path, kernels):
    """A preview of a lesson whose files the test may change; it is shown once."""
    copy = shutil.copytree(kernels, tmp_path / "kernels")
    (lesson,) = (path.parent for path in copy.glob("*/exercises.py"))
    preview = Preview(lesson.name, copy, tmp_path)
    assert preview.write() == ""
    return preview, lesson


def seen(preview):
    return (preview.folder / PAGE).read_text()


def test_prose_is_there_at_once_and_outputs_stay(written):
    preview, lesson = written
    outputs = re.findall(r"jp-OutputArea-output.*", seen(preview))
    assert outputs
    page = lesson / "lesson.md"
    page.write_text(page.read_text() + "\nA last word on sums.\n")
    preview.write()
    assert "A last word on sums." in seen(preview)
    assert re.findall(r"jp-OutputArea-output.*", seen(preview)) == outputs


def test_a_kernel_that_is_changed_is_run_again(written):
    preview, lesson = written
    (solution,) = lesson.glob("1_*.cu")
    solution.write_text(solution.read_text().replace("x[i] + y[i]", "x[i] - y[i]"))
    preview.write()
    assert "should be" in seen(preview)


@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [("exercises.py", "Exercise(", "Exercice("), ("mistakes.toml", "must_get", "must_gte")],
)
def test_an_author_s_mistake_is_its_sentence_until_it_is_mended(written, file, right, wrong):
    preview, lesson = written
    path = lesson / file
    before = path.read_text()
    path.write_text(before.replace(right, wrong, 1))
    said = preview.write()
    assert file in said and wrong.strip("(") in said
    assert wrong.strip("(") in seen(preview)
    path.write_text(before)
    assert preview.write() == ""
