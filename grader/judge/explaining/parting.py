"""The step where the learner's way to a wrong element and the solution's part, beside what the
solution does with the same values.
"""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from ...cuda.errors import Message
from ...say.places import called
from ..protocol import Element, ThreadPlace
from .descent import DescentEnd
from .trail import ANY_ORDER, NO_ELEMENT, Trail

FEW = 3  # values that a sentence lists at most


@dataclass(frozen=True)
class Parting:
    """Where the ways part, and what is done there, in words: `mine` (with `place`) and `ours`,
    or what ours does first, empty where the solution has no step that is to be compared. `bad`:
    the value that is wrong in it, in words, with the line that it was made on, None for an
    element, and the line of the outermost call that leads there; `number`: it, if it stands in
    the code; `lost`: elements that do not come into it, and `more` that should not; `right`:
    all of its values are the right ones; `sides`: those that are, and the others; `another`:
    the wrong value belongs elsewhere, and the right one is there, too. `lacks`: a value that the
    solution uses there, and that is elsewhere in the learner's, in words, with the lines that made
    it: its own, and those of the calls that lead there. `calls`: the lines of the calls that lead
    to the step. `is_new`: none of its values was made on its own line. `before`: the step before
    it, in words, if the solution does that after it."""

    place: ThreadPlace
    mine: str
    ours: str = ""
    bad: tuple[str, int | None, int | None] | None = None
    number: float | None = None
    lost: tuple[Element, ...] = ()
    more: tuple[Element, ...] = ()
    right: bool = False
    sides: tuple[str, ...] = ("", "")
    another: bool = False
    lacks: tuple[str, tuple[int, ...]] | None = None
    calls: tuple[int, ...] = ()
    is_new: bool = False
    before: str = ""

    @property
    def told(self) -> Message:
        """The learner's step with its place, and ours: "On line 3, thread 1 of block 0 adds"."""
        who = f"{self.place.who} {self.mine}."
        who = f"On{self.place.on[3:]}, {who}" if self.place.on else f"T{who[1:]}"
        chain = called(self.calls).strip(" ()")
        return Message(
            who,
            f"This code is {chain}." if chain else "",
            ours=f"Our kernel {self.ours}." if self.ours else "",
        )


def parting(mine: Trail, ours: Trail, found: DescentEnd) -> Parting | None:
    """What is wrong where the way back ends: a value of a step, or the step."""
    at, bad, told = found.at, found.bad, step(mine, found.at)
    other = partner(mine, ours, at) if found.partner is None else found.partner
    # The first term is subtracted from 0.
    given, is_turned = mine.sources(at)[mine.verb(at) == "sub" :], False
    strange = list(filter(mine.stands, given if np.isfinite(mine.value[at]) else ()))
    if other is not None:
        beside = _Beside(mine, ours, found, other)
        told, strange, is_turned = beside.told(told), beside.to_blame, beside.is_turned
        # A step with a number of the code, where the solution does something else.
        if bad is None and beside.is_own and is_turned and ours.verb(other) != "sub":
            bad = beside.fixed[0]
    elif bad is None and _is_extra(mine, ours, at):
        told = replace(told, ours=f"has no step that {told.mine}")
    for wrong in [bad] if bad is not None else strange[:1]:
        kind = int if re.search(r"\.[su]\d", mine.ops[mine.op[at]].opcode) else float
        number = kind(mine.value[wrong]) if mine.stands(wrong) else None
        made = mine.line(wrong) if mine.stands(wrong) or not mine.constant[wrong] else None
        told = replace(
            told,
            bad=(mine.said(wrong), made, (*mine.ops[mine.op[wrong]].calls, None)[-2:][0]),
            number=-number if number and is_turned else number,
            lost=tuple(one for step in found.lost if (one := ours.element(step))),
            more=tuple(one for step in found.more if (one := mine.element(step))),
            sides=(_few(mine, [one for one in mine.sources(at) if one != wrong]), ""),
        )
    if told.bad is None:
        told = replace(told, before=_too_early(mine, ours, at))
    # Right values may be added in any order, and their sums be right elsewhere.
    return (
        None
        if (told.another and bad is None and mine.verb(at) in ANY_ORDER)
        or re.match(r"computes \S+ from .*,", told.mine)  # what a compiler makes of an index
        or told.ours == told.mine
        else told
    )


