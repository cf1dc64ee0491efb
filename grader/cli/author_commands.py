"""`grader build | new | cases | preview | publish`: what an author of lessons does. `build` and
`cases` return the exit status: 0 when all is well, 1 when something is not as it should be.
"""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from .. import course
from ..classroom.folder import CONFIG, begin, open_course, own
from ..course import (
    Exercise,
    Lesson,
    authors,
    catalogue,
    chosen,
    classes,
    rules,
)
from ..course.weave import weave
from ..errors import AuthorError, BadInput, unless
from ..judge import steps
from ..whole_files import filed
from .terminal import complain, say, short

PUBLISHED = "PUBLISHED.txt"  # in a folder that `grader publish` made


def build_notebooks(
    lesson: Annotated[str | None, typer.Argument(help="Only this one.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Only say which are out of date.")] = False,
) -> int:
    """Make notebooks/ from kernels/."""
    from ..classroom import handing_out

    # A lesson that its author has to fix keeps no other from being made.
    sound, alone = [], course.pages_alone() if lesson is None else ()
    broken = {
        page.parent.name: f"A lesson needs an exercises.py, and beside {authors.shown(page)} there "
        "is none."
        for page in alone
    }
    complain(*broken.values())
    wanted = course.names() if lesson is None else (course.full_name(lesson),)
    for name in wanted:
        try:
            one = course.lesson(name)
            weave(one)
            for path in () if check else (*steps.write(one), *steps.write_faults(one)):
                say(f"made {short(path)}")
            steps.require_no_oversight(one)
            sound.append(one)
        except AuthorError as error:
            broken[name] = str(error)
            complain(str(error))
    left = {*broken, *(handing_out.known() - {*wanted} if lesson else ())}
    if not check:
        here = open_course(own(CONFIG))
        say(*(f"made {short(path)}" for path in handing_out.build(here, left=left)))
        complain(
            *(said for one in sound for said in handing_out.unvaried(here, one)),
            *(said for one in sound for said in authors.left_over(one.path)),
            # Said above already, perhaps a page of names ago.
            *(f"The notebook of {name} is as it was: {why}" for name, why in broken.items()),
        )
        return 1 if broken else 0
    differences = [
        *handing_out.differences(left=left),
        *(
            f"{one.name}/{path.name}: out of date."
            for one in sound
            for path in (*steps.stale(one), *steps.stale_faults(one))
        ),
    ]
    if differences:
        complain(*differences, "Make them again with `grader build`, and commit them.")
    return 1 if differences or broken else 0


def new_lesson(
    lesson: Annotated[
        str | None,
        typer.Argument(
            help="The lesson's name, like 20_histogram. Without it, only a course of the public "
            "lessons is made."
        ),
    ] = None,
) -> None:
    """Make a lesson that works, for you to change.

    It makes the folder of --course a course, if it is none."""
    if begin(course.KERNELS.parent, lesson is None) or lesson is None:
        say(f"{own(CONFIG).parent} is a course; {CONFIG.name} describes it")
    if lesson is None:
        return
    kernels = own(open_course().kernels)
    folder = authors.write_lesson(lesson, kernels)
    steps.write(course.lesson(lesson, kernels))
    steps.write_faults(course.lesson(lesson, kernels))
    say(
        f"{short(folder)} is a lesson that works as it stands: change its files, then",
        "run `grader build` for its notebook; docs/authoring.md has every field, fence and rule",
    )


def preview_lesson(
    lesson: str,
    port: Annotated[int, typer.Option(help="Where the browser finds it.")] = 8890,
) -> None:
    """Show a lesson in the browser, and refresh it when you save."""
    from ..classroom import lecture

    kernels = open_course().kernels
    name = course.full_name(lesson, kernels)
    say(f"http://localhost:{port} shows {name}, and again when you save a file; Ctrl-C stops it")
    lecture.serve_preview(name, kernels, port)


def publish(
    folder: Annotated[Path, typer.Argument(help="To make or to renew, for learners.")],
) -> None:
    """Write the course without its solutions.

    check() works there."""
    # Into a folder that is such a course already, or has nothing in it that can be seen.
    unless(
        (folder / PUBLISHED).is_file() or not list(folder.glob("[!.]*")),
        BadInput(f"{short(folder)} holds something else: name a folder of its own."),
    )
    for stale in ("kernels", "notebooks"):
        shutil.rmtree(folder / stale, ignore_errors=True)
    for name, content in catalogue.course_files(course.KERNELS.parent):
        filed(folder / name, content)
    filed(folder / PUBLISHED, "Made by `grader publish`: without solutions, and without a class.\n")
    say(f"{short(folder)} is the course without solutions; `grader --course` takes it")


# ---- what the cases of each exercise meet of what it promises, and what not ----


def cases(
    what: Annotated[str, typer.Argument(help="LESSON or LESSON/NAME; by default all.")] = "",
    write: Annotated[bool, typer.Option("--write", help="Choose launches for what lacks.")] = False,
) -> int:
    """List the launches that an exercise promises and no case tries.

    A class is a kind of launch; pairs of classes count, too."""
    name, _, exercise = what.partition("/")
    unmet = 0
    for lesson in [course.lesson(course.full_name(name))] if name else list(course.lessons()):
        exercises = [lesson.exercise(exercise)] if exercise else list(lesson.exercises)
        if write:
            say(f"wrote {_written(lesson, exercises)}")
            lesson = course.lesson(lesson.name)
            exercises = [lesson.exercise(one.name) for one in exercises]
        unmet += sum(_shown(one) for one in exercises)
    return 1 if unmet else 0


def _written(lesson: Lesson, exercises: list[Exercise]) -> Path:
    """Choose the launches anew that the exercises lack."""
    rows = chosen.kept(lesson.path)
    for exercise in exercises:
        try:
            rows[exercise.name] = chosen.choose(exercise)
        except rules.RuleError as error:
            say(f"{exercise.id}: {error}.")
    path = own(lesson.path.parent) / lesson.name / chosen.FILE
    path.write_text(
        chosen.text({one.name: rows[one.name] for one in lesson.exercises if rows.get(one.name)}),
        encoding="utf-8",
    )
    return path


def _shown(exercise: Exercise) -> int:
    """Print it of one exercise; how many classes and pairs its cases do not meet."""
    if not exercise.rules:
        say(f"{exercise.id}: {exercise.kind.promise}")
        return 0
    without = [
        case.name
        for case in exercise.cases
        if (made := chosen.of_case(case)) is not None and not made.rows
    ]
    say(*(f"{exercise.id}: the case {name!r} has no launch" for name in without))
    unmet = len(without)
    for met in classes.met(exercise, classes.drawn(exercise)):
        alone, alone_met, pairs, pairs_met = met.counts()
        unmet += alone + pairs - alone_met - pairs_met
        say(
            f"{exercise.id}, {met.rule.kernel}: {alone_met} of {alone} classes and "
            f"{pairs_met} of {pairs} pairs are met",
            *(f"    not met: {sentence}" for sentence in met.told()),
        )
    return unmet
