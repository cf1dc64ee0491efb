"""What `grader release | extend | roster | rename | export | regrade | status` do and say."""

from __future__ import annotations

import re
import shutil
import sys
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from .. import course
from ..classroom import (
    ClassroomError,
    coursefile,
    export,
    joining,
    marks,
    planning,
    platforms,
    renaming,
    roster,
    spreadsheets,
)
from ..classroom.changes import MarkChange
from ..classroom.coursefile import CourseFile
from ..classroom.folder import CourseFolder, begin, open_course, whole
from ..classroom.planning import LearnerStatus
from ..counted import counted, some
from ..course import handout, scaffolding
from ..errors import BadInput
from ..submissions.submission import is_name
from .classroom_commands import (
    complain,
    course_here,
    largest,
    lesson_called,
    mark,
    problems_of,
    say,
    say_who_is_off_the_roster,
    short,
    tell_kept,
)

CHANGE = ("learner", "what", "from", "to", "why")  # the columns of what regrading changes
PUBLISHED = "PUBLISHED.txt"  # in a folder that `grader publish` made


@dataclass(frozen=True)
class Workers:
    """Who judges: how many at a time here, or the cluster of a scheduler; `unsafe`: also where
    nothing keeps a learner's #include from files."""

    jobs: int | None
    scheduler: str | None
    unsafe: bool


def preview_lesson(name: str, port: int) -> None:
    """Show a lesson while its author writes it, until Ctrl-C."""
    from ..classroom import lecture

    kernels = open_course().kernels
    name = course.full_name(name, kernels)
    say(f"http://localhost:{port} shows {name}, and again when you save a file; Ctrl-C stops it")
    lecture.serve_preview(name, kernels, port)


def release_lessons(name: str | None, due: str | None, late: str | None, yes: bool) -> int:
    """Release one lesson, or all of them; keep when they are due."""
    from ..classroom import handing_out

    here = course_here()
    found = [lesson_called(here, name)] if name else list(course.lessons(here.kernels))
    if due is not None:
        _require_meant([planning.objection(here, one.name, due) for one in found], yes)
    for lesson in found:
        if due is not None or late is not None:
            _keep_due(here, lesson.name, due, late)
        with here.gradebook() as gradebook:
            known = lesson.name in {one.name for one in gradebook.assignments}
            marked = len(export.submissions(gradebook, lesson.name))
        handing_out.release(here, lesson)
        say(f"released {lesson.name} to {short(here.shelves)}/outbound/{lesson.name}")
        if known:
            say(f"It was released before; the marks of {counted(marked, 'learner')} stay.")
    return 0


def _require_meant(objections: list[str], yes: bool) -> None:
    """Ask on a terminal whether something is meant that could cost learners points; elsewhere
    BadInput without `yes`."""
    for told in filter(None, objections):
        if yes or sys.stdin.isatty():
            say(told)
        else:
            raise BadInput(f"{told} Give --yes if that is meant.")
    if any(objections) and not yes:
        typer.confirm("Is that meant?", abort=True)


def _keep_due(here: CourseFolder, name: str, due: str | None, late: str | None) -> None:
    planning.set_due(here, name, due, late)
    file = coursefile.read(here)
    plan = file.plan(name)
    when = f"due {file.local(plan.due)} {file.zone}" if plan.due else "not due"
    say(f"{name} is {when}; {coursefile.FILE} has that, and the next autograde goes by it")


def extend(name: str, learner: str, until: str, yes: bool) -> int:
    """Give a learner more time."""
    here = open_course()
    lesson = lesson_called(here, name).name
    _require_meant([planning.objection(here, lesson, until, learner)], yes)
    before = planning.extend(here, lesson, learner, until)
    file = coursefile.read(here)
    after = file.plan(lesson).extensions[learner]
    say(
        f"{lesson} is due {file.local(after)} {file.zone} for {learner}, and no more "
        f"{file.local(before)}; the next autograde goes by it"
    )
    return 0


def read_roster(path: Path, id: str | None, section: str | None, team: str | None) -> int:
    """Enter who is in the class."""
    here = open_course()
    found = roster.read(path, id, section, team)
    titles = {one.name: one.title for one in course.lessons(here.kernels)}
    absent, columns = roster.keep(here, found, titles)
    sections = Counter(one.section for one in found.members if one.section)
    teams = {one.team for one in found.members if one.team}
    told = ", ".join(f"{name} ({count})" for name, count in sorted(sections.items()))
    say(
        f"entered in the gradebook and in {coursefile.FILE}: "
        f"{counted(len(found.members), 'learner')}, as {found.system.name} has them; "
        f"sections: {told or 'none'}; teams: {len(teams) or 'none'}"
    )
    for lesson, headings in columns.items():
        say(platforms.column(found.system.name, lesson, headings))
    if absent:
        say(f"In the gradebook and not in {path.name}: {some(absent)}. Nobody was removed.")
    say_who_is_off_the_roster(here)
    return 0


