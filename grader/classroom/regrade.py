"""A lesson graded again, first without consequences: whose mark would change, from what to what,
and why. The trial is a real grading in a copy of the course, so that it cannot be another one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import batch, changes, coursefile, shown_marks
from .batch import Track
from .changes import LATENESS, Change
from .collecting import Graded
from .files import linked
from .folder import CourseFolder
from .judges import Judges

Total = float | None  # a lesson's points, lateness taken off; None without a mark

_COPIED = ("gradebook.db", coursefile.FILE, "source", "release")
_SHARED = ("submitted", "verdicts")  # nothing in these is changed by grading but verdicts added


@dataclass(frozen=True)
class Regraded:
    """What a grading came to: everybody's as it is then, the changes that changed a mark, and by
    learner the lesson's points before and after, of those who had marks before."""

    graded: list[Graded]
    changes: list[Change]
    totals: dict[str, tuple[Total, Total]]

    @property
    def changed(self) -> set[str]:
        """Who had marks, and has others now."""
        return {one.learner for one in self.changes} & self.totals.keys()

    @property
    def reasons(self) -> list[str]:
        """Why, each once and in few words."""
        mine = [one for one in self.changes if one.learner in self.changed]
        told = [LATENESS if one.what == LATENESS else one.why for one in mine]
        return list(
            dict.fromkeys(part.partition(":")[0] for why in told for part in why.split("; "))
        )

    @property
    def largest(self) -> tuple[str, Total, Total]:
        """Whose points changed most, from what to what."""
        learner = max(sorted(self.changed), key=lambda one: abs(self.difference(one)))
        return learner, *self.totals[learner]

    def difference(self, learner: str) -> float:
        before, after = self.totals[learner]
        return (after or 0.0) - (before or 0.0)


def dry_run(
    course: CourseFolder,
    lesson: str,
    learners: list[str],
    workers: Judges,
    track: Track,
    lowers: bool = False,
) -> Regraded:
    """What `apply` would change now; the course stays as it is, but for verdicts that it keeps."""
    coursefile.read(course)  # what is wrong with it is said of the course's own file
    with _copy(course, lesson) as trial:
        return apply(trial, lesson, learners, workers, track, lowers)


def apply(
    course: CourseFolder,
    lesson: str,
    learners: list[str],
    workers: Judges,
    track: Track,
    lowers: bool = False,
) -> Regraded:
    """Grade again what is not up to date. What that changed is in the log then. With `lowers` marks
    that feedback has shown may fall."""
    for learner in learners if lowers else ():
        shown_marks.forget(course, lesson, learner)
    return watched(
        course, lesson, lambda: batch.autograde(course, lesson, learners, workers, track)
    )


def watched(course: CourseFolder, lesson: str, grade: Callable[[], list[Graded]]) -> Regraded:
    """What `grade` changes in the lesson's marks."""
    before = changes.now(course, lesson)
    graded, after = grade(), changes.now(course, lesson)
    had, have = changes.totals(before), changes.totals(after)
    found = [one for one in changes.between(lesson, before, after) if one.before != one.after]
    return Regraded(graded, found, {one: (had[one], have.get(one)) for one in had})


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
            for step in ("autograded", "feedback"):
                place = folder / step / learner / lesson
                _copy_all(course.path(step, lesson, learner), place, _linked_or_copied)
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
