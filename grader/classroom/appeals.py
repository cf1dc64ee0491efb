"""Learners' requests for a regrade, and their answers. There is one file for each learner and
exercise, appeals/LEARNER/LESSON/EXERCISE.json, so at most one request of these is open. An answer
is a comment in nbgrader's gradebook, and another mark is a mark by hand there."""

from dataclasses import replace
from functools import cache, partial

import msgspec
from nbgrader.api import Comment, SolutionCell, SubmittedAssignment

from ..course import Lesson
from ..errors import LearnerError, counted, unless
from ..learner.editions import IN_EXCHANGE, Appeal, checked, read_appeal
from ..whole_files import filed
from . import ClassroomError, changes, collecting, coursefile, export, renaming
from .folder import CourseFolder, alone


def collect(course: CourseFolder) -> list[collecting.Graded]:
    """Take in what lies in the exchange, and what somebody has put into appeals/LEARNER. Returns
    whose requests were refused and put aside, with the reasons."""
    renaming.settle(course, IN_EXCHANGE)
    refused = list(collecting.put_aside(course, IN_EXCHANGE))
    arrived = {
        path: path.parent.name
        for path in sorted(course.root.glob(f"{renaming.APPEALS}/*/[!.]*"))
        if not path.is_dir()
    } | {path: learner for path, (learner, _) in course.inbound(IN_EXCHANGE).items()}
    with course.gradebook() as gradebook:
        marks = cache(partial(export.by_learner, gradebook))
        for path, learner in arrived.items():
            try:
                appeal = read_appeal(path)
                name, lesson = appeal.exercise, appeal.lesson
                unless(
                    _mark(marks(lesson).get(learner, []), name),
                    LearnerError(f"The gradebook has no mark for {name!a:.60} in {lesson!a:.60}."),
                )
                place = course.path(renaming.APPEALS, lesson, learner) / f"{name}.json"
                unless(
                    not place.exists()
                    or (known := read_appeal(place)).answer
                    or known == replace(appeal, answer=""),  # by a command that was killed
                    LearnerError(f"An earlier request about {name} in {lesson} is still open."),
                )
            except LearnerError as error:
                collecting.hide(path, "refused")
                refused.append(
                    collecting.Graded(learner, {}, (f"{error} This request is put aside.",))
                )
            else:
                filed(place, msgspec.json.encode(replace(appeal, answer="")))
                path.unlink(missing_ok=True)
    return refused


def queue(course: CourseFolder) -> list[tuple[str, str, Appeal, export.ExerciseRow | None]]:
    """All requests: open ones first, and of these the oldest first. Each with its learner, its
    lesson, and the mark as the gradebook has it now (None: it is gone)."""
    with course.gradebook() as gradebook:
        return sorted(
            (
                (learner, lesson, read_appeal(path), _mark(marks.get(learner, []), path.stem))
                for lesson in sorted(each.name for each in gradebook.assignments)
                for marks in [export.by_learner(gradebook, lesson)]
                for learner in course.learners(renaming.APPEALS, lesson)
                for path in sorted(
                    course.path(renaming.APPEALS, lesson, learner).glob("[!.]*.json")
                )
            ),
            key=lambda one: (bool(one[2].answer), one[2].at),
        )


def answer(
    course: CourseFolder,
    learner: str,
    lesson: Lesson,
    exercise: str,
    text: str,
    points: float | None,
) -> None:
    """Answer an open request of a learner, for all of a team, with another mark unless `points` is
    None. ClassroomError if there is none, or not so many points."""
    from . import grading  # here, as nbgrader's preprocessors take long to import

    said, most = checked(text), lesson.exercise(exercise).points
    unless(
        points is None or 0 <= points <= most,
        ClassroomError(f"{exercise} has {counted(most, 'point')}: give from 0 to {most:g}."),
    )
    place = course.path(renaming.APPEALS, lesson.name, learner) / f"{exercise}.json"
    with alone(course):
        unless(
            place.exists() and not (appeal := read_appeal(place)).answer,
            ClassroomError(f"{learner} has no open request about {exercise} in {lesson.name}."),
        )
        team = coursefile.read(course).team(lesson.name, learner)
        why = f"Answer to a regrade request: {said}"
        with course.gradebook() as gradebook:
            comments = [
                comment
                for _, _, comment in export.of_cells(
                    gradebook, lesson.name, Comment, SolutionCell, Comment
                ).filter(SolutionCell.name == exercise, SubmittedAssignment.student_id.in_(team))
            ]
            # A command that was killed has said it, and may have changed the mark.
            again = any((one.manual_comment or "").endswith(why) for one in comments)
            for one in () if again else comments:
                one.manual_comment = "\n\n".join(filter(None, (one.manual_comment, why)))
            gradebook.db.commit()
        before = changes.record(course, lesson.name, why=why if again else "")
        decided = {(mate, exercise): points for mate in team if points is not None}
        grading.settle(course, lesson.name, before, decided, why)
        filed(place, msgspec.json.encode(replace(appeal, answer=said)))


def _mark(marks: list[export.ExerciseRow], exercise: str) -> export.ExerciseRow | None:
    """The one for this exercise."""
    return next((mark for mark in marks if mark.exercise == exercise), None)
