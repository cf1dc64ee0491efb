"""Changing course.toml by command: when a lesson is due, and for whom later."""

from __future__ import annotations

from datetime import datetime

from . import ClassroomError, coursefile, policy
from .coursefile import changed, moment, table
from .deadlines import due
from .folder import CourseFolder


def set_due(course: CourseFolder, lesson: str, until: str | None, late: str | None) -> None:
    """Keep when `lesson` is due, and what lateness costs there."""
    file = coursefile.read(course)
    with changed(course) as document:
        plan = table(document, "lessons", lesson)
        if until is not None:
            plan["due"] = file.local(moment(until, file.zone, "--due"))
        if late is not None:
            policy.parse(late, "--late")
            plan["late"] = late


def set_column(course: CourseFolder, lesson: str, system: str, column: str) -> None:
    """Keep what a learning platform calls a lesson's column; of several that could be it, a part of
    the name is enough that only one has."""
    known = coursefile.read(course).plan(lesson).columns.get(system, ())
    alike = [heading for heading in known if column in heading]
    with changed(course) as document:
        kept = alike[0] if len(alike) == 1 and column not in known else column
        table(document, "lessons", lesson, "columns")[system] = kept


def extend(course: CourseFolder, lesson: str, learner: str, until: str) -> datetime:
    """Keep that `lesson` is due later for `learner`, and return when it was due before. The learner
    need not have handed in anything yet, and no lateness is worked out anew before the next
    `grader autograde`."""
    file = coursefile.read(course)
    before = due(file, lesson, learner)
    if before is None:
        raise ClassroomError(
            f"{lesson} is not due at any time: run `grader release {lesson} --due TIME` first."
        )
    _require_known(course, file, learner)
    with changed(course) as document:
        plan = table(document, "lessons", lesson, "extensions")
        plan[learner] = file.local(moment(until, file.zone, "--until"))
    return before


def _require_known(course: CourseFolder, file: coursefile.CourseFile, learner: str) -> None:
    """A name that nobody has is a slip, once anybody is known."""
    with course.gradebook() as gradebook:
        known = {one.id for one in gradebook.students} | set(file.learners)
    known |= {path.name for path in (course.root / "submitted").glob("*")}
    if known and learner not in known:
        raise ClassroomError(
            f"Nobody in the gradebook or in {coursefile.FILE} is called {learner!r}."
        )
