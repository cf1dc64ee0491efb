"""`grader serve | autograde | regrade | feedback | appeals | rubric | report | leaderboard | demo`:
how an instructor takes what is handed in, and what comes of it. `autograde` returns the exit
status: 0 when all is well, 1 when something handed in is not. What keeps commands from running
they raise; app.py says it.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.panel import Panel
from rich.progress import track
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from .. import course
from ..classroom import (
    ClassroomError,
    appeals,
    batch,
    collecting,
    coursefile,
    demo,
    export,
    feedback,
    folder,
    handing_out,
    judges,
    lecture,
    planning,
    renaming,
    report,
    rubric,
    serving,
    spreadsheets,
)
from ..errors import counted, some, unless
from ..grouped import grouped
from ..submissions.intake import is_name
from .terminal import complain, require_meant, say, short, show_failures, table

ANONYMOUS = Annotated[bool, typer.Option("--anonymous", help="Without names.")]
JOBS = Annotated[int | None, typer.Option(min=1, help="At a time; default: CPUs.")]
SCHEDULER = Annotated[str | None, typer.Option(help="A Dask cluster that judges: tcp://HOST:PORT.")]
SECTION = Annotated[str | None, typer.Option(help="Only this section; a TA: else the TA's own.")]
UNSAFE = Annotated[
    bool, typer.Option("--unsafe", help="Also where nothing keeps a learner's #include from files.")
]
CHANGE = ("learner", "what", "from", "to", "why")  # the columns of what regrading changes


# ---- what all commands of a course begin and end with ----


def course_here() -> folder.CourseFolder:
    """The course of the current folder; lessons of its gradebook that have no folder are named."""
    here = folder.open_course()
    complain(*renaming.gone(here))
    return here


def lesson_called(here: folder.CourseFolder, name: str) -> course.Lesson:
    """The lesson called `name`, or the one whose name begins so."""
    return course.lesson(course.full_name(name, here.kernels), here.kernels)


def opened(
    lesson: str | None, section: str | None = None, anonymous: bool = False
) -> tuple[folder.CourseFolder, list[course.Lesson], export.ShownNames]:
    """All that a command is about: the course of the current folder, the lesson, or each one where
    none is named, and the learners."""
    here = course_here()
    return (
        here,
        list(course.lessons(here.kernels)) if lesson is None else [lesson_called(here, lesson)],
        export.shown_names(here, section, anonymous),
    )


def say_who_is_off_the_roster(
    here: folder.CourseFolder, learners: Iterable[str] | None = None
) -> None:
    """Name those of the learners, by default of all in the gradebook, who are not on the roster."""
    with here.gradebook() as gradebook:
        known = [one.id for one in gradebook.students] if learners is None else learners
        complain(*renaming.off_roster(coursefile.read(here), gradebook, known))


# ---- taking it ----


def serve(
    port: Annotated[int, typer.Option(help="0: one that is free.")] = 8786,
    address: Annotated[str, typer.Option(help="Where it listens.")] = "127.0.0.1",
    certificate: Annotated[Path | None, typer.Option(help="For https.")] = None,
    key: Annotated[Path | None, typer.Option(help="Its key, if that is another file.")] = None,
    jobs: JOBS = None,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Only write tokens for who has none.")
    ] = False,
    again: Annotated[
        list[str] | None, typer.Option(metavar="LEARNER", help="Make new tokens for these.")
    ] = None,
    log: Annotated[bool, typer.Option("--log", help="Only check the log, and print it.")] = False,
    clock: Annotated[
        bool, typer.Option("--clock-is-right", help="Start although it was set back.")
    ] = False,
    unsafe: UNSAFE = False,
) -> None:
    """Take hand-ins over HTTP, and judge them at once.

    Also for exams: each learner has a window, and perhaps variants."""
    from tornado.netutil import bind_sockets

    from ..learner.sending import TOKEN_FILE

    here = course_here()
    queue = serving.queue_of(here)
    if log:
        return say(*queue.log())
    if tokens or again:
        known = coursefile.read(here).learners
        new = again or sorted(known.keys() - queue.with_token())
        complain(*(f"{one} is not on the roster." for one in sorted({*new} - known.keys())))
        unless(all(map(is_name, new)), typer.BadParameter("--again takes a learner's name"))
        place = here.root / serving.FOLDER / "tokens"
        for learner in new:
            queue.new_token(learner, place / learner)
        return say(
            f"{short(place)} has {counted(len(new), 'new token')}. Give each learner the file of "
            f"that name, to be ~/{TOKEN_FILE}; then delete this folder: the service needs no token."
        )
    with folder.alone(here, command="serve"), judges.judges(jobs, confined=not unsafe) as workers:
        if clock:
            queue.set_clock(time.time())
        sockets = bind_sockets(port, address)
        where = ":".join(map(str, sockets[0].getsockname()[:2]))
        say(
            f"{here.root.absolute()} takes hand-ins at {where}; "
            "Ctrl-C ends that, and nothing is lost"
        )
        asyncio.run(
            serving.serve(
                serving.HandInService(here, queue, workers, complain),
                sockets,
                {"certfile": certificate, "keyfile": key} if certificate else None,
            )
        )


# ---- grading ----


def autograde_lesson(
    lesson: str,
    jobs: JOBS = None,
    scheduler: SCHEDULER = None,
    force: Annotated[
        bool, typer.Option("--force", help="Judge and grade all again, changed or not.")
    ] = False,
    section: SECTION = None,
    unsafe: UNSAFE = False,
) -> int:
    """Collect and grade what was handed in.

    The exit status is 1 if a notebook is damaged, or if you must look at a mark."""
    here, (about,), names = opened(lesson, section)
    name, plan, open_until = about.name, names.file.plan(about.name), _open(here, about)
    complain(f"{open_until}: grade again after that." if plan.service.start and open_until else "")
    with judges.judges(jobs, scheduler, confined=not unsafe) as workers:
        learners, refused = collecting.collect(here, name)
        learners = list(filter(names.has, learners))
        done = batch.watched(
            here,
            name,
            lambda: batch.autograde(here, name, learners, workers, track, force),
        )
    # How many learners got which diagnosis in which exercise, the commonest first.
    exercises = grouped(
        (name, kept["verdict"]["status"])
        for one in done.graded
        for name, kept in one.exercises.items()
    )
    Console().print(
        table(
            ("exercise", "diagnosis", "learners"),
            (
                ("" if place else name, _status(status), str(learners))
                for name, statuses in exercises.items()
                for place, (status, learners) in enumerate(Counter(statuses).most_common())
            ),
            box=SIMPLE_HEAD,
        )
    )
    problems = _problems((*done.graded, *refused))
    complain(*problems)
    say_who_is_off_the_roster(here, (one.learner for one in done.graded))
    with here.gradebook() as gradebook:
        unread, by_hand = map(sorted, export.unmarked(here, gradebook, name))
    say(
        f"graded: {counted(sum(bool(one.exercises) for one in done.graded), 'submission')}"
        + (f", {len(unread)} unreadable ({some(unread)})" if unread else "")
        + (f", {len(by_hand)} to mark by hand ({some(by_hand)})" if by_hand else "")
        + f", in {short(here.root)}/gradebook.db"
    )
    _say_kept(done, name)
    if done.changed:
        say(
            f"marks of {counted(len(done.changed), 'learner')} changed: "
            f"{', '.join(done.reasons)}; {_largest(done)}; changes.jsonl has them all"
        )
    return 1 if problems or unread else 0


def regrade_lesson(
    lesson: str,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say whose mark would change, and why.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Marks may fall that feedback has shown.")
    ] = False,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what changes there, too.")
    ] = None,
    jobs: JOBS = None,
    scheduler: SCHEDULER = None,
    unsafe: UNSAFE = False,
) -> None:
    """Grade again what has changed, and show whose mark changes."""
    here, (about,), _ = opened(lesson)
    with (
        judges.judges(jobs, scheduler, confined=not unsafe) as workers,
        batch.trial(here, about.name) if dry_run else nullcontext(here) as course_folder,
    ):
        done = batch.regrade(
            course_folder, about.name, here.learners("submitted", about.name), workers, track, yes
        )
    rows = [
        (
            change.learner,
            change.what,
            "" if change.before is None else _mark(change.before),
            _mark(change.after),
            change.why,
        )
        for change in done.changes
    ]
    if rows:
        Console().print(table(CHANGE, rows, box=SIMPLE_HEAD))
    if csv:
        spreadsheets.write(csv, CHANGE, [dict(zip(CHANGE, row, strict=True)) for row in rows])
        say(f"{short(csv)} has these lines")
    complain(*_problems(done.graded))
    _say_kept(done, about.name)
    if done.changed:
        differences = [done.difference(one) for one in done.changed]
        up, down = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
        say(f"{up} up, {down} down; {_largest(done)}")
    say(
        f"marks of {len({one.learner for one in done.changes})} of "
        f"{counted(len(done.graded), 'learner')} "
        f"{'would change' if dry_run else 'changed'}"
    )


def _say_kept(done: batch.Regraded, lesson: str) -> None:
    """Say how many marks stay as feedback has shown them, and how to let them fall."""
    kept = [["keeps" in one for one in each.exercises.values()] for each in done.graded]
    if marks := sum(map(sum, kept)):
        say(
            f"kept: {counted(marks, 'mark')} of {counted(sum(map(any, kept)), 'learner')}, as "
            "feedback has shown them; this version gives less. "
            f"`grader regrade {lesson} --yes` lets them fall; with --dry-run it says whose"
        )


def _largest(done: batch.Regraded) -> str:
    """Whose points changed most, from what to what."""
    learner = max(sorted(done.changed), key=lambda name: abs(done.difference(name)))
    before, after = done.totals[learner]
    return f"largest {_mark(before)} to {_mark(after)} ({learner})"


def _mark(points: float | None) -> str:
    return "no mark" if points is None else f"{round(points, 4):g}"


def _problems(graded: Iterable[collecting.Graded]) -> list[str]:
    """What was wrong with notebooks, one line for each thing, with the learners it is about."""
    learners = grouped((problem, one.learner) for one in graded for problem in one.problems)
    return [f"{some(names)}: {problem}" for problem, names in learners.items()]


def _status(status: str, line: str = "") -> Text:
    return Text(
        status.replace("_", " ") + line,
        {"passed": "green", "not_attempted": "dim", "kept": ""}.get(status, "red"),
    )


# ---- what comes of it ----


def write_feedback(
    lesson: str,
    solutions: Annotated[
        bool, typer.Option("--solutions", help="Ours, too, while work can still be handed in.")
    ] = False,
    section: SECTION = None,
    yes: Annotated[bool, typer.Option("--yes", help="Also while others write the exam.")] = False,
) -> None:
    """Write each learner's feedback page, and the marks as CSV."""
    here, (about,), names = opened(lesson, section)
    name = about.name
    learners = unless(
        list(filter(names.has, here.learners("autograded", name))),
        ClassroomError(f"Nothing is graded yet: run `grader autograde {name}`."),
    )
    plan, open_until = coursefile.read(here).plan(name), _open(here, about)
    wanted = solutions or plan.solutions == coursefile.PASSED
    require_meant(
        [
            f"{open_until}. Pages that come out earlier can help those who still write it, also "
            "without our solutions."
            if open_until and plan.service.start
            else ""
        ],
        yes,
    )
    to = feedback.TO_PASSED if wanted else feedback.TO_NOBODY
    made = feedback.write_all(here, name, learners, track, to if open_until else feedback.TO_ALL)
    say(
        f"feedback: {counted(len(learners), 'page')} in {short(here.root)}/feedback, "
        f"{made} made now"
    )
    say(
        f"our solutions are left out, as {open_until}; --solutions shows them"
        if open_until and not wanted
        else "",
        f"the grades of the course are in {short(feedback.export(here))}",
    )


