"""From a lesson's folder to what learners get: woven, stripped by nbgrader, published; and
notebooks/, which is made from kernels/ and from nothing else."""

import difflib
import json
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions

from .. import course as lessons
from ..counted import counted
from ..course.weave import cuda_cell, learners_cell, text, weave, weave_page
from ..course_folder import NOTEBOOKS
from ..errors import AuthorError
from ..submissions.cells import cuda_source
from ..submissions.intake import checks, grade_id
from ..whole_files import filed
from . import ClassroomError, coursefile
from .folder import CourseFolder, new_course, seed
from .judges import Judges, ToJudge, VerdictStore, judges

PAGES = "pages"  # the folder beside the lessons with what is only to be read
SHOWN_LINES = 8  # of a difference
LONGEST = 200  # characters of what the judge says of a lesson's own solution

Resources = dict[str, Any]  # nbconvert's, which each step may add to


class HandOut(ClearSolutions):
    """The step at which nbgrader makes the learner's notebook of the solved one: each exercise's
    cell as its kind hands it out. A notebook that is no lesson's is cleared of solutions as
    nbgrader does it."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        if "lesson" not in nb.metadata.get("warpwise", {}):
            cleared: tuple[NotebookNode, Resources] = super().preprocess(nb, resources)
            return cleared
        kernels = Path(self.config.JudgeAnswers.get("kernels", lessons.KERNELS))
        lesson = lessons.lesson(nb.metadata.warpwise.lesson, kernels)
        names = {exercise.name for exercise in lesson.exercises}
        for cell in nb.cells:
            if (name := grade_id(cell)) in names:
                cell.source = cuda_cell(name, lesson.handed_out(lesson.exercise(name)))
        return nb, resources


def release(course: CourseFolder, lesson: lessons.Lesson) -> None:
    """Enter `lesson` in the gradebook and publish the learner's version through the exchange,
    once its own solution has got full marks."""
    with judges(confined=False) as workers:
        require_solved(course, lesson, workers)
    generate(course, lesson)
    course.run(course.exchange.ReleaseAssignment, lesson.name, force=True)


def require_solved(course: CourseFolder, lesson: lessons.Lesson, workers: Judges) -> None:
    """Before a lesson is handed out or graded: AuthorError with the first case that its own
    solution of an exercise fails, as then an input, a reference or a budget is wrong, and
    everybody's mark would be. A verdict that is in the store costs nothing."""
    verdicts, seed_of = store(course), seeds(course, lesson)
    questions = [  # as a learner would hand it in: both are judged but once
        ToJudge(
            f"{lesson.name}/{exercise.name}",
            cuda_source(learners_cell(exercise.name, lesson.solution(exercise))),
            seed_of[exercise.name],
        )
        for exercise in lesson.exercises
    ]
    workers.ask(verdicts, verdicts.unsettled(questions))
    for exercise, question in zip(lesson.exercises, questions, strict=True):
        for case in verdicts.verdict(question).cases:
            if case.status != "passed" or case.points < case.max_points:
                said = " ".join(case.message.split())[:LONGEST].rstrip(".")
                raise AuthorError(
                    f"The lesson's own solution of {question.exercise} fails the case "
                    f"{case.name!r} ({case.status.replace('_', ' ')}: {said}), so everybody's "
                    f"would: fix kernels/{lesson.name}/exercises.py or {exercise.source}; nothing "
                    "was handed out or graded."
                )


def store(course: CourseFolder) -> VerdictStore:
    """The course's verdicts."""
    partial_marks = coursefile.read(course).partial_marks
    return VerdictStore(course.root / "verdicts", course.kernels, partial_marks)


def points(file: coursefile.CourseFile, lesson: lessons.Lesson) -> dict[str, float]:
    """The most that each exercise adds to the lesson's maximum: nothing where course.toml calls it
    optional or extra credit. ClassroomError when it names one that the lesson has not."""
    outside = file.plan(lesson.name).outside
    names = [exercise.name for exercise in lesson.exercises]
    if strange := outside - set(names):
        raise ClassroomError(
            f"{coursefile.FILE}: lessons.{lesson.name} speaks of an exercise {min(strange)!r}; the "
            f"lesson has {', '.join(names)}."
        )
    return {
        exercise.name: 0.0 if exercise.name in outside else float(exercise.points)
        for exercise in lesson.exercises
    }


