"""`grader lab`: a learner's own copy of the notebooks, opened in JupyterLab."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from ..course.catalogue import COURSE_FILES
from ..errors import CourseError


def lab(folder: Path, *, opens: bool) -> None:
    """Bring the notebooks that are missing into `folder` and open JupyterLab there."""
    folder = folder.expanduser().absolute()
    for path in brought(folder):
        print(f"new: {path.relative_to(folder)}")
    print(f"Your notebooks are in {folder}.")
    if opens:
        command = [sys.executable, "-m", "jupyter", "lab", f"--ServerApp.root_dir={folder}"]
        raise SystemExit(subprocess.call(command))


def brought(folder: Path, course: Path = COURSE_FILES) -> Iterator[Path]:
    """Copy what `folder` lacks of the course's notebooks; what lies there is the learner's and
    stays as it is. The paths of the copies. CourseError where it cannot be written."""
    source = course / "notebooks"
    for path in sorted(source.rglob("*")):
        target = folder / path.relative_to(source)
        if path.is_dir() or target.exists() or ".ipynb_checkpoints" in path.parts:
            continue
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with path.open("rb") as content, target.open("xb") as copy:
                shutil.copyfileobj(content, copy)
        except OSError as error:
            raise CourseError(f"{target} cannot be written ({error.strerror}).") from error
        yield target
