"""The first step on the way to a wrong element that the solution does not take.

Both ways are compared value by value: a step is known if the solution comes to its value too, be
it in another order or another thread. The first one that is not known, though all that it was
computed from is, is where the ways part; it is told beside what the solution does with the same
values. Where both do the same in another order nothing is told.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...cuda.errors import Message
from ...say.places import called
from ..protocol import Element, SliceSteps, ThreadPlace
from .descent import Descent, Found, beyond
from .trail import ANY_ORDER, Flags, Numbers, Trail

CLOSE = (15, 22)  # bits in which values that are the same agree, tried in this order
DIGITS = (6, 7)  # in which they are told then
MUCH = 8  # times smaller than what it was made of: a difference in which much cancels


@dataclass(frozen=True)
class Bad:
    """A value that is wrong: in `words`, and the `line` that it was made on, None for an element;
    whether it `stands` in the code."""

    words: str
    value: float
    line: int | None
    stands: bool


@dataclass(frozen=True)
class Parting:
    """Where the ways part, and what is done there, in words: `mine` (with `place`) and `ours`, or
    what ours does first, empty where the solution has no step that is to be compared.
    `constant`: a number that stands in the learner's code and not in the solution's, None if there
    is none in this step. `bad`: the value that is wrong in it; `right`: all of its values are the
    right ones. `calls`: the lines of the calls that lead there."""

    place: ThreadPlace
    mine: str
    ours: str = ""
    constant: float | None = None
    bad: Bad | None = None
    right: bool = False
    calls: tuple[int, ...] = ()

    @property
    def told(self) -> Message:
        """The learner's step with its place, and ours: "On line 3, thread 1 of block 0 adds"."""
        who = f"{self.place.who} {self.mine}."
        where = f"On{self.place.on[3:]}{called(self.calls)}"
        who = f"{where}, {who}" if self.place.on else f"T{who[1:]}"
        ours = f"Our kernel {self.ours}." if self.ours else ""
        return Message(who, remedy=number_in_code(self.constant), ours=ours)


def number_in_code(number: float | None) -> str:
    """A question about a number that the solution does not have; "" without one."""
    return "" if number is None else f"Is the {number:g} in your code the right number?"