class _Beside:
    """The step of the learner's where a way back ends, and the solution's step `other` in its
    place. `strange` values are in the learner's alone, `missing` ones in the solution's; `fixed`
    ones are numbers of the code."""

    def __init__(self, mine: Trail, ours: Trail, found: DescentEnd, other: int):
        self.mine, self.ours, self.found, self.other = mine, ours, found, other
        self.at = at = found.at
        self.strange, self.missing = _apart(mine, ours, at, other), _apart(ours, mine, other, at)
        is_first = found.first or self._takes_later()
        self.before = _left_out(mine, ours, other) if found.bad is None and not is_first else None
        self.is_first = is_first or self.before is not None
        self.fixed = [one for one in mine.sources(at) if mine.constant[one]]
        # The solution's step, what leads to it, and what uses its result.
        around = set().union(*map(ours.operands, (*self.missing, *ours.users(ours.key(other)))))
        new = [one for one in self.strange if not is_first and mine.key(one) not in around]
        unknown = {*self.fixed, *new}
        # What the solution does first, it does with the others.
        others = [one for one in mine.sources(at) if is_first and one not in self.strange]
        fine = [one for one in mine.sources(at) if one not in {*unknown, *others}]
        self.known, self.doubted, self.elsewhere = (
            _few(mine, some) for some in (fine, unknown, others)
        )
        self.is_own = (
            len(self.fixed) == 1
            and bool(self.known)
            and not self.is_first
            and mine.stands(self.fixed[0])
        )
        # A compiler adds what a line subtracts.
        self.is_turned = mine.verb(at) == "add" and (
            (bool(self.fixed) and ours.verb(other) == "sub")
            or (self.is_own and mine.value[self.fixed[0]] < 0 and ours.verb(other) != "add")
        )
        self._is_one = len(self.strange) == len(self.missing) == 1 and (
            self.is_turned or mine.verb(at) == ours.verb(other)
        )
        self.to_blame = self.strange if self._is_one and not self.is_first else []

    def _takes_later(self) -> bool:
        """Whether the solution uses what is strange here in its next step of the same kind: it has
        a step more, such as one more factor."""
        mine, ours = self.mine, self.ours
        strange = {mine.key(one) for one in self.strange if not mine.constant[one]}
        verb, is_same = mine.verb(self.at), mine.verb(self.at) == ours.verb(self.other)
        later = [one for one in ours.users(ours.key(self.other)) if ours.verb(one) == verb]
        is_one = bool(strange) and verb not in ANY_ORDER if is_same else verb in ("max", "min")
        return is_one and any(strange <= ours.operands(one) for one in later)

    def told(self, step: Parting) -> Parting:
        """The learner's step, beside the solution's."""
        words = self.ours.words(self.other if self.before is None else self.before)
        both_known = all(self.ours.key(one) in self.mine.keys for one in self.missing) and all(
            self.mine.key(one) in self.ours.keys for one in self.to_blame
        )
        turned = self.is_turned and -self.mine.value[self.fixed[0]]
        return replace(
            step,
            mine=f"subtracts {turned:g} from {self.known}" if self.is_turned else step.mine,
            ours=f"{'first ' * self.is_first}{words}",
            right=not (self.strange or self.missing or self.is_first),
            sides=self._sides(),
            lacks=self._lacks(),
            another=self._is_one and both_known,
        )

    def _sides(self) -> tuple[str, str]:
        """What is right in the step, and what is not or may not be."""
        are = "are" if " and " in self.known else "is"
        lacks = self._lacks()
        return (
            f"{self.known} {are} right here." if self.known else "",
            f"A step that uses {self.elsewhere} is missing before this one."
            if self.elsewhere
            else f"{self.doubted} or the operation is wrong, or a step is missing."
            if self.doubted and not lacks
            else "A value is missing in this step, or before it."
            if lacks
            else "The operation is wrong, or a step is missing."
            if self.fixed or self.strange
            else "The step itself is wrong.",
        )

    def _lacks(self) -> tuple[str, tuple[int, ...]] | None:
        """The one value that the learner has elsewhere, and the solution uses here, with its lines;
        None where there is none, or several, or where the operation is another one."""
        mine, ours = self.mine, self.ours
        verbs = {mine.verb(self.at), ours.verb(self.other)}
        wanted = set().union(
            *({ours.key(one)} & mine.keys or ours.operands(one) for one in self.missing)
        )
        held = [mine.made(key) for key in wanted & mine.keys - mine.operands(self.at)]
        is_one = self.strange and len(held) == 1 and not (len(verbs) > 1 and verbs <= {*ANY_ORDER})
        if not is_one or NO_ELEMENT in (said := mine.said(held[0])):
            return None
        made = mine.line(held[0])
        return said, (made, *mine.ops[mine.op[held[0]]].calls) if made else ()