def _open(here: folder.CourseFolder, lesson: course.Lesson) -> str:
    """That learners can still hand in a lesson, and until when; empty when they cannot."""
    until, file = planning.closes(here, lesson), coursefile.read(here)
    when = f"until {file.local(until)} {file.zone}" if until else "at any time"
    is_over = until is not None and until < datetime.now(UTC).replace(tzinfo=None)
    return "" if is_over else f"{lesson.name} can be handed in {when}"


def show_appeals(
    answer: Annotated[
        tuple[str, str, str, str] | None,
        typer.Option(metavar="LEARNER LESSON EXERCISE TEXT", help="Answer an open request."),
    ] = None,
    points: Annotated[float | None, typer.Option(help="The new mark; goes with --answer.")] = None,
    section: SECTION = None,
) -> None:
    """Show learners' requests for a regrade, or answer one."""
    unless(answer or points is None, typer.BadParameter("--points goes with --answer"))
    here = course_here()
    complain(*_problems(appeals.collect(here)))
    names = export.shown_names(here, section)
    if answer:
        learner, lesson, exercise, text = answer
        unless(
            names.has(learner),
            ClassroomError(f"{learner} is in another section than this command is about."),
        )
        about = lesson_called(here, lesson)
        appeals.answer(here, learner, about, exercise, text, points)
        given = "" if points is None else f" with {counted(points, 'point')}"
        return say(f"answered{given}; `grader feedback {about.name}` shows it to {learner}")
    found = [one for one in appeals.queue(here) if names.has(one[0])]
    accounts = {name: rubric.accounts(here, name) for name in {one[1] for one in found}}
    for who, name, asked, mark in found:
        has = f"{_mark(mark.score)} of {mark.max_score:g}" if mark else "no mark"
        how = rubric.how(accounts[name].get((who, asked.exercise)), mark.by_hand if mark else None)
        say(
            f"{who}: {asked.exercise} in {name}, {has}, since {asked.at} UTC",
            *(
                f"    {what}: {text}".replace("\n", "\n        ")
                for what, text in (("mark", how), ("asks", asked.why), ("answer", asked.answer))
                if text
            ),
        )
    say(counted(sum(not asked.answer for _, _, asked, _ in found), "open request"))