def generate(course: CourseFolder, lesson: lessons.Lesson) -> None:
    """build/source: the solved notebook. build/release: the learner's, stripped by nbgrader,
    which replaces that folder, and entered in the gradebook."""
    coursefile.settle(course)
    file = coursefile.read(course)
    notebook, worth = weave(lesson, file.partial_marks), points(file, lesson)
    for name, cell in checks(notebook.cells).items():
        cell.metadata.nbgrader["points"] = worth[name]
    filed(course.notebook("source", lesson.name), text(notebook))
    course.run(GenerateAssignment, lesson.name, force=True)


def seeds(course: CourseFolder, lesson: lessons.Lesson) -> dict[str, int]:
    """The official seed of each exercise in this course: its hidden cases are drawn from it."""
    secret_file = Path(course.config.JudgeAnswers.secret_file)
    names = sorted(exercise.name for exercise in lesson.exercises)
    return {name: seed(secret_file, f"{lesson.name}/{name}") for name in names}


# --- notebooks/ ----------------------------------------------------------------------------------


def known(kernels: Path = lessons.KERNELS, notebooks: Path = NOTEBOOKS) -> set[str]:
    """The names, without their endings, of all notebooks that there are or that can be made."""
    files = (*notebooks.glob("*.ipynb"), *(kernels / PAGES).glob("*.md"))
    return {*lessons.names(kernels), *(file.stem for file in files)}


def build(
    folder: CourseFolder, notebooks: Path = NOTEBOOKS, left: Collection[str] = ()
) -> list[Path]:
    """Make every lesson's and page's notebook but those that are `left` as they are, and delete
    those of lessons that are gone. Returns what was made; a notebook that no lesson ever made is
    left alone."""
    notebooks.mkdir(exist_ok=True)
    made = dict(_made(folder, left))
    for name, content in made.items():
        (notebooks / name).write_text(content, encoding="utf-8")
    for stray in _strays(notebooks, made, left):
        stray.unlink()
    return [notebooks / name for name in made]


def differences(
    kernels: Path = lessons.KERNELS, notebooks: Path = NOTEBOOKS, left: Collection[str] = ()
) -> list[str]:
    """For each notebook that is not what `kernels` makes, but for those that are `left` out: its
    name and the first differences. Works in a folder of its own and changes nothing."""
    with tempfile.TemporaryDirectory(prefix="warpwise-build-") as scratch:
        made = dict(_made(new_course(Path(scratch), kernels), left))
    changed = [_difference(notebooks / name, content) for name, content in made.items()]
    strays = [f"{path.name}: no lesson makes it." for path in _strays(notebooks, made, left)]
    return [*filter(None, changed), *strays]


def _made(folder: CourseFolder, left: Collection[str]) -> Iterator[tuple[str, str]]:
    """File name and content of each learner's notebook, lessons first, the gradebook left alone."""
    folder = folder.configured(
        SaveCells={"enabled": False}, GenerateAssignment={"no_database": True}
    )
    for name in lessons.names(folder.kernels):
        if name not in left:
            generate(folder, lessons.lesson(name, folder.kernels))
            released = folder.notebook("release", name)
            yield released.name, text(nbformat.read(released, as_version=4))
    for page in sorted((folder.kernels / PAGES).glob("*.md")):
        if page.stem not in left:
            yield f"{page.stem}.ipynb", text(weave_page(page))


def _strays(notebooks: Path, made: Collection[str], left: Collection[str]) -> list[Path]:
    """Notebooks that a lesson once made and none makes any more."""
    return [
        path
        for path in sorted(notebooks.glob("*.ipynb"))
        if path.name not in made
        and path.stem not in left
        and '"warpwise"' in path.read_text(errors="replace", encoding="utf-8")
    ]


def _difference(path: Path, made: str) -> str:
    """The name of a notebook and the first lines in which it is not what was `made`; empty if it
    is."""
    if not path.is_file():
        return f"{path.name}: missing."
    committed = path.read_text(encoding="utf-8", errors="replace")
    if committed == made:
        return ""
    lines = list(difflib.unified_diff(_lines(committed), _lines(made), n=0, lineterm=""))
    changed = [line for line in lines[2:] if not line.startswith("@@")]
    if not changed:
        return f"{path.name}: the cells' text is right, but ids, metadata or outputs are not."
    shown = changed[:SHOWN_LINES]
    if len(changed) > SHOWN_LINES:
        shown.append(f"... and {counted(len(changed) - SHOWN_LINES, 'more line')}")
    return "\n    ".join([f"{path.name} (- as committed, + as its sources make it):", *shown])


def _lines(notebook: str) -> list[str]:
    """The lines of all cells; the file's own lines when it is no notebook."""
    try:
        cells = json.loads(notebook)["cells"]
        return [line for cell in cells for line in "".join(cell["source"]).split("\n")]
    except (ValueError, KeyError, TypeError):
        return notebook.split("\n")
