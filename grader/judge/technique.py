"""What a case asks beside right numbers, held against what was seen: a way to the answer, or a
hazard, on the lines that it is about."""

import re
from dataclasses import replace

from ..compilers.lexer import without_comments
from ..course import Ban, Requirement, costs
from ..cuda.errors import Message
from ..say import verdict_answers as say
from ..status import Status
from .cases import CaseInstance, of_failure
from .compare import Words, failed, passed, reason, sentence
from .protocol import Asked, Failed, Ran, Reply, Way
from .session import Judged
from .verdict import CaseResult


def kept_to(judged: Judged) -> Judged:
    """The cases that passed, held against what they ask of the way to the answer."""
    for at in judged.passed:
        outcome = judged.outcomes[at]
        opcodes = outcome.opcodes if isinstance(outcome, Ran) else {}
        if lacks := lacks_order(judged.instances[at], opcodes):
            judged = judged.with_result(at, lacks)
    asking = [at for at in judged.passed if _stated(judged.instances[at])]
    asked = ((judged.instances[at], questions(judged.instances[at])) for at in asking)
    for at, answer in zip(asking, judged.session.ways(asked), strict=True):
        if fails := departs(judged.instances[at], answer, judged.words[at]):
            judged = judged.with_result(at, fails)
    return judged


def _stated(instance: CaseInstance) -> list[Requirement | Ban]:
    """What is asked of the way to each element; the order of threads has counters."""
    return [*(one for one in instance.case.requires if not one.kind.orders), *instance.case.bans]


def questions(instance: CaseInstance) -> tuple[Asked, ...]:
    """What is to be asked of a right answer's way, in the order of `_stated`."""
    return tuple(_asked(one, tuple(instance.problem.outputs)) for one in _stated(instance))


def _asked(stated: Requirement | Ban, outputs: tuple[str, ...]) -> Asked:
    worth = dict(stated.kind.worth)
    return (
        Asked(outputs, worth, banned=True)
        if isinstance(stated, Ban)
        else Asked(stated.of or outputs, worth, stated.at_least, stated.levels, stated.kind.last)
    )


def lacks_order(instance: CaseInstance, opcodes: dict[str, int]) -> CaseResult | None:
    """The result of a case that lacks instructions of a kind that orders what threads do."""
    for stated in instance.case.requires:
        count = sum(
            each * times
            for opcode, times in opcodes.items()
            for wanted, each in stated.kind.worth.items()
            if re.fullmatch(wanted, opcode)
        )
        if stated.kind.orders and count < stated.at_least:
            return failed(
                instance.case,
                Status.OVER_BUDGET,
                say.lacks_order(
                    count,
                    stated.kind.named,
                    stated.at_least,
                    reason(stated.why, stated.at_least, instance.problem),
                ),
            )
    return None


def departs(instance: CaseInstance, outcome: Reply, words: Words) -> CaseResult | None:
    """The result of a case, of which what came of its questions says that it keeps to no rule."""
    if not isinstance(outcome, Ran) or outcome.too_long:
        why = say.TOO_MUCH if isinstance(outcome, Ran) else outcome.message.rstrip(".")
        return failed(instance.case, Status.OVER_BUDGET, say.not_traced(why))
    return next(
        (
            failed(
                instance.case,
                Status.OVER_BUDGET,
                _message(stated, way, words),
                line=way.place.line if way.place else None,
            )
            for stated, way in zip(_stated(instance), outcome.ways, strict=True)
            if way.first is not None and way.short > getattr(stated, "but", 0)
        ),
        None,
    )


def _message(stated: Requirement | Ban, way: Way, words: Words) -> Message:
    """What is said of one requirement or ban that was not kept."""
    kind, why = stated.kind.named, sentence(stated.why, words.problem)
    first, part = (words.element(one) if one else "" for one in (way.first, way.part))
    who, on = (way.place.who, way.place.on) if way.place else ("a thread", "")
    ways = f"{way.passed or 'no'} {kind}{'s' if way.passed > 1 else ''}"
    if isinstance(stated, Ban):
        fact = f"{first} is computed with {'an' if kind[0] in 'aeiou8' else 'a'} {kind}{on}"
    elif stated.kind.last:
        fact = f"no {kind} wrote {first}: {who} stores it{on}"
    elif not part:
        return say.nothing_seen(first, why)
    elif stated.levels:
        short = f", and needs {stated.levels}" if way.passed < stated.levels else ""
        met = f"{part} reaches it through {way.by}" if way.by else f"{who} loads {part} itself"
        fact = f"{first} uses {ways}{short}: {met}{on}"
    else:
        fact = f"{part} reaches {first} through {ways}: {who} loads it{on}"
    return say.on_its_way(fact, way.short - 1, why)


def goes_wrong(instance: CaseInstance, outcome: Reply, words: Words) -> CaseResult:
    """The result of a case with a `Hazard` from what came of it on the simulated device."""
    case, asked = instance.case, instance.case.hazard
    assert asked is not None, "the case asks for a hazard"
    asks = say.ASKS_FOR.format(costs.wanted(asked))
    if not isinstance(outcome, Failed):
        return failed(case, Status.WRONG_ANSWER, say.nothing_went_wrong(asks))
    told, where = words.explained(outcome), of_failure(instance, outcome)
    if told.status != asked.status:
        return failed(case, told.status, say.something_else(asks, _fact(told)), told.line, where)
    places = [_lines(words.source, one) for one in asked.between]
    seen = [outcome.line, outcome.other_line][: len(places)]  # whichever thread came first
    met = (
        all(line in place for line, place in zip(seen, order, strict=True))
        for order in (places, places[::-1])
    )
    if not any(met):
        gone = [one for one, lines in zip(asked.between, places, strict=True) if not lines]
        message = say.on_other_lines(asks, gone[0] if gone else "", _fact(told))
        return failed(case, Status.WRONG_ANSWER, message, told.line, where)
    return replace(passed(case), note=told.message)


def too_far(instance: CaseInstance, outcome: Reply, result: CaseResult) -> CaseResult:
    """`result`, of a case that must come right though the kernel is to go wrong in others, told as
    what happened, without advice against it."""
    return (
        result.saying(say.broken_too_far(_fact(outcome)))
        if isinstance(outcome, Failed)
        and outcome.status in costs.WENT_WRONG
        and not instance.case.hazard
        else result
    )


def _fact(failure: Failed) -> str:
    """What happened, without the remedy; where it may be what is asked for, without the reason."""
    told = failure.parts
    return told.first if failure.status in costs.WENT_WRONG else str(told.while_open)


def _lines(source: str, words: str) -> set[int]:
    """The numbers, from 1, of the lines with `words` in them; white space does not count."""
    wanted = "".join(words.split())
    return {
        number
        for number, line in enumerate(map(without_comments, source.splitlines()), 1)
        if wanted in "".join(line.split())
    }
