"""Before a lesson is handed out or graded: does its own solution get full marks? Where it does not,
an input, a reference or a budget is wrong, and everybody's mark would be."""

from __future__ import annotations

from ..course import Exercise, Lesson
from ..course.weave import learners_cell
from ..errors import AuthorError
from ..judge import Verdict
from ..submissions.cells import cuda_source
from .judges import Judges
from .store import Question, Store

LONGEST = 200  # characters of what the judge says


def prove(store: Store, lesson: Lesson, seeds: dict[str, int], judges: Judges) -> None:
    """AuthorError with the first case that the solution of an exercise fails. `seeds` are what the
    class's hidden cases are drawn from; a verdict that is in the store costs nothing."""
    asked = {one.name: _question(lesson, one, seeds[one.name]) for one in lesson.exercises}
    new = [question for question in asked.values() if not store.settled(question)]
    for _ in judges.ask(store, new):
        pass
    for exercise in lesson.exercises:
        _require_full_marks(lesson, exercise, store.verdict(asked[exercise.name]))


def _question(lesson: Lesson, exercise: Exercise, seed: int) -> Question:
    """The solution as a learner would hand it in, so that both are judged but once."""
    source = cuda_source(learners_cell(exercise.name, lesson.solution(exercise)))
    return Question(f"{lesson.name}/{exercise.name}", source, seed)


def _require_full_marks(lesson: Lesson, exercise: Exercise, verdict: Verdict) -> None:
    for case in verdict.cases:
        if case.status != "passed" or case.points < case.max_points:
            said = " ".join(case.message.split())[:LONGEST].rstrip(".")
            raise AuthorError(
                f"The lesson's own solution of {lesson.name}/{exercise.name} fails the case "
                f"{case.name!r} ({case.status.replace('_', ' ')}: {said}), so everybody's would: "
                f"fix kernels/{lesson.name}/exercises.py or {exercise.source}; nothing was "
                "handed out or graded."
            )
