"""`grader lab`: a learner's notebooks, and a wheel that holds the course."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from grader.cli.lab import brought
from grader.errors import CourseError

ROOT = Path(__file__).parents[1]


@pytest.fixture
def published(tmp_path):
    notebooks = tmp_path / "course" / "notebooks"
    notebooks.mkdir(parents=True)
    (notebooks / "00.ipynb").write_text("first")
    (notebooks / "pictures").mkdir()
    (notebooks / "pictures" / "tree.svg").write_text("<svg/>")
    return tmp_path / "course"


def test_what_is_missing_is_copied_and_what_the_learner_has_stays(published, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "00.ipynb").write_text("solved")
    assert [path.name for path in brought(mine, published)] == ["tree.svg"]
    assert (mine / "00.ipynb").read_text() == "solved"
    assert list(brought(mine, published)) == []


def test_a_folder_that_cannot_be_written_is_one_sentence(published, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(CourseError, match="cannot be written"):
        list(brought(tmp_path / "file", published))


@pytest.mark.slow
def test_a_wheel_holds_every_lesson_and_notebook(tmp_path):
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), ROOT]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    for name in ("kernels", "notebooks"):
        tracked = subprocess.run(
            ["git", "ls-files", name], cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout.split()
        assert tracked
        assert {f"grader/course_files/{path}" for path in tracked} <= held
    assert "grader/course_files/nbgrader_config.py" in held
