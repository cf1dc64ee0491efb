"""`grader release | extend | roster | rename | export | push | bundle | status`: what an instructor
does with lessons and with who is in the class.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from .. import course
from ..classroom import (
    ClassroomError,
    bundles,
    coursefile,
    export,
    folder,
    handing_out,
    planning,
    platforms,
    pushing,
    renaming,
    roster,
    serving,
)
from ..errors import BadInput, counted, some, unless
from ..submissions.intake import is_name
from ..whole_files import filed
from .classroom_commands import (
    ANONYMOUS,
    SECTION,
    UNSAFE,
    course_here,
    opened,
    say_who_is_off_the_roster,
)
from .terminal import complain, require_meant, say, short, table

YES = Annotated[
    bool, typer.Option("--yes", help="Also where that makes learners late: ask nothing.")
]


def release_lessons(
    lesson: Annotated[str | None, typer.Argument(help="By default every lesson.")] = None,
    due: Annotated[str | None, typer.Option(help='Like "2026-12-01 23:59".')] = None,
    late: Annotated[
        str | None, typer.Option(help='Like "10%/day, at most 3 days", or "none".')
    ] = None,
    exam: Annotated[
        bool, typer.Option("--exam", help="Refuse a lesson that has no start.")
    ] = False,
    yes: YES = False,
) -> None:
    """Hand out a lesson, and set when it is due.

    It is entered in the gradebook and goes out through nbgrader's exchange. An exam does not:
    `grader serve` gives it out."""
    here, lessons, _ = opened(lesson)
    if due is not None:
        require_meant([planning.objection(here, one.name, due) for one in lessons], yes)
    for one in lessons:
        name = one.name
        if due is not None or late is not None:
            planning.set_due(here, name, due, late)
            file = coursefile.read(here)
            plan = file.plan(name)
            when = f"due {file.local(plan.due)} {file.zone}" if plan.due else "not due"
            say(f"{name} is {when}; {coursefile.FILE} has that, and the next autograde goes by it")
        with here.gradebook() as gradebook:
            known = name in {assignment.name for assignment in gradebook.assignments}
            marked = len(export.by_learner(gradebook, name))
        is_exam = coursefile.read(here).plan(name).service.start is not None
        unless(
            is_exam or not exam,
            ClassroomError(
                f"{coursefile.FILE} has no start in lessons.{name}.serve: not released."
            ),
        )
        handing_out.release(here, one)
        to = (
            f"in {short(here.root)} as an exam: `grader serve` gives it out"
            if is_exam
            else f"to {short(here.shelves)}/outbound/{name}"
        )
        say(f"released {name} {to}")
        complain(
            *(
                f"The public course has {each}, with its solution: no exam"
                for each in (handing_out.public(one) if is_exam else [])
            ),
            *handing_out.unvaried(here, one),
        )
        say(
            f"It was released before; the marks of {counted(marked, 'learner')} stay."
            if known and marked
            else ""
        )


def extend_lesson(
    lesson: str,
    learner: str,
    until: Annotated[str, typer.Option(help='Like "2026-12-03 12:00".')],
    yes: YES = False,
) -> None:
    """Give a learner, or a team, more time for a lesson."""
    here, (about,), names = opened(lesson)
    file = names.file
    require_meant([planning.objection(here, about.name, until, learner)], yes)
    before = planning.extend(here, about.name, learner, until)
    after = coursefile.read(here).plan(about.name).extensions[learner]
    say(
        f"{about.name} is due {file.local(after)} {file.zone} for {learner}. Before, it was due "
        f"{file.local(before)}. The next autograde goes by it."
    )


def accommodate_learner(
    learner: Annotated[str | None, typer.Argument(help="By default all are listed.")] = None,
    days: Annotated[int | None, typer.Option(min=0, help="0 takes them back.")] = None,
    factor: Annotated[
        float | None,
        typer.Option("--time", min=1, max=10, help="As 1.25: a quarter more; 1 takes it back."),
    ] = None,
    yes: YES = False,
) -> None:
    """Give a learner more days or time for all lessons, or list them."""
    here = folder.open_course()
    if learner is not None:
        unless((days, factor) != (None, None), typer.BadParameter("give --days or --time, too"))
        before = coursefile.read(here).person(learner).more_days
        require_meant(
            [f"{learner} had {counted(before, 'day')} more. What came in these days will be late."]
            * (days is not None and days < before),
            yes,
        )
        planning.accommodate(here, learner, more_days=days, time_factor=factor)
    file = coursefile.read(here)
    listed = [
        *(
            f"{name}: {said}"
            for name, one in file.learners.items()
            for said in (
                one.more_days and f"every lesson is due {counted(one.more_days, 'day')} later",
                one.time_factor > 1 and f"exams take {one.time_factor:g} times as long",
            )
            if said and learner in (None, name)
        ),
        *(
            f"{name}: {lesson} is due {file.local(until)} {file.zone}"
            for lesson, plan in file.lessons.items()
            for name, until in plan.extensions.items()
            if learner in (None, name)
        ),
    ]
    nobody = f"{learner} has no more days or time." if learner else "Nobody has more days or time."
    say(*(listed or [nobody]), "" if days is None else "The next autograde goes by it.")


def enter_roster(
    file: Annotated[
        Path | None, typer.Argument(help="As Canvas, Moodle... export it, or plain CSV.")
    ] = None,
    id: Annotated[str | None, typer.Option(metavar="COLUMN", help="Has the ids.")] = None,
    section: Annotated[str | None, typer.Option(metavar="COLUMN", help="Has sections.")] = None,
    team: Annotated[str | None, typer.Option(metavar="COLUMN", help="Has teams.")] = None,
    same: Annotated[
        list[str] | None,
        typer.Option(metavar="OTHER=LEARNER", help="A login that is a learner of the roster."),
    ] = None,
    later: Annotated[
        bool, typer.Option("--later", help="--same: where both handed in, the later counts.")
    ] = False,
) -> None:
    """Enter who is in the class: names, sections and teams.

    With --same, say which learner an unknown login belongs to."""
    if same and file is None:
        return _join_logins(same, later)
    if same or file is None:
        raise typer.BadParameter("give a FILE, or --same OTHER=LEARNER")
    here = folder.open_course()
    read = roster.read(file, id, section, team)
    absent, columns = roster.keep(
        here, read, {one.name: one.title for one in course.lessons(here.kernels)}
    )
    sections = Counter(one.section for one in read.members if one.section)
    named = ", ".join(f"{name} ({count})" for name, count in sorted(sections.items()))
    say(
        f"The gradebook and {coursefile.FILE} in {short(here.root)} now have "
        f"{counted(len(read.members), 'learner')} from a file of {read.system.name}; "
        f"sections: {named or 'none'}; teams: "
        f"{len({one.team for one in read.members if one.team}) or 'none'}",
        *(platforms.column(read.system.name, *of_lesson) for of_lesson in columns.items()),
        f"In the gradebook and not in {file.name}: {some(absent)}. Nobody was removed."
        if absent
        else "",
    )
    say_who_is_off_the_roster(here)


def _join_logins(same: list[str], later: bool) -> None:
    """Move what was handed in under one login to another, for each OTHER=LEARNER."""
    here = course_here()
    for pair in same:
        other, is_pair, learner = pair.partition("=")
        unless(
            is_pair and is_name(other) and is_name(learner),
            BadInput(f"--same is {pair!r}, and should be OTHER=LEARNER, like zed=zoe."),
        )
        lessons = renaming.join(here, other, learner, later)
        say(
            f"{other} is {learner}, here and in what is collected from now on; moved: "
            f"{', '.join(lessons) or 'nothing more'}"
        )


def rename_lesson(
    old: Annotated[str, typer.Argument(help="The lesson's name in the gradebook.")],
    new: Annotated[str, typer.Argument(help="The name of its folder now.")],
) -> None:
    """Move a lesson's marks, work and dates to its new name."""
    moved = renaming.rename(folder.open_course(), old, new)
    say(
        f"{old} is {new} now, with {counted(moved, 'mark')}. `grader release {new}` hands it out "
        "under that name; the next autograde judges all of it again, as hidden cases go by the name"
    )


