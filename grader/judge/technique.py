"""What an exercise asks of the way to its answer, held against what was seen of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..course import Ban, Kind, Problem, Requirement, costs
from ..say import verdict_answers as say
from ..status import Status
from .cases import CaseInstance
from .compare import failed, sentence
from .judged import Judged
from .protocol import Asked, Element, Ran, ThreadPlace, Way
from .session import Outcome
from .verdict import CaseResult
from .words import Words


def kept_to(judged: Judged) -> Judged:
    """The cases that passed, held against what they ask of the way to the answer."""

    def in_order(at: int, result: CaseResult) -> CaseResult:
        outcome = judged.outcomes[at]
        opcodes = outcome.opcodes if isinstance(outcome, Ran) else {}
        return lacks_order(judged.instances[at], opcodes) or result

    judged = judged.with_passed(in_order) if judged.instances else judged
    asked = {
        at: its
        for at, instance in enumerate(judged.instances)
        if judged.results[at].status == Status.PASSED and (its := questions(instance))
    }
    answers = judged.session.ways((judged.instances[at], its) for at, its in asked.items())
    for at, answer in zip(asked, answers, strict=True):
        instance, words = judged.instances[at], judged.words[at]
        result = answered(instance, answer, judged.results[at], words)
        judged = judged.with_result(at, result)
    return judged


def questions(instance: CaseInstance) -> tuple[Asked, ...]:
    """What is to be asked of a right answer's way, in the order of `_stated`."""
    return tuple(_asked(one, instance.problem) for one in _stated(instance))


def answered(
    instance: CaseInstance, outcome: Outcome, result: CaseResult, words: Words
) -> CaseResult:
    """`result` of a case that passed, unless what came of its questions says otherwise."""
    if not isinstance(outcome, Ran) or outcome.too_long:
        why = say.TOO_MUCH if isinstance(outcome, Ran) else outcome.message.rstrip(".")
        return failed(instance.case, Status.OVER_BUDGET, say.NOT_FOLLOWED.format(why))
    for stated, way in zip(_stated(instance), outcome.ways, strict=True):
        if way.first is not None and way.short > getattr(stated, "but", 0):
            teller = _Teller(instance, words, stated, way)
            line = way.place.line if way.place else None
            return failed(instance.case, Status.OVER_BUDGET, teller.message(), line)
    return result


def lacks_order(instance: CaseInstance, opcodes: dict[str, int]) -> CaseResult | None:
    """The result of a case that lacks instructions of a kind that orders what threads do."""
    for stated in instance.case.requires:
        count = _executed(stated.kind, opcodes) if stated.kind.orders else stated.at_least
        if count < stated.at_least:
            needed, problem = stated.at_least, instance.problem
            why = sentence(stated.why, problem) + costs.explained(needed, problem)
            message = say.lacks_order(count, stated.kind.named, needed, why)
            return failed(instance.case, Status.OVER_BUDGET, message)
    return None


def _stated(instance: CaseInstance) -> Iterator[Requirement | Ban]:
    yield from (one for one in instance.case.requires if not one.kind.orders)
    yield from instance.case.bans


def _asked(stated: Requirement | Ban, problem: Problem) -> Asked:
    outputs, worth = tuple(problem.outputs), dict(stated.kind.worth)
    if isinstance(stated, Ban):
        return Asked(outputs, worth, banned=True)
    of, last = stated.of or outputs, stated.kind.last
    return Asked(of, worth, stated.at_least, stated.levels, last)


def _executed(kind: Kind, opcodes: dict[str, int]) -> int:
    """How many of a kind the warps have executed."""
    return sum(
        each * times
        for opcode, times in opcodes.items()
        for wanted, each in kind.worth.items()
        if re.fullmatch(wanted, opcode)
    )


class _Teller:
    """The sentences about one requirement or ban that was not kept."""

    def __init__(self, instance: CaseInstance, words: Words, stated: Requirement | Ban, way: Way):
        self.words, self.stated, self.way = words, stated, way
        self.problem, self.kind = instance.problem, stated.kind.named
        self.why = sentence(stated.why, instance.problem)
        self.first = self._name(way.first) if way.first else ""

    def message(self) -> str:
        way = self.way
        if isinstance(self.stated, Ban):
            told = f"{_one(self.kind)} is on the way to {self.first}{_at(way.place)}"
        elif self.stated.kind.last:
            told = f"{self.first} was left by no {self.kind}: {_who(way.place)} stores it"
            told += _at(way.place)
        elif way.part is None:
            return say.nothing_seen(self.first, self.why)
        elif self.stated.levels:
            told = self._not_met(self.stated.levels)
        else:
            told = f"{self._name(way.part)}, of which {self.first} is made, went through "
            told += f"{self._passed()}: {_who(way.place)} loads it{_at(way.place)}"
        return say.on_its_way(told, self.way.short - 1, self.why)

    def _not_met(self, levels: int) -> str:
        way = self.way
        short = f"{self.first} went through {self._passed()}"
        short += f" where {levels} are called for" if way.passed < levels else ""
        part = self._name(way.part) if way.part else "a part of it"
        if way.by:
            return f"{short}: {part} reaches it by {way.by}{_at(way.place)}"
        return f"{short}: {_who(way.place)} loads {part} itself{_at(way.place)}"

    def _passed(self) -> str:
        passed = self.way.passed
        return f"{passed or 'no'} {self.kind}{'s' if passed > 1 else ''}"

    def _name(self, element: Element) -> str:
        return self.words.element(element)


def _one(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou8' else 'a'} {kind}"


def _who(place: ThreadPlace | None) -> str:
    return f"thread {place.thread} of block {place.block}" if place else "a thread"


def _at(place: ThreadPlace | None) -> str:
    return f" on line {place.line}" if place and place.line else ""