def join_logins(same: list[str], later: bool) -> int:
    """Move what was handed in under one login to another, for each OTHER=LEARNER."""
    here = course_here()
    for pair in same:
        other, is_pair, learner = pair.partition("=")
        if not (is_pair and is_name(other) and is_name(learner)):
            raise BadInput(f"--same is {pair!r}, and should be OTHER=LEARNER, like zed=zoe.")
        lessons = joining.join(here, other, learner, later)
        say(
            f"{other} is {learner}, here and in what is collected from now on; moved: "
            f"{', '.join(lessons) or 'nothing more'}"
        )
    return 0


def rename_lesson(old: str, new: str) -> int:
    """Give what the course has of a lesson the name that its folder has now."""
    here = open_course()
    moved = renaming.rename(here, old, new)
    say(
        f"{old} is {new} now, with {counted(moved, 'mark')}. `grader release {new}` hands it out "
        "under that name; the next autograde judges all of it again, as hidden cases go by the name"
    )
    return 0


def export_marks(
    name: str | None,
    system: str,
    to: Path | None,
    decimal: str,
    whom: marks.Whom,
    column: str | None,
) -> int:
    """Write the marks of a lesson, or of all, for another system; `column` is what that system
    calls the lesson's."""
    here = course_here()
    chosen = [lesson_called(here, name)] if name else list(course.lessons(here.kernels))
    if column is not None:
        if not name or system not in platforms.PLATFORMS:
            raise BadInput(
                f"--column is for one lesson and one of {', '.join(platforms.PLATFORMS)}: "
                "grader export LESSON --for SYSTEM --column COLUMN."
            )
        planning.set_column(here, chosen[0].name, system, column)
    found = marks.read(here, chosen, whom)
    content = platforms.content(system, found, decimal, whom.anonymous)
    what = (name and chosen[0].name) or "course"
    path = to or here.root / "export" / f"{what}-{system}{platforms.SYSTEMS[system].suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    whole(path, content)
    without = sum(not line.scores for line in found.lines)
    unread = sum(line.unreadable for line in found.lines)
    told = f", {unread} unreadable" if unread else ""
    say(
        f"{counted(len(found.lines), 'learner')}, {without} of them without a mark{told}: "
        f"{short(path)}"
    )
    for one in found.columns if system in platforms.PLATFORMS else ():
        say(platforms.column(system, one.lesson, one.headings.get(system, ())))
    say_who_is_off_the_roster(here)
    if found.left_out:
        complain(
            f"Not in {path.name}, as they are not on the roster: {', '.join(found.left_out)}. "
            "--everybody takes them in."
        )
    return 0


def regrade_lesson(
    name: str, dry_run: bool, lowers: bool, csv: Path | None, workers: Workers
) -> int:
    """Grade again, or say what that would change; with `lowers` marks may fall that feedback has
    shown."""
    from ..classroom import batch
    from ..classroom.judges import judges

    here = course_here()
    lesson = lesson_called(here, name).name
    learners = here.learners("submitted", lesson)
    with (
        judges(workers.jobs, workers.scheduler, confined=not workers.unsafe) as found,
        batch.trial(here, lesson) if dry_run else nullcontext(here) as there,
    ):
        done = batch.regrade(there, lesson, learners, found, track, lowers)
    rows = [(one.learner, one.what, _before(one), mark(one.after), one.why) for one in done.changes]
    table = Table(*CHANGE, box=SIMPLE_HEAD)
    for row in rows:
        table.add_row(*map(Text, row))
    if rows:
        Console().print(table)
    if csv:
        spreadsheets.write(csv, CHANGE, [dict(zip(CHANGE, row, strict=True)) for row in rows])
        say(f"{short(csv)} has these lines")
    for problem in problems_of(done.graded):
        complain(problem)
    tell_kept(done, lesson)
    if done.changed:
        up, down = (
            sum(sign * done.difference(one) > 0 for one in done.changed) for sign in (1, -1)
        )
        say(f"{up} up, {down} down; {largest(done)}")
    changed = len({one.learner for one in done.changes})
    would = "would change" if dry_run else "changed"
    say(f"marks of {changed} of {counted(len(done.graded), 'learner')} {would}")
    return 0


def _before(one: MarkChange) -> str:
    return "" if one.before is None else mark(one.before)


def bundle_lesson(system: str, name: str, to: Path | None, leaderboard: bool, unsafe: bool) -> int:
    """Pack a lesson for another system."""
    from ..classroom import bundles

    here = open_course()
    lesson = lesson_called(here, name)
    if system != "gradescope":
        raise ClassroomError(f"There is no bundle for {system!r}; there are: gradescope, github.")
    path = to or here.root / "export" / f"{lesson.name}-gradescope.zip"
    path.parent.mkdir(parents=True, exist_ok=True)
    whole(path, bundles.gradescope(here, lesson, leaderboard, unsafe), mode=0o600)
    say(f"{short(path)} is the autograder; it can tell what hidden cases are drawn from: keep it")
    return 0


