"""From a wrong element back to what makes it wrong, through both kernels' ways at once.

As long as both do the same, the way goes on into the operand that differs. Sums, maxima and the
like of several values are taken as one step with many terms, whatever their order. Two values are
the same if they agree and were made of the same elements.
"""

from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from .trail import ANY_ORDER, Trail

FEW = 4  # operands that differ, of one step, that are gone into
DEEP = 400  # steps
SAME = 4
BITS = 12  # of a number that may stand there by chance
_NEUTRAL = {"add": 0.0, "max": -float("inf"), "min": float("inf")}

Id = tuple[int, int, bool]  # a value's key, what it was made of, and whether it is a constant


class DescentEnd(NamedTuple):
    """The step of the learner's, and the solution's in its place (None: not known); `bad`: the
    value in it that is wrong, None if the step itself is; `lost`: terms of the solution's that
    never came into that, and `more` that should not have. `first`: what the solution does there
    comes before the step."""

    at: int
    partner: int | None
    bad: int | None = None
    lost: tuple[int, ...] = ()
    more: tuple[int, ...] = ()
    first: bool = False


class Descent:
    """The way back through `mine` and `ours`, which have keys; `met`: the pairs of steps that were
    passed, in order."""

    def __init__(self, mine: Trail, ours: Trail):
        self.mine, self.ours, self._of = mine, ours, (_identities(mine), _identities(ours))
        self.met: dict[tuple[int, int], None] = {}
        self._foreign = set[int]()  # steps that were made of other values alone
        steps = [at for at in range(len(ours)) if not ours.constant[at]]
        self._known = {self._of[1][at] for at in steps}
        # Values with so many digits that nothing else has them by chance, whatever their formula.
        digits = np.ldexp(np.frexp(np.nan_to_num(ours.value, posinf=0, neginf=0))[0], BITS)
        self._rare = {(ours.key(at), ours.verb(at)) for at in steps if digits[at] % 1}
        self._sizes = {_size(ours, at) for at in steps if ours.verb(at) in ("sub", "neg")}
        self._made = {(ours.verb(at), self._of[1][at][1]): at for at in reversed(steps)}

    def found(self) -> DescentEnd | None:
        """What makes the last step wrong; None where that is not seen. Where the way back does not
        end, the value that differs, as far back as a single one does; else the last step's first
        one; else the step, if it has only right ones and the solution does not take it."""
        ends = len(self.mine) - 1, len(self.ours) - 1
        found = self._walk(*ends) if min(ends) >= 0 else None
        if found or min(ends) < 0 or self.known(ends[0]):
            return found
        _, *after = self.met
        sources = self.mine.sources(ends[0])
        return (
            self._single(*ends) or DescentEnd(*ends, after[0][0])
            if after
            else DescentEnd(*ends)
            if sources and all(map(self.known, sources))
            else None
        )

    def _single(self, a: int, b: int) -> DescentEnd | None:
        """The way back as long as both do the same and one value alone differs."""
        end, pairs = None, self._pairs(a, b)[0]
        while len(pairs) == 1 and self.mine.verb(a) == self.ours.verb(b):
            end = DescentEnd(a, b, pairs[0][0])
            a, b = pairs[0]
            pairs = self._pairs(a, b)[0]
        return end

    def known(self, at: int) -> bool:
        """Whether the solution has the value too, made of the same, or a difference the other way
        round."""
        turns = self.mine.verb(at) in ("sub", "neg") and self.mine.value[at] != 0
        turned = turns and _size(self.mine, at) in self._sizes
        is_rare = (self.mine.key(at), self.mine.verb(at)) in self._rare
        return bool(self.mine.constant[at]) or self._of[0][at] in self._known or is_rare or turned

    def _walk(self, a: int, b: int, above: tuple[int, int] | None = None) -> DescentEnd | None:
        """`above`: the two steps that use these, none at the end of the way."""
        if (a, b) in self.met or len(self.met) > DEEP:
            return None
        self.met[a, b] = None
        verb, bad = self.mine.verb(a), a if above else None
        if not self.mine.sources(a) or not self.ours.sources(b):
            if self._of[0][a][1] == self._of[1][b][1] != 0:
                if self.mine.sources(a):
                    is_used_elsewhere = (self.mine.source == a).sum() > 1
                    return DescentEnd(*above, a) if above and is_used_elsewhere else self._new(a)
                return self._before(a, "") or (
                    DescentEnd(above[0], b, first=True) if above else None
                )
            return DescentEnd(*above, bad) if above else None
        if verb != self.ours.verb(b):
            if above and not self._of[0][a][1] and self._of[1][b][1]:
                return DescentEnd(*above, a)  # of no element
            return (
                self._other(a, b)
                if not self.mine.value[a] or not self.known(a)
                else self._outdone(b) or (DescentEnd(above[0], b, first=True) if above else None)
            )
        used = [self._of[0][at] for at in self.mine.sources(a)]
        theirs = [self._of[1][at] for at in self.ours.sources(b)]
        if verb not in ANY_ORDER and used != theirs and sorted(used) == sorted(theirs):
            return DescentEnd(a, b)  # the same in another order
        is_extreme = verb in ("max", "min")
        if above and is_extreme and self._is_foreign(a, b):
            self._foreign.add(a)
            return DescentEnd(*above, a)
        pairs, more, lost = (self._terms if verb in ANY_ORDER else self._pairs)(a, b)
        further = chain(
            (self._walk(*both, (a, b)) for both in pairs[:FEW]),
            (self._new(one, is_extreme) for one in more[:FEW]),
            (self._before(one, verb) for one in more[:FEW]),
        )
        if found := next(filter(None, further), None):
            if above and found.at == a and found.bad in self._foreign and len(pairs) == len(used):
                self._foreign.add(a)
                return DescentEnd(*above, a)
            return found
        fixed = next((one for one in more if self.mine.constant[one]), None)
        if fixed is not None and not is_extreme:
            return DescentEnd(int(self.mine.owner[self.mine.source == fixed][-1]), None, fixed)
        inner = self._shared(a, b) if more and not is_extreme else ()
        if found := next(filter(None, (self._before(one, verb) for one in inner)), None):
            return found
        bad, ends = bad if fixed is None else fixed, lost and not more
        ends = (more or lost) if is_extreme else ends
        return DescentEnd(*(above or (a, b)), bad, tuple(lost), tuple(more)) if ends else None

    def _is_foreign(self, a: int, b: int) -> bool:
        """Whether a maximum or minimum and the solution's are of other results of tensor cores
        alone, of several each: such a result may be of any row."""
        keys, counts = [], set[int]()
        for trail, top in ((self.mine, a), (self.ours, b)):
            terms = _terms(trail, top, trail.verb(top))[0]
            used = {*chain(terms, *map(trail.sources, terms))}
            computed = (at for at in used if trail.sources(at) or trail.element(at) is not None)
            keys.append({trail.key(at) for at in computed if not trail.constant[at]})
            counts.add(len(terms) if "mma" in map(trail.verb, used) else 0)
        return len(counts) == 1 and not counts & {0, 1} and keys[0].isdisjoint(keys[1])

    def _pairs(self, a: int, b: int) -> tuple[list[tuple[int, int]], list[int], list[int]]:
        """Operands that differ; those that were computed are gone into first."""
        mine, ours = self.mine.sources(a), self.ours.sources(b)
        ways = [mine, mine[::-1] if self.mine.verb(a) in ("mul", *ANY_ORDER) else mine]
        best = max(ways, key=lambda way: sum(map(self._alike, way, ours)))
        pairs = [both for both in zip(best, ours, strict=False) if self._alike(*both) < SAME]
        pairs.sort(key=lambda both: not (self.mine.sources(both[0]) and self.ours.sources(both[1])))
        return pairs if len(mine) == len(ours) else [], [], []

    def _terms(self, a: int, b: int) -> tuple[list[tuple[int, int]], list[int], list[int]]:
        """The same of sums and the like, terms of the same elements together; and terms that the
        other side does not have at all. Of a maximum only the winners."""
        verb, sides = self.mine.verb(a), ((self.mine, a, self._of[0]), (self.ours, b, self._of[1]))
        terms = [sorted(_terms(trail, top, verb)[0]) for trail, top, _ in sides]
        have = [{of[at] for at in some} for some, (_, _, of) in zip(terms, sides, strict=True)]
        new = [
            [
                at
                for at in some
                if of[at] not in others
                and not (trail.constant[at] and trail.value[at] == _NEUTRAL.get(verb))
            ]
            for some, others, (trail, _, of) in zip(terms, have[::-1], sides, strict=True)
        ]
        more, lost = (
            [at for at in some if verb not in ("max", "min") or trail.value[at] == trail.value[top]]
            for some, (trail, top, _) in zip(new, sides, strict=True)
        )
        alone = len(more) == len(lost) == 1
        mates = {made: at for at in reversed(lost) if (made := self._of[1][at][1]) or alone}
        pairs = [(at, mates[made]) for at in new[0] if (made := self._of[0][at][1]) in mates]
        ones, others = ({*side} for side in zip(*pairs, strict=True)) if pairs else ((), ())
        return pairs, [at for at in more if at not in ones], [at for at in lost if at not in others]

    def _other(self, a: int, b: int) -> DescentEnd | None:
        """Where both do something else: with the right values the step is the wrong one; else the
        same is looked for among what leads to it."""
        verb = self.mine.verb(a)
        terms, _ = _terms(self.mine, a, verb if verb in ANY_ORDER else "")
        unknown = [one for one in terms if not self.known(one)]
        mates = (
            (one, self._made.get((self.mine.verb(one), self._of[0][one][1]), b)) for one in unknown
        )
        further = (self._walk(one, mate, (a, b)) for one, mate in islice(mates, FEW) if mate < b)
        return next(filter(None, further), None) or (self._new(a) if unknown else DescentEnd(a, b))

    def _new(self, top: int, is_new: bool = False) -> DescentEnd | None:
        """The first step on the way to one that is not known, though all that it uses is; `is_new`:
        that one is not, whatever its value."""
        ahead, seen, first = [top], {top}, list[int]()
        while ahead:
            sources = self.mine.sources(at := ahead.pop())
            # A parameter is known where something is computed from it and another value.
            of = [
                one
                for one in sources
                if len(sources) == 1 or self.mine.element(one) is not None or self.mine.sources(one)
            ]
            unknown = {one for one in of if not self.known(one)}
            new = not self.known(at) or (is_new and at == top)
            first += [at] if sources and not unknown and new else []
            ahead += unknown - seen
            seen |= unknown
        return DescentEnd(min(first), None) if first else None

    def _before(self, term: int, verb: str) -> DescentEnd | None:
        """Where a value is used that the solution does something else with before than `verb`, and
        `mine` does not."""
        users = [] if self.mine.constant[term] else self.ours.users(self.mine.key(term))
        others = [
            at
            for at in users
            if self.ours.verb(at) != verb
            and self.ours.key(at) not in self.mine.keys
            and self._of[0][term] in {self._of[1][one] for one in self.ours.sources(at)}
        ]
        uses = self.mine.owner[self.mine.source == term].tolist()
        at = next((one for one in uses if self._of[0][one] != self._of[0][term]), None)
        return DescentEnd(at, others[0], first=True) if others and at is not None else None

    def _outdone(self, b: int) -> DescentEnd | None:
        """Where `mine` uses the winner of a maximum or minimum of the solution's, and the solution
        does something else with it before."""
        top, size = b, abs(self.ours.value[b])
        while equal := [one for one in self.ours.sources(top) if abs(self.ours.value[one]) == size]:
            top = equal[0]
        verb, key = self.ours.verb(b), self.ours.key(top)
        is_used = verb in ("max", "min") and key in self.mine.keys
        return self._before(self.mine.made(key), verb) if is_used else None

    def _shared(self, a: int, b: int) -> list[int]:
        """The sums of elements inside of one that the solution has too, but not inside of its
        own."""
        (_, mine), (_, ours) = (
            _terms(*side, self.mine.verb(a)) for side in ((self.mine, a), (self.ours, b))
        )
        apart = self._known - {self._of[1][at] for at in ours}
        return [at for at in sorted(mine) if (of := self._of[0][at])[1] and of in apart]

    def _alike(self, one: int, other: int) -> int:
        """How well two operands fit together: `SAME` or more if they are the same."""
        of, to, constant = self._of[0][one], self._of[1][other], self.ours.constant[other]
        value = self.mine.value[one] == self.ours.value[other]
        verb = self.mine.verb(one)
        is_rare = of[0] == to[0] and verb == self.ours.verb(other) and (of[0], verb) in self._rare
        same = value if constant or self.mine.constant[one] else of == to or is_rare
        return (
            int(SAME * same) + 2 * (of[1] == to[1]) + (self.mine.verb(one) == self.ours.verb(other))
        )


