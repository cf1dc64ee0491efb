"""A case that must go wrong: did it, by the hazard that is asked for, on the lines it is about?"""

from __future__ import annotations

import re
from dataclasses import replace

from ..compilers.lexer import without_comments
from ..course import costs
from ..say import verdict_answers as say
from ..status import Status
from . import cases as scenes
from .cases import CaseInstance
from .compare import failed
from .protocol import Failed, Reply
from .verdict import CaseResult
from .words import Words

_SENTENCE = re.compile(r"(?:`[^`]*`|[^`])*?[.!?](?=\s|$)", re.DOTALL)


def on_simulator(instance: CaseInstance, outcome: Reply, words: Words) -> CaseResult:
    """The result of a case with a `Hazard` from what came of it on the simulated device."""
    case, asked = instance.case, instance.case.hazard
    assert asked is not None, "the case asks for a hazard"
    asks = say.asks_for(costs.wanted(asked))
    if not isinstance(outcome, Failed):
        return failed(case, Status.WRONG_ANSWER, say.nothing_went_wrong(asks))
    told, where = words.explained(outcome), scenes.of_failure(instance, outcome)
    if told.status != asked.status:
        message = say.something_else(asks, _fact(told))
        return failed(case, told.status, message, told.line, where)
    places = [_lines(words.source, one) for one in asked.between]
    if not _meet(outcome, places):
        gone = [one for one, lines in zip(asked.between, places, strict=True) if not lines]
        message = say.on_other_lines(asks, gone[0] if gone else "", _fact(told))
        return failed(case, Status.WRONG_ANSWER, message, told.line, where)
    right = CaseResult(case.name, case.visible, Status.PASSED, case.points, case.points)
    return replace(right, note=told.message)


def too_far(instance: CaseInstance, outcome: Reply, result: CaseResult) -> CaseResult:
    """`result`, of a case that must come right though the kernel is to go wrong in others, told as
    what happened, without advice against it."""
    if instance.case.hazard or not isinstance(outcome, Failed):
        return result
    if outcome.status not in costs.WENT_WRONG:
        return result
    return replace(result, message=say.broken_too_far(_fact(outcome)))


def _fact(failure: Failed) -> str:
    """What happened, in its first sentence; those behind it say how to avoid that."""
    first = _SENTENCE.match(failure.message)
    return first[0] if first and failure.status in costs.WENT_WRONG else failure.message


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