def mark_by_rubric(
    lesson: str,
    section: SECTION = None,
    port: Annotated[int, typer.Option(help="The port; by default a free one.")] = 0,
    serve: Annotated[
        bool,
        typer.Option("--serve/--no-serve", help="Open the page, or only bring marks up to date."),
    ] = True,
) -> None:
    """Mark answers by a rubric, in the browser.

    Items have points. They are for one answer, for all equal ones, or for all with the same
    mistake."""
    here = course_here()
    page = lecture.rubric_page(here, lesson, section)
    say(
        f"the marks of {page.lesson.name} are as {short(here.root)}/rubric.toml and rubric.jsonl "
        "say"
    )
    if serve:
        lecture.serve(page, port, say, "To mark by the rubric")


def write_report(
    lesson: Annotated[str | None, typer.Argument(help="By default the whole course.")] = None,
    section: SECTION = None,
    anonymous: ANONYMOUS = False,
) -> None:
    """Write a page about the class's answers, with all marks.

    It goes to build/report, with the marks as CSV and JSON."""
    here, lessons, names = opened(lesson, section, anonymous)
    page = (
        report.write(here, lessons[0], names)
        if lesson
        else report.write_course(here, lessons, names)
    )
    say(f"{short(page)} is the report; beside it are the same marks as .csv and .json")
    say_who_is_off_the_roster(here)


