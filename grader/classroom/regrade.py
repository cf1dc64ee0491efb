"""A lesson graded again, first without consequences: whose mark would change, from what to what,
and why. The trial is a real grading in a copy of the course, so that it cannot be another one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import batch, changes, coursefile
from .batch import Track
from .changes import Change
from .files import linked
from .folder import CourseFolder
from .judges import Judges

_COPIED = ("gradebook.db", coursefile.FILE, "source", "release")
_SHARED = ("submitted", "verdicts")  # nothing in these is changed by grading but verdicts added


def dry_run(
    course: CourseFolder, lesson: str, learners: list[str], workers: Judges, track: Track
) -> list[Change]:
    """What `apply` would change now; the course stays as it is, but for verdicts that it keeps."""
    with _copy(course, lesson) as trial:
        before = changes.now(trial, lesson)
        batch.autograde(trial, lesson, learners, workers, track)
        return list(changes.between(lesson, before, changes.now(trial, lesson)))


def apply(
    course: CourseFolder, lesson: str, learners: list[str], workers: Judges, track: Track
) -> list[Change]:
    """Grade again what is not up to date. Returns what that changed, which is in the log then."""
    before = changes.now(course, lesson)
    batch.autograde(course, lesson, learners, workers, track)
    return list(changes.between(lesson, before, changes.now(course, lesson)))


@contextmanager
def _copy(course: CourseFolder, lesson: str) -> Iterator[CourseFolder]:
    """The course as a folder of its own: what grading writes is copied, what it reads is shared."""
    with tempfile.TemporaryDirectory(prefix="regrade-", dir=course.root) as name:
        folder = Path(name)
        for what in _COPIED:
            path = course.root / what
            if path.is_dir():
                shutil.copytree(path, folder / what)
            elif path.is_file():
                shutil.copy2(path, folder / what)
        for what in _SHARED:
            (course.root / what).mkdir(exist_ok=True)
            try:
                (folder / what).symlink_to(course.root / what)
            except OSError:  # which Windows leaves to administrators
                shutil.copytree(course.root / what, folder / what)
        for learner in course.learners("autograded", lesson):
            place = folder / "autograded" / learner / lesson
            shutil.copytree(
                course.path("autograded", lesson, learner), place, copy_function=_linked_or_copied
            )
        yield course.configured(CourseDirectory={"root": str(folder)})


def _linked_or_copied(source: str, path: str) -> None:
    """What was graded is only ever replaced, so it need not be there twice."""
    if not linked(Path(path), Path(source)):
        shutil.copy2(source, path)
