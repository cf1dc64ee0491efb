"""From a lesson's folder to what learners get: woven, stripped by nbgrader, published."""

from __future__ import annotations

from nbgrader.converters import GenerateAssignment

from ..course import Lesson
from ..weave import text, weave
from .folder import CourseFolder


def release(course: CourseFolder, lesson: Lesson) -> None:
    """Enter `lesson` in the gradebook and publish the learner's version through the exchange."""
    generate(course, lesson)
    course.run(course.exchange.ReleaseAssignment, lesson.name, force=True)


def generate(course: CourseFolder, lesson: Lesson) -> None:
    """build/source: the solved notebook. build/release: the learner's, stripped by nbgrader,
    which replaces that folder, and entered in the gradebook."""
    source = course.notebook("source", lesson.name)
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(text(weave(lesson)))
    course.run(GenerateAssignment, lesson.name, force=True)
