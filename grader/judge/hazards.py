"""A case that must go wrong: did it, by the hazard that is asked for, on the lines it is about?"""

from __future__ import annotations

from dataclasses import replace

from ..course import Hazard
from ..cuda.comments import without_comments
from ..status import Status
from . import scenes
from .cases import CaseInstance
from .compare import failed
from .protocol import Failed, Reply
from .verdict import CaseResult
from .words import Words

_CALLED: dict[str, str] = {
    Status.OUT_OF_BOUNDS: "an access out of bounds",
    Status.MISALIGNED: "a misaligned access",
    Status.UNINITIALIZED_READ: "a read of what nobody has written",
    Status.DATA_RACE: "a data race",
    Status.BARRIER_DIVERGENCE: "a barrier that some threads never reach",
    Status.SHUFFLE_DIVERGENCE: "a shuffle with lanes that take no part in it",
}


def on_simulator(instance: CaseInstance, outcome: Reply, words: Words) -> CaseResult:
    """The result of a case with a `Hazard` from what came of it on the simulated device."""
    case, asked = instance.case, instance.case.hazard
    assert asked is not None, "the case asks for a hazard"
    if not isinstance(outcome, Failed):
        return failed(case, Status.WRONG_ANSWER, f"Nothing went wrong. {_wanted(asked)}")
    told, where = words.explained(outcome), scenes.of_failure(instance, outcome)
    if told.status != asked.status:
        message = f"{_wanted(asked)} This is another: {told.message}"
        return failed(case, told.status, message, told.line, where)
    places = [_lines(words.source, one) for one in asked.between]
    if not _meet(outcome, places):
        gone = [one for one, found in zip(asked.between, places, strict=True) if not found]
        why = f"The line with `{gone[0]}` is gone" if gone else "It is on other lines"
        message = f"{_wanted(asked)} {why}: {told.message}"
        return failed(case, Status.WRONG_ANSWER, message, told.line, where)
    right = CaseResult(case.name, case.visible, Status.PASSED, case.points, case.points)
    return replace(right, note=told.message)


def _wanted(asked: Hazard) -> str:
    """What is asked for, as a sentence."""
    what = _CALLED.get(asked.status, str(asked.status))
    named = " and ".join(f"`{one}`" for one in asked.between)
    where = "between the lines with" if len(asked.between) > 1 else "on the line with"
    return f"This case asks for {what} {where} {named}."


def _meet(outcome: Failed, places: list[set[int]]) -> bool:
    """Whether the hazard is on one of the lines of each place, whichever thread came first."""
    seen = [outcome.line, outcome.other_line][: len(places)]
    return any(
        all(line in place for line, place in zip(seen, order, strict=True))
        for order in (places, places[::-1])
    )


def _lines(source: str, words: str) -> set[int]:
    """The numbers, from 1, of the lines with `words` in them; white space does not count."""
    wanted = "".join(words.split())
    code = (without_comments(line) for line in source.splitlines())
    return {number for number, line in enumerate(code, 1) if wanted in "".join(line.split())}