def _terms(trail: Trail, top: int, verb: str) -> tuple[list[int], list[int]]:
    """What a step is of, taken together with those before it that do the same, and these."""
    terms, inner, ahead, seen = list[int](), list[int](), [top], {top}
    while ahead:
        new = {*trail.sources(ahead.pop())} - seen
        inside = [one for one in new if trail.verb(one) == verb and trail.sources(one)]
        terms += new.difference(inside)
        inner += inside
        ahead += inside
        seen |= new
    return terms, inner


def _size(trail: Trail, at: int) -> str:
    return f"{abs(trail.value[at]):.5g}"


def beyond(trail: Trail) -> tuple[int, ...]:
    """The first step that makes an infinity or NaN of finite numbers, else the last one; before it,
    if that or a result of 0 comes from an exponential that is too small for a float, that
    exponential. Nothing where a float can hold all."""
    finite = np.isfinite(trail.value)
    strange = np.bincount(trail.owner[~finite[trail.source]], minlength=len(trail))
    made = np.flatnonzero(~finite & (strange == 0) & (trail.counts > 0))
    at = first = int(made[0]) if len(made) else len(trail) - 1
    while at >= 0 and not trail.verb(at).startswith("exp"):
        zeros = [one for one in trail.sources(at) if trail.value[one] == 0 and trail.sources(one)]
        at = zeros[0] if zeros else -1
    overflows = len(made) and trail.verb(first) in ("add", "sub", "mul")
    return (at, first) if at >= 0 else (first,) if overflows else ()


def _identities(trail: Trail) -> list[Id]:
    """Of each step its key, and a number for the elements that it was made of, but for those that a
    maximum was looked for in."""
    made: list[int] = []
    for at in range(len(trail)):
        own = 0 if trail.verb(at) or trail.constant[at] else hash((0, trail.key(at)))
        inside = [] if trail.verb(at) in ("max", "min") else trail.sources(at)
        made.append((own + sum(made[one] for one in inside)) & 0xFFFFFFFFFFFFFFFF)
    return [*zip(map(trail.key, range(len(trail))), made, trail.constant.tolist(), strict=True)]
