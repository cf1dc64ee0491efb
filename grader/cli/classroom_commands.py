"""What `grader build | autograde | feedback | report | demo` do and say. Each returns the
exit status: 0 when all is well, 1 when something handed in or committed is not. What keeps them
from running they raise; cli.py says it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from .. import course
from ..classroom import (
    ClassroomError,
    batch,
    collecting,
    coursefile,
    demo,
    export,
    feedback,
    lateness,
    leaderboard,
    lecture,
    notebooks,
    off_roster,
    regrade,
    renaming,
    report,
)
from ..classroom.collecting import Graded
from ..classroom.folder import CONFIG, CourseFolder, open_course
from ..classroom.judges import judges
from ..classroom.marks import Names
from ..classroom.regrade import Regraded
from ..counted import counted, some
from ..course import authors
from ..course.weave import weave
from ..errors import AuthorError
from ..judge import known_faults, steps
from . import stepper


def build_notebooks(check: bool) -> int:
    """Make notebooks/ from kernels/; with `check`, say what in it is not what its sources make. A
    lesson that its author has to mend keeps no other from being made."""
    sound, broken = [], set()
    for page in course.pages_alone():
        complain(f"A lesson needs an exercises.py, and beside {authors.shown(page)} there is none.")
        broken.add(page.parent.name)
    for name in course.names():
        try:
            lesson = course.lesson(name)
            weave(lesson)
            for path in () if check else (*steps.write(lesson), *known_faults.write(lesson)):
                say(f"made {short(path)}")
            steps.require_no_oversight(lesson)
            sound.append(lesson)
        except AuthorError as error:
            complain(str(error))
            broken.add(name)
    if not check:
        for path in notebooks.build(open_course(CONFIG), broken=broken):
            say(f"made {short(path)}")
        return 1 if broken else 0
    differences = notebooks.differences(broken=broken)
    differences += [
        f"{one.name}/{path.name}: out of date."
        for one in sound
        for path in (*steps.stale(one), *known_faults.stale(one))
    ]
    for difference in differences:
        complain(difference)
    if differences:
        complain("Make them again with `grader build`, and commit them.")
    return 1 if differences or broken else 0


def autograde_lesson(
    name: str, jobs: int | None, scheduler: str | None, force: bool, unsafe: bool
) -> int:
    """Collect and grade what was handed in for a lesson, and say what came of it."""
    here = course_here()
    lesson = lesson_called(here, name).name
    with judges(jobs, scheduler, confined=not unsafe) as workers:
        learners, refused = collecting.collect(here, lesson)
        found = regrade.watched(
            here,
            lesson,
            lambda: batch.autograde(here, lesson, learners, workers, track, force),
        )
    Console().print(_diagnoses(found.graded))
    problems = problems_of((*found.graded, *refused))
    for problem in problems:
        complain(problem)
    say_who_is_off_the_roster(here, (one.learner for one in found.graded))
    entered = sum(bool(one.exercises) for one in found.graded)
    with here.gradebook() as gradebook:
        unread = sorted(export.unmarked(gradebook, lesson))
    told = f", {len(unread)} unreadable ({some(unread)})" if unread else ""
    say(f"graded: {counted(entered, 'submission')}{told}, in {short(here.root)}/gradebook.db")
    tell_kept(found, lesson)
    if found.changed:
        say(
            f"marks of {counted(len(found.changed), 'learner')} changed: "
            f"{', '.join(found.reasons)}; {largest(found)}; changes.jsonl has them all"
        )
    return 1 if problems or unread else 0


def tell_kept(found: Regraded, lesson: str) -> None:
    """Say how many marks stay as feedback has shown them, and how to let them fall."""
    kept = [["keeps" in one for one in each.exercises.values()] for each in found.graded]
    if marks := sum(map(sum, kept)):
        say(
            f"kept: {counted(marks, 'mark')} of {counted(sum(map(any, kept)), 'learner')}, as "
            "feedback has shown them; this version gives less. "
            f"`grader regrade {lesson} --yes` lets them fall; with --dry-run it says whose"
        )


def largest(found: Regraded) -> str:
    """The largest change of a lesson's points."""
    learner, before, after = found.largest
    return f"largest {mark(before)} to {mark(after)} ({learner})"


