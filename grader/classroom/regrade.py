"""A lesson graded again, first without consequences: whose mark would change, from what to what,
and why. The trial is a real grading in a copy of the course, so that it cannot be another one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from . import batch, changes, coursefile
from .batch import Track
from .changes import Change
from .collecting import Graded
from .files import linked
from .folder import CourseFolder
from .judges import Judges

Regraded = tuple[list[Change], list[Graded]]  # what changed, and everybody's as it is then

_COPIED = ("gradebook.db", coursefile.FILE, "source", "release")
_SHARED = ("submitted", "verdicts")  # nothing in these is changed by grading but verdicts added


def dry_run(
    course: CourseFolder, lesson: str, learners: list[str], workers: Judges, track: Track
) -> Regraded:
    """What `apply` would change now; the course stays as it is, but for verdicts that it keeps."""
    coursefile.read(course)  # what is wrong with it is said of the course's own file
    with _copy(course, lesson) as trial:
        before = changes.now(trial, lesson)
        graded = batch.autograde(trial, lesson, learners, workers, track)
        return list(changes.between(lesson, before, changes.now(trial, lesson))), graded


def apply(
    course: CourseFolder, lesson: str, learners: list[str], workers: Judges, track: Track
) -> Regraded:
    """Grade again what is not up to date. What that changed is in the log then."""
    before = changes.now(course, lesson)
    graded = batch.autograde(course, lesson, learners, workers, track)
    return list(changes.between(lesson, before, changes.now(course, lesson))), graded


@contextmanager
def _copy(course: CourseFolder, lesson: str) -> Iterator[CourseFolder]:
    """The course as a folder of its own: what grading writes is copied, what it reads is shared."""
    with tempfile.TemporaryDirectory(prefix="regrade-", dir=course.root) as name:
        folder = Path(name)
        for what in _COPIED:
            _copy_all(course.root / what, folder / what, shutil.copy2)
        for what in _SHARED:
            (course.root / what).mkdir(exist_ok=True)
            try:
                (folder / what).symlink_to(course.root / what)
            except OSError:  # which Windows leaves to administrators
                shutil.copytree(course.root / what, folder / what)
        for learner in course.learners("autograded", lesson):
            place = folder / "autograded" / learner / lesson
            _copy_all(course.path("autograded", lesson, learner), place, _linked_or_copied)
        yield course.configured(CourseDirectory={"root": str(folder)})


def _copy_all(source: Path, to: Path, copy: Callable[[Path, Path], object]) -> None:
    """A file, or all files of a folder. The first error is raised as it is; shutil's own would have
    them all in a list, without their numbers."""
    files = (path for path in source.rglob("*") if path.is_file()) if source.is_dir() else [source]
    for path in files:
        if path.exists():
            place = to / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            copy(path, place)


def _linked_or_copied(source: Path, path: Path) -> None:
    """What was graded is only ever replaced, so it need not be there twice."""
    if not linked(path, source):
        shutil.copy2(source, path)
