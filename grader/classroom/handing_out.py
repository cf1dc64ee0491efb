"""From a lesson's folder to what learners get: woven, stripped by nbgrader, published; and
notebooks/, which is made from kernels/ and from nothing else.

A lesson for the front of a class: its solved notebook with every output, and after it what goes
wrong, mistake by mistake, with the judge's diagnosis; as a notebook and as slides. The slides have
a title page that says what is coming, notes for whoever presents them, and kernels that can be
edited on theirs (see `slides`).
"""

import difflib
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, read, v4
from nbformat.sign import NotebookNotary
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions

from .. import course as lessons
from ..course import WrongKernel, variants
from ..course.kinds import unmarked
from ..course.weave import (
    CUDA,
    cell_id,
    grade_id,
    hand_out,
    learners_cell,
    text,
    weave,
    weave_page,
)
from ..course_folder import CHOICE, NOTEBOOKS, WARPWISE
from ..errors import AuthorError, counted, unless
from ..judge import Verdict
from ..judge.arrangement import is_blank
from ..submissions.intake import checks, cuda_source
from ..whole_files import filed
from . import ClassroomError, coursefile
from .folder import CourseFolder, new_course, seed
from .judges import Judges, ToJudge, VerdictStore, judges

PUBLIC = WARPWISE / "kernels"
PAGES = "pages"  # the folder beside the lessons with what is only to be read
SHOWN_LINES = 8  # of a difference
LONGEST = 200  # characters of what the judge says of a lesson's own solution

Drawn = tuple[tuple[str, str], ...]  # a learner's variants: exercise, and the variant as JSON


class HandOut(ClearSolutions):
    """The step at which nbgrader makes the learner's notebook of the solved one: each exercise's
    cell as its kind hands it out. A notebook that is no lesson's is cleared of solutions as
    nbgrader does it."""

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        if "lesson" not in nb.metadata.get("warpwise", {}):
            return super().preprocess(nb, resources)  # type: ignore[no-any-return]
        lesson = lessons.lesson(nb.metadata.warpwise.lesson, CourseFolder(self.config).kernels)
        hand_out(nb, lesson, {one.name: one for one in lesson.exercises})
        return nb, resources


def release(course: CourseFolder, lesson: lessons.Lesson) -> None:
    """Enter `lesson` in the gradebook and publish the learner's version through the exchange,
    once its own solution has got full marks. An exam is not published: `grader serve` gives it
    out."""
    with judges(confined=False) as workers:
        require_solved(course, lesson, workers)
    generate(course, lesson)
    step = course.exchange.release_assignment
    if coursefile.read(course).plan(lesson.name).service.start is not None:
        # The exchange is made, for what is handed in.
        step = type("ReleaseOfNothing", (step,), {"copy_files": lambda _: None})
    course.run(step, lesson.name, force=True)


def public(lesson: lessons.Lesson) -> list[str]:
    """The exercises of `lesson` that the public course holds, with their solutions."""
    known = [one.solution for each in lessons.lessons(PUBLIC) for one in each.exercises]
    return [
        one.name
        for one in lesson.exercises
        if one.cases and any(is_blank(one.solution, each) for each in known)
    ]


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
    failed = (
        (exercise, case)
        for exercise, question in zip(lesson.exercises, questions, strict=True)
        for case in verdicts.verdict(question).cases
        if case.status != "passed" or case.points < case.max_points
    )
    for exercise, case in failed:
        said = " ".join(case.message.split())[:LONGEST].rstrip(".")
        raise AuthorError(
            f"The lesson's own solution of {exercise.id} fails the case {case.name!r} "
            f"({case.status.replace('_', ' ')}: {said}), so everybody's would: fix "
            f"kernels/{lesson.name}/exercises.py or {exercise.source}; nothing was handed out or "
            "graded."
        )


def store(course: CourseFolder) -> VerdictStore:
    """The course's verdicts."""
    return VerdictStore(
        course.root / "verdicts", course.kernels, coursefile.read(course).partial_marks
    )


