"""The verdict on the answer to a question: no compiler and no worker, as nothing is run."""

from ..course import Exercise
from ..course.kinds import NOT_RIGHT, WrittenQuestion
from ..cuda.errors import Message, visible
from ..errors import AuthorError, LearnerError, unless
from ..status import Status
from .verdict import CaseResult, Verdict

CASE = "the answer"
NO_ANSWER = "There is no answer yet."
LATER = "The answer is kept. The marks of the lesson show whether it is right."


def judged(exercise: Exercise, kind: WrittenQuestion, source: str, hidden: bool) -> Verdict:
    """The verdict on `source`, the text of the answer's cell. Without `hidden` it tells no more
    than the lesson lets a learner know before the marks."""
    status, said = Status.NOT_ATTEMPTED, NO_ANSWER
    # Characters that nobody sees come along when people copy.
    if answer := kind.written(visible(source).replace("\N{REPLACEMENT CHARACTER}", "")):
        fault = kind.fault("") if kind.key else ""  # the author's, and not this answer's
        unless(not fault, AuthorError(f"{exercise.id}: {exercise.source} {fault}."))
        try:
            status, said = kind.marked(kind.read(answer))
            if status in (Status.PASSED, Status.WRONG_ANSWER) and not (hidden or kind.feedback):
                status, said = Status.KEPT, LATER
        except LearnerError as error:
            status, said = Status.WRONG_ANSWER, str(error)
    right = status == Status.PASSED
    points = exercise.points if right else 0.0
    case = CaseResult(CASE, True, status, points, exercise.points, note=said if right else "")
    is_open = status == Status.KEPT or kind.by_hand
    return Verdict(
        exercise=exercise.id,
        points=points,
        max_points=exercise.points,
        status=status,
        message="" if right else said,
        cases=() if is_open else (case if right else case.saying(Message(said or NOT_RIGHT)),),
        kind=kind.name,
    )