def mark(points: float | None) -> str:
    return "no mark" if points is None else f"{round(points, 4):g}"


def write_feedback(name: str, solutions: bool) -> int:
    """Write every graded learner's feedback page, and the course's grades as CSV; our solutions
    with `solutions`, or where course.toml says so, or once nobody can hand in any more."""
    here = course_here()
    about = lesson_called(here, name)
    lesson = about.name
    learners = here.learners("autograded", lesson)
    if not learners:
        raise ClassroomError(f"Nothing is graded yet: run `grader autograde {lesson}`.")
    wanted = solutions or coursefile.read(here).plan(lesson).solutions == coursefile.PASSED
    open_until = _open(here, about)
    made = feedback.write_all(here, lesson, learners, track, wanted or not open_until)
    pages = counted(len(learners), "page")
    say(f"feedback: {pages} in {short(here.root)}/feedback, {made} made now")
    if open_until and not wanted:
        say(f"our solutions are left out, as {open_until}; --solutions shows them")
    say(f"the grades of the course are in {short(feedback.export(here))}")
    return 0


def _open(here: CourseFolder, lesson: course.Lesson) -> str:
    """That learners can still hand in a lesson, and until when; empty when they cannot."""
    until, file = lateness.closes(here, lesson), coursefile.read(here)
    if until is None:
        return f"{lesson.name} can be handed in at any time"
    if until < datetime.now(UTC).replace(tzinfo=None):
        return ""
    return f"{lesson.name} can be handed in until {file.local(until)} {file.zone}"


def write_report(name: str | None, section: str | None, anonymous: bool) -> int:
    """Write the report on a lesson, or on each lesson and the whole course."""
    here = course_here()
    names = Names(here, coursefile.read(here), section, anonymous)
    if name:
        page = report.write(here, lesson_called(here, name), names)
    else:
        page = report.write_course(here, list(course.lessons(here.kernels)), names)
    say(f"{short(page)} is the report; beside it are the same marks as .csv and .json")
    say_who_is_off_the_roster(here)
    return 0


def show_leaderboard(name: str, section: str | None, anonymous: bool) -> int:
    """A table for each contest of a lesson: everybody who passed, the cheapest kernel first."""
    here = open_course()
    lesson = lesson_called(here, name)
    if not lesson.contests:
        raise ClassroomError(f"There is no contest in {lesson.name}.")
    names = Names(here, coursefile.read(here), section, anonymous)
    for contest in lesson.contests:
        columns = ("", "learner", "sectors / least", "instructions / least")
        table = Table(*columns, title=contest.exercise, box=SIMPLE_HEAD)
        for one in leaderboard.places(here, lesson, contest, names):
            costs = (f"{one.standing.sectors:.2f}", f"{one.standing.instructions:.2f}")
            table.add_row(str(one.number), Text(one.name), *costs)
        Console().print(table)
    return 0


def run_demo() -> int:
    """An instructor's week in a scratch course, ending in a table of what came of it."""
    lesson = course.lesson(course.names(course.KERNELS)[0], course.KERNELS)
    Console().print(_grades(lesson.name, demo.run(demo.WEEK, lesson, track)))
    folder = short(demo.WEEK)
    say(f"Grades: {folder}/grades.csv    Feedback: {folder}/feedback")
    say(f"The class in JupyterLab's formgrader: cd {folder} && jupyter lab")
    return 0