class TwoTrails:
    """The learner's way to an element and the solution's; `named`: what an element is called."""

    def __init__(self, mine: SliceSteps, ours: SliceSteps, named: Callable[[Element], str]):
        self._cones, self._named = (mine, ours), named
        self._ways: dict[int, list[Trail]] = {}

    @cached_property
    def found(self) -> Found | None:
        """Where the way back from the element ends; see `descent`."""
        return self._descent.found()

    @cached_property
    def _descent(self) -> Descent:
        return Descent(*self._as_near_as(self._nearness))

    @property
    def met(self) -> list[tuple[float, float]]:
        """The values that were passed on the way back, and what the solution has there; NaN for
        those that never came in."""
        lost, (mine, ours) = self.found.lost if self.found else (), self._as_near_as(self._nearness)
        passed = [(float(mine.value[a]), float(ours.value[b])) for a, b in self._descent.met]
        return passed + [(math.nan, float(ours.value[one])) for one in lost]

    @cached_property
    def _nearness(self) -> int:
        """How near values are told apart, so that the two elements are."""
        mine, ours = self._as_near_as(0)
        return int(bool(len(mine) and len(ours)) and mine.key(-1) == ours.key(-1))

    @property
    def sums(self) -> bool:
        """Whether the element was computed in the end, and not looked for or handed on."""
        mine, _ = self._as_near_as(0)
        return bool(len(mine) and mine.sources(-1) and mine.verb(-1) not in ("max", "min"))

    @cached_property
    def descended(self) -> Parting | None:
        """What is wrong there: a value of a step, or the step."""
        found, (mine, ours) = self.found, self._as_near_as(self._nearness)
        if found is None or (found.bad is None and found.lost):
            return None
        at, bad = found.at, found.bad
        other = _partner(mine, ours, at) if found.partner is None else found.partner
        told = _step(mine, ours, at)
        if other is None:
            return told
        same = mine.verb(at) == ours.verb(other)
        strange, missing = _apart(mine, ours, at, other)
        if bad is None and same and len(strange) == len(missing) == 1:
            bad = strange[0]
        before = _left_out(mine, ours, other) if bad is None else None
        words = ours.words(other) if before is None else f"first {ours.words(before)}"
        told = replace(told, ours="" if words == told.mine else words)
        if bad is None:
            return replace(told, right=not strange and not missing)
        stands = bool(mine.constant[bad]) and not mine.built_in(bad)
        line = mine.line(bad)
        return replace(told, bad=Bad(mine.said(bad), float(mine.value[bad]), line, stands))

    @property
    def beyond(self) -> Parting | None:
        """The step that makes what a float cannot hold, where the solution has none."""
        mine, ours = self._as_near_as(0)
        at = beyond(mine)
        return None if at is None or beyond(ours) is not None else _step(mine, ours, at)

    @cached_property
    def first_parting(self) -> Parting | None:
        """Where the formula is another one."""
        return self.parting() or self._left_raw()

    def _left_raw(self) -> Parting | None:
        """The first element that the solution makes something of before it is used, and `mine`
        never does."""
        mine, ours = self._as_near_as(0)
        for at in np.flatnonzero(ours.op < 0).tolist():
            users, plain = ours.users(ours.key(at)), mine.users(ours.key(at))
            made = [
                one for one in users if ours.counts[one] == 1 and ours.key(one) not in mine.keys
            ]
            if plain and made and len(made) == len(users):
                ours_first = f"first {ours.words(made[0])}"
                return Parting(mine.place(plain[0]), mine.words(plain[0]), ours_first)
        return None

    def parting(self, any_order: bool = False) -> Parting | None:
        """Where the ways part; None where they do not. Sums, maxima and the like of other pairs of
        values, which may be a matter of their order alone, are passed over, or with `any_order`
        are all that is looked for."""
        for nearness in range(len(CLOSE)):
            mine, ours = self._as_near_as(nearness)
            if mine and ours:
                known = mine.known_in(ours)
                # Another formula may come to a known value: first what unknown steps lead on from.
                matters = _matters(mine, known)
                steps = sorted(_differing(mine, known), key=lambda at: not matters[at])
                told = (_told(mine, ours, at, any_order) for at in steps)
                if found := next(filter(None, told), None):
                    return found
        return None

    def parting_of_indices(self) -> Parting | None:
        """The same for whole numbers, small ones, which say little alone: a step is known if the
        solution comes to its value from the same ones in the same way."""
        mine, ours = self._as_near_as(len(CLOSE) - 1)
        taken = {ours.taken(at) for at in range(len(ours))}
        known = np.array([mine.taken(at) in taken for at in range(len(mine))], bool)
        steps = _differing(mine, known)
        told = (_told(mine, ours, at, any_order) for any_order in (True, False) for at in steps)
        return next(filter(None, told), None)

    def goes_on(self, from_parts: bool) -> str:
        """What the solution does next with the value that `mine` ends with; "" if it never has
        it. With `from_parts` sums, maxima and the like are passed over: more of them may follow
        anywhere."""
        mine, ours = self._as_near_as(0)
        if not (mine and ours):
            return ""
        further = ours.users(mine.key(len(mine) - 1))
        new = [user for user in further if ours.key(user) not in mine.keys]
        new.sort(key=lambda user: ours.verb(user) in ANY_ORDER)
        if not new or (from_parts and ours.verb(new[0]) in ANY_ORDER):
            return ""
        return ours.words(new[0])

    def beaten(self, values: tuple[float, float], taken: float) -> str:
        """The maximum or minimum of the same two values in which the solution has the other one
        win; "" if there is none."""
        _, ours = self._as_near_as(0)
        lost = ours.does("max", "min") & (ours.value != taken)
        for value in values:
            users = ours.owner[ours.value[ours.source] == value]
            lost &= np.bincount(users, minlength=len(ours)) > 0
        return ours.words(int(lost.argmax())) if lost.any() else ""

    def constant_extreme(self) -> tuple[float, int, float] | None:
        """Of a maximum or minimum that the solution does not come to, as a number in the code wins
        it: that number, its line, and what the solution comes to."""
        mine, ours = map(_tops, self._as_near_as(0))
        expected = {value for value, _ in ours}
        for value, line in mine if ours else ():
            if line is not None and value not in expected and math.isfinite(value):
                return value, line, ours[-1][0]
        return None

    def cancelled(self, off: float) -> tuple[ThreadPlace, str, float, float] | None:
        """Where numbers cancel whose rounding explains why an element is `off`, and in the solution
        does not: the sum or difference that the element hangs on most, in words, and how far
        roundings move the element, and in the solution."""
        mine, ours = self._as_near_as(0)
        slopes = mine.slopes()
        moves, expected = mine.rounding(slopes), ours.rounding(ours.slopes())
        if not (len(ours) and 1000 * abs(off) > moves > abs(off) / 2 > 2 * expected):
            return None
        largest = np.zeros(len(mine))
        np.maximum.at(largest, mine.owner, np.abs(mine.value[mine.source]))
        cancels = mine.does("add", "sub") & (np.abs(mine.value) < largest / MUCH)
        at = int(np.where(cancels, np.abs(slopes) * largest, 0).argmax())
        return (mine.place(at), mine.words(at), moves, expected) if cancels[at] else None

    def _as_near_as(self, nearness: int) -> list[Trail]:
        """Both, values told apart as `CLOSE` has it."""
        if nearness not in self._ways:
            trails = [Trail(one, self._named, DIGITS[nearness]) for one in self._cones]
            for trail, keys in zip(trails, _keys(trails, CLOSE[nearness]), strict=True):
                trail.have_keys(keys)
            self._ways[nearness] = trails
        return self._ways[nearness]


