"""How a service takes a lesson: how often, from when until when, and what it answers.

All of it is data and arithmetic. Times are seconds since 1970; who calls passes the clock. A lesson
with a `start` is an exam: it has a window for each learner, and tells no diagnosis before the last
window has closed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil, inf
from typing import Annotated, Literal

from msgspec import Meta

from ..counted import counted
from . import ClassroomError

ALL, VISIBLE, STATUS, NOTHING = "all", "visible", "status", "nothing"
MINUTE = 60.0  # seconds


class NotTaken(ClassroomError):
    """The service does not take, or tell, what a learner asks for. `status` is HTTP's: from 500 on
    the same request may be taken later. `more` may have the `receipt` that there is already."""

    def __init__(self, sentence: str, status: int = 403, **more: object):
        super().__init__(sentence)
        self.status, self.answer = status, {"error": sentence, **more}


@dataclass(frozen=True)
class ServiceRules:
    """What course.toml has under lessons.NAME.serve, as it is for one learner."""

    tries: Annotated[int, Meta(ge=1)] | None = None  # None: as many as a learner likes
    cool_down: Annotated[float, Meta(ge=0)] = 0.0  # minutes between two tries
    shows: Literal["all", "visible", "status", "nothing"] = "all"
    start: datetime | None = None  # UTC without a zone, as the next; None: this is no exam
    end: datetime | None = None
    # From the start or, where there is an end, from the learner's own beginning.
    minutes: Annotated[float, Meta(gt=0)] | None = None
    vary: bool = False  # each learner gets variants of the exercises that have some
    # Not from there: the part by which a learner has more time, and cool-downs are shorter.
    extra: float = 0.0

    def fault(self) -> str:
        """What cannot be; empty if all can."""
        start, end = self.start, self.end
        faults = {
            "has end, minutes or vary, and no start, which makes it an exam": start is None
            and (end or self.minutes or self.vary),
            "has a start, and neither end nor minutes": start and not (end or self.minutes),
            "ends before it starts": start and end and end <= start,
            f"is an exam: shows should be {STATUS!r} or {NOTHING!r}": start
            and self.shows not in (STATUS, NOTHING),
        }
        return next((fault for fault, is_so in faults.items() if is_so), "")

    def window(self, begun: float | None = None) -> tuple[float, float]:
        """From when until when a learner can hand in, who has begun then; None for the latest end
        there can be."""
        if self.start is None:
            return -inf, inf
        opens, longer = seconds(self.start), 1 + self.extra
        each = (self.minutes or 0.0) * MINUTE * longer
        if self.end is None:
            return opens, opens + each
        closes = opens + (seconds(self.end) - opens) * longer
        return opens, min(closes, begun + each) if each and begun is not None else closes

    def require_open(self, now: float, begun: float | None) -> None:
        """NotTaken outside the learner's window."""
        opens, closes = self.window(begun)
        if now < opens:
            raise NotTaken(f"This exam opens on {shown(opens)}.")
        if now > closes:
            raise NotTaken(
                f"This exam closed for you on {shown(closes)}, {ceil(now - closes)} s ago: nothing "
                "more is taken."
            )

    def require_try(self, before: Sequence[float], now: float, begun: float | None) -> None:
        """NotTaken if no try is possible now; `before` are the times of earlier ones."""
        self.require_open(now, begun)
        if self.start is not None and begun is None:
            raise NotTaken("Begin this exam first: `grader exam` gives you your notebook.")
        if self.tries is not None and len(before) >= self.tries:
            tries = counted(self.tries, "try", "tries")
            raise NotTaken(f"This lesson has {tries}, and you have used all of them.")
        last = max((at for at in before if at <= now), default=-inf)
        wait = last + self.cool_down * MINUTE / (1 + self.extra) - now
        if wait > 0:
            raise NotTaken(
                "Between two tries of this lesson there is a pause: the next one is possible in "
                f"{ceil(wait)} s.",
                429,
            )


def seconds(moment: datetime) -> float:
    """A time of the gradebook, UTC without a zone, as seconds since 1970."""
    return moment.replace(tzinfo=UTC).timestamp()


def shown(moment: float) -> str:
    """A time as nbgrader writes it beside a submission."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S.%f} UTC"
