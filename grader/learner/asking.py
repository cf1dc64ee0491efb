"""Requests for a regrade: a learner says why a mark should be another one. A request is a small
file of its own. What was handed in, and when, stays as it is.
"""

import secrets
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec

from ..course import Lesson
from ..cuda.errors import encodable, visible
from ..errors import LearnerError, unless
from ..submissions.intake import regular_file, shown
from ..whole_files import filed, whole
from . import editions

FOLDER = "appeals"  # in a learner's folder, and in an instructor's course
IN_EXCHANGE = "grader.appeal"  # in the place of a lesson's name, so that no lesson collects it
LONGEST_TEXT = 2000  # characters


@dataclass(frozen=True)
class Appeal:
    """A request, and its answer."""

    lesson: str
    exercise: str
    why: str
    at: Annotated[str, msgspec.Meta(pattern=r"\A\d{4}-\d\d-\d\d \d\d:\d\d\Z")]  # UTC
    answer: str = ""  # an instructor's; empty: the request is open


def ask(root: Path, lesson: Lesson, exercise: str, why: str) -> tuple[Path, bool, bool]:
    """Write a request into the learner's folder `root` and, if the lesson came through an exchange
    of nbgrader's, put it there. Returns the file, True if it is in the exchange, and True if there
    was an earlier request."""
    name, now = lesson.exercise(exercise).name, datetime.now(UTC)
    path = root / FOLDER / f"{lesson.name}.{name}.json"
    content = msgspec.json.encode(Appeal(lesson.name, name, checked(why), f"{now:%Y-%m-%d %H:%M}"))
    shelves, is_again = editions.exchange(lesson.name), path.exists()
    if shelves:
        from nbgrader.utils import get_username

        # Named as nbgrader names what is handed in; as there, a random end keeps others out.
        sent = shelves / (
            f"inbound/{get_username()}+{IN_EXCHANGE}+{now:%Y-%m-%d %H:%M:%S.%f} UTC"
            f"+{secrets.token_urlsafe(9)}"
        )
        whole(sent, content)
        sent.chmod(0o644)
    filed(path, content)
    return path, bool(shelves), is_again


def checked(text: str) -> str:
    """The text of a request or of an answer as it is kept, with a mark in place of each unseen
    character. LearnerError if it is empty or too long."""
    kept = visible(encodable(text)).strip()
    unless(kept, LearnerError("The text is empty: write at least one sentence."))
    unless(
        len(kept) <= LONGEST_TEXT,
        LearnerError(
            f"The text has {len(kept):,} characters. Shorten it to at most {LONGEST_TEXT:,}."
        ),
    )
    return kept


def read(path: Path) -> Appeal:
    """The request in a file, which a learner may have written in any way. LearnerError if it is
    none."""
    try:
        appeal = msgspec.json.decode(regular_file(path, 16 * LONGEST_TEXT), type=Appeal)
    except (OSError, ValueError):
        raise LearnerError(f"{shown(path.name)} is no request for a regrade.") from None
    return replace(appeal, why=checked(appeal.why))
