"""From a lesson's folder to what learners get: woven, stripped by nbgrader, published."""

from __future__ import annotations

from pathlib import Path

from nbgrader.converters import GenerateAssignment

from ..course import Lesson
from ..course.weave import text, weave
from .files import whole
from .folder import CourseFolder
from .judges import Judges, judges
from .proving import prove
from .secret import seed
from .store import Store


def release(course: CourseFolder, lesson: Lesson) -> None:
    """Enter `lesson` in the gradebook and publish the learner's version through the exchange,
    once its own solution has got full marks."""
    with judges() as found:
        require_solved(course, lesson, found)
    generate(course, lesson)
    course.run(course.exchange.ReleaseAssignment, lesson.name, force=True)


def require_solved(course: CourseFolder, lesson: Lesson, found: Judges) -> None:
    """AuthorError unless the lesson's own solution gets full marks from those `judges`."""
    prove(store(course), lesson, seeds(course, lesson), found)


def store(course: CourseFolder) -> Store:
    """The course's verdicts."""
    return Store(course.root / "verdicts", course.kernels)


def seeds(course: CourseFolder, lesson: Lesson) -> dict[str, int]:
    """What each exercise's hidden cases are drawn from in this course."""
    secret = Path(course.config.JudgeAnswers.secret_file)
    names = sorted(exercise.name for exercise in lesson.exercises)
    return {name: seed(secret, f"{lesson.name}/{name}") for name in names}


def generate(course: CourseFolder, lesson: Lesson) -> None:
    """build/source: the solved notebook. build/release: the learner's, stripped by nbgrader,
    which replaces that folder, and entered in the gradebook."""
    source = course.notebook("source", lesson.name)
    source.parent.mkdir(parents=True, exist_ok=True)
    whole(source, text(weave(lesson)))
    course.run(GenerateAssignment, lesson.name, force=True)
