"""One person's work under two logins, put together under the one that is on the roster.

The course file remembers the other login first; then the gradebook is changed in one transaction,
then folder after folder. So whoever is stopped in between gives the same command again.
"""

from __future__ import annotations

from datetime import datetime

from nbgrader.api import Gradebook, SubmittedAssignment

from . import ClassroomError, changes, counting, coursefile, lateness, nearest
from .batch import alone
from .coursefile import CourseFile, changed, table
from .folder import CourseFolder
from .second_logins import PUT_ASIDE, STEPS, move_folders


def join(course: CourseFolder, other: str, learner: str, later: bool = False) -> list[str]:
    """Move what was handed in as `other` to `learner`, and remember that both are one. Returns the
    lessons. Where both handed in a lesson it is a ClassroomError and nothing is moved or, with
    `later`, what was handed in later counts and the other is put aside."""
    file = coursefile.read(course)
    _require_one_of_the_roster(file, other, learner)
    with alone(course):
        with course.gradebook() as gradebook:
            lessons = _lessons(course, gradebook, other)
            if not lessons and other not in file.learners[learner].also:
                raise ClassroomError(f"Nobody has handed in anything as {other!r}.")
            both = [name for name in lessons if _meet(course, gradebook, name, other, learner)]
            newer = {name for name in lessons if _is_newer(course, gradebook, name, other, learner)}
            if both and not later:
                raise ClassroomError(
                    f"{other} and {learner} both handed in {', '.join(both)}, so nothing was "
                    f"moved. With --later what was handed in later counts; the other is put into "
                    f"{course.root.name}/{PUT_ASIDE}."
                )
            _remember(course, file, other, learner)
            _move_marks(gradebook, other, learner, newer)
        for name in lessons:
            move_folders(course, name, other, learner, name in newer)
            changes.record(course, name, why=f"handed in as {other}")
        lateness.apply(course)
    return lessons


def _require_one_of_the_roster(file: CourseFile, other: str, learner: str) -> None:
    if other in file.learners:
        raise ClassroomError(f"{other} is on the roster, and so is another person.")
    if learner not in file.learners:
        meant = nearest.nearest(learner, dict.fromkeys(file.learners, ()))
        raise ClassroomError(
            f"{learner} is not on the roster"
            + (f"; the nearest name is {meant}." if meant else ".")
        )


def _lessons(course: CourseFolder, gradebook: Gradebook, login: str) -> list[str]:
    """The lessons of which there is anything under this login."""
    found = {one.assignment.name for one in _marked(gradebook, login).values()}
    found |= {path.name for step in STEPS for path in (course.root / step / login).glob("*")}
    return sorted(found)


def _marked(gradebook: Gradebook, login: str) -> dict[str, SubmittedAssignment]:
    """By lesson, what the gradebook has under this login."""
    found = gradebook.db.query(SubmittedAssignment).filter_by(student_id=login)
    return {one.assignment.name: one for one in found}


def _meet(
    course: CourseFolder, gradebook: Gradebook, lesson: str, other: str, learner: str
) -> bool:
    """Whether both handed in a lesson, or have marks of it."""
    handed_in = [course.path("submitted", lesson, login).is_dir() for login in (other, learner)]
    marked = [lesson in _marked(gradebook, login) for login in (other, learner)]
    return all(handed_in) or all(marked)


def _is_newer(
    course: CourseFolder, gradebook: Gradebook, lesson: str, other: str, learner: str
) -> bool:
    """Whether what counts is the other's: its folder, or without folders its marks, are later."""

    def when(login: str) -> tuple[bool, bool, datetime]:
        folder = course.path("submitted", lesson, login)
        mark = _marked(gradebook, login).get(lesson)
        at = counting.handed_in_at(folder) or (mark and mark.timestamp) or datetime.min
        return folder.is_dir(), mark is not None, at

    ours, theirs = when(learner), when(other)
    if ours[0] == theirs[0] and (ours[0] or ours[1] == theirs[1]):
        return theirs[2] > ours[2]
    return theirs > ours


def _remember(course: CourseFolder, file: CourseFile, other: str, learner: str) -> None:
    """That what is handed in as `other` from now on is this learner's, and its extensions."""
    with changed(course) as document:
        also = {*file.learners[learner].also, other}
        document["learners"][learner]["also"] = sorted(also)
        for name in file.lessons:
            extensions = table(document, "lessons", name).get("extensions", {})
            if other in extensions:
                extensions.setdefault(learner, extensions.pop(other))


def _move_marks(gradebook: Gradebook, other: str, learner: str, newer: set[str]) -> None:
    """All marks, in one transaction; of a lesson that both have, those that count."""
    ours, theirs = _marked(gradebook, learner), _marked(gradebook, other)
    student = gradebook.update_or_create_student(learner)
    for lesson, marked in theirs.items():
        lost = marked if lesson in ours and lesson not in newer else ours.get(lesson)
        if lost is not None:
            for notebook in list(lost.notebooks):
                for row in (*notebook.grades, *notebook.comments):
                    gradebook.db.delete(row)
                gradebook.db.delete(notebook)
            gradebook.db.delete(lost)
        if lost is not marked:
            gradebook.db.flush()
            marked.student = student
    gradebook.db.flush()
    for gone in [one for one in gradebook.students if one.id == other]:
        gradebook.db.delete(gone)
    gradebook.db.commit()