def present_lesson(number: str, live: bool, port: int) -> int:
    """Make a lesson's notebook and slides for the front of a class, and with `live` serve them
    until Ctrl-C; `number` is how its name begins, e.g. 02."""
    lesson = course.lesson(course.full_name(number, course.KERNELS), course.KERNELS)
    here, warning = open_course(), ""
    if (here.root / "gradebook.db").is_file():
        with here.gradebook() as gradebook:
            released = lesson.name in {one.name for one in gradebook.assignments}
        if released and (still := _open(here, lesson)):
            warning = f"The slides show our solutions, and {still}."
    made = demo.present(lesson, track)
    if warning:
        complain(warning)
    say(f"Slides, for any browser (arrow keys; F for the full screen): {short(made.slides)}")
    say(f"The same to run and change in JupyterLab: {short(made.notebook)}")
    if live:
        lecture.serve(lecture.Lecture(lesson, made.slides.read_text(encoding="utf-8")), port, say)
    elif sys.stdin.isatty() and sys.stdout.isatty():
        say("The mistakes here in the terminal: any key begins, q stops.")
        if stepper.pressed_key() not in stepper.STOP:
            stepper.step_through(lesson, made.mistakes, Console(), stepper.pressed_key)
    return 0


def course_here() -> CourseFolder:
    """The course of the current folder; lessons of its gradebook that have no folder are named."""
    here = open_course()
    for sentence in renaming.gone(here):
        complain(sentence)
    return here


def say_who_is_off_the_roster(here: CourseFolder, learners: Iterable[str] | None = None) -> None:
    """Name those of the learners, by default of all in the gradebook, who are not on the roster."""
    with here.gradebook() as gradebook:
        known = [one.id for one in gradebook.students] if learners is None else learners
        for sentence in off_roster.sentences(coursefile.read(here), gradebook, known):
            complain(sentence)


def lesson_called(here: CourseFolder, name: str) -> course.Lesson:
    """The lesson called `name`, or the one whose name begins so."""
    return course.lesson(course.full_name(name, here.kernels), here.kernels)


def _grades(lesson: str, graded: Iterable[Graded]) -> Table:
    """Every learner's exercises, with points and diagnosis."""
    columns = ("learner", "exercise", "points", "diagnosis")
    table = Table(*columns, title=lesson, box=SIMPLE_HEAD, pad_edge=False)
    for one in graded:
        learner = one.learner
        for name, kept in one.exercises.items():
            verdict = kept["verdict"]
            points = f"{verdict['points']:g} / {verdict['max_points']:g}"
            line = f", line {verdict['line']}" if verdict["line"] else ""
            table.add_row(learner, name, points, _status(verdict["status"], line))
            learner = ""
    return table


def _diagnoses(graded: Iterable[Graded]) -> Table:
    """How many learners got which diagnosis in which exercise, the commonest first."""
    exercises: dict[str, Counter[str]] = {}
    for one in graded:
        for name, kept in one.exercises.items():
            exercises.setdefault(name, Counter())[kept["verdict"]["status"]] += 1
    table = Table("exercise", "diagnosis", "learners", box=SIMPLE_HEAD)
    for name, statuses in exercises.items():
        for status, learners in statuses.most_common():
            table.add_row(name, _status(status), str(learners))
            name = ""
    return table


def problems_of(graded: Iterable[Graded]) -> list[str]:
    """What was wrong with notebooks, one line for each thing, with the learners it is about."""
    learners: dict[str, list[str]] = {}
    for one in graded:
        for problem in one.problems:
            learners.setdefault(problem, []).append(one.learner)
    return [f"{some(names)}: {problem}" for problem, names in learners.items()]


def _status(status: str, line: str = "") -> Text:
    style = {"passed": "green", "not_attempted": "dim"}.get(status, "red")
    return Text(status.replace("_", " ") + line, style)


def short(path: Path) -> str:
    """`path` as one would type it here."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def say(sentence: str) -> None:
    Console(soft_wrap=True).print(sentence, markup=False, highlight=False)


def complain(sentence: str) -> None:
    Console(stderr=True, soft_wrap=True).print(sentence, markup=False, highlight=False)
