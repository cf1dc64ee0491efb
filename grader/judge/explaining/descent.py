"""From a wrong element back to what makes it wrong, through both kernels' ways at once.

As long as both do the same, the way goes on into the operand that differs. Sums, maxima and the
like of several values are taken as one step with many terms, whatever their order. Two values are
the same if they agree and were made of the same elements.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from .trail import ANY_ORDER, Trail

FEW = 4  # operands that differ, of one step, that are gone into
DEEP = 400  # steps
_NEUTRAL = {"add": 0.0, "max": -float("inf"), "min": float("inf")}

Id = tuple[int, int]  # a value's key, and what it was made of


@dataclass(frozen=True)
class Found:
    """The step of the learner's, and the solution's in its place (None: there is none); `bad`: the
    value in it that is wrong, None if the step itself is; `lost`: terms of the solution's that
    never came into that."""

    at: int
    partner: int | None
    bad: int | None = None
    lost: tuple[int, ...] = ()


class Descent:
    """The way back through `mine` and `ours`, which have keys; `met`: the pairs of steps that were
    passed, in order."""

    def __init__(self, mine: Trail, ours: Trail):
        self.mine, self.ours = mine, ours
        self._of = _identities(mine), _identities(ours)
        steps = [at for at in range(len(ours)) if not ours.constant[at]]
        self._known = {self._of[1][at] for at in steps}
        self._sizes = {_size(ours, at) for at in steps} - {0.0}
        self._by_made: dict[tuple[str, int], int] = {}
        for at, (_, made) in enumerate(self._of[1]):
            self._by_made.setdefault((ours.verb(at), made), at)
        self.met: dict[tuple[int, int], None] = {}

    def found(self) -> Found | None:
        """What makes the last step wrong; None where that is not seen."""
        ends = len(self.mine) - 1, len(self.ours) - 1
        return self._walk(*ends, ()) if min(ends) >= 0 else None

    def known(self, at: int) -> bool:
        """Whether the solution has the value too, made of the same, or a difference the other way
        round."""
        turned = self.mine.verb(at) in ("sub", "neg") and _size(self.mine, at) in self._sizes
        return bool(self.mine.constant[at]) or self._of[0][at] in self._known or turned

    def _walk(self, a: int, b: int, above: tuple[int, ...]) -> Found | None:
        """`above`: the two steps that use these, none at the end of the way."""
        if (a, b) in self.met or len(self.met) > DEEP:
            return None
        self.met[a, b] = None
        if not self.mine.sources(a) or not self.ours.sources(b):
            made = self._of[0][a][1]
            if self.mine.sources(a) and made and made == self._of[1][b][1]:
                return self._new(a)
            return Found(*above, bad=a, lost=(b,)) if above else None
        if self.mine.verb(a) != self.ours.verb(b):
            return self._other(a, b)
        pairs, more, lost = self._terms(a, b) if self.mine.verb(a) in ANY_ORDER else self._pairs(a, b)
        for one, other in pairs[:FEW]:
            if found := self._walk(one, other, (a, b)):
                return found
        for one in more[:FEW]:
            if found := self._new(one):
                return found
        if not lost or (more and self.mine.verb(a) not in ("max", "min")):
            return None  # something else is done with what both have
        return Found(*(above or (a, b)), bad=a if above else None, lost=tuple(lost))

    def _pairs(self, a: int, b: int) -> tuple[list[tuple[int, int]], list[int], list[int]]:
        """Operands that differ, those that were made by the same verb together."""
        mine, ours = self.mine.sources(a), self.ours.sources(b)
        if len(mine) != len(ours):
            return [], [], []
        if self.mine.verb(a) == "mul" and len(mine) == 2:
            straight, crossed = (
                sum(self._alike(*one) for one in zip(side, ours, strict=True))
                for side in (mine, mine[::-1])
            )
            mine = mine[::-1] if crossed > straight else mine
        pairs = [one for one in zip(mine, ours, strict=True) if not self._same(*one)]
        pairs.sort(key=lambda both: not (self.mine.sources(both[0]) and self.ours.sources(both[1])))
        return pairs, [], []

    def _terms(self, a: int, b: int) -> tuple[list[tuple[int, int]], list[int], list[int]]:
        """The same of sums and the like; and terms that the other side does not have at all."""
        verb = self.mine.verb(a)
        mine, ours = _terms(self.mine, a, verb), _terms(self.ours, b, verb)
        rest = [
            [at for at in terms if not side.constant[at] or side.value[at] != _NEUTRAL.get(verb)]
            for side, terms in ((self.mine, mine), (self.ours, ours))
        ]
        if verb in ("max", "min"):  # but for the winners all may differ
            ends = self.mine.value[a], self.ours.value[b]
            trails = self.mine, self.ours
            rest = [
                [at for at in terms if side.value[at] == end]
                for side, terms, end in zip(trails, rest, ends, strict=True)
            ]
        have = [{self._of[side][at] for at in terms} for side, terms in enumerate((mine, ours))]
        more, lost = (
            sorted(at for at in terms if self._of[side][at] not in have[1 - side])
            for side, terms in enumerate(rest)
        )
        by_made = {self._of[1][at][1]: at for at in reversed(lost)}
        pairs = [(at, by_made[made]) for at in more if (made := self._of[0][at][1]) in by_made]
        paired = {one for both in pairs for one in both[:1]}, {other for _, other in pairs}
        more = [at for at in more if at not in paired[0]]
        return pairs, more, [at for at in lost if at not in paired[1]]

    def _other(self, a: int, b: int) -> Found | None:
        """Where both do something else: with the right values the step is the wrong one; else the
        same is looked for among what leads to it."""
        verb = self.mine.verb(a)
        terms = _terms(self.mine, a, verb) if verb in ANY_ORDER else self.mine.sources(a)
        unknown = [one for one in terms if not self.known(one)]
        for one in unknown[:FEW]:
            mate = self._by_made.get((self.mine.verb(one), self._of[0][one][1]))
            if mate is not None and mate < b and (found := self._walk(one, mate, (a, b))):
                return found
        return self._new(a) if unknown else Found(a, b)

    def _new(self, top: int) -> Found | None:
        """The first step on the way to one that is not known, though all that it uses is."""
        ahead, seen, first = [top], {top}, list[int]()
        while ahead:
            sources = self.mine.sources(at := ahead.pop())
            unknown = {one for one in sources if not self.known(one)}
            first += [at] if sources and not unknown and not self.known(at) else []
            ahead += unknown - seen
            seen |= unknown
        return Found(min(first), None) if first else None

    def _same(self, one: int, other: int) -> bool:
        constant = self.mine.constant[one] and self.ours.constant[other]
        same = self.mine.value[one] == self.ours.value[other]
        return bool(same) if constant else self._of[0][one] == self._of[1][other]

    def _alike(self, one: int, other: int) -> int:
        """How well two operands fit together."""
        made = self._of[0][one][1] == self._of[1][other][1]
        return 4 * self._same(one, other) + 2 * made + (self.mine.verb(one) == self.ours.verb(other))


def _terms(trail: Trail, top: int, verb: str) -> Counter[int]:
    """What a sum or the like is of, each as often as it goes in."""
    ways, terms = Counter({top: 1}), Counter[int]()
    for at in _down(trail, top, verb):
        for one in trail.sources(at):
            (ways if trail.verb(one) == verb and trail.sources(one) else terms)[one] += ways[at]
    return terms


def _down(trail: Trail, top: int, verb: str) -> list[int]:
    """The steps of one verb that only such steps lie between, the last one first."""
    found, ahead = {top}, [top]
    while ahead:
        more = {one for one in trail.sources(ahead.pop()) if trail.verb(one) == verb}
        ahead += [one for one in more - found if trail.sources(one)]
        found |= {one for one in more if trail.sources(one)}
    return sorted(found, reverse=True)


def _size(trail: Trail, at: int) -> float:
    return abs(float(f"{trail.value[at]:.5g}"))


def beyond(trail: Trail) -> int | None:
    """The first step that makes an infinity or NaN of finite numbers or, if that or a result of 0
    comes from an exponential that is too small for a float, that exponential; None without one."""
    finite = np.isfinite(trail.value)
    strange = np.bincount(trail.owner[~finite[trail.source]], minlength=len(trail))
    made = np.flatnonzero(~finite & (strange == 0) & (trail.counts > 0))
    first = int(made[0]) if len(made) else None
    steps = [len(trail) - 1 if first is None else first]
    if first is None and trail.value[-1:].any():
        return None
    while steps and steps[-1] >= 0:
        at = steps.pop()
        if trail.verb(at).startswith("exp"):
            return at
        steps = [one for one in trail.sources(at) if trail.value[one] == 0 and trail.sources(one)]
    return first


def _identities(trail: Trail) -> list[Id]:
    """Of each step its key, and a number for the elements that it was made of, but for those that a
    maximum was looked for in."""
    made: list[int] = []
    for at in range(len(trail)):
        verb, sources = trail.verb(at), trail.sources(at)
        own = 0 if verb or trail.constant[at] else hash((0, trail.key(at)))
        inside = [] if verb in ("max", "min") else sources
        made.append((own + sum(made[one] for one in inside)) & 0xFFFFFFFFFFFFFFFF)
    return [(trail.key(at), one) for at, one in enumerate(made)]