def show_leaderboard(
    lesson: Annotated[str, typer.Argument(help="A lesson with contests, as 08.")],
    section: SECTION = None,
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Aliases for names.")] = False,
) -> None:
    """Rank the class's kernels by what they cost."""
    here, (about,), names = opened(lesson, section, anonymous)
    unless(about.contests, ClassroomError(f"There is no contest in {about.name}."))
    for contest in about.contests:
        Console().print(
            table(
                ("", "learner", "sectors / least", "instructions / least"),
                (
                    (str(place), name, f"{costs.sectors:.2f}", f"{costs.instructions:.2f}")
                    for place, name, costs in export.leaderboard(here, about, contest, names)
                ),
                title=contest.exercise,
                box=SIMPLE_HEAD,
            )
        )


# ---- in front of a class ----


def show_demo(
    lesson: Annotated[
        str | None,
        typer.Option(
            help="Make slides of this lesson instead, such as 02, with its typical mistakes."
        ),
    ] = None,
    live: Annotated[
        bool, typer.Option("--live", help="Edit and run kernels on the slides, in the browser.")
    ] = False,
    port: Annotated[int, typer.Option(help="The port of --live; by default a free one.")] = 0,
    brief: Annotated[
        bool, typer.Option("--brief", help="Slides for a lecture, without exercises and folds.")
    ] = False,
) -> None:
    """Run an instructor's week in one go, or make slides.

    The week: release, hand in, collect, grade, write feedback, export."""
    unless(lesson or not live, typer.BadParameter("say which --lesson is to be shown live"))
    here = folder.open_course()
    if lesson:
        return _present(here, lesson_called(here, lesson), live, port, brief)
    first = course.lesson(course.names(here.kernels)[0], here.kernels)
    week = here.root / "demo/week"
    Console().print(_grades(first.name, demo.run(week, first, track)))
    say(
        f"Grades: {short(week)}/grades.csv    Feedback: {short(week)}/feedback",
        f"The class in JupyterLab's formgrader: cd {short(week)} && jupyter lab",
    )


