"""What lateness costs, as a sentence: "10%/day, at most 3 days", "2 points/day", "none"."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from . import ClassroomError

DAY = 24 * 60 * 60  # seconds

_PART = re.compile(r"(?P<much>\d+(?:\.\d+)?) ?(?P<unit>%|points?) ?(?:/|per|a) ?(?P<per>day|hour)")
_MOST = re.compile(r"at most (?P<days>\d+) days?")


@dataclass(frozen=True)
class Policy:
    """`much` is taken off for each `step` seconds that have begun: points or, with `percent`, so
    many percent of the most the lesson gives. Work later than `most_days` days is worth nothing;
    None: it is never too late."""

    much: float
    percent: bool
    step: int
    most_days: int | None = None

    def penalty(self, seconds: float, score: float, most: float) -> float:
        """The points off a `score` (never more than that) for being `seconds` late."""
        if seconds <= 0:
            return 0.0
        if self.most_days is not None and seconds > self.most_days * DAY:
            return score
        each = self.much / 100 * most if self.percent else self.much
        return min(score, math.ceil(seconds / self.step) * each)

    def ends(self, most: float) -> float:
        """So many seconds after it was due work is worth nothing; infinite: never. `most`: what
        the lesson gives."""
        each = self.much / 100 * most if self.percent else self.much
        by_points = (math.ceil(most / each) - 1) * self.step if each else math.inf
        return min(by_points, math.inf if self.most_days is None else self.most_days * DAY)


def parse(text: str, where: str) -> Policy:
    """The policy that a sentence means; "none": nothing that is late counts. ClassroomError."""
    said = " ".join(text.lower().split())
    if said == "none":
        return Policy(100, True, DAY, 0)
    first, _, rest = said.partition(", ")
    part, most = _PART.fullmatch(first), _MOST.fullmatch(rest) if rest else None
    if not part or (rest and not most):
        raise ClassroomError(
            f"{where} is {text!r:.60}, and should be like '10%/day, at most 3 days', "
            "'2 points/day' or 'none'."
        )
    step = DAY if part["per"] == "day" else 60 * 60
    return Policy(
        float(part["much"]), part["unit"] == "%", step, int(most["days"]) if most else None
    )
