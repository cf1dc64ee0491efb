"""The report's figures as numbers: how many in which column, and what made whom fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import mean, median

from ..verdicts import UNREADABLE
from . import winnowing
from .answers import Class, GradedAnswer

COLUMNS = 48  # that fit the page's width
_STEPS = [timedelta(minutes=n) for n in (1, 5, 15, 60, 360, 1440, 7 * 1440, 28 * 1440)]


@dataclass(frozen=True)
class Column:
    """One column of a chart: what it counts, how many, and its label, which may be empty."""

    name: str
    count: int
    label: str


@dataclass(frozen=True)
class Scores:
    """The class's totals in points, lateness taken off; of nobody who has no mark."""

    by_learner: dict[str, float]
    most: float

    @property
    def median(self) -> float:
        return median(self.by_learner.values() or (0.0,))

    @property
    def mean(self) -> float:
        return mean(self.by_learner.values() or (0.0,))

    @property
    def full(self) -> int:
        return sum(score >= self.most for score in self.by_learner.values())

    @property
    def none(self) -> int:
        return sum(score == 0 for score in self.by_learner.values())

    def columns(self) -> list[Column]:
        """Learners by tenths of the points there are, in percent; full marks stand alone."""
        tenths = Counter(
            min(10, max(0, int(10 * score / self.most))) if self.most else 0
            for score in self.by_learner.values()
        )
        names = [f"{10 * k} to {10 * k + 9}" for k in range(10)] + ["100"]
        return [Column(name, tenths[k], name) for k, name in enumerate(names)]


def scores(group: Class) -> Scores:
    totals: dict[str, float] = {}
    late = {row.learner: row.late_penalty or 0.0 for row in group.rows}
    without = {row.learner for row in group.rows if row.score is None and row.max_score}
    for row in group.rows:
        if row.learner not in without:
            totals[row.learner] = totals.get(row.learner, 0.0) + (row.score or 0.0)
    most = sum(answers[0].row.max_score for answers in group.answers.values() if answers)
    return Scores({name: max(0.0, score - late[name]) for name, score in totals.items()}, most)


@dataclass(frozen=True)
class Cause:
    """A diagnosis that several learners got at the same place: in `example` and in the answers
    that have the same text, names aside, in the line that the verdict points at."""

    exercise: str
    status: str
    learners: tuple[str, ...]
    example: GradedAnswer


def causes(group: Class) -> list[Cause]:
    """What made learners fail, the commonest first."""
    found: dict[tuple[str, str, tuple[str, ...]], list[GradedAnswer]] = {}
    for name, answers in group.answers.items():
        for answer in answers:
            if answer.row.status not in ("passed", "not_attempted", UNREADABLE, ""):
                key = (name, answer.row.status, _line(answer))
                found.setdefault(key, []).append(answer)
    listed = [
        Cause(name, status, tuple(one.row.learner for one in answers), answers[0])
        for (name, status, _), answers in found.items()
    ]
    return sorted(listed, key=lambda cause: -len(cause.learners))


def _line(answer: GradedAnswer) -> tuple[str, ...]:
    """The tokens of the line that an answer's verdict points at."""
    text = winnowing.read(answer.source)
    pairs = zip(text.tokens, text.lines, strict=True)
    return tuple(token for token, line in pairs if line == answer.row.line)


def statuses(answers: Iterable[GradedAnswer]) -> list[tuple[str, list[str]]]:
    """Who got which diagnosis: passed first, not attempted last, the commonest between them."""
    names: dict[str, list[str]] = {}
    for answer in answers:
        names.setdefault(answer.row.status or "by hand", []).append(answer.row.learner)
    place = {"passed": 0, "not_attempted": 2, UNREADABLE: 3}
    return sorted(names.items(), key=lambda item: (place.get(item[0], 1), -len(item[1]), item[0]))


def handed_in(group: Class) -> list[Column]:
    """Submissions over time; none when nobody knows when they came."""
    known = {row.learner: row.timestamp for row in group.rows if row.timestamp}
    times = sorted(datetime.fromisoformat(at).replace(tzinfo=UTC) for at in known.values())
    if not times:
        return []
    step = next((s for s in _STEPS if (times[-1] - times[0]) / s < COLUMNS - 1), _STEPS[-1])
    first = int(times[0].timestamp() // step.total_seconds())
    counts = Counter(int(at.timestamp() // step.total_seconds()) - first for at in times)
    every = max(1, (max(counts) + 1) // 6)  # one label for so many columns
    form = "%d %b %H:%M" if step < timedelta(days=1) else "%d %b %Y"
    starts = [
        datetime.fromtimestamp((first + k) * step.total_seconds(), UTC).strftime(form)
        for k in range(max(counts) + 1)
    ]
    return [
        Column(start, counts[k], start if k % every == 0 else "") for k, start in enumerate(starts)
    ]