def _keys(trails: list[Trail], bits: int) -> list[Numbers]:
    """By step a number that is the same for values that are the same on both ways, 0 for 0."""
    rounded = []
    for trail in trails:
        mantissa, exponent = np.frexp(trail.value)
        rounded.append(np.ldexp(np.round(np.ldexp(mantissa, bits)), exponent - bits))
    known, keys = np.unique(np.concatenate([[0.0], *rounded]), return_inverse=True)
    keys = np.where(keys == keys[0], 0, keys + 1)[1:]
    names = sorted({name for one in trails for name in one.behind.buffers})
    parts = np.split(keys, [len(trails[0])])
    for part, trail in zip(parts, trails, strict=True):
        number = np.array([names.index(one) for one in trail.behind.buffers], np.int64)
        some = trail.buffer >= 0
        place = trail.index[some] * len(names) + number[trail.buffer[some]]
        part[some] = len(known) + 2 + place
    return parts


def _tops(trail: Trail) -> list[tuple[float, int | None]]:
    """The results of all maxima and minima, and the line where a result stands in the code; None
    where it was loaded or computed."""
    extreme = trail.does("max", "min")
    extreme[trail.source[extreme[trail.owner]]] = False
    tops = np.flatnonzero(extreme).tolist()
    return [(float(trail.value[at]), _in_code(trail, at)) for at in tops]


def _in_code(trail: Trail, top: int) -> int | None:
    """The line of the number in the code that a maximum is, if no other value is the same."""
    value, at = trail.value[top], top
    while trail.verb(at) in ("max", "min") and not trail.constant[at]:
        same = [one for one in trail.sources(at) if trail.value[one] == value]
        if not same:
            return None
        at = min(same, key=lambda one: bool(trail.constant[one]))
    return trail.line(at) if trail.constant[at] else None


