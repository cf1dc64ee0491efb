"""An instructor's week in one go: a class hands in every kernel the course knows, right and wrong.

Each learner fetches the released notebook, fills it in and hands it in through nbgrader's own
exchange. One submits the solution, one the blank, and one for each typical mistake, which that
learner makes in one exercise and in no other.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from .. import course
from ..course import Lesson
from ..weave import cuda_cell, text
from . import batch, collecting, feedback, intake
from .collecting import Graded
from .folder import CourseFolder, new_course
from .release import release

ROOT = course.KERNELS.with_name("build") / "demo"

Answers = dict[str, str]  # CUDA source by exercise; an exercise left out stays blank


def run(root: Path, kernels: Path, track: batch.Track) -> dict[str, list[Graded]]:
    """The whole week in `root`, which is emptied first. Returns, by lesson, what everybody got."""
    shutil.rmtree(root, ignore_errors=True)
    here = new_course(root, kernels)
    lessons = course.lessons(kernels)
    for lesson in track(lessons, description="releasing"):
        release(here, lesson)
    graded = {lesson.name: _teach(here, lesson, track) for lesson in lessons}
    feedback.export(here)
    return graded


def _teach(here: CourseFolder, lesson: Lesson, track: batch.Track) -> list[Graded]:
    """One lesson, from the learners' answers to their feedback."""
    people = classmates(lesson)
    for learner in track(people, description=f"{lesson.name}: handing in"):
        hand_in(here, lesson, learner, people[learner])
    collecting.collect(here, lesson.name)
    graded = batch.autograde(here, lesson.name, list(people), track=track)
    feedback.write_all(here, lesson.name, list(people), track)
    return graded


def classmates(lesson: Lesson) -> dict[str, Answers]:
    """Learner by learner, what they answer."""
    solved = {exercise.name: lesson.solution(exercise) for exercise in lesson.exercises}
    mistaken = {
        wrong.path.stem: solved | {wrong.exercise: wrong.path.read_text()}
        for wrong in lesson.wrong_kernels
    }
    return {"solution": solved, "blank": {}, **mistaken}


def hand_in(here: CourseFolder, lesson: Lesson, learner: str, answers: Answers) -> None:
    """Fetch the lesson as `learner`, write the answers into its cells, submit it."""
    with here.gradebook() as gradebook:  # else formgrader calls everybody "None, None"
        spoken = learner.replace("_", " ")
        gradebook.update_or_create_student(learner, first_name=spoken, last_name="Demo")
    home = here.root / "learners" / learner
    home.mkdir(parents=True, exist_ok=True)
    here.run(here.exchange.FetchAssignment, lesson.name, learner, assignment_dir=str(home))
    path = home / lesson.name / f"{lesson.name}.ipynb"
    notebook = intake.read_notebook(path)
    for cell in notebook.cells:
        name = intake.grade_id(cell)
        if name in answers:
            cell.source = cuda_cell(name, answers[name])
    path.write_text(text(notebook))
    here.run(here.exchange.Submit, lesson.name, learner, assignment_dir=str(home))
