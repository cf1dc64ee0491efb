"""Where a lesson stands, learner by learner: handed in, late, extended, graded, to be looked at.
And course.toml changed by command: when a lesson is due, and for whom later."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from nbgrader.api import MissingEntry

from ..counted import some
from ..submissions.submission import handed_in_at
from . import ClassroomError, coursefile, export
from .coursefile import changed, moment, parse_policy, table
from .deadlines import attempts, due, everybody, spent_days
from .folder import CourseFolder


@dataclass(frozen=True)
class LearnerStatus:
    """One learner's lesson. Times are UTC."""

    learner: str
    name: str
    section: str
    team: str
    due: datetime | None  # None: not due
    extended: bool
    handed_in: bool
    when: datetime | None  # None: not handed in, or nobody knows when
    late: float  # seconds after `due`
    spent: int  # late days
    score: float | None  # points, lateness taken off; None: no marks
    waits: bool  # marks wait for an instructor
    unreadable: bool  # something of it could not be judged


def statuses(course: CourseFolder, lesson: str) -> list[LearnerStatus]:
    """Everybody whom the gradebook or the roster knows, or who handed in, by name of the folder.
    What was not collected yet does not count as handed in."""
    file = coursefile.read(course)
    plan = file.plan(lesson)
    with course.gradebook() as gradebook:
        try:
            gradebook.find_assignment(lesson)
        except MissingEntry as error:
            raise ClassroomError(
                f"{lesson} was never released: run `grader release {lesson}`."
            ) from error
        names = {student.id: export.full_name(student) for student in gradebook.students}
        marked = export.by_learner(gradebook, lesson)
        spent = spent_days(file, gradebook, lesson)
    found = []
    for learner in sorted({*names, *file.learners, *course.learners("submitted", lesson)}):
        until, person = due(file, lesson, learner), file.person(learner)
        folders, mine = attempts(course, file, lesson, learner), marked.get(learner, [])
        when, score = _when(mine, folders), export.total(mine)
        status = LearnerStatus(
            learner,
            names.get(learner, ""),
            person.section,
            person.team if plan.teams else "",
            until,
            extended=bool(plan.extensions.keys() & {learner, *file.team(lesson, learner)}),
            handed_in=bool(folders or mine),
            when=when,
            late=max(0.0, (when - until).total_seconds()) if when and until else 0.0,
            spent=spent.get(learner, 0),
            score=score if mine else None,
            waits=score is None or any(map(export.overridden, mine)),
            unreadable=score is None,
        )
        found.append(status)
    return found


def _when(marks: list[export.GradebookMark], folders: list[Path]) -> datetime | None:
    """The time when somebody handed in, as the gradebook has it or else the newest folder."""
    known = marks[0].when if marks else None
    return known or (handed_in_at(folders[-1]) if folders else None)


def objection(course: CourseFolder, lesson: str, until: str, learner: str | None = None) -> str:
    """Why it should be asked whether `lesson` is to be due at that time, for one learner or for
    all: that is past, or earlier than it was, and who would be late then. Empty: nothing to ask."""
    file = coursefile.read(course)
    plan, option = file.plan(lesson), "--until" if learner else "--due"
    after, now = moment(until, file.zone, option), datetime.now(UTC).replace(tzinfo=None)
    with course.gradebook() as gradebook:
        dates = {each.name: each.duedate for each in gradebook.assignments}
        marked = export.by_learner(gradebook, lesson)
    before = due(file, lesson, learner) if learner else plan.due or dates.get(lesson)
    earlier = before is not None and after < before
    if not earlier and (learner or after >= now):
        return ""
    changed = replace(plan, due=after)
    if learner:
        changed = replace(plan, extensions={**plan.extensions, learner: after})
    then = replace(file, lessons={**file.lessons, lesson: changed})
    whose = {*everybody(file, lesson, course.learners("submitted", lesson)), *marked}
    if learner:
        whose &= {learner, *file.team(lesson, learner)}
    late = []
    for name in sorted(whose):
        at = _when(marked.get(name, []), attempts(course, file, lesson, name))
        if at and at > (due(then, lesson, name) or at):
            late.append(name)
    why = "past" if after < now else ""
    if before and earlier:
        why += f"{why and ' and '}earlier than it was ({file.local(before)})"
    names = f" ({some(late)})" if late else ""
    count = f"{len(late)} of {len(whose)} would be late{names}"
    whom = f" for {learner}" if learner else ""
    return (
        f"{lesson} would be due {file.local(after)} {file.zone}{whom}, which is {why}: "
        f"{count if whose else 'nobody has handed in yet'}."
    )


def set_due(course: CourseFolder, lesson: str, until: str | None, late: str | None) -> None:
    """Keep when `lesson` is due, and what lateness costs there."""
    file = coursefile.read(course)
    with changed(course) as document:
        plan = table(document, "lessons", lesson)
        if until is not None:
            plan["due"] = file.local(moment(until, file.zone, "--due"))
        if late is not None:
            parse_policy(late, "--late")
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
    with course.gradebook() as gradebook:
        known = {student.id for student in gradebook.students} | set(file.learners)
    known |= {path.name for path in (course.root / "submitted").glob("*")}
    if known and learner not in known:  # a name that nobody has is a slip, once anybody is known
        raise ClassroomError(
            f"Nobody in the gradebook or in {coursefile.FILE} is called {learner!r}."
        )
    with changed(course) as document:
        plan = table(document, "lessons", lesson, "extensions")
        plan[learner] = file.local(moment(until, file.zone, "--until"))
    return before
