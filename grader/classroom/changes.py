"""changes.jsonl: every change of every mark, who made it, when, and why, one JSON object a line. It
is only ever added to, but for a lesson's new name, which `grader rename` puts into its lines. What
marks are now is compared with the last lines about them, so that also what was changed in
formgrader is in it, once `grader autograde` or `feedback` has looked."""

from __future__ import annotations

import getpass
import json
import os
from collections.abc import Iterable, Iterator
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
    """A mark at one time, None where the answer could not be judged. `parts` names what it hangs on
    (see `batch`)."""

    score: float | None
    most: float
    by_hand: bool
    parts: str


@dataclass(frozen=True)
class Change:
    """`what` is an exercise, or LATENESS, whose points are below 0. `before` None: there was no
    mark yet; `after` None: the answer could not be judged."""

    when: str
    who: str
    learner: str
    lesson: str
    what: str
    before: float | None
    after: float | None
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
        if old is None and what == LATENESS:
            if not new.score:
                continue
            if any(known == learner for known, _ in before):  # who was in time until now
                old = Known(0.0, 0.0, False, new.parts)
        if old is None or (old.score, old.most) != (new.score, new.most):
            why = _why(what, old, new)
            score = old.score if old else None
            kept = (new.parts, new.most, new.by_hand)
            yield Change(when, _who(), learner, lesson, what, score, new.score, why, *kept)


def record(course: CourseFolder, lesson: str, before: State | None = None, why: str = "") -> State:
    """Add to the log what is new since `before`, by default since its last lines about the lesson;
    `why` is said of all of it where it is known. Returns what marks are now."""
    state = now(course, lesson)
    new = between(lesson, last(course, lesson) if before is None else before, state)
    found = [replace(one, why=why or one.why) for one in new]
    if found:
        lines = "".join(json.dumps(asdict(one)) + "\n" for one in found)
        with (course.root / FILE).open("a", encoding="utf-8") as log:
            log.write(lines)
            log.flush()
            os.fsync(log.fileno())
    return state


def totals(state: State) -> dict[str, float | None]:
    """By learner the mark of the lesson, lateness taken off; None where something in it could not
    be judged."""
    scores: dict[str, list[float | None]] = {}
    for (learner, _), known in state.items():
        if known.score is not None or known.most:
            scores.setdefault(learner, []).append(known.score)
    return {
        learner: None if None in found else max(0.0, sum(one or 0.0 for one in found))
        for learner, found in scores.items()
    }


def shown(lines: Iterable[Change]) -> list[Change]:
    """Of one learner's lines those that tell of a mark that became another one."""
    found, seen = [], set[str]()
    for one in lines:
        if one.what == LATENESS and one.before is None and seen:  # as they were written once
            one = replace(one, before=0.0)
        if (one.what in seen or one.before is not None) and one.before != one.after:
            found.append(one)
        seen.add(one.what)
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
    if new.score is None:
        return "could not be judged"
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