def points(file: coursefile.CourseFile, lesson: lessons.Lesson) -> dict[str, float]:
    """The most that each exercise adds to the lesson's maximum: nothing where course.toml calls it
    optional or extra credit. ClassroomError when it names one that the lesson has not."""
    outside = file.plan(lesson.name).outside
    names = [exercise.name for exercise in lesson.exercises]
    unless(
        outside <= {*names},
        ClassroomError(
            f"{coursefile.FILE}: lessons.{lesson.name} speaks of an exercise "
            f"{min(outside - {*names}, default='')!r}; the lesson has {', '.join(names)}."
        ),
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
    worth, is_exam = points(file, lesson), file.plan(lesson.name).service.start is not None
    notebook = weave(
        lesson, file.partial_marks, "" if is_exam else variants_key(course, file, lesson.name)
    )
    for name, cell in checks(notebook.cells).items():
        cell.metadata.nbgrader["points"] = worth[name]
    filed(course.notebook("source", lesson.name), text(notebook))
    course.run(GenerateAssignment, lesson.name, force=True)


def seeds(course: CourseFolder, lesson: lessons.Lesson) -> dict[str, int]:
    """The official seed of each exercise in this course: its hidden cases are drawn from it."""
    return {
        name: seed(course.secret_file, f"{lesson.name}/{name}")
        for name in sorted(exercise.name for exercise in lesson.exercises)
    }


def drawn(course: CourseFolder, file: coursefile.CourseFile, lesson: str, learner: str) -> Drawn:
    """The learner's own variants, where course.toml asks for that."""
    key = variants_key(course, file, lesson)
    return tuple(variants.drawn(course.kernels / lesson, key, learner).items()) if key else ()


def variants_key(course: CourseFolder, file: coursefile.CourseFile, lesson: str) -> str:
    """By which learners get variants of a lesson; empty where all get the same."""
    return (
        f"{seed(course.secret_file, f'{lesson}/variants'):012x}"
        if file.plan(lesson).service.vary
        else ""
    )


def unvaried(course: CourseFolder, lesson: lessons.Lesson) -> list[str]:
    """A sentence on the kernels that are the same for all, where course.toml asks for variants."""
    known = variants.kept(lesson.path)
    names = [one.name for one in lesson.exercises if one.cases and not known.get(one.name)]
    return [
        f"{lesson.name} has vary = true, but there are no variants of {', '.join(names)}: all "
        "learners get the same. docs/authoring.md says how to make some (Variants)."
    ] * bool(names and coursefile.read(course).plan(lesson.name).service.vary)


def notebook_for(course: CourseFolder, lesson: lessons.Lesson, learner: str) -> str:
    """The text of an exam's notebook as it was released, with the learner's own variants."""
    notebook = read(course.notebook("release", lesson.name), as_version=4)
    notebook.metadata.warpwise.exam = True
    mine = dict(drawn(course, coursefile.read(course), lesson.name, learner))
    hand_out(notebook, lesson, {name: variants.own(lesson.exercise(name), mine) for name in mine})
    return text(notebook)


# --- notebooks/ ----------------------------------------------------------------------------------


def known(kernels: Path = lessons.KERNELS, notebooks: Path = NOTEBOOKS) -> set[str]:
    """The names, without their endings, of all notebooks that there are or that can be made."""
    return {
        *lessons.names(kernels),
        *(file.stem for file in notebooks.glob("*.ipynb")),
        *(file.stem for file in (kernels / PAGES).glob("*.md")),
    }


def build(
    folder: CourseFolder, notebooks: Path = NOTEBOOKS, left: Collection[str] = ()
) -> list[Path]:
    """Make every lesson's and page's notebook but those that are `left` as they are, and delete
    those of lessons that are gone. Returns what was made; a notebook that no lesson ever made is
    left alone."""
    made = dict(_made(folder, left))
    for name, content in made.items():
        filed(notebooks / name, content)
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
    return [
        *filter(None, (_difference(notebooks / name, content) for name, content in made.items())),
        *[f"{path.name}: no lesson makes it." for path in _strays(notebooks, made, left)],
    ]


def _made(folder: CourseFolder, left: Collection[str]) -> Iterator[tuple[str, str]]:
    """File name and content of each learner's notebook, lessons first, the gradebook left alone."""
    folder = folder.configured(
        SaveCells={"enabled": False}, GenerateAssignment={"no_database": True}
    )
    for name in (each for each in lessons.names(folder.kernels) if each not in left):
        generate(folder, lessons.lesson(name, folder.kernels))
        released = folder.notebook("release", name)
        yield released.name, text(read(released, as_version=4))
    yield from (
        (f"{page.stem}.ipynb", text(weave_page(page)))
        for page in sorted((folder.kernels / PAGES).glob("*.md"))
        if page.stem not in left
    )


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
    head, left = f"{path.name} (- as committed, + as its sources make it):", changed[SHOWN_LINES:]
    more = [f"... and {counted(len(left), 'more line')}"] if left else []
    return "\n    ".join([head, *changed[:SHOWN_LINES], *more])


def _lines(notebook: str) -> list[str]:
    """The lines of all cells; the file's own lines when it is no notebook."""
    try:
        return [
            line
            for cell in json.loads(notebook)["cells"]
            for line in "".join(cell["source"]).split("\n")
        ]
    except (ValueError, KeyError, TypeError):
        return notebook.split("\n")


PATIENCE = 120  # seconds a cell may take

_WHAT_GOES_WRONG = """\
## What goes wrong: {title}

{count} typical mistakes in `{name}`: what each changes in the solution, and what learners are told.
In the notebook you can run and change them; hidden cases count here, and not when you do."""
_TITLE = """\
# {title}

<div class="title-page">
{exercises}<br>
{minutes}{mistakes} at the end, each with what learners are told<br><br>
<kbd>→</kbd> <kbd>↓</kbd> go on · <kbd>F</kbd> full screen · <kbd>S</kbd> notes and a clock \
<span class="when-live">· <kbd>E</kbd> edit and run the kernel on a slide</span>
</div>"""


@dataclass(frozen=True)
class Mistake:
    """A typical mistake, and the judge's verdict on it as its learner reads it."""

    wrong: WrongKernel
    verdict: Verdict

    @property
    def cell(self) -> str:
        return learners_cell(self.wrong.exercise, self.wrong.source)

    @property
    def source(self) -> str:
        """The source as it was judged: of its cell, by whose lines the verdict goes."""
        return cuda_source(self.cell)

    @property
    def title(self) -> str:
        """The mistake in words; with a capital, unless `x` or `gridDim` comes first."""
        said = self.wrong.mistake
        word = re.match(r"(a|[a-z'-]{2,})\b(?![A-Z(])", said)
        return said[:1].upper() + said[1:] if word else said

    @property
    def ends_in(self) -> str:
        """The verdict in few words."""
        line = f", line {self.verdict.line}" if self.verdict.line else ""
        return self.verdict.status.replace("_", " ") + line


@dataclass(frozen=True)
class Presentation:
    """A lesson's notebook and its slides, and the mistakes they show, exercise by exercise."""

    notebook: Path
    slides: Path
    mistakes: tuple[Mistake, ...]


def write(
    lesson: lessons.Lesson, mistakes: Iterable[Mistake], folder: Path, brief: bool = False
) -> Presentation:
    """Run the solved lesson and write its presentation into `folder`; `brief`: for a lecture, so
    without exercises, folds and the sections for later."""
    from .slides import slides

    folder.mkdir(parents=True, exist_ok=True)
    order = [exercise.name for exercise in lesson.exercises]
    mistakes = tuple(sorted(mistakes, key=lambda mistake: order.index(mistake.wrong.exercise)))
    notebook = solved(lesson, folder)
    notebook.cells = [
        *(_for_a_lecture(notebook.cells) if brief else notebook.cells),
        *_what_goes_wrong(lesson, mistakes),
    ]
    kinds = ", ".join(
        f"{kind} ({number})"
        for kind, number in Counter(each.kind.title for each in lesson.exercises).most_common()
    )
    minutes = sum(exercise.minutes for exercise in lesson.exercises)
    notebook.cells[0].source = _TITLE.format(
        title=lesson.title,
        exercises=escape(f"{counted(len(lesson.exercises), 'exercise')}: {kinds}"),
        minutes=f"They take learners about {counted(minutes, 'minute')}<br>\n" if minutes else "",
        mistakes=counted(len(mistakes), "typical mistake"),
    )
    made = Presentation(
        folder / f"{lesson.name}.ipynb", folder / f"{lesson.name}.slides.html", mistakes
    )
    made.notebook.write_text(text(notebook), encoding="utf-8")
    NotebookNotary().sign(notebook)  # else JupyterLab would hide its outputs' HTML
    _annotate(notebook, lesson, {_diff_id(lesson, mistake): mistake for mistake in mistakes})
    made.slides.write_text(slides(notebook, lesson.title), encoding="utf-8")
    return made


def _for_a_lecture(cells: Iterable[NotebookNode]) -> Iterator[NotebookNode]:
    """The cells that show and explain: learners do and read the others by themselves."""
    wanted = True
    for cell in cells:
        if cell.source.startswith("## "):
            wanted = not cell.source.startswith(("## Going further", "## On your own"))
        cell.source = re.sub(r"<details>.*?</details>\s*", "", cell.source, flags=re.S)
        of_exercise = grade_id(cell) or cell.source.startswith("**What ")  # counts, may be changed
        if wanted and cell.source and not of_exercise:
            yield cell


def changes(lesson: lessons.Lesson, mistake: Mistake) -> list[str]:
    """The lines that the mistake changes in the solution, comments aside, as the lines of a
    diff."""
    ours, theirs = (
        [code for line in source.splitlines() if (code := line.split("//")[0].rstrip())]
        for source in (lesson.solution(lesson.exercise(mistake.wrong.exercise)), mistake.source)
    )
    return [
        "⋮" if line.startswith("@@") else line
        for line in list(difflib.unified_diff(ours, theirs, n=3, lineterm=""))[3:]
    ]


def solved(lesson: lessons.Lesson, folder: Path) -> NotebookNode:
    """The woven notebook, executed in `folder`; AuthorError when a cell cannot be."""
    from nbclient import NotebookClient, exceptions

    notebook = weave(lesson)
    title, set_up = notebook.cells[:2]
    title.source = f"# {lesson.title}"
    set_up.metadata.slideshow = {"slide_type": "skip"}
    for cell in notebook.cells:
        cell.source = unmarked(cell.source)
    try:
        NotebookClient(
            notebook,
            timeout=PATIENCE,
            resources={"metadata": {"path": str(folder)}},
            extra_arguments=["--log-level=ERROR"],
        ).execute(env={**os.environ, CHOICE: str(lesson.path.parents[1])})
    except (exceptions.CellControlSignal, RuntimeError) as error:
        # It is a cell's exception, a time-out or a dead kernel.
        why = (
            f"{error.ename}: {error.evalue}"
            if isinstance(error, exceptions.CellExecutionError)
            else str(error).splitlines()[0]
        )
        raise AuthorError(
            f"A cell of kernels/{lesson.name}/lesson.md cannot be run ({why[:200]})."
        ) from error
    # Buttons without a kernel are but broken links; the question is there as text, and running
    # its cell brings them back.
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            for kind in [kind for kind in output.get("data", ()) if "widget" in kind]:
                del output.data[kind]
        if "outputs" in cell:  # one that was but buttons is none
            cell.outputs = [output for output in cell.outputs if output.get("data") != {}]
    return notebook


def _what_goes_wrong(
    lesson: lessons.Lesson, mistakes: tuple[Mistake, ...]
) -> Iterator[NotebookNode]:
    """For each mistake what it changes; folded, the kernel to run; and the verdict on it."""
    from ..notebook import verdict_card

    folded = {"jupyter": {"source_hidden": True}}
    skipped = {**CUDA, **folded, "slideshow": {"slide_type": "skip"}}
    for exercise in lesson.exercises:
        name = exercise.name
        its = [mistake for mistake in mistakes if mistake.wrong.exercise == name]
        if its:
            heading = _WHAT_GOES_WRONG.format(title=exercise.title, count=len(its), name=name)
            yield v4.new_markdown_cell(heading, id=cell_id(lesson.name, heading))
        for mistake in its:
            shown = [f"### {mistake.title}\n", "```diff", *changes(lesson, mistake), "```"]
            yield from (
                v4.new_markdown_cell("\n".join(shown), id=_diff_id(lesson, mistake)),
                v4.new_code_cell(
                    mistake.cell,
                    id=cell_id(lesson.name, f"%{mistake.wrong.name}"),
                    metadata=skipped,
                ),
            )
            data, metadata = verdict_card.page(
                mistake.verdict, mistake.source, exercise
            )._repr_mimebundle_()
            yield v4.new_code_cell(
                f'check("{name}")',
                id=cell_id(lesson.name, f"?{mistake.wrong.name}"),
                metadata=folded,
                outputs=[v4.new_output("display_data", data, metadata=metadata)],
            )


def _diff_id(lesson: lessons.Lesson, mistake: Mistake) -> str:
    """The id of the cell that shows what a mistake changes."""
    return cell_id(lesson.name, f"-{mistake.wrong.name}")


# --- for whoever presents it ---------------------------------------------------------------------


def _annotate(
    notebook: NotebookNode, lesson: lessons.Lesson, mistakes: Mapping[str, Mistake]
) -> None:
    """Give cells their notes, and those of exercises and of `mistakes` (by the id of the cell that
    shows one) the kernel to edit."""
    from ..learner.recall import prediction

    exercises = {exercise.name: exercise for exercise in lesson.exercises}
    coming = ["What is coming:\n"]
    for cell in notebook.cells:
        name = grade_id(cell)
        if name in exercises:
            cell.metadata.live = {"exercise": name, "source": cell.source}
            cell.metadata.notes = _notes(exercises[name], mistakes)
        elif asked := prediction(cell.source):
            cell.metadata.notes = f"Let them vote first. **{asked.answer}**: {asked.because}"
        elif mistake := mistakes.get(cell.id):
            cell.metadata.live = {"exercise": mistake.wrong.exercise, "source": mistake.cell}
            told = f"{mistake.verdict.message} {mistake.verdict.parts.ours}".rstrip()
            cell.metadata.notes = (
                "Ask before you go on: what goes wrong, and on which line? They are told: "
                f"**{mistake.ends_in}**. {told}"
            )
        lines = cell.source.splitlines() if cell.cell_type == "markdown" else ()
        coming += [f"- {line[3:]}" for line in lines if line.startswith("## ")]
    notebook.cells[0].metadata.notes = "\n".join(coming)


def _notes(exercise: lessons.Exercise, mistakes: Mapping[str, Mistake]) -> str:
    minutes = f", about {counted(exercise.minutes, 'minute')}" if exercise.minutes else ""
    about = (
        f"**{exercise.title}** ({exercise.kind.title}{minutes}, "
        f"{counted(exercise.points, 'point')})"
    )
    its = [mistake for mistake in mistakes.values() if mistake.wrong.exercise == exercise.name]
    return "\n".join(
        [
            f"{about}: {exercise.teaches}" if exercise.teaches else about,
            "",
            *(f"- Hint: {hint}" for hint in exercise.hints),
            *(f"- Mistake: {mistake.title} ({mistake.ends_in})" for mistake in its),
        ]
    )