def _grades(lesson: str, graded: Iterable[collecting.Graded]) -> Table:
    """Every learner's exercises, with points and diagnosis."""
    return table(
        ("learner", "exercise", "points", "diagnosis"),
        (
            (
                "" if place else one.learner,
                name,
                f"{verdict['points']:g} / {verdict['max_points']:g}",
                _status(verdict["status"], f", line {verdict['line']}" if verdict["line"] else ""),
            )
            for one in graded
            for place, (name, kept) in enumerate(one.exercises.items())
            for verdict in [kept["verdict"]]
        ),
        title=lesson,
        box=SIMPLE_HEAD,
        pad_edge=False,
    )


def _present(
    here: folder.CourseFolder, lesson: course.Lesson, live: bool, port: int, brief: bool
) -> None:
    """Make a lesson's notebook and slides for the front of a class, and with `live` serve them
    until Ctrl-C."""
    made = demo.present(lesson, here.root / "demo", track, brief)
    if (here.root / "gradebook.db").is_file():
        with here.gradebook() as gradebook:
            released = lesson.name in {one.name for one in gradebook.assignments}
        if released and (still := _open(here, lesson)):
            complain(f"The slides show our solutions, and {still}.")
    say(
        f"Slides, for any browser (arrow keys; F for the full screen): {short(made.slides)}",
        f"A notebook of these slides, to run and change in JupyterLab: {short(made.notebook)}",
    )
    if live:
        lecture.serve(
            lecture.Lecture(made.slides.read_text(encoding="utf-8"), lesson),
            port,
            say,
            "To edit and run kernels on the slides",
        )
    elif sys.stdin.isatty() and sys.stdout.isatty():
        say("The mistakes here in the terminal: any key begins, q stops.")
        if pressed_key() not in STOP:
            step_through(lesson, made.mistakes, Console(), pressed_key)


STOP = ("q", "\x1b", "\x04", "")  # escape, Ctrl-D, the terminal is gone
# The arrows left and up, page up: as terminals send them, and as Windows' console does.
BACK = ("b", *("\x1b[D", "\x1b[A", "\x1bOD", "\x1bOA", "\x1b[5~"), *("\xe0K", "\xe0H", "\xe0I"))


def step_through(
    lesson: course.Lesson,
    mistakes: Sequence[handing_out.Mistake],
    console: Console,
    key: Callable[[], str],
) -> None:
    """A lesson's typical mistakes one after the other: what was changed; on a key, what the judge
    says; on a key, the next one. `key` waits for a key."""
    from ..classroom.handing_out import changes

    screens = [(mistake, verdict) for mistake in mistakes for verdict in (False, True)]
    at = 0
    while at < len(screens):
        mistake, verdict = screens[at]
        console.clear()
        console.print(
            Panel(
                Text(mistake.title, "bold", justify="center"),
                title=mistake.wrong.exercise,
                subtitle=f"{at // 2 + 1} of {len(mistakes)}",
                padding=1,
            )
        )
        text = Text(no_wrap=True, overflow="ellipsis")
        for line in changes(lesson, mistake):
            # Told apart by all eyes.
            style = {"-": "on #5c2e00", "+": "on #003a5c"}.get(line[:1], "")
            text.append(f"  {line:<90}\n", f"bold white {style}" if style else "")
        console.print(text)
        if verdict:
            show_failures(console, mistake.verdict, mistake.source)
        console.print(Rule("space: go on    b: back    q: stop", style="dim"))
        pressed = key()
        if pressed in STOP:
            return
        at = max(0, at - 1) if pressed in BACK else at + 1


def pressed_key() -> str:
    """What the next key pressed in this terminal sends; "" when the terminal is gone."""
    try:
        return typer.getchar()
    except EOFError:
        return ""
