"""The first step on the way to a wrong element that the solution does not take.

Both ways are compared value by value: a step is known if the solution comes to its value too, be
it in another order or another thread. The first one that is not known, though all that it was
computed from is, is where the ways part; it is told beside what the solution does with the same
values. Where both do the same in another order nothing is told.
"""

from __future__ import annotations

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
_HALF = 31  # bits: of a pair of numbers as one
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
        self._trails: list[Trail] = []
        self._ways: dict[int, list[_KeyedTrail]] = {}

    def parting(self, any_order: bool = False) -> Parting | None:
        """Where the ways part; None where they do not. Sums, maxima and the like of other pairs of
        values, which may be a matter of their order alone, are passed over, or with `any_order`
        are all that is looked for."""
        for nearness in range(len(CLOSE)):
            mine, ours = self._as_near_as(nearness)
            if mine.size and ours.size:
                known = mine.known_in(ours)
                if found := next(_between(mine, ours, known, any_order), None):
                    return found
        return None

    def parting_of_indices(self) -> Parting | None:
        """The same for whole numbers, small ones, which say little alone: a step is known if the
        solution comes to its value from the same ones in the same way."""
        mine, ours = self._as_near_as(len(CLOSE) - 1)
        taken = {ours.taken(at) for at in range(ours.size)}
        known = np.array([mine.taken(at) in taken for at in range(mine.size)], bool)
        return next(_between(mine, ours, known, any_order=True), None) or next(
            _between(mine, ours, known, any_order=False), None
        )

    def goes_on(self, from_parts: bool) -> str:
        """What the solution does next with the value that `mine` ends with; "" if it never has
        it. With `from_parts` sums, maxima and the like are passed over: more of them may follow
        anywhere."""
        mine, ours = self._as_near_as(0)
        if not (mine.size and ours.size):
            return ""
        further = ours.users(mine.key(mine.size - 1))
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
        lost = [at for at in first & second if ours.trail.value[at] != taken]
        return ours.words(min(lost)) if lost else ""

    @cached_property
    def _extremes(self) -> dict[float, frozenset[int]]:
        """The maxima and minima in the solution, by each value that they are taken of."""
        _, ours = self._as_near_as(0)
        trail = ours.trail
        some = trail.does("max", "min")[trail.owner]
        pairs = zip(
            trail.value[trail.source[some]].tolist(), trail.owner[some].tolist(), strict=True
        )
        found: defaultdict[float, set[int]] = defaultdict(set)
        for value, at in pairs:
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
        mine, ours = (way.trail.passed(KINDS[kind]) for way in self._as_near_as(0))
        return mine, ours

    def _as_near_as(self, nearness: int) -> list[_KeyedTrail]:
        """Both, values told apart as `CLOSE` has it."""
        if nearness not in self._ways:
            self._trails = self._trails or [Trail(one, self._named) for one in self._cones]
            keys = _keys(self._trails, CLOSE[nearness])
            rows = zip(self._trails, keys, strict=True)
            self._ways[nearness] = [
                _KeyedTrail(trail, one, DIGITS[nearness]) for trail, one in rows
            ]
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
        buffer, index = trail.elements()
        number = np.array([names.index(one) for one in trail.behind.buffers], np.int64)
        some = buffer >= 0
        part[some] = len(known) + 2 + index[some] * len(names) + number[buffer[some]]
    return parts


