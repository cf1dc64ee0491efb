"""What a learner gets back: the notebook as it was graded, as a page, and the class's grades."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable
from functools import cache
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

from nbgrader.api import (
    Assignment,
    Comment,
    Gradebook,
    SolutionCell,
    SubmittedAssignment,
    SubmittedNotebook,
)

from .. import course as lessons
from ..submissions.submission import HANDED_IN, note
from . import ClassroomError, changes, coursefile, deadlines, feedback_page, shown_marks
from .batch import Track
from .export import NOT_HANDED_IN, GradesExporter
from .export import rows as rows_of
from .feedback_page import Shown
from .files import whole
from .folder import CourseFolder

CACHE_KEY = "cache_key.txt"  # beside a page: a name for the notebook and the marks that it shows


def write_all(
    course: CourseFolder, lesson: str, learners: list[str], track: Track, solutions: bool = False
) -> int:
    """Make the pages that are missing or show what is no longer so, with our `solutions` or
    without. Returns how many."""
    shown = _shown(course, lesson, learners, solutions)
    keys = {name: _key(course, lesson, name, shown[name]) for name in learners}
    late = [name for name in learners if _made_of(course, lesson, name) != keys[name]]
    for learner in track(late, description=f"{lesson}: feedback", total=len(late)):
        _write(course, lesson, learner, shown[learner], keys[learner])
    return len(late)


def write(course: CourseFolder, lesson: str, learner: str, solutions: bool = False) -> Path:
    """Make a learner's feedback page anew, and return where it is in the course."""
    shown = _shown(course, lesson, [learner], solutions)[learner]
    key = _key(course, lesson, learner, shown)
    return _write(course, lesson, learner, shown, key)


def _write(course: CourseFolder, lesson: str, learner: str, shown: Shown, key: str) -> Path:
    """Put the page also where nbgrader lets that learner, and nobody else, fetch it. The `key` is
    kept for `write_all`."""
    graded, place = (course.path(step, lesson, learner) for step in ("autograded", "feedback"))
    if place.exists():  # another grader's page may have brought files along
        shutil.rmtree(place)
    place.mkdir(parents=True)
    shown_marks.keep(course, lesson, learner)
    whole(place / f"{lesson}.html", feedback_page.page(course, lesson, learner, shown))
    for name in HANDED_IN:
        if text := note(graded / name):
            (place / name).write_text(text, encoding="utf-8")
    # Only what came through the exchange has both.
    if all((place / name).is_file() for name in HANDED_IN):
        course.run(course.exchange.ReleaseFeedback, lesson, learner)
    (place / CACHE_KEY).write_text(key, encoding="utf-8")
    return place / f"{lesson}.html"


def export(course: CourseFolder) -> Path:
    """Every grade of the course as CSV, as plain `nbgrader export` writes them."""
    path = course.root / "grades.csv"
    with course.gradebook() as gradebook:
        GradesExporter(config=course.config, to=str(path)).export(gradebook)
    return path


def _made_of(course: CourseFolder, lesson: str, learner: str) -> str:
    """What a learner's page was made of; empty when there is no page."""
    place = course.path("feedback", lesson, learner)
    made = (place / f"{lesson}.html").is_file() and (place / CACHE_KEY).is_file()
    return (place / CACHE_KEY).read_text(encoding="utf-8", errors="replace") if made else ""


def _key(course: CourseFolder, lesson: str, learner: str, shown: Shown) -> str:
    """A name for everything that a page shows, and for how it is made."""
    digest = hashlib.sha256((repr(shown) + _pages()).encode())
    for path in sorted(course.path("autograded", lesson, learner).glob("*")):
        if path.is_file():
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@cache
def _pages() -> str:
    """The files that a page is made by."""
    template = Path(feedback_page.__file__).parent / "pages/feedback.html"
    made_by = (Path(feedback_page.__file__), template)
    return hashlib.sha256(b"".join(path.read_bytes() for path in made_by)).hexdigest()


def _shown(
    course: CourseFolder, lesson: str, learners: list[str], solutions: bool
) -> dict[str, Shown]:
    """By learner, what the page shows beside the notebook. ClassroomError where somebody has no
    marks."""
    file, about = coursefile.read(course), lessons.lesson(lesson, course.kernels)
    kinds = {one.name: one.kind for one in about.exercises}
    ours = {one.name: one.solution for one in about.exercises if solutions and one.solved}
    with course.gradebook() as gradebook:
        rows = _by_learner(rows_of(course, gradebook, lesson), attrgetter("learner"))
        comments = _by_learner(_comments(gradebook, lesson), itemgetter(0))
    changed = _by_learner(changes.read(course, lesson), attrgetter("learner"))
    optional = tuple(sorted(file.plan(lesson).optional))
    found = {}
    for learner in learners:
        mine = tuple(row for row in rows.get(learner, ()) if row.status != NOT_HANDED_IN)
        if not mine:
            raise ClassroomError(
                f"{learner}'s {lesson} is graded, but the gradebook has no marks of it: put "
                f"back a copy of gradebook.db, or run `grader autograde {lesson}`."
            )
        said: dict[str, tuple[str, ...]] = {}
        for _, exercise, text in comments.get(learner, ()):
            said[exercise] = (*said.get(exercise, ()), text)
        due = deadlines.due(file, lesson, learner)
        lines = changed.get(learner, [])
        again, by_hand = tuple(changes.shown(lines)), {one.what: one for one in lines}
        whom = {name: one.who for name, one in by_hand.items() if one.by_hand}
        told = f"{file.local(due)} {file.zone}" if due else ""
        found[learner] = Shown(about.title, kinds, mine, said, again, told, optional, ours, whom)
    return found


def _by_learner(found: Iterable[Any], learner: Callable[[Any], str]) -> dict[str, list[Any]]:
    grouped: dict[str, list[Any]] = {}
    for one in found:
        grouped.setdefault(learner(one), []).append(one)
    return grouped


def _comments(gradebook: Gradebook, lesson: str) -> list[tuple[str, str, str]]:
    """Learner, exercise and text of each comment by hand."""
    found: list[tuple[str, str, str]] = (
        gradebook.db.query(
            SubmittedAssignment.student_id, SolutionCell.name, Comment.manual_comment
        )
        .select_from(Comment)
        .join(SolutionCell, SolutionCell.id == Comment.cell_id)
        .join(SubmittedNotebook, SubmittedNotebook.id == Comment.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .filter(Assignment.name == lesson, Comment.manual_comment.isnot(None))
        .all()
    )
    return found
