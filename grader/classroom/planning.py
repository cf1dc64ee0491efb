"""Changing course.toml by command: when a lesson is due, and for whom later."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from ..counted import some
from . import ClassroomError, counting, coursefile, policy
from .coursefile import changed, moment, table
from .deadlines import due
from .export import submissions
from .folder import CourseFolder


def objection(course: CourseFolder, lesson: str, until: str, learner: str | None = None) -> str:
    """Why it should be asked whether `lesson` is to be due at that time, for one learner or for
    all: that is past, or earlier than it was, and who would be late then. Empty: nothing to ask."""
    file = coursefile.read(course)
    plan, option = file.plan(lesson), "--until" if learner else "--due"
    after, now = moment(until, file.zone, option), datetime.now(UTC).replace(tzinfo=None)
    with course.gradebook() as gradebook:
        dates = {one.name: one.duedate for one in gradebook.assignments}
        marked = {one.student_id: one.timestamp for one in submissions(gradebook, lesson)}
    before = due(file, lesson, learner) if learner else plan.due or dates.get(lesson)
    earlier = before is not None and after < before
    if not earlier and (learner or after >= now):
        return ""
    changed = replace(plan, due=after)
    if learner:
        changed = replace(plan, extensions={**plan.extensions, learner: after})
    then = replace(file, lessons={**file.lessons, lesson: changed})
    known = counting.everybody(file, lesson, course.learners("submitted", lesson))
    whose = {*known, *marked}
    if learner:
        whose &= {learner, *file.team(lesson, learner)}
    when = {one: marked.get(one) or _newest(course, file, lesson, one) for one in whose}
    late = sorted(one for one, at in when.items() if at and at > (due(then, lesson, one) or at))
    told = "past" if after < now else ""
    if before and earlier:
        told += f"{told and ' and '}earlier than it was ({file.local(before)})"
    names = f" ({some(late)})" if late else ""
    count = f"{len(late)} of {len(when)} would be late{names}"
    whom = f" for {learner}" if learner else ""
    return (
        f"{lesson} would be due {file.local(after)} {file.zone}{whom}, which is {told}: "
        f"{count if when else 'nobody has handed in yet'}."
    )


def _newest(
    course: CourseFolder, file: coursefile.CourseFile, lesson: str, learner: str
) -> datetime | None:
    folders = counting.attempts(course, file, lesson, learner)
    return counting.handed_in_at(folders[-1]) if folders else None


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
