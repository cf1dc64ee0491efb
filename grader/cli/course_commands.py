"""What `grader release | extend | status` do and say."""

from __future__ import annotations

from datetime import timedelta

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .. import course
from ..classroom import coursefile, planning, release, status
from ..classroom.coursefile import CourseFile
from ..classroom.folder import CourseFolder, open_course
from ..classroom.status import Status
from .classroom_commands import lesson_called, say, short


def release_lessons(name: str | None, due: str | None, late: str | None) -> int:
    """Release one lesson, or all of them; keep when they are due."""
    here = open_course()
    for lesson in [lesson_called(here, name)] if name else course.lessons(here.kernels):
        if due is not None or late is not None:
            _keep_due(here, lesson.name, due, late)
        release.release(here, lesson)
        say(f"released {lesson.name} to {short(here.shelves)}/outbound/{lesson.name}")
    return 0


def _keep_due(here: CourseFolder, name: str, due: str | None, late: str | None) -> None:
    planning.set_due(here, name, due, late)
    file = coursefile.read(here)
    plan = file.plan(name)
    when = f"due {file.local(plan.due)} {file.zone}" if plan.due else "not due"
    say(f"{name} is {when}; {coursefile.FILE} has that, and the next autograde goes by it")


def extend(name: str, learner: str, until: str) -> int:
    """Give a learner more time."""
    here = open_course()
    lesson = lesson_called(here, name).name
    before = planning.extend(here, lesson, learner, until)
    file = coursefile.read(here)
    after = file.plan(lesson).extensions[learner]
    say(
        f"{lesson} is due {file.local(after)} {file.zone} for {learner}, and no more "
        f"{file.local(before)}; the next autograde goes by it"
    )
    if after < before:
        say("That is earlier than it was.")
    return 0


def show_status(name: str, section: str | None) -> int:
    """Where a lesson stands, learner by learner and in all."""
    here = open_course()
    lesson = lesson_called(here, name).name
    found = [one for one in status.of(here, lesson) if section in (None, one.section)]
    file = coursefile.read(here)
    Console().print(_table(lesson, file, found))
    say(
        f"{len(found)} learners: {sum(one.handed_in for one in found)} handed in, "
        f"{sum(one.late > 0 for one in found)} of them late; "
        f"{sum(one.extended for one in found)} with an extension; "
        f"{sum(one.score is not None for one in found)} graded; "
        f"{sum(one.waits for one in found)} wait for a mark by hand"
    )
    return 0


def _table(lesson: str, file: CourseFile, found: list[Status]) -> Table:
    title = f"{lesson}, times in {file.zone}"
    columns = ("learner", "name", "section", "team", "due", "handed in", "late", "points", "")
    table = Table(*columns, title=title, box=SIMPLE_HEAD, pad_edge=False)
    for one in found:
        late = _span(one.late) + (f" ({one.spent} late days)" if one.spent else "")
        when = file.local(one.when) if one.when else "yes" if one.handed_in else "no"
        due = (file.local(one.due) if one.due else "") + (" extended" if one.extended else "")
        points = "" if one.score is None else f"{one.score:g}"
        waits = Text("look at its marks", "red") if one.waits else ""
        shown = (one.learner, one.name, one.section, one.team, due, when, late, points)
        table.add_row(*map(Text, shown), waits)
    return table


def _span(seconds: float) -> str:
    """As people say it: 2 d 3 h."""
    span = timedelta(seconds=seconds)
    hours, minutes = span.seconds // 3600, span.seconds // 60 % 60
    if not seconds:
        return ""
    return f"{span.days} d {hours} h" if span.days else f"{hours} h {minutes} min"