def export_marks(
    lesson: Annotated[str | None, typer.Argument(help="By default every lesson.")] = None,
    system: Annotated[
        Literal["canvas", "moodle", "blackboard", "brightspace", "csv", "xlsx"],
        typer.Option("--for", help="The gradebook that imports it."),
    ] = "csv",
    to: Annotated[Path | None, typer.Option(help="The file to write.")] = None,
    decimal: Annotated[Literal[".", ","], typer.Option(help="In numbers.")] = ".",
    section: SECTION = None,
    anonymous: ANONYMOUS = False,
    everybody: Annotated[
        bool, typer.Option("--everybody", help="Also who is not on the roster.")
    ] = False,
    column: Annotated[str | None, typer.Option(help="The lesson's column in the system.")] = None,
) -> None:
    """Write the marks as another gradebook imports them."""
    here, lessons, names = opened(lesson, section, anonymous)
    if column is not None:
        unless(
            lesson and system in platforms.PLATFORMS,
            BadInput(
                f"--column is for one lesson and one of {', '.join(platforms.PLATFORMS)}: "
                "grader export LESSON --for SYSTEM --column COLUMN."
            ),
        )
        planning.set_column(here, lessons[0].name, system, column)
        names = export.shown_names(here, section, anonymous)
    read = export.read(lessons, names, everybody)
    what = lessons[0].name if lesson else "course"
    path = to or here.root / "export" / f"{what}-{system}{platforms.SYSTEMS[system].suffix}"
    filed(path, platforms.content(system, read, decimal, anonymous))
    unread = sum(line.unreadable for line in read.lines)
    say(
        f"{counted(len(read.lines), 'learner')}, {sum(not line.scores for line in read.lines)} of "
        f"them without a mark{f', {unread} to mark by hand' if unread else ''}: {short(path)}",
        *(
            platforms.column(system, one.lesson, one.headings.get(system, ()))
            for one in (read.columns if system in platforms.PLATFORMS else ())
        ),
    )
    say_who_is_off_the_roster(here)
    complain(
        f"Not in {path.name}, as they are not on the roster: {', '.join(read.left_out)}. "
        "--everybody takes them in."
        if read.left_out
        else ""
    )