class _KeyedTrail:
    """A trail whose steps have keys. `keys`: all but those of constants; `in_code`: the constants'
    values."""

    def __init__(self, trail: Trail, keys: Numbers, digits: int):
        self.trail, self._keys, self._digits = trail, keys, digits
        self.size = len(trail)
        self.keys = set(keys[~trail.constant].tolist())
        self.in_code = set(trail.value[trail.constant].tolist())
        pairs = keys[trail.source] << _HALF | trail.owner
        self._users = np.unique(pairs[trail.given])

    def key(self, at: int) -> int:
        return int(self._keys[at])

    def users(self, key: int) -> list[int]:
        """The steps that use a value, in order."""
        first, last = np.searchsorted(self._users, [key << _HALF, (key + 1) << _HALF])
        found: list[int] = (self._users[first:last] - (key << _HALF)).tolist()
        return found

    def operands(self, at: int) -> set[int]:
        """The keys of what a step was computed from, but for constants."""
        trail = self.trail
        return {self.key(one) for one in trail.sources(at) if not trail.constant[one]}

    def verb(self, at: int) -> str:
        return self.trail.verb(at)

    def taken(self, at: int) -> tuple[object, ...]:
        """A step with the values that go in and come out; of a constant, that it is one."""
        if self.trail.constant[at]:
            return ()
        sources = sorted(self.key(one) for one in self.trail.sources(at))
        return self.verb(at), *sources, self.key(at)

    def words(self, at: int) -> str:
        return self.trail.words(at, self._digits)

    def known_in(self, other: _KeyedTrail) -> Flags:
        """Which steps come to a value that the other way has too. A maximum is one of two, so that
        it must be a maximum there too, if anything is done with the two."""
        trail = self.trail
        known: Flags = trail.constant | np.isin(self._keys, list(other.keys))
        steps, pairs = self._of_two(known & trail.does("max", "min"))
        users, others = other._of_two(np.ones(other.size, bool))
        some = np.isin(others, pairs)
        done = np.unique(np.stack([others[some], other.trail.op[users[some]]]), axis=1)
        verbs: dict[int, set[str]] = {}
        for pair, op in done.T.tolist():
            verbs.setdefault(pair, set()).add(other.trail.verbs[op])
        for at, pair in zip(steps.tolist(), pairs.tolist(), strict=True):
            known[at] = pair not in verbs or self.verb(at) in verbs[pair]
        return self._kept(known)

    def _of_two(self, some: Flags) -> tuple[Numbers, Numbers]:
        """Those steps that were computed from two values, and a number for the two."""
        trail = self.trail
        counts = np.bincount(trail.owner[trail.given], minlength=self.size)
        steps = np.flatnonzero(some & (trail.counts == 2) & (counts == 2))
        first = np.searchsorted(trail.owner, steps)
        keys = np.sort([self._keys[trail.source[first + k]] for k in (0, 1)], axis=0)
        differ = keys[0] != keys[1]
        return steps[differ], (keys[0] << _HALF | keys[1])[differ]

    def _kept(self, known: Flags) -> Flags:
        """The same with steps that leave a known value as it was, as adding 0 does."""
        trail = self.trail
        same = trail.value[trail.source] == trail.value[trail.owner]
        keeps = np.bincount(trail.owner[same], minlength=self.size) > 0
        for at in np.flatnonzero(keeps & ~known & trail.does("add", "sub", "mul")).tolist():
            sources = trail.sources(at)
            known[at] = any(known[one] and trail.value[one] == trail.value[at] for one in sources)
        return known


def _tops(way: _KeyedTrail) -> list[tuple[float, int | None]]:
    """The results of all maxima and minima, and the line where a result stands in the code; None
    where it was loaded or computed."""
    trail = way.trail
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


def _between(
    mine: _KeyedTrail, ours: _KeyedTrail, known: Flags, any_order: bool
) -> Iterator[Parting]:
    """The steps that are not known, though all that they were computed from is."""
    trail = mine.trail
    unknown = np.bincount(trail.owner[~known[trail.source]], minlength=mine.size)
    for at in np.flatnonzero(~known & ~trail.inner & (trail.op >= 0) & (unknown == 0)).tolist():
        found = _told(mine, ours, at, any_order)
        if found is not None:
            yield found


def _told(mine: _KeyedTrail, ours: _KeyedTrail, at: int, any_order: bool) -> Parting | None:
    trail = mine.trail
    place = ThreadPlace(*trail.place(at), trail.line(at))
    constant = next((one for one in trail.constants(at) if one not in ours.in_code), None)
    partner = _partner(mine, ours, at)
    before = None if partner is None else _left_out(mine, ours, partner)
    if before is not None and not any_order:
        return Parting(place, mine.words(at), f"first {ours.words(before)}", constant)
    if partner is not None and _in_another_order(mine, at, ours, partner) == any_order:
        return Parting(place, mine.words(at), ours.words(partner), constant)
    alone = partner is None and mine.verb(at) not in ANY_ORDER
    if not any_order and (
        constant is not None or alone or mine.verb(at) in ("cut", "half", "single")
    ):
        return Parting(place, mine.words(at), "", constant)
    return None


def _partner(mine: _KeyedTrail, ours: _KeyedTrail, at: int) -> int | None:
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
    given = sum(not mine.trail.constant[one] for one in mine.trail.sources(at))
    alike = [user for user in shared if ours.verb(user) == verb and verb not in ANY_ORDER]
    return max(
        new or [user for user in alike if shared[user] == given - 1],
        key=lambda user: (shared[user], ours.verb(user) == verb, -user),
        default=None,
    )


def _left_out(mine: _KeyedTrail, ours: _KeyedTrail, partner: int) -> int | None:
    """What the solution makes of one of the values before `partner`, and `mine` never does."""
    for at in ours.trail.sources(partner):
        known = ours.operands(at) & mine.keys
        if known and ours.key(at) not in mine.keys and ours.verb(at) not in ANY_ORDER:
            return at
    return None


def _in_another_order(mine: _KeyedTrail, at: int, ours: _KeyedTrail, partner: int) -> bool:
    verb = mine.verb(at)
    return verb == ours.verb(partner) and verb in ANY_ORDER
