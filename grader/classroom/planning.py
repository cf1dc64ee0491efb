"""When a lesson is due for whom, which of the folders that were handed in counts, how late it was,
and how many late days that took; where a lesson stands, learner by learner; and what commands
change of that in course.toml."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from nbgrader.api import Gradebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy.orm import joinedload, undefer

from ..course import Lesson
from ..errors import some, unless
from ..submissions.intake import handed_in_at, is_name, time_of
from . import ClassroomError, coursefile, export
from .folder import CourseFolder


@dataclass(frozen=True)
class HandIn:
    """One learner's hand-in of a lesson."""

    lesson: str
    when: datetime | None  # UTC; None: unknown
    score: float  # points
    most: float  # the most points there are


@dataclass(frozen=True)
class Lateness:
    """How late a hand-in is, and what that costs."""

    due: datetime | None  # UTC; None: never
    spent: int  # days of the budget
    paid: float  # seconds that these have paid for
    penalty: float | None  # points off by the course file; None: it has no policy for the lesson


def due(file: coursefile.CourseFile, lesson: str, learner: str) -> datetime | None:
    """When it is due for a learner: an extension goes before the section's date with the learner's
    own more days, and the section's date before the lesson's. For a team it is due when it is for
    the last of its members."""
    plan, team = file.plan(lesson), {*file.team(lesson, learner), learner}
    if (of_all := plan.due) is None:
        return None
    return max(
        plan.extensions.get(mate)
        or plan.sections.get(one.section, of_all) + timedelta(days=one.more_days)
        for mate in team
        for one in [file.person(mate)]
    )


def closes(course: CourseFolder, lesson: Lesson) -> datetime | None:
    """From when on nobody can hand the lesson in for points: when it was due for all, with
    sections, extensions and late days; an exam when its last window has closed. None: never, or
    not known, as it is not due."""
    file = coursefile.read(course)
    plan = file.plan(lesson.name)
    if plan.service.start is not None:
        return datetime.fromtimestamp(file.closes(lesson.name), UTC).replace(tzinfo=None)
    dates = {
        *(plan.due, *plan.sections.values(), *plan.extensions.values()),
        *(due(file, lesson.name, who) for who, one in file.learners.items() if one.more_days),
    }
    if plan.due is None:
        with course.gradebook() as gradebook:
            dates = {
                row.duedate
                for each in gradebook.assignments
                for row in (each, *each.submissions)
                if each.name == lesson.name
            }
    late = file.late_days * coursefile.DAY + (
        plan.late.ends(sum(exercise.points for exercise in lesson.exercises)) if plan.late else 0.0
    )
    last = max((date for date in dates if date is not None), default=None)
    return None if last is None or late == math.inf else last + timedelta(seconds=late)


# --- which folder counts -------------------------------------------------------------------------


def everybody(file: coursefile.CourseFile, lesson: str, learners: Iterable[str]) -> list[str]:
    """Those who handed in, and their team mates."""
    return sorted({mate for name in learners for mate in {name, *file.team(lesson, name)}})


def attempts(
    course: CourseFolder, file: coursefile.CourseFile, lesson: str, learner: str
) -> list[Path]:
    """The folders that could count for a learner, oldest first: of everybody in the team the one in
    submitted/, and where the best attempt counts each that the exchange keeps."""
    kept = course.shelves / "inbound" if file.plan(lesson).attempts == coursefile.BEST else None
    folders = [
        path
        for mate in sorted({learner, *file.team(lesson, learner)})
        for path in (
            *(sorted(kept.glob(f"{mate}+{lesson}+*")) if kept else ()),
            *filter(Path.is_dir, [course.path("submitted", lesson, mate)]),
        )
    ]
    return sorted(folders, key=lambda path: handed_in_at(path) or datetime.min)


def counting(
    course: CourseFolder,
    file: coursefile.CourseFile,
    lesson: str,
    learner: str,
    points: Callable[[Path, datetime | None], float],
) -> Path:
    """The folder that counts: the newest or, of several attempts, the newest of the best.
    `points` of a folder and the time it was handed in decides."""
    folders = attempts(course, file, lesson, learner)
    if not folders:
        return course.path("submitted", lesson, learner)
    return (
        max(reversed(folders), key=lambda path: points(path, handed_in_at(path)))
        if file.plan(lesson).attempts == coursefile.BEST
        else folders[-1]
    )


# --- how late it was -----------------------------------------------------------------------------