def _differing(mine: Trail, known: Flags) -> list[int]:
    """The steps that are not known, though all that they were computed from is."""
    unknown = np.bincount(mine.owner[~known[mine.source]], minlength=len(mine))
    steps: list[int] = np.flatnonzero(~known & (mine.op >= 0) & (unknown == 0)).tolist()
    return steps


def _matters(mine: Trail, known: Flags) -> Flags:
    """Which steps are reached from the last one by unknown steps alone."""
    matters, ahead = np.zeros(len(mine), bool), [len(mine) - 1]
    while ahead:
        at = ahead.pop()
        matters[at] = True
        ahead += {one for one in mine.sources(at) if not known[one] and not matters[one]}
    return matters


def _told(mine: Trail, ours: Trail, at: int, any_order: bool) -> Parting | None:
    told, partner = _step(mine, ours, at), _partner(mine, ours, at)
    before = None if partner is None else _left_out(mine, ours, partner)
    if before is not None and not any_order:
        return replace(told, ours=f"first {ours.words(before)}")
    verb = mine.verb(at)
    in_another_order = partner is not None and verb == ours.verb(partner) and verb in ANY_ORDER
    if partner is not None and in_another_order == any_order:
        others = ours.words(partner)
        return replace(told, ours=others) if told.mine != others else None
    alone = partner is None and verb not in ANY_ORDER
    strange = told.constant is not None or alone or verb in ("cut", "half", "single")
    return told if strange and not any_order else None


def _step(mine: Trail, ours: Trail, at: int) -> Parting:
    """A step of the learner's alone."""
    given = [mine.value[one] for one in mine.sources(at) if not mine.constant[one]]
    constant = next((one for one in mine.constants(at) if one not in ours.in_code), None)
    place = mine.place(at).with_values(mine.value[at], *given)
    return Parting(place, mine.words(at), "", constant, calls=mine.ops[mine.op[at]].calls)


def _apart(mine: Trail, ours: Trail, at: int, other: int) -> tuple[list[int], list[int]]:
    """The values that one of two steps uses, and the other does not."""
    sides = [(mine, at), (ours, other)]
    used = [{_shown(side, one): one for one in side.sources(step)} for side, step in sides]
    return tuple([one for name, one in x.items() if name not in y] for x, y in (used, used[::-1]))


def _shown(trail: Trail, at: int) -> tuple[int, float]:
    return trail.key(at), float(trail.value[at]) if trail.constant[at] else 0.0


def _partner(mine: Trail, ours: Trail, at: int) -> int | None:
    """The step of the solution that uses most of the same values, and that `mine` never takes; or
    that does the same with another value in the place of one of them."""
    verb, keys = mine.verb(at), mine.operands(at)
    shared: dict[int, int] = {}
    for key in keys - {0} or keys:
        for user in ours.users(key):
            shared[user] = shared.get(user, 0) + 1
    new = [user for user in shared if ours.key(user) not in mine.keys]
    other = [user for user in shared if shared[user] == len(keys) and ours.verb(user) != verb]
    new = new or [user for user in other if len(keys) > 1 or (mine.calls(at) and ours.calls(user))]
    given = sum(not mine.constant[one] for one in mine.sources(at))
    alike = [user for user in shared if ours.verb(user) == verb and verb not in ANY_ORDER]
    return max(
        new or [user for user in alike if shared[user] == given - 1],
        key=lambda user: (shared[user], ours.verb(user) == verb, -user),
        default=None,
    )


def _left_out(mine: Trail, ours: Trail, partner: int) -> int | None:
    """What the solution makes of one of the values before `partner`, and `mine` never does."""
    for at in ours.sources(partner):
        known = ours.operands(at) & mine.keys
        if known and ours.key(at) not in mine.keys and ours.verb(at) not in ANY_ORDER:
            return at
    return None
