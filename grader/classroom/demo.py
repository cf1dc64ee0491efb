"""An instructor's week in one go: a class hands in every kernel the course knows, right and wrong.

Each learner fetches the released notebook, fills it in and hands it in through nbgrader's own
exchange. One submits the solution, one the blank, and one for each typical mistake, which that
learner makes in one exercise and in no other.
"""

import shutil
from pathlib import Path

from .. import course
from ..course.weave import grade_id, learners_cell, text
from ..submissions.intake import cuda_source, read_notebook
from . import batch, collecting, feedback, handing_out
from .folder import CourseFolder, new_course
from .judges import ToJudge, Track, VerdictStore, judges


def run(root: Path, lesson: course.Lesson, track: Track) -> list[collecting.Graded]:
    """The whole week of one lesson in `root`, which is emptied first. Returns what everybody
    got."""
    shutil.rmtree(root, ignore_errors=True)
    here = new_course(root, lesson.path.parent)
    handing_out.release(here, lesson)
    people = classmates(lesson)
    for learner in track(people, description=f"{lesson.name}: handing in"):
        hand_in(here, lesson, learner, people[learner])
    collecting.collect(here, lesson.name)
    with judges(confined=False) as workers:  # the answers are ours
        graded = batch.autograde(here, lesson.name, list(people), workers, track)
    feedback.write_all(here, lesson.name, list(people), track, feedback.TO_ALL)
    feedback.export(here)
    return graded


def present(
    lesson: course.Lesson, root: Path, track: Track, brief: bool = False
) -> handing_out.Presentation:
    """In `root`, the lesson's notebook and slides, with every typical mistake and its diagnosis,
    or, `brief`, with one of each exercise and without what is no part of a lecture."""
    first = {wrong.exercise: wrong for wrong in reversed(lesson.wrong_kernels)}
    store = VerdictStore(root / "verdicts", lesson.path.parent)
    asked = {
        wrong: ToJudge(
            f"{lesson.name}/{wrong.exercise}",
            cuda_source(learners_cell(wrong.exercise, wrong.source)),
            seed=0,
        )
        for wrong in (first.values() if brief else lesson.wrong_kernels)
    }
    with judges(confined=False) as workers:  # they are ours
        workers.ask(store, store.unsettled(asked.values()), track, f"{lesson.name}: mistakes")
    return handing_out.write(
        lesson,
        [handing_out.Mistake(wrong, store.verdict(asked[wrong]).for_learner()) for wrong in asked],
        root / lesson.name,
        brief,
    )


def classmates(lesson: course.Lesson) -> dict[str, dict[str, str]]:
    """Learner by learner, what they answer: CUDA source by exercise; one left out stays blank."""
    solved = {exercise.name: lesson.solution(exercise) for exercise in lesson.exercises}
    return {"solution": solved, "blank": {}} | {
        wrong.name: solved | {wrong.exercise: wrong.source} for wrong in lesson.wrong_kernels
    }


def hand_in(
    here: CourseFolder, lesson: course.Lesson, learner: str, answers: dict[str, str]
) -> None:
    """Fetch the lesson as `learner`, write the answers into its cells, submit it."""
    with here.gradebook() as gradebook:  # else formgrader calls everybody "None, None"
        gradebook.update_or_create_student(
            learner, first_name=learner.replace("_", " "), last_name="Demo"
        )
    home = here.root / "learners" / learner
    home.mkdir(parents=True, exist_ok=True)
    here.run(here.exchange.FetchAssignment, lesson.name, learner, assignment_dir=str(home))
    path = home / lesson.name / f"{lesson.name}.ipynb"
    notebook = read_notebook(path)
    for cell in notebook.cells:
        if (name := grade_id(cell)) in answers:
            cell.source = learners_cell(name, answers[name])
    path.write_text(text(notebook), encoding="utf-8")
    here.run(here.exchange.Submit, lesson.name, learner, assignment_dir=str(home))
