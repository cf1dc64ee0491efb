"""How a service takes a lesson: how often, from when until when, and what it answers.

All of it is data and arithmetic. Times are seconds since 1970; who calls passes the clock. A lesson
with a `start` is an exam: it has a window for each learner, and tells no diagnosis before the last
window has closed.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from math import ceil, inf
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from ..errors import counted, unless
from . import ClassroomError

ALL, VISIBLE, STATUS, NOTHING = "all", "visible", "status", "nothing"
MINUTE = 60.0  # seconds
ALWAYS = (0.0, 250e9)  # a window that is open until the year 9892


class NotTaken(ClassroomError):
    """The service does not take, or tell, what a learner asks for. `status` is HTTP's: from 500 on
    the same request may be taken later. `more` may have the `receipt` that there is already."""

    def __init__(self, sentence: str, status: int = 403, **more: object):
        super().__init__(sentence)
        self.status, self.answer = status, {"error": sentence, **more}


class ServiceRules(Struct, frozen=True):
    """The rules that course.toml has under lessons.NAME.serve. Times are seconds since 1970."""

    tries: Annotated[int, Meta(ge=1)] | None = None  # None: as many as a learner likes
    cool_down: Annotated[float, Meta(ge=0)] = 0.0  # minutes between two tries
    shows: Literal["all", "visible", "status", "nothing"] = "all"
    start: float | None = None  # None: this is no exam
    end: float | None = None
    # From the start or, where there is an end, from the learner's own beginning.
    minutes: Annotated[float, Meta(gt=0)] | None = None
    vary: bool = False  # each learner gets variants of the exercises that have some

    def __post_init__(self) -> None:
        """ValueError names what cannot be."""
        start, end = self.start, self.end
        faults = {
            "it has end, minutes or vary, and no start, which makes it an exam": start is None
            and (end or self.minutes or self.vary),
            "it has a start, and neither end nor minutes": start and not (end or self.minutes),
            "it ends before it starts": start and end and end <= start,
            f"it is an exam, and shows should be {STATUS!r} or {NOTHING!r}": start
            and self.shows not in (STATUS, NOTHING),
        }
        for fault, is_so in faults.items():
            unless(not is_so, ValueError(fault))

    def longer(self, factor: float) -> "ServiceRules":
        """The same for a learner with more time: windows are `factor` times as long, and pauses
        between two tries as much shorter."""
        return replace(
            self,
            cool_down=self.cool_down / factor,
            end=self.start and self.end and self.start + (self.end - self.start) * factor,
            minutes=self.minutes and self.minutes * factor,
        )

    def window(self, begun: float | None = None) -> tuple[float, float]:
        """From when until when a learner can hand in, who has begun then; None for the latest end
        there can be."""
        if self.start is None:
            return ALWAYS
        each = (self.minutes or inf) * MINUTE
        closes = self.end or self.start + each
        return self.start, min(closes, each + (closes if begun is None else begun))

    def require_open(self, now: float, begun: float | None) -> None:
        """NotTaken outside the learner's window."""
        opens, closes = self.window(begun)
        unless(now >= opens, NotTaken(f"This exam opens on {shown(opens)}."))
        unless(
            now <= closes,
            NotTaken(
                f"This exam closed for you on {shown(closes)}, {ceil(now - closes)} s ago: nothing "
                "more is taken."
            ),
        )

    def require_try(self, before: Sequence[float], now: float, begun: float | None) -> None:
        """NotTaken if no try is possible now; `before` are the times of earlier ones."""
        self.require_open(now, begun)
        last = max((at for at in before if at <= now), default=0.0)
        wait = ceil(last + self.cool_down * MINUTE - now)
        unless(
            self.start is None or begun is not None,
            NotTaken("Begin this exam first: `grader exam` gives you your notebook."),
        )
        unless(
            len(before) < (self.tries or inf),
            NotTaken(
                f"This lesson has {counted(self.tries or 0, 'try', 'tries')}, and you have used "
                "all of them."
            ),
        )
        unless(
            wait <= 0,
            NotTaken(
                "Between two tries of this lesson there is a pause: the next one is possible in "
                f"{wait} s.",
                429,
            ),
        )


def shown(moment: float) -> str:
    """A time as nbgrader writes it beside a submission."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S.%f} UTC"
