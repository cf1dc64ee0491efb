"""A class's submissions of one lesson: collected, judged, entered in the gradebook."""

from __future__ import annotations

import functools
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbformat import v4
from nbgrader.converters import Autograde

from ..judge import judge
from ..weave import text
from . import ClassroomError, intake, verdicts
from .folder import CourseFolder


@dataclass(frozen=True)
class Graded:
    """One learner's submission. `exercises` is what verdicts.read returns; `problems` says, a
    sentence each, what was wrong with the notebook itself."""

    learner: str
    exercises: dict[str, dict]
    problems: tuple[str, ...]


def collect(course: CourseFolder, lesson: str) -> list[str]:
    """Fetch what was handed in through the exchange, newest version of each, to join what
    already lies in submitted/. Returns the learners; ClassroomError when there are none."""
    if (course.shelves / "inbound").is_dir():
        course.run(course.exchange.Collect, lesson, update=True)
    learners = course.learners("submitted", lesson)
    if not learners:
        where = course.path("submitted", lesson, "LEARNER")
        raise ClassroomError(f"Nobody has handed in {lesson} yet: there is no folder like {where}.")
    return learners


def autograde(course: CourseFolder, lesson: str, learners: list[str]) -> Iterator[Graded]:
    """Grade one submission after another, judging the same source once. An unreadable notebook
    gets 0 points and a sentence; marks given by hand stay."""
    _require_released(course, lesson)
    _require_judge(course)
    course = course.configured(JudgeAnswers={"judge": functools.cache(judge)})
    for learner in learners:
        try:
            _autograde(course, lesson, learner)
        except ClassroomError as error:  # the others are graded all the same
            yield Graded(learner, {}, (str(error),))
            continue
        exercises = verdicts.read(course.path("autograded", lesson, learner))
        problems = [kept["problem"] for kept in exercises.values() if kept["problem"]]
        yield Graded(learner, exercises, tuple(dict.fromkeys(problems)))


def _require_released(course: CourseFolder, lesson: str) -> None:
    with course.gradebook() as gradebook:
        if lesson not in {assignment.name for assignment in gradebook.assignments}:
            raise ClassroomError(f"{lesson} was never released: run `grader release {lesson}`.")


def _require_judge(course: CourseFolder) -> None:
    """Under a config that leaves nbgrader its own way, it would run learners' Python."""
    steps = course.config.Autograde.get("autograde_preprocessors", [])
    if "grader.classroom.plugin.JudgeAnswers" not in steps:
        raise ClassroomError(
            "This nbgrader_config.py would have nbgrader execute learners' notebooks: it must set "
            "Autograde's two lists of preprocessors as the course's own nbgrader_config.py does."
        )


def _autograde(course: CourseFolder, lesson: str, learner: str) -> None:
    try:
        intake.read_notebook(course.notebook("submitted", lesson, learner))
    except intake.UnreadableNotebook as error:
        _grade_as_empty(course, lesson, learner, str(error))
    else:
        course.run(Autograde, lesson, learner, force=True)


def _grade_as_empty(course: CourseFolder, lesson: str, learner: str, why: str) -> None:
    """Enter 0 points for a submission that is no notebook; an empty notebook takes its place on
    the way to the gradebook, and says why in feedback. What was handed in stays as it is."""
    with tempfile.TemporaryDirectory(prefix="unreadable-", dir=course.root) as folder:
        place = course.configured(
            CourseDirectory={"submitted_directory": Path(folder).name},
            TakeAnswers={"unreadable": why},
        )
        stand_in = Path(folder) / learner / lesson
        stand_in.mkdir(parents=True)
        for name in ("timestamp.txt", "submission_secret.txt"):
            handed_in = course.path("submitted", lesson, learner) / name
            if handed_in.is_file():
                shutil.copy(handed_in, stand_in)
        (stand_in / f"{lesson}.ipynb").write_text(text(v4.new_notebook()))
        place.run(Autograde, lesson, learner, force=True)
