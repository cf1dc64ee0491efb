"""What a learner gets back: the notebook as it was graded, as a page, and the class's grades."""

from __future__ import annotations

from pathlib import Path

from nbgrader.converters import GenerateFeedback
from nbgrader.plugins import CsvExportPlugin

from .folder import CourseFolder


def write(course: CourseFolder, lesson: str, learner: str) -> Path:
    """Make a learner's feedback page, put it where nbgrader lets that learner, and nobody else,
    fetch it, and return where it is in the course."""
    course.run(GenerateFeedback, lesson, learner, force=True)
    place = course.path("feedback", lesson, learner)
    if (place / "submission_secret.txt").is_file():  # only what came through the exchange has one
        course.run(course.exchange.ReleaseFeedback, lesson, learner)
    return place / f"{lesson}.html"


def export(course: CourseFolder) -> Path:
    """Every grade of the course as CSV, by nbgrader's own exporter."""
    path = course.root / "grades.csv"
    with course.gradebook() as gradebook:
        CsvExportPlugin(config=course.config, to=str(path)).export(gradebook)
    return path
