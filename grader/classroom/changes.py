"""changes.jsonl: every change of every mark, who made it, when, and why, one JSON object a line. It
is only ever added to, but for a lesson's new name, which `grader rename` puts into its lines. What
marks are now is compared with the last lines about them, so that also what was changed in
formgrader is in it, once `grader autograde` or `feedback` has looked."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from ..grouped import grouped
from ..whole_files import whole
from . import rubric, verdicts
from .export import by_learner
from .folder import CourseFolder, user

FILE = "changes.jsonl"
LATENESS = "lateness"  # stands where an exercise's name would

_REASONS = {
    "submission": "handed in again",
    "stamp": "handed in again",
    "lesson": "the lesson's cases or points changed",
    "judge": "the grader changed",
    "secret": "the course's secret changed",
}


@dataclass(frozen=True)
class MarkChange:
    """A line of the log. Of a mark as it is now `when`, `who` and `before` are empty, and so is
    `why` but where a rubric made the mark: they are filled in where it is not what it was."""

    when: str  # UTC
    who: str
    learner: str
    lesson: str
    what: str  # an exercise, or LATENESS, whose points are below 0
    before: float | None  # None: there was no mark yet
    after: float | None  # None: the answer could not be judged
    why: str
    parts: str = ""  # a fingerprint of what the mark depends on (see `grading`)
    most: float = 0.0
    by_hand: bool = False

    @property
    def by_rubric(self) -> bool:
        return self.by_hand and self.why.startswith(rubric.HOW)

    @property
    def by_person(self) -> bool:
        """True if somebody gave it by hand. So it is also where a rubric would give as much."""
        return self.by_hand and not self.by_rubric


State = dict[tuple[str, str], MarkChange]  # by learner and exercise
# By learner and exercise, what somebody has just decided: a mark or, by None, the rubric's.
Decided = Mapping[tuple[str, str], float | None]


def now(
    course: CourseFolder,
    lesson: str,
    decided: Decided = MappingProxyType({}),
    known: State | None = None,
) -> State:
    """Everybody's marks of a lesson as the gradebook has them. `known`: those of the log's last
    lines, by default they are read."""
    with course.gradebook() as gradebook:
        found = by_learner(gradebook, lesson)
    state, accounts = State(), rubric.accounts(course, lesson)
    known = last(course, lesson) if known is None else known
    for learner, mine in found.items():
        late = MarkChange(
            *("", "", learner, lesson, LATENESS),
            before=None,
            after=0.0 - (mine[0].late_penalty or 0.0),
            why="",
            parts=verdicts.fingerprint(course.path("autograded", lesson, learner)),
        )
        for mark in mine:
            name, by_hand = mark.exercise, mark.by_hand is not None
            at, old = (learner, name), known.get((learner, name))
            is_by_hand = (
                decided[at] is not None
                if at in decided
                else old and old.by_person and old.after == mark.score
            )
            why = "" if is_by_hand else rubric.how(accounts.get(at), mark.by_hand)
            state[learner, name] = replace(
                late, what=name, after=mark.score, most=mark.max_score, by_hand=by_hand, why=why
            )
        state[learner, LATENESS] = late
    return state


def between(
    before: State, after: State, decided: Decided = MappingProxyType({})
) -> Iterator[MarkChange]:
    """The changes, and why, by learner and exercise; a decided mark is one, however high it is."""
    when, who = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}", user()
    for (learner, what), new in sorted(after.items()):
        old = before.get((learner, what))
        if old is None and what == LATENESS:
            if not new.after:
                continue
            if any(known == learner for known, _ in before):  # who was in time until now
                old = replace(new, after=0.0)
        is_other = not old or (  # another way to the same mark
            new.why != old.why and (new.why or decided.get((learner, what)) is not None)
        )
        if old is None or is_other or (old.after, old.most) != (new.after, new.most):
            yield replace(
                new, when=when, who=who, before=old.after if old else None, why=_why(old, new)
            )


def _why(old: MarkChange | None, new: MarkChange) -> str:
    """In words for whoever reads it."""
    if old is None or new.why:
        return new.why or ("graded" if new.what != LATENESS else "late")
    if new.what == LATENESS and old.parts == new.parts:
        return "due date, policy or extension changed"
    if new.by_hand or old.by_person:
        return "marked by hand"
    if new.after is None:
        return "could not be judged"
    reasons = dict.fromkeys(
        _REASONS[name] for name in verdicts.differing(old.parts, new.parts) if name in _REASONS
    )
    if old.most != new.most:  # which is more than that the lesson's files changed
        reasons.pop(_REASONS["lesson"], None)
        reasons[f"points changed: {old.most:g} before, {new.most:g} now"] = None
    return "; ".join(reasons) or (f"{rubric.HOW}taken back" if old.by_rubric else "regraded")


def record(
    course: CourseFolder,
    lesson: str,
    before: State | None = None,
    why: str = "",
    decided: Decided = MappingProxyType({}),
) -> State:
    """Add to the log what is new since `before`, by default since its last lines about the lesson;
    `why` is said of all of it where it is known. Returns what marks are now."""
    known = last(course, lesson)
    state = now(course, lesson, decided, known)
    new = [
        replace(line, why=why or line.why)
        for line in between(known if before is None else before, state, decided)
    ]
    if new:
        with (course.root / FILE).open("a", encoding="utf-8") as log:
            log.write("".join(json.dumps(asdict(line)) + "\n" for line in new))
            log.flush()
            os.fsync(log.fileno())
    return state


def totals(state: State) -> dict[str, float | None]:
    """By learner the mark of the lesson, lateness taken off; None where something in it could not
    be judged."""
    return {
        learner: None if None in mine else max(0.0, sum(score or 0.0 for score in mine))
        for learner, mine in grouped(
            (learner, mark.after)
            for (learner, _), mark in state.items()
            if mark.after is not None or mark.most
        ).items()
    }


def shown(lines: Iterable[MarkChange]) -> Iterator[MarkChange]:
    """Those of one learner's lines that tell of a mark that became another one."""
    seen = set[str]()
    for line in lines:
        if line.what == LATENESS and line.before is None and seen:  # as they were written once
            line = replace(line, before=0.0)
        if (line.what in seen or line.before is not None) and line.before != line.after:
            yield line
        seen.add(line.what)


def read(course: CourseFolder, lesson: str) -> Iterator[MarkChange]:
    """The log's lines about a lesson, oldest first."""
    return (line for line in rubric.logged(course.root / FILE, MarkChange) if line.lesson == lesson)


def last(course: CourseFolder, lesson: str) -> State:
    """The last line about each mark."""
    return {(line.learner, line.what): line for line in read(course, lesson)}


def rename(course: CourseFolder, old: str, new: str, *logs: str) -> None:
    """Put `new` in place of `old`, both JSON, in the lines of these logs, in each all at once."""
    for path in filter(Path.is_file, (course.root / log for log in logs)):
        whole(path, path.read_text(encoding="utf-8", errors="replace").replace(old, new))