def standings(
    file: coursefile.CourseFile, learner: str, handed_in: Iterable[HandIn]
) -> Iterator[tuple[HandIn, Lateness]]:
    """How late each of a learner's hand-ins is, in the order in which the lessons were due. Late
    days are spent in that order, and only where they save points."""
    left = file.late_days
    for each in sorted(
        handed_in, key=lambda each: (file.plan(each.lesson).due or datetime.max, each.lesson)
    ):
        until, policy = due(file, each.lesson, learner), file.plan(each.lesson).late
        late = max(0.0, (each.when - until).total_seconds()) if each.when and until else 0.0
        spent, penalty = min(left, math.ceil(late / coursefile.DAY)), None
        if policy is not None:  # else what it costs is nbgrader's plug-in's to say
            # The fewest days that save the most points.
            costs = [
                policy.penalty(max(0.0, late - days * coursefile.DAY), each.score, each.most)
                for days in range(spent + 1)
            ]
            penalty = min(costs)
            spent = costs.index(penalty)
        left -= spent
        yield each, Lateness(until, spent, min(late, spent * coursefile.DAY), penalty)


def submitted(
    gradebook: Gradebook, learner: str | None = None
) -> dict[str, list[tuple[HandIn, SubmittedAssignment, SubmittedNotebook]]]:
    """By learner, each hand-in with its submission and notebook in the gradebook; everybody's or
    one learner's."""
    query = (
        gradebook.db.query(SubmittedAssignment.student_id, SubmittedAssignment, SubmittedNotebook)
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .order_by(SubmittedAssignment.student_id)
        .options(  # else each of them is a question of its own
            joinedload(SubmittedAssignment.assignment),
            undefer(SubmittedNotebook.score),
            undefer(SubmittedNotebook.max_score),
        )
    )
    if learner is not None:
        query = query.filter(SubmittedAssignment.student_id == learner)
    return {
        name: [
            (HandIn(row.assignment.name, row.timestamp, book.score, book.max_score), row, book)
            for _, row, book in mine
        ]
        for name, mine in groupby(query.all(), itemgetter(0))
    }


# --- where it stands ------------------------------------------------------------------------------


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


def statuses(course: CourseFolder, lesson: str) -> Iterator[LearnerStatus]:
    """Everybody whom the gradebook or the roster knows, or who handed in, by name of the folder.
    What lies in the exchange, where a service puts it, too, counts as handed in."""
    file = coursefile.read(course)
    plan = file.plan(lesson)
    with course.gradebook() as gradebook:
        export.require_released(gradebook, lesson)
        names = {student.id: export.full_name(student) for student in gradebook.students}
        marked = export.by_learner(gradebook, lesson)
        unread, _ = export.unmarked(course, gradebook, lesson)
        spent = {
            learner: lateness.spent
            for learner, mine in submitted(gradebook).items()
            for handed_in, lateness in standings(file, learner, map(itemgetter(0), mine))
            if handed_in.lesson == lesson
        }
    newest = dict(sorted(course.inbound(lesson).values()))
    whose = {login: name for name, one in file.learners.items() for login in one.also}
    arrived = {whose.get(who, who): time_of(at) for who, at in newest.items() if is_name(who)}
    for learner in sorted(
        {*names, *file.learners, *arrived, *course.learners("submitted", lesson)}
    ):
        until, person = due(file, lesson, learner), file.person(learner)
        folders, mine = attempts(course, file, lesson, learner), marked.get(learner, [])
        times, score = (_when(mine, folders), arrived.get(learner)), export.total(mine)
        when = max(filter(None, times), default=None)
        yield LearnerStatus(
            learner,
            names.get(learner, ""),
            person.section,
            person.team if plan.teams else "",
            until,
            extended=any(
                mate in plan.extensions or file.person(mate).more_days
                for mate in {learner, *file.team(lesson, learner)}
            ),
            handed_in=bool(folders or mine or learner in arrived),
            when=when,
            late=max(0.0, (when - until).total_seconds()) if when and until else 0.0,
            spent=spent.get(learner, 0),
            score=score if mine else None,
            waits=score is None or any(mark.note for mark in mine),
            unreadable=learner in unread,
        )


def _when(marks: list[export.ExerciseRow], folders: list[Path]) -> datetime | None:
    """The time when somebody handed in, as the gradebook has it or else the newest folder."""
    return export.when_handed_in(marks) or (handed_in_at(folders[-1]) if folders else None)