def publish(folder: Path) -> int:
    """Write the course as learners may have it, into a folder that is such a course already, or has
    nothing in it that can be seen."""
    if list(folder.glob("[!.]*")) and not (folder / PUBLISHED).is_file():
        raise BadInput(f"{short(folder)} holds something else: name a folder of its own.")
    for stale in ("kernels", "notebooks"):
        shutil.rmtree(folder / stale, ignore_errors=True)
    for name, content in handout.course_files(course.KERNELS.parent):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        whole(path, content)
    whole(folder / PUBLISHED, "Made by `grader publish`: without solutions, and without a class.\n")
    say(f"{short(folder)} is the course without solutions; `grader --course` takes it")
    return 0


def write_workflow(name: str, to: Path | None, repository: str | None) -> int:
    """Write the workflow that grades a lesson in learners' repositories."""
    from ..classroom import bundles

    here = open_course()
    lesson = lesson_called(here, name)
    if repository is None or not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        raise ClassroomError("Say where the course lies on GitHub: --repository OWNER/NAME.")
    path = to or here.root / "export" / lesson.name / bundles.WORKFLOW
    path.parent.mkdir(parents=True, exist_ok=True)
    whole(path, bundles.workflow(lesson, repository))
    say(f"{short(path)} is the workflow; put it beside {lesson.name}.ipynb as {bundles.WORKFLOW}")
    return 0


def new_lesson(name: str) -> int:
    """Make a lesson's folder, in a course of its own too."""
    from ..judge import known_faults, steps

    if begin(course.KERNELS.parent):
        say(f"{course.KERNELS.parent} is a course now; nbgrader_config.py describes it")
    here = open_course()
    folder = scaffolding.write(name, here.kernels)
    steps.write(course.lesson(name, here.kernels))
    known_faults.write(course.lesson(name, here.kernels))
    say(f"{short(folder)} is a lesson that works as it stands: change its files, then")
    say("run `grader build` for its notebook; docs/authoring.md has every field, fence and rule")
    return 0


def show_status(name: str, section: str | None) -> int:
    """Where a lesson stands, learner by learner and in all."""
    here = course_here()
    lesson = lesson_called(here, name).name
    found = [one for one in planning.statuses(here, lesson) if section in (None, one.section)]
    file, unread = coursefile.read(here), sum(one.unreadable for one in found)
    waiting = sum(one.waits for one in found)
    strangers = file.off_roster(one.learner for one in found)
    say(f"{lesson}, times in {file.zone}")
    if found:
        Console().print(_table(file, found, strangers))
    say(
        f"{counted(len(found), 'learner')}: {sum(one.handed_in for one in found)} handed in, "
        f"{sum(one.late > 0 for one in found)} of them late; "
        f"{sum(one.extended for one in found)} with an extension; "
        f"{sum(one.score is not None for one in found)} graded; "
        f"{waiting} {'waits' if waiting == 1 else 'wait'} for a mark by hand"
        + (f"; {unread} unreadable" if unread else "")
        + (f"; {len(strangers)} not on the roster" if strangers else "")
    )
    say_who_is_off_the_roster(here, strangers)
    return 0


def _table(file: CourseFile, found: list[LearnerStatus], strangers: list[str]) -> Table:
    """Without the columns that are empty for all; times are never cut, however narrow it is."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    rows = [_shown(one, file, one.learner in strangers) for one in found]
    kept = [name for name in rows[0] if any(row[name] for row in rows)]
    for name in kept:
        table.add_column(name, no_wrap=name in ("learner", "due", "handed in"))
    for row in rows:
        table.add_row(*(Text(row[name], "red" if name == "to do" else "") for name in kept))
    return table


def _shown(one: LearnerStatus, file: CourseFile, is_stranger: bool) -> dict[str, str]:
    """A learner's cells by column."""
    to_do = [
        said
        for said, holds in (
            ("unreadable", one.unreadable),
            ("look at its marks", one.waits and not one.unreadable),
            ("not on the roster", is_stranger),
        )
        if holds
    ]
    return {
        "learner": one.learner,
        "name": one.name,
        "section": one.section,
        "team": one.team,
        "due": file.local(one.due) if one.due else "",
        "extension": "extended" if one.extended else "",
        "handed in": file.local(one.when) if one.when else "yes" if one.handed_in else "no",
        "late": _span(one.late) + (f" ({counted(one.spent, 'late day')})" if one.spent else ""),
        "points": "" if one.score is None else f"{one.score:g}",
        "to do": ", ".join(to_do),
    }


def _span(seconds: float) -> str:
    """As people say it: 2 d 3 h."""
    span = timedelta(seconds=seconds)
    hours, minutes = span.seconds // 3600, span.seconds // 60 % 60
    if not seconds:
        return ""
    return f"{span.days} d {hours} h" if span.days else f"{hours} h {minutes} min"
