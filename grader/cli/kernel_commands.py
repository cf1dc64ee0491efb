"""`grader check | prove | profile | messages | vary`: what there is to judge or to measure in a
file, what to say where there is nothing, all that is said of a kernel, and exercises drawn anew.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from .. import compilers, course
from ..course import variants
from ..course_folder import WARPWISE
from ..cuda.errors import CudaError, visible
from ..errors import BadInput, counted, unless
from ..judge import Limits, judge, sizes, small_changes
from ..judge.beside import Beside, beside
from ..judge.judging import WHILE_SOMEBODY_WAITS
from ..judge.verdict import CaseResult, Checked, EverySize, Report
from ..learner import progress
from ..profiler import profile as profiling
from ..status import DONE, Status
from ..submissions.intake import as_typed, cuda_source, find, read_answers
from ..whole_files import read_text
from . import terminal

_LESSON_CELL = re.compile(
    r"""^\s*lesson\(\s*["']([^"'\n]+)["']\s*(,\s*partial_marks=False\s*)?"""
    r"""(?:,\s*variants=["'](\w+)["']\s*)?\)""",
    re.MULTILINE,
)

_TEXT = re.compile(r'\s*("(?:[^"\\]|\\.)*"),?\s*')  # a line of a JSON file, one text of a list


def messages() -> None:
    """Print every message about a kernel, each with an example."""
    typer.echo((WARPWISE / "docs" / "messages.md").read_text(encoding="utf-8"))


# ---- check ----


@dataclass(frozen=True)
class CheckedAnswer(Checked):
    """One exercise of a file, with what is shown of it at a terminal."""

    shown: str = ""  # the source, as its lines are shown beside the verdict
    beside: Beside | None = None  # the lesson's own kernel, beside one that passed
    standing: course.Standing | None = None  # in the contest for the cheapest, if there is one
    search: Callable[[], str] = str  # for the place of a mistake

    @property
    def passed(self) -> bool:
        verdict = self.verdict
        return verdict is not None and verdict.status in DONE and not self.problem


def check(
    file: Annotated[Path, typer.Argument(help="A .cu file, or a lesson's notebook.")],
    exercise: Annotated[
        str | None,
        typer.Option(
            metavar="LESSON/NAME",
            help="The exercise that a .cu file answers, or the only one to judge in a notebook.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print verdicts as JSON.")] = False,
    github: Annotated[bool, typer.Option("--github", help="Annotate for GitHub Actions.")] = False,
    hint: Annotated[
        bool,
        typer.Option(
            "--hint",
            help="Say what to look at next, what our kernel does, and where one small change makes "
            "the kernel right.",
        ),
    ] = False,
) -> int:
    """Judge a kernel, or every answer in a notebook.

    The exit status is 0 if all passed."""
    checked = _checked(file, exercise, course.KERNELS)
    if github or progress.is_fetched(file.stem, file.parent):  # others may still hand in
        checked = [
            replace(one, beside=one.beside and replace(one.beside, changes=())) for one in checked
        ]
    terminal.complain(*(one.problem for one in checked if one.problem))
    if as_json:
        report = Report(tuple(Checked(one.exercise, one.problem, one.verdict) for one in checked))
        typer.echo(json.dumps(report.to_dict(), indent=2))
    else:
        for answer in checked:
            _show(Console(), answer, hint)
    if github:
        for line in workflow_commands(file, checked):
            typer.echo(line)
    return 0 if all(one.passed for one in checked) else 1


def _show(console: Console, answer: CheckedAnswer, hint: bool) -> None:
    if answer.verdict:
        terminal.show_verdict(console, answer.verdict, answer.shown, hint)
    if said := answer.search() if hint else "":
        console.print(Text.assemble((small_changes.TITLE, "bold"), f": {said}"))
    if answer.beside:
        terminal.show_beside(console, answer.beside)
    if standing := answer.standing:
        console.print(
            Text(
                f"In the contest: {standing.sectors:.2f} times the fewest sectors and "
                f"{standing.instructions:.2f} times the fewest instructions that a kernel can need."
            )
        )


def _checked(path: Path, exercise_id: str | None, root: Path) -> list[CheckedAnswer]:
    """Judge the notebook at `path` as an answer to its lesson, or to one exercise of it; or the .cu
    file there as an answer to the exercise "lesson/name". CourseError when nothing can be judged,
    NotInCourse where there is no such exercise."""
    if path.suffix == ".ipynb":
        return _check_notebook(path, exercise_id, root)
    exercise, source = _answered(path, exercise_id, root)
    lesson = course.lesson(exercise.id.partition("/")[0], root, compilers.chosen_name())
    return [_judged(lesson, exercise.name, source, source)]


def _answered(path: Path, exercise_id: str | None, root: Path) -> tuple[course.Exercise, str]:
    """The exercise that a .cu file answers, and the file's text."""
    which = BadInput(f"Say which exercise {path} answers: --exercise LESSON/NAME.")
    return course.exercise(unless(exercise_id, which), root), read_text(path)


def _check_notebook(path: Path, wanted: str | None, root: Path) -> list[CheckedAnswer]:
    notebook = read_answers(path)
    code = (cell.source for cell in notebook.cells if cell.cell_type == "code")
    call = unless(
        next(filter(None, map(_LESSON_CELL.search, code)), None),
        BadInput(f'{path}: no cell says which lesson this is, as lesson("02_name") does.'),
    )
    unless(
        call[1] in course.names(root)
        or "'exam': True" not in str(notebook.metadata.get("warpwise")),
        BadInput(
            f"check does not work in an exam: `grader submit {call[1]}` hands {path.name} in."
        ),
    )
    lesson = course.lesson(call[1], root, compilers.chosen_name())
    lesson = variants.mine(lesson, call[3]) if call[3] else lesson
    only = wanted and lesson.exercise(wanted.rpartition("/")[2]).name
    return [
        _judged(
            lesson,
            answer.name,
            answer.source,
            as_typed(answer.source, answer.name),
            answer.problem,
            partial_marks=call[2] is None,  # else a named fault leaves no part of the points
        )
        if answer.source is not None
        else CheckedAnswer(f"{lesson.name}/{answer.name}", answer.problem, None)
        for answer in find(notebook, [exercise.name for exercise in lesson.exercises])
        if only in (None, answer.name)
    ]


def _judged(
    lesson: course.Lesson,
    name: str,
    source: str,
    shown: str,
    problem: str = "",
    partial_marks: bool = True,
) -> CheckedAnswer:
    """The verdict on a source; on one that passed with the lesson's own kernel beside it."""
    exercise, contest = lesson.exercise(name), lesson.contest(name)
    root = lesson.path.parent
    verdict = judge(
        variants.asked(exercise),
        source,
        root=root,
        limits=WHILE_SOMEBODY_WAITS,
        # A question has no cases, and tells what its lesson lets a learner know before the marks.
        hidden=bool(exercise.cases),
        partial_marks=partial_marks,
    )
    answer = CheckedAnswer(
        exercise.id,
        problem,
        verdict,
        shown,
        search=partial(small_changes.place_of_mistake, exercise, source, verdict, root),
    )
    return (
        replace(
            answer,
            beside=beside(verdict, shown, exercise),
            standing=contest.standing(verdict.contest) if contest else None,
        )
        if answer.passed
        else answer
    )


# ---- verdicts as GitHub's annotations, on the learner's own lines of the file ----

# The form is that of GitHub's *Workflow commands for GitHub Actions*, escaped as its toolkit does
# (actions/toolkit, packages/core/src/command.ts).


def workflow_commands(path: Path, checked: list[CheckedAnswer]) -> Iterator[str]:
    """A line for each exercise that did not pass, and for what is wrong with the file."""
    text = path.read_text(encoding="utf-8")
    for answer in checked:
        if answer.problem:
            yield _command("warning", path, None, answer.exercise, answer.problem)
        if answer.verdict is None or answer.verdict.status in DONE:
            continue
        verdict = answer.verdict.for_learner().while_open()
        line = verdict.line and line_in_file(path, text, cuda_source(answer.shown), verdict.line)
        yield _command(
            "notice" if verdict.status == Status.NOT_ATTEMPTED else "error",
            path,
            line or None,
            f"{answer.exercise}: {verdict.points:g} of {counted(verdict.max_points, 'point')}",
            verdict.message or verdict.status.replace("_", " "),
        )


def line_in_file(path: Path, text: str, source: str, line: int) -> int | None:
    """Where line `line` of the CUDA `source` stands in its file, from 1. In a notebook as Jupyter
    writes it each line of a cell is one of the file; None where it is written in another way."""
    if path.suffix != ".ipynb":
        return line
    for cell in json.loads(text)["cells"]:
        lines = "".join(cell["source"]).splitlines(keepends=True)
        if cuda_source("".join(lines)) == source:
            read = [
                json.loads(found[1]) if found else None
                for found in map(_TEXT.fullmatch, text.splitlines())
            ]
            starts = range(len(read) - len(lines) + 1 if line <= len(lines) else 0)
            return next(
                (start + line for start in starts if read[start : start + len(lines)] == lines),
                None,
            )
    return None


_IN_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PARAMETER = _IN_MESSAGE | str.maketrans({":": "%3A", ",": "%2C"})


def _command(kind: str, path: Path, line: int | None, title: str, message: str) -> str:
    file, heading = (text.translate(_IN_PARAMETER) for text in (str(path), title))
    return (
        f"::{kind} file={file}{f',line={line}' if line else ''},title={heading}::"
        f"{message.translate(_IN_MESSAGE)}"
    )


# ---- prove ----


def prove(
    what: Annotated[str, typer.Argument(help="A .cu file, or a lesson whose solutions to prove.")],
    exercise: Annotated[
        str | None,
        typer.Option(metavar="LESSON/NAME", help="The exercise that a .cu file answers."),
    ] = None,
    seconds: Annotated[float, typer.Option(help="For each exercise.")] = 10,
) -> int:
    """Search for sizes that break a kernel, or prove there are none.

    A proof says: every access is in bounds, there is no race, and no thread is missing at a barrier
    or a shuffle. The exit status is 1 if a launch breaks the kernel."""
    broken = False
    for line, wrong in proved(what, exercise, seconds, course.KERNELS):
        typer.echo(visible(line))
        broken |= wrong
    return 1 if broken else 0


def proved(
    what: str, exercise_id: str | None, seconds: float, root: Path
) -> Iterator[tuple[str, bool]]:
    """A sentence for each kernel that was looked at, and whether a launch breaks it. `what` is a
    .cu file that answers `exercise_id`, or a lesson, whose solutions are looked at. CourseError
    when nothing can be."""
    if Path(what).suffix != ".cu":
        lesson = course.lesson(course.full_name(what, root), root)
        pairs = [(exercise, lesson.solution(exercise)) for exercise in lesson.exercises]
    else:
        pairs = [_answered(Path(what), exercise_id, root)]
    limits = replace(Limits(), reasoning=seconds, reasoning_seconds=3 * seconds)
    for exercise, source in pairs:
        if not exercise.rules:
            yield f"{exercise.id}: not decided: the exercise states no rule.", False
        else:
            known, broken = sizes.reasoned(exercise, source, limits)
            yield f"{exercise.id}: {_said(known, broken)}", known.outcome == "counterexample"


def _said(known: EverySize, broken: CaseResult | None) -> str:
    """What is known of a kernel at every size, with what a proof rests on."""
    if known.outcome == "counterexample":
        return f"a size that breaks it. {broken.message if broken else known.why}"
    if known.outcome == "proved":
        assumed = "".join(f"\n  - {one}" for one in known.assumes)
        return f"proved for every size. {sizes.MEANS} {sizes.ASSUMES}{assumed}"
    lines = ", ".join(map(str, known.lines))
    return f"not decided: {known.why}." + (f" Not excluded: lines {lines}." if lines else "")


# ---- profile ----


def profile(
    file: Annotated[Path, typer.Argument(help="A .cu file.")],
    kernel: Annotated[str | None, typer.Option(help="If the file has several.")] = None,
    grid: Annotated[str | None, typer.Option(metavar="X,Y,Z", help="Blocks.")] = None,
    block: Annotated[str | None, typer.Option(metavar="X,Y,Z", help="Threads per block.")] = None,
    shared: Annotated[int, typer.Option(help="Bytes of dynamic shared memory.")] = 0,
    arg: Annotated[
        list[str] | None,
        typer.Option(help="float:1000 | zeros:int:256 | out:float:4 | int=1000, in order."),
    ] = None,
    exercise: Annotated[
        str | None, typer.Option(metavar="LESSON/NAME", help="Launch as its first case does.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every counter as JSON.")] = False,
) -> int:
    """Count what a kernel costs, line by line, on the simulated GPU."""
    try:
        work = (
            profiling.work_of_exercise(file, exercise, course.KERNELS)
            if exercise
            else profiling.work_of_file(file, (kernel, grid, block, shared, arg or []))
        )
        counters = profiling.simulate(work).counters
    except CudaError as error:
        print(error, file=sys.stderr)
        return 1
    if as_json:
        print(profiling.as_json(work, counters))
    else:
        terminal.show_profile(Console(), work, counters)
    return 0


# ---- vary ----


def vary(
    what: Annotated[str, typer.Argument(help="LESSON, for a list, or LESSON/NAME.")],
    seed: Annotated[int, typer.Option(help="Which variant; each number is one.")] = 0,
    every: Annotated[bool, typer.Option("--list", help="List them.")] = False,
    solved: Annotated[bool, typer.Option("--solution", help="Show its solution.")] = False,
) -> None:
    """Show an exercise drawn anew, its arrays in other layouts."""
    name, _, exercise = what.partition("/")
    lesson = course.lesson(course.full_name(name))
    for one in [lesson.exercise(exercise)] if exercise else lesson.exercises:
        if exercise and not every:
            drawn = variants.vary(one, seed)
            terminal.say(
                f"%%cuda {drawn.name}", drawn.solution if solved else lesson.handed_out(drawn)
            )
        else:
            known = variants.variants(one)
            terminal.say(
                f"{one.id}: {counted(len(known), 'variant')}", *(f"  {each}" for each in known)
            )