def _too_early(mine: Trail, ours: Trail, at: int) -> str:
    """The step before one, in words, if the solution does it after that one with the same other
    values; "" if there is none."""
    given = mine.sources(at)
    for one in given if mine.verb(at) not in ANY_ORDER and len(given) <= FEW else ():
        others = [each for each in given if each != one]
        before = mine.sources(one)
        for base in before if others and len(before) <= FEW else ():
            inner = [each for each in before if each != base]
            firsts = {
                ours.key(user)
                for user in ours.users(mine.key(base))
                if _does_alike(ours, user, mine, at, others)
            }
            then = (user for key in [*firsts][:FEW] for user in ours.users(key))
            if inner and any(_does_alike(ours, user, mine, one, inner) for user in then):
                return mine.words(one)
    return ""


def _does_alike(ours: Trail, step: int, mine: Trail, at: int, others: list[int]) -> bool:
    """Whether a step of the solution does with some values what one of the learner's does; a
    multiplication by 1 over a value is a division by it."""
    if ours.verb(step) == mine.verb(at):
        used = {ours.shown(one) for one in ours.sources(step)}
        return used >= {mine.shown(one) for one in others}
    with np.errstate(all="ignore"):
        factors = [ours.value[one] * mine.value[others[-1]] for one in ours.sources(step)]
    is_division = mine.verb(at) == "div" and ours.verb(step) == "mul"
    return is_division and bool(np.isclose(factors, 1, rtol=1e-4).any())


def step(mine: Trail, at: int) -> Parting:
    """A step of the learner's alone."""
    given = [mine.value[one] for one in mine.sources(at) if not mine.constant[one]]
    return Parting(
        mine.place(at).with_values(mine.value[at], *given),
        mine.words(at),
        calls=mine.ops[mine.op[at]].calls,
    )


def _few(trail: Trail, steps: Collection[int]) -> str:
    """The values of a few steps in words; "" of more."""
    return " and ".join(map(trail.said, steps)) if len(steps) <= FEW else ""


def _apart(one: Trail, other: Trail, at: int, step: int) -> list[int]:
    """The values that a step uses, and that one of the other way does not, or not as often."""
    used = Counter(other.shown(source) for source in other.sources(step))
    mine = [(one.shown(source), source) for source in one.sources(at)]
    return [
        source
        for number, (shown, source) in enumerate(mine, 1)
        if sum(each == shown for each, _ in mine[:number]) > used[shown]
    ]


def partner(mine: Trail, ours: Trail, at: int) -> int | None:
    """The step of the solution that uses most of the same values, and that `mine` never takes; or
    that does the same with another value in the place of one of them."""
    verb, keys = mine.verb(at), mine.operands(at)
    users = [user for key in keys - {0} or keys for user in ours.users(key)]
    new = [user for user in users if ours.key(user) not in mine.keys]
    other = [user for user in users if users.count(user) == len(keys) and ours.verb(user) != verb]
    new = new or [user for user in other if len(keys) > 1 or (mine.calls(at) and ours.calls(user))]
    given = sum(not mine.constant[one] for one in mine.sources(at))
    alike = [user for user in users if ours.verb(user) == verb and verb not in ANY_ORDER]
    return max(
        new or [user for user in alike if users.count(user) == given - 1],
        key=lambda user: (users.count(user), ours.verb(user) == verb, -user),
        default=None,
    )


def _is_extra(mine: Trail, ours: Trail, at: int) -> bool:
    """Whether the solution never does the same with one of these values, whatever comes of it; of
    what has a word."""
    verb, has_word = mine.verb(at), mine.calls(at) or not mine.words(at).startswith("computes")
    same = (ours.verb(one) == verb for key in mine.operands(at) for one in ours.users(key))
    return has_word and verb not in ANY_ORDER and not any(same)


def _left_out(mine: Trail, ours: Trail, partner: int) -> int | None:
    """What the solution makes of one of the values before `partner`, and `mine` never does."""
    return next(
        (
            at
            for at in ours.sources(partner)
            if ours.operands(at) & mine.keys
            and ours.key(at) not in mine.keys
            and ours.verb(at) not in ANY_ORDER
        ),
        None,
    )
