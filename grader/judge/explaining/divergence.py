"""The first step on the way to a wrong element that the solution does not take.

Both ways are compared value by value: a step is known if the solution comes to its value too, be
it in another order or another thread. The first one that is not known, though all that it was
computed from is, is where the ways part; it is told beside what the solution does with the same
values. Where both do the same in another order nothing is told.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..protocol import Element, SliceSteps, ThreadPlace
from .trail import Flags, Numbers, Trail

CLOSE = (15, 22)  # bits in which values that are the same agree, tried in this order
DIGITS = (6, 7)  # in which they are told then
KINDS = {"exponential": ("ex2",), "division": ("div", "rcp"), "multiplication": ("mul",)}
POWERS = {"exp", "exp2"}
ANY_ORDER = ("add", "max", "min", "and", "or", "xor")


@dataclass(frozen=True)
class Parting:
    """Where the ways part, and what is done there, in words: `mine` (with `place`) and `ours`, or
    what ours does first, empty where the solution has no step that is to be compared.
    `constant`: a number that stands in the learner's code and not in the solution's, None if there
    is none in this step."""

    place: ThreadPlace
    mine: str
    ours: str = ""
    constant: float | None = None

    @property
    def told(self) -> str:
        """Where the learner's is done, and both steps: "on line 3: thread 1 of block 0 adds"."""
        ours = f". Our kernel {self.ours}" if self.ours else ""
        return f"{self.place.on.strip() or 'here'}: {self.place.who} {self.mine}{ours}"


@dataclass(frozen=True)
class Extreme:
    """A maximum or minimum that the solution does not come to: its value, and the line on which
    that stands in the code; `ours` is the solution's."""

    value: float
    line: int | None
    ours: float


class TwoTrails:
    """The learner's way to an element and the solution's; `named`: what an element is called."""

    def __init__(self, mine: SliceSteps, ours: SliceSteps, named: Callable[[Element], str]):
        self._cones, self._named = (mine, ours), named
        self._ways: dict[int, list[Trail]] = {}

    def parting(self, any_order: bool = False) -> Parting | None:
        """Where the ways part; None where they do not. Sums, maxima and the like of other pairs of
        values, which may be a matter of their order alone, are passed over, or with `any_order`
        are all that is looked for."""
        for nearness in range(len(CLOSE)):
            mine, ours = self._as_near_as(nearness)
            if mine and ours:
                known = mine.known_in(ours)
                if found := next(_between(mine, ours, known, any_order), None):
                    return found
        return None

    def parting_of_indices(self) -> Parting | None:
        """The same for whole numbers, small ones, which say little alone: a step is known if the
        solution comes to its value from the same ones in the same way."""
        mine, ours = self._as_near_as(len(CLOSE) - 1)
        taken = {ours.taken(at) for at in range(len(ours))}
        known = np.array([mine.taken(at) in taken for at in range(len(mine))], bool)
        in_order, others = (_between(mine, ours, known, one) for one in (True, False))
        return next(in_order, None) or next(others, None)

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
        first, second = (self._extremes.get(value, frozenset()) for value in values)
        lost = [at for at in first & second if ours.value[at] != taken]
        return ours.words(min(lost)) if lost else ""

    @cached_property
    def _extremes(self) -> dict[float, frozenset[int]]:
        """The maxima and minima in the solution, by each value that they are taken of."""
        _, ours = self._as_near_as(0)
        some = ours.does("max", "min")[ours.owner]
        values, steps = ours.value[ours.source[some]].tolist(), ours.owner[some].tolist()
        found: defaultdict[float, set[int]] = defaultdict(set)
        for value, at in zip(values, steps, strict=True):
            found[value].add(at)
        return {value: frozenset(steps) for value, steps in found.items() if value == value}

    def constant_extreme(self) -> Extreme | None:
        """Of a maximum that a number in the code has won, where in the solution an element wins."""
        mine, ours = map(_tops, self._as_near_as(0))
        expected = {value for value, _ in ours}
        for value, line in mine if ours else ():
            if line is not None and value not in expected:
                return Extreme(value, line, ours[-1][0])
        return None

    def passed(self, kind: str) -> tuple[int, int]:
        """The most steps of a kind on one way, in the learner's and in the solution's."""
        mine, ours = (way.passed(KINDS[kind]) for way in self._as_near_as(0))
        return mine, ours

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


def _between(mine: Trail, ours: Trail, known: Flags, any_order: bool) -> Iterator[Parting]:
    """The steps that are not known, though all that they were computed from is."""
    unknown = np.bincount(mine.owner[~known[mine.source]], minlength=len(mine))
    for at in np.flatnonzero(~known & ~mine.inner & (mine.op >= 0) & (unknown == 0)).tolist():
        found = _told(mine, ours, at, any_order)
        if found is not None:
            yield found


def _told(mine: Trail, ours: Trail, at: int, any_order: bool) -> Parting | None:
    given = [mine.value[one] for one in mine.sources(at) if not mine.constant[one]]
    place = mine.place(at).with_values(mine.value[at], *given)
    constant = next((one for one in mine.constants(at) if one not in ours.in_code), None)
    partner = _partner(mine, ours, at)
    before = None if partner is None else _left_out(mine, ours, partner)
    if before is not None and not any_order:
        return Parting(place, mine.words(at), f"first {ours.words(before)}", constant)
    verb = mine.verb(at)
    in_another_order = partner is not None and verb == ours.verb(partner) and verb in ANY_ORDER
    if partner is not None and in_another_order == any_order:
        return Parting(place, mine.words(at), ours.words(partner), constant)
    alone = partner is None and verb not in ANY_ORDER
    if not any_order and (constant is not None or alone or verb in ("cut", "half", "single")):
        return Parting(place, mine.words(at), "", constant)
    return None


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
    new = new or [user for user in other if len(keys) > 1 or {verb, ours.verb(user)} == POWERS]
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
