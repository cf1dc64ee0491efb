"""A verdict as nbgrader and a learner get it: a score, and a page without the hidden cases."""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from ..course import Exercise
from ..course.kinds import unmarked
from ..errors import MachineError
from ..judge import Verdict
from ..judge.beside import changes
from ..notebook import cards, verdict_card
from ..status import Status
from . import graded
from .files import whole

# Beside the autograded notebook: {"fingerprint": ..., "had": ..., "exercises": {name: {"problem":
# ..., "verdict": ...}}}; the fingerprint says what the marks hang on (see `grading`), `had` the
# points of the last notebook that could be read, where this one cannot. Both are added last, by
# `grader autograde` alone: what was graded otherwise, or not to the end, is graded again.
FILE = "verdicts.json"


class Kept(TypedDict):
    """What is kept of an exercise: a sentence about the notebook, empty when all is well, and the
    verdict as `Verdict.to_dict` gives it; `keeps` are the points that feedback has shown for the
    same answer, where the verdict has fewer."""

    problem: str
    verdict: dict[str, Any]
    keeps: NotRequired[float]


_OURS = re.compile(
    rf"<details[^>]*><summary>(?:(?!</summary>).)*{verdict_card.COMPARE}.*?</details>", re.DOTALL
)
UNREADABLE = (
    Status.UNREADABLE
)  # beside the judge's own statuses: there is an answer, and no reading it


def points(kept: Kept) -> float | None:
    """What the answer gets, None where it could not be judged."""
    verdict = kept["verdict"]
    statuses = {verdict["status"], *(case["status"] for case in verdict.get("cases", ()))}
    judged = statuses.isdisjoint({Status.UNREADABLE, Status.UNSUPPORTED})
    return kept.get("keeps", float(verdict["points"]) if judged else None)


def score(points: float, most: float) -> float:
    """The points that nbgrader reads: finite, from 0 to `most`. Anything else it would take for
    full marks, or refuse."""
    return min(max(points, 0.0), most) if math.isfinite(points) else 0.0


def notice(problem: str) -> str:
    """HTML that says what is wrong with the notebook; empty when nothing is."""
    return cards.notice(problem).html if problem else ""


def page(verdict: Verdict, source: str, exercise: Exercise) -> str:
    """HTML for the learner: visible cases in full, hidden ones by their category alone, and nothing
    of our solution, as others may still hand in."""
    return verdict_card.page(verdict.for_learner(), source, exercise, ours=False).html


def beside_ours(cell: str, solution: str) -> str:
    """HTML with the lines in which a cell and our solution differ."""
    return verdict_card.compared(changes(unmarked(cell), unmarked(solution))).html


def with_mark(card: str, kept: Kept, mark: float | None) -> str:
    """The card with another mark than the verdict's in its title."""
    points, most = (float(kept["verdict"][name]) for name in ("points", "max_points"))
    said = "no mark" if mark is None else verdict_card.of_points(round(mark, 2), most)
    return card.replace(verdict_card.of_points(points, most), said, 1)


def without_ours(card: str) -> str:
    """The card as it is made now; an earlier version put our solution into it."""
    return _OURS.sub("", card)


def read(autograded: Path) -> dict[str, Kept]:
    """What was kept of a submission, by exercise; `autograded` is the submission's folder.
    MachineError when it is damaged, OSError when there is none."""
    kept = graded.read(autograded / FILE).get("exercises")
    if not isinstance(kept, dict) or not all(map(_is_kept, kept.values())):
        raise graded.damaged(autograded / FILE)
    return kept


def _is_kept(one: object) -> bool:
    verdict = one.get("verdict") if isinstance(one, dict) else None
    needed = {"status", "line", "points", "max_points"}
    return isinstance(verdict, dict) and needed <= verdict.keys()


def fingerprint(autograded: Path) -> str:
    """What the marks hang on; empty where nothing is graded, or not to the end."""
    try:
        return str(json.loads((autograded / FILE).read_text(encoding="utf-8"))["fingerprint"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def differing(one: str, other: str) -> list[str]:
    """The names of the parts, as `name:value` between blanks, in which two fingerprints differ."""
    first, second = (dict(part.split(":", 1) for part in text.split()) for text in (one, other))
    return sorted(name for name in first | second if first.get(name) != second.get(name))


def keeping(autograded: Path) -> list[str]:
    """The exercises whose mark is one that feedback has shown, where the verdict has less."""
    with suppress(OSError, MachineError):
        return [name for name, kept in read(autograded).items() if "keeps" in kept]
    return []


def had(autograded: Path) -> float:
    """The points of the last notebook that could be read; 0 where nothing is known of one."""
    try:
        return float(json.loads((autograded / FILE).read_text(encoding="utf-8"))["had"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0.0


def packed(found: dict[str, Kept]) -> bytes:
    """The content of `FILE` to begin with."""
    return _written({"exercises": found}).encode()


def complete(autograded: Path, known: str, before: float) -> None:
    """Add what the marks hang on, once they are in the gradebook, and what it `had` before."""
    content = {"fingerprint": known, "had": before, "exercises": read(autograded)}
    whole(autograded / FILE, _written(content), mode=0o444)


def _written(content: dict[str, Any]) -> str:
    """Without blanks: there is one of these for each learner and lesson."""
    return json.dumps(content, separators=(",", ":"))