def push_marks(
    lesson: str,
    to: Annotated[Literal["canvas", "moodle"], typer.Option(help="The learning platform.")],
    number: Annotated[
        str, typer.Option("--course", metavar="ID", help="The number of its course.")
    ],
    url: Annotated[str, typer.Option(help="Its address, with https.")],
    assignment: Annotated[
        str | None, typer.Option(metavar="NAME-or-ID", help="Else by its name.")
    ] = None,
    token_file: Annotated[Path | None, typer.Option(help="Else WARPWISE_TOKEN.")] = None,
    section: SECTION = None,
    yes: Annotated[bool, typer.Option("--yes", help="Send; else only show.")] = False,
) -> int:
    """Send a lesson's marks to Canvas or Moodle.

    Without --yes it shows what would change. The exit status is 1 if a mark cannot be sent."""
    here, (about,), names = opened(lesson, section)
    read = export.read([about], names)
    there = pushing.opened(to, url, number, token_file, complain)
    chosen = pushing.find_assignment(
        there,
        read.columns[0],
        {one.name: one.title for one in course.lessons(here.kernels)},
        assignment,
    )
    marks, problems = pushing.plan(there, read, str(chosen["id"]))
    unlike = (
        f" It gives {chosen['most']:g} points, and the lesson {read.most:g}: marks are sent as "
        "they are."
    )
    say(
        f'{about.name} is the assignment "{chosen["name"]}" in course {number} of {to}.'
        f"{unlike if chosen['most'] != read.most else ''}"
    )
    complain(*problems)
    say_who_is_off_the_roster(here, read.left_out)
    rows = [
        (line.learner, line.listed, "-" if before is None else f"{before:g}", f"{after:g}")
        for line, _, before, after in marks
    ]
    if rows:
        Console().print(
            table(("learner", "name", "there", "here"), rows, figures=2, box=SIMPLE_HEAD)
        )
    refused = 0
    for line, user, _, after in track(marks, "sending") if yes and marks else ():
        try:
            there.save(str(chosen["id"]), user, f"{after:.10g}")
        except pushing.MarkRefused as error:
            refused += 1
            complain(f"{line.learner}: {error}")
    without = [line.learner for line in read.lines if not line.scores]
    say(
        f"{'sent' if yes else 'to send'}: {counted(len(marks) - refused, 'mark')}; "
        f"not possible: {refused + len(problems)}; "
        f"there already: {len(read.lines) - len(without) - len(marks) - len(problems)}; "
        f"without a mark: {some(without) or 'nobody'}; "
        f"not on the roster: {some([*read.left_out]) or 'nobody'}",
        *(["Nothing was sent: --yes sends these marks."] if marks and not yes else []),
    )
    return 1 if problems or refused else 0


def bundle_lesson(
    system: Literal["gradescope", "github"],
    lesson: str,
    to: Annotated[Path | None, typer.Option(help="The file to write.")] = None,
    leaderboard: Annotated[
        bool, typer.Option("--leaderboard", help="gradescope: rank learners.")
    ] = False,
    repository: Annotated[
        str | None, typer.Option(metavar="OWNER/NAME", help="github: where the course lies.")
    ] = None,
    unsafe: UNSAFE = False,
) -> None:
    """Pack a lesson for Gradescope or GitHub."""
    here, (about,), _ = opened(lesson)
    if system == "github":
        place = unless(
            re.fullmatch(r"[\w.-]+/[\w.-]+", repository or ""),
            ClassroomError("Say where the course lies on GitHub: --repository OWNER/NAME."),
        )
        path = to or here.root / "export" / about.name / bundles.WORKFLOW
        filed(path, bundles.workflow(about, place[0]))
        say(
            f"{short(path)} is the workflow; put it beside {about.name}.ipynb as {bundles.WORKFLOW}"
        )
    else:
        path = to or here.root / "export" / f"{about.name}-gradescope.zip"
        filed(path, bundles.gradescope(here, about, leaderboard, unsafe), mode=0o600)
        say(
            f"{short(path)} is the autograder; it can tell what hidden cases are drawn from: "
            "keep it"
        )


