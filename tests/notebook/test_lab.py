"""A wheel holds the course."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


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
    tracked = subprocess.run(
        ["git", "ls-files", "grader"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    assert set(tracked) <= held
    assert "grader/course_files/nbgrader_config.py" in held
    assert any(name.endswith("/data/etc/jupyter/jupyter_nbconvert_config.json") for name in held)