def objection(course: CourseFolder, lesson: str, until: str, learner: str | None = None) -> str:
    """Why it should be asked whether `lesson` is to be due at that time, for one learner or for
    all: that is past, or earlier than it was, and who would be late then. Empty: nothing to ask."""
    file = coursefile.read(course)
    plan, option = file.plan(lesson), "--until" if learner else "--due"
    after, now = coursefile.moment(until, file.zone, option), datetime.now(UTC).replace(tzinfo=None)
    with course.gradebook() as gradebook:
        dates = {each.name: each.duedate for each in gradebook.assignments}
        marked = export.by_learner(gradebook, lesson)
    before = due(file, lesson, learner) if learner else plan.due or dates.get(lesson)
    earlier = before is not None and after < before
    if not earlier and (learner or after >= now):
        return ""
    changed = (
        replace(plan, extensions={**plan.extensions, learner: after})
        if learner
        else replace(plan, due=after)
    )
    then = replace(file, lessons={**file.lessons, lesson: changed})
    whose = {*everybody(file, lesson, course.learners("submitted", lesson)), *marked}
    if learner:
        whose &= {learner, *file.team(lesson, learner)}
    late = [
        name
        for name in sorted(whose)
        if (at := _when(marked.get(name, []), attempts(course, file, lesson, name)))
        and at > (due(then, lesson, name) or at)
    ]
    was = f"earlier than it was ({file.local(before)})" if before and earlier else ""
    why = " and ".join(filter(None, ("past" if after < now else "", was)))
    count = f"{len(late)} of {len(whose)} would be late{f' ({some(late)})' if late else ''}"
    whom = f" for {learner}" if learner else ""
    return (
        f"{lesson} would be due {file.local(after)} {file.zone}{whom}, which is {why}: "
        f"{count if whose else 'nobody has handed in yet'}."
    )


# --- course.toml changed by command ---------------------------------------------------------------


def set_due(course: CourseFolder, lesson: str, until: str | None, late: str | None) -> None:
    """Keep when `lesson` is due, and what lateness costs there."""
    file = coursefile.read(course)
    with coursefile.changed(course) as document:
        plan = coursefile.table(document, "lessons", lesson)
        if until is not None:
            plan["due"] = file.local(coursefile.moment(until, file.zone, "--due"))
        if late is not None:
            coursefile.parse_policy(late, "--late")
            plan["late"] = late


def set_column(course: CourseFolder, lesson: str, system: str, column: str) -> None:
    """Keep what a learning platform calls a lesson's column; of several that could be it, a part of
    the name is enough that only one has."""
    known = coursefile.read(course).plan(lesson).columns.get(system, ())
    alike = [heading for heading in known if column in heading]
    with coursefile.changed(course) as document:
        coursefile.table(document, "lessons", lesson, "columns")[system] = (
            alike[0] if len(alike) == 1 and column not in known else column
        )


def extend(course: CourseFolder, lesson: str, learner: str, until: str) -> datetime:
    """Keep that `lesson` is due later for `learner`, and return when it was due before. The learner
    need not have handed in anything yet, and no lateness is worked out anew before the next
    `grader autograde`."""
    file = coursefile.read(course)
    before = unless(
        due(file, lesson, learner),
        ClassroomError(
            f"{lesson} is not due at any time: run `grader release {lesson} --due TIME` first."
        ),
    )
    _require_known(course, file, learner)
    with coursefile.changed(course) as document:
        coursefile.table(document, "lessons", lesson, "extensions")[learner] = file.local(
            coursefile.moment(until, file.zone, "--until")
        )
    return before


def accommodate(course: CourseFolder, learner: str, **more: float | None) -> None:
    """Keep for `learner` by how many `more_days` every lesson is due later, and the `time_factor`;
    0 and 1 take that back, and None leaves it as it is."""
    _require_known(course, coursefile.read(course), learner)
    with coursefile.changed(course) as document:
        coursefile.table(document, "learners", learner).update(
            {name: much for name, much in more.items() if much is not None}
        )


def _require_known(course: CourseFolder, file: coursefile.CourseFile, learner: str) -> None:
    with course.gradebook() as gradebook:
        known = {student.id for student in gradebook.students} | set(file.learners)
    known |= {path.name for path in (course.root / "submitted").glob("*")}
    unless(
        learner in known or not known,  # a name that nobody has is a slip, once anybody is known
        ClassroomError(f"Nobody in the gradebook or in {coursefile.FILE} is called {learner!r}."),
    )
