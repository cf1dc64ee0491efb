"""When a lesson is due for whom, how late somebody was, and how many late days that took."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from .coursefile import CourseFile
from .policy import DAY


@dataclass(frozen=True)
class HandIn:
    """One learner's hand-in of a lesson, with its points and the most there are; `when` in UTC,
    None if unknown."""

    lesson: str
    when: datetime | None
    score: float
    most: float


@dataclass(frozen=True)
class Standing:
    """How a hand-in stands: when it was due, seconds late, days of the budget spent on it, and what
    is left to be charged, in seconds. `penalty`: the points off by the course file; None where that
    has no policy for the lesson."""

    due: datetime | None
    late: float
    spent: int
    charged: float
    penalty: float | None


def due(file: CourseFile, lesson: str, learner: str) -> datetime | None:
    """When it is due for a learner: an extension goes before the section's date, and that before
    the lesson's. For a team it is due when it is for the last of its members."""
    plan = file.plan(lesson)
    if plan.due is None:
        return None
    return max(
        plan.extensions.get(one) or plan.sections.get(file.person(one).section) or plan.due
        for one in {*file.team(lesson, learner), learner}
    )


def standings(
    file: CourseFile, learner: str, handed_in: Iterable[HandIn]
) -> Iterator[tuple[HandIn, Standing]]:
    """How each of a learner's hand-ins stands, in the order in which the lessons were due. Late
    days are spent in that order, and only where they save points."""
    left = file.late_days
    first_due = sorted(
        handed_in, key=lambda one: (file.plan(one.lesson).due or datetime.max, one.lesson)
    )
    for one in first_due:
        standing = _standing(file, learner, one, left)
        left -= standing.spent
        yield one, standing


def _standing(file: CourseFile, learner: str, one: HandIn, left: int) -> Standing:
    when, policy = due(file, one.lesson, learner), file.plan(one.lesson).late
    if when is None or one.when is None:
        return Standing(when, 0.0, 0, 0.0, None if policy is None else 0.0)
    late = max(0.0, (one.when - when).total_seconds())
    if policy is None:  # what it costs is nbgrader's plug-in's to say
        spent = min(left, math.ceil(late / DAY))
        return Standing(when, late, spent, max(0.0, late - spent * DAY), None)
    # The fewest days that save the most points.
    costs = [
        policy.penalty(max(0.0, late - days * DAY), one.score, one.most)
        for days in range(min(left, math.ceil(late / DAY)) + 1)
    ]
    spent = costs.index(min(costs))
    return Standing(when, late, spent, max(0.0, late - spent * DAY), costs[spent])