# ---- where a lesson stands, learner by learner and in all ----


def show_status(lesson: str, section: SECTION = None) -> None:
    """Show who has handed in a lesson, late or with an extension, and which marks wait."""
    here, (about,), names = opened(lesson, section)
    name, file = about.name, names.file
    learners = [one for one in planning.statuses(here, name) if names.has(one.learner)]
    unread = sum(one.unreadable for one in learners)
    strangers = file.off_roster(one.learner for one in learners)
    waiting = sum(one.waits for one in learners)
    start = file.plan(name).service.start
    window = f", an exam from {file.at(start)} to {file.at(file.closes(name))}" if start else ""
    say(f"{name}{window}, times in {file.zone}")
    if learners:
        Console().print(_table(here, name, learners, strangers))
    say(
        f"{counted(len(learners), 'learner')}: {sum(one.handed_in for one in learners)} handed in, "
        f"{sum(one.late > 0 for one in learners)} of them late; "
        f"{sum(one.extended for one in learners)} with an extension; "
        f"{sum(one.score is not None for one in learners)} graded; "
        f"{waiting} {'waits' if waiting == 1 else 'wait'} for a mark by hand"
        + (f"; {unread} unreadable" if unread else "")
        + (f"; {len(strangers)} not on the roster" if strangers else "")
    )
    say_who_is_off_the_roster(here, strangers)


def _table(
    here: folder.CourseFolder,
    lesson: str,
    learners: list[planning.LearnerStatus],
    strangers: list[str],
) -> Table:
    """Without the columns that are empty for all; times are never cut, however narrow it is."""
    file, exam = coursefile.read(here), _exam(here, lesson, [one.learner for one in learners])
    rows = [
        _cells(one, file, one.learner in strangers) | exam.get(one.learner, {}) for one in learners
    ]
    columns = [name for name in rows[0] if any(row[name] for row in rows)]
    made = table(
        columns,
        ([Text(row[name], "red" if name == "to do" else "") for name in columns] for row in rows),
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    for column in made.columns:
        column.no_wrap = column.header in ("learner", "due", "handed in", "begun", "until", "tries")
    return made


def _exam(here: folder.CourseFolder, lesson: str, learners: list[str]) -> dict[str, dict[str, str]]:
    """The cells about an exam, by learner; none where the lesson is no exam."""
    file = coursefile.read(here)
    rules = file.plan(lesson).service
    if rules.start is None:
        return {}
    sat = serving.queue_of(here).sat(lesson) if (here.root / serving.FOLDER).is_dir() else {}
    return {
        one: {
            "begun": file.at(begun) if begun else "no",
            "until": file.at(rules.longer(file.person(one).time_factor).window(begun)[1]),
            "tries": f"{tries}{f' of {rules.tries}' if rules.tries else ''}",
        }
        for one in learners
        for begun, tries in [sat.get(one, (None, 0))]
    }


def _cells(
    one: planning.LearnerStatus, file: coursefile.CourseFile, is_stranger: bool
) -> dict[str, str]:
    """A learner's cells by column."""
    to_do = {
        "unreadable": one.unreadable,
        "look at its marks": one.waits and not one.unreadable,
        "not on the roster": is_stranger,
    }
    late = timedelta(seconds=one.late)
    hours, minutes = late.seconds // 3600, late.seconds // 60 % 60
    span = f"{late.days} d {hours} h" if late.days else f"{hours} h {minutes} min"
    spent = f" ({counted(one.spent, 'late day')})" if one.spent else ""
    return {
        "learner": one.learner,
        "name": one.name,
        "section": one.section,
        "team": one.team,
        "due": file.local(one.due) if one.due else "",
        "extension": "extended" if one.extended else "",
        "handed in": file.local(one.when) if one.when else "yes" if one.handed_in else "no",
        "late": (span if one.late else "") + spent,
        "points": "" if one.score is None else f"{one.score:g}",
        "to do": ", ".join(said for said, holds in to_do.items() if holds),
    }
