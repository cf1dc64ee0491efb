"""Logins that are not on the roster, each with the learner who may be meant."""

from __future__ import annotations

from collections.abc import Iterable

from nbgrader.api import Gradebook, Student

from ..counted import counted
from .coursefile import CourseFile
from .nearest import nearest

MOST_NAMED = 5  # each in a sentence of its own


def sentences(file: CourseFile, gradebook: Gradebook, learners: Iterable[str]) -> list[str]:
    """What to say of those among `learners` who are not on the roster; nothing without a roster."""
    strangers = file.off_roster(learners)
    if not strangers:
        return []
    students = {one.id: one for one in gradebook.students}
    handed_in = {one.id for one in students.values() if one.submissions}
    known = {name: _spellings(students.get(name)) for name in file.learners}
    waiting = {name: known[name] for name in known if name not in handed_in}
    said = []
    for login in strangers[:MOST_NAMED]:
        # Who has handed in nothing yet is the likelier one.
        meant = nearest(login, waiting) or nearest(login, known)
        said.append(f"{login} is not on the roster.{_offer(login, meant, meant in waiting)}")
    if others := strangers[MOST_NAMED:]:
        said.append(
            f"{counted(len(others), 'more login')} are not on the roster: {', '.join(others)}. If "
            "the roster has other ids than the logins, `grader roster FILE --id COLUMN` takes them "
            "from another column."
        )
    return said


def _offer(login: str, meant: str, waits: bool) -> str:
    if not meant:
        return " No name there is like it."
    nothing = ", who has handed in nothing" if waits else ""
    return (
        f" The nearest name there is {meant}{nothing}: if they are one person, "
        f"`grader roster --same {login}={meant}` moves the work."
    )


def _spellings(student: Student | None) -> list[str]:
    """What a learner's login could be made of."""
    if student is None:
        return []
    first, last, email = student.first_name or "", student.last_name or "", student.email or ""
    return [email, first + last, last + first, first[:1] + last, last + first[:1]]
