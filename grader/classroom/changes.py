"""changes.jsonl: every change of every mark, who made it, when, and why, one JSON object a line. It
is only ever added to, but for a lesson's new name, which `grader rename` puts into its lines. What
marks are now is compared with the last lines about them, so that also what was changed in
formgrader is in it, once `grader autograde` or `feedback` has looked."""

from __future__ import annotations

import getpass
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

from ..course.weave import CHECK
from . import verdicts
from .export import Mark, marks
from .files import whole
from .folder import CourseFolder

FILE = "changes.jsonl"
LATENESS = "lateness"  # stands where an exercise's name would

State = dict[tuple[str, str], "Known"]  # by learner and exercise


@dataclass(frozen=True)
class Known:
    """A mark at one time. `parts` names what it hangs on (see `batch`)."""

    score: float
    most: float
    by_hand: bool
    parts: str


@dataclass(frozen=True)
class Change:
    """`what` is an exercise, or LATENESS, whose points are below 0; `before` None: the first."""

    when: str
    who: str
    learner: str
    lesson: str
    what: str
    before: float | None
    after: float
    why: str
    parts: str = ""
    most: float = 0.0
    by_hand: bool = False


def now(course: CourseFolder, lesson: str) -> State:
    """Everybody's marks of a lesson as the gradebook has them."""
    with course.gradebook() as gradebook:
        found = list(marks(gradebook, lesson))
    parts: dict[str, str] = {}
    state: State = {}
    for mark in found:
        if mark.learner not in parts:
            place = course.path("autograded", lesson, mark.learner)
            parts[mark.learner] = verdicts.fingerprint(place)
        known = parts[mark.learner]
        by_hand = mark.by_hand is not None
        state[mark.learner, _name(mark)] = Known(mark.score, mark.most, by_hand, known)
        state[mark.learner, LATENESS] = Known(0.0 - (mark.penalty or 0.0), 0.0, False, known)
    return state


def between(lesson: str, before: State, after: State) -> Iterator[Change]:
    """What changed, and why, by learner and exercise."""
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    for (learner, what), new in sorted(after.items()):
        old = before.get((learner, what))
        if old is None and what == LATENESS and not new.score:
            continue
        if old is None or (old.score, old.most) != (new.score, new.most):
            why = _why(what, old, new)
            score = old.score if old else None
            kept = (new.parts, new.most, new.by_hand)
            yield Change(when, _who(), learner, lesson, what, score, new.score, why, *kept)


def record(course: CourseFolder, lesson: str, why: str = "") -> list[Change]:
    """Add to the log what is new since its last lines about the lesson; returns that. `why` is said
    of all of it where it is known."""
    new = between(lesson, last(course, lesson), now(course, lesson))
    found = [replace(one, why=why or one.why) for one in new]
    if found:
        lines = "".join(json.dumps(asdict(one)) + "\n" for one in found)
        with (course.root / FILE).open("a", encoding="utf-8") as log:
            log.write(lines)
            log.flush()
            os.fsync(log.fileno())
    return found


def read(course: CourseFolder, lesson: str) -> Iterator[Change]:
    """The log's lines about a lesson, oldest first; one that was torn is passed over."""
    path = course.root / FILE
    if not path.is_file():
        return
    with path.open(encoding="utf-8", errors="replace") as log:
        for line in log:
            with suppress(ValueError, TypeError):
                change = Change(**json.loads(line))
                if change.lesson == lesson:
                    yield change


def rename(course: CourseFolder, old: str, new: str) -> None:
    """Give a lesson's lines its new name, all at once."""
    path = course.root / FILE
    if path.is_file():
        lines = path.read_text(encoding="utf-8", errors="replace")
        whole(path, lines.replace(f'"lesson": {json.dumps(old)}', f'"lesson": {json.dumps(new)}'))


def last(course: CourseFolder, lesson: str) -> State:
    """The marks as the log has them."""
    return {
        (one.learner, one.what): Known(one.after, one.most, one.by_hand, one.parts)
        for one in read(course, lesson)
    }


def _why(what: str, old: Known | None, new: Known) -> str:
    """In words for whoever reads it."""
    if old is None:
        return "graded" if what != LATENESS else "late"
    if what == LATENESS and old.parts == new.parts:
        return "due date, policy or extension changed"
    if new.by_hand or old.by_hand:
        return "marked by hand"
    changed = verdicts.differing(old.parts, new.parts)
    reasons = dict.fromkeys(_REASONS[name] for name in changed if name in _REASONS)
    if old.most != new.most:  # which is more than that the lesson's files changed
        reasons.pop(_REASONS["lesson"], None)
        reasons[f"points changed: {old.most:g} before, {new.most:g} now"] = None
    return "; ".join(reasons) or "regraded"


_REASONS = {
    "submission": "handed in again",
    "stamp": "handed in again",
    "lesson": "the lesson's cases or points changed",
    "judge": "the judge changed",
    "secret": "the course's secret changed",
}


def _name(mark: Mark) -> str:
    return mark.cell.removeprefix(CHECK)


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a user without a name
        return "unknown"
