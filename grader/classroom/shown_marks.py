"""The points that feedback has shown for an answer: for the same answer a new version of the grader
or of the lesson gives no less, unless the instructor says so."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress

from ..errors import MachineError
from ..submissions.cells import cuda_source
from ..submissions.intake import Answer
from . import graded, verdicts
from .files import whole
from .folder import CourseFolder

FILE = "shown.txt"  # beside a feedback page: by exercise the points and a name for the answer

Shown = dict[str, tuple[float, str]]


def keep(course: CourseFolder, lesson: str, learner: str) -> None:
    """Remember what the learner's feedback page shows."""
    _write(course, lesson, learner, _graded(course, lesson, learner))


def forget(course: CourseFolder, lesson: str, learner: str) -> None:
    """Let the learner's marks fall."""
    if course.path("feedback", lesson, learner).is_dir():
        _write(course, lesson, learner, {})


def floors(
    course: CourseFolder, lesson: str, learner: str, answers: Iterable[Answer]
) -> dict[str, float]:
    """By exercise the points that feedback has shown for just these answers."""
    shown = read(course, lesson, learner)
    return {
        one.name: shown[one.name][0]
        for one in answers
        if one.name in shown and shown[one.name][1] == _named(one.source)
    }


def read(course: CourseFolder, lesson: str, learner: str) -> Shown:
    """What was shown. A page that an earlier version wrote, which kept no such file, shows what is
    graded."""
    place = course.path("feedback", lesson, learner)
    if not (place / f"{lesson}.html").is_file():
        return {}
    with suppress(OSError, ValueError, TypeError, AttributeError):
        kept = json.loads((place / FILE).read_text(encoding="utf-8"))
        return {name: (float(points), str(answer)) for name, (points, answer) in kept.items()}
    with suppress(OSError, MachineError):
        return _graded(course, lesson, learner)
    return {}


def _graded(course: CourseFolder, lesson: str, learner: str) -> Shown:
    """The judge's points for each answer, as it was graded."""
    kept = verdicts.read(course.path("autograded", lesson, learner))
    found = {}
    for cell in graded.cells(course.notebook("autograded", lesson, learner)):
        name = graded.grade_id(cell)
        points = verdicts.points(kept[name]) if name in kept else None
        if points is not None:
            found[name] = (points, _named(cuda_source("".join(cell["source"]))))
    return found


def _named(source: str | None) -> str:
    return hashlib.sha256((source or "").encode()).hexdigest()[:16]


def _write(course: CourseFolder, lesson: str, learner: str, shown: Shown) -> None:
    whole(course.path("feedback", lesson, learner) / FILE, json.dumps(shown))
