"""Where the learner's way to a wrong element and the solution's part, in words.

Both are compared value by value, backwards (see `descent`). The step where the ways part is told
beside what the solution does with the same values.
"""

import math
import re
from collections.abc import Callable, Collection, Container
from dataclasses import replace
from functools import cached_property, reduce
from itertools import islice
from operator import or_

import numpy as np

from ...cuda.errors import Message
from ..protocol import Element, Made, SliceSteps
from .descent import Descent, DescentEnd
from .parting import Parting, parting, partner, step
from .trail import ANY_ORDER, Numbers, Trail
from .used import capital, copied

CLOSE = (15, 22, 40)  # bits in which values that are the same agree, tried in this order: 40 only
DIGITS = (6, 7, 12)  # of doubles; digits in which they are told then
FEW = 3  # different places at least, for a rule about numbers
_OF_THE_COMPILER = re.compile(
    r"computes |(multiplies \S+|to the left) by \d\d?;"
)  # bytes from elements


class TwoTrails:
    """The learner's way to an element and the solution's; `named`: what an element is called;
    `written`: the line on which the learner wrote a verb that a compiler gave a line."""

    def __init__(
        self,
        mine: SliceSteps,
        ours: SliceSteps,
        named: Callable[[Element], str],
        written: Callable[[str, int | None], int | None] = lambda _, line: line,
    ):
        self._cones, self._named, self._written = (mine, ours), named, written

    @cached_property
    def both(self) -> list[Trail]:
        """Both, values told apart as `CLOSE` has it, so that the two elements are."""
        has_doubles = any(op.opcode.endswith("f64") for one in self._cones for op in one.ops)
        for bits, digits in islice(zip(CLOSE, DIGITS, strict=True), 2 + has_doubles):
            mine, ours = self._cones
            trails = [
                Trail(mine, self._named, digits, self._written),
                Trail(ours, self._named, digits),
            ]
            for trail, keys in zip(trails, _keys(trails, bits), strict=True):
                trail.have_keys(keys)
            if not all(map(len, trails)) or trails[0].key(-1) != trails[1].key(-1):
                break
        return trails

    @property
    def last_line(self) -> int | None:
        """The line of the learner's last step."""
        mine = self.both[0]
        return mine.line(len(mine) - 1) if len(mine) else None

    @property
    def line_before(self) -> int | None:
        """The line of the learner's last step that is not on the line of the very last."""
        mine = self.both[0]
        lines = (mine.line(at) for at in reversed(range(len(mine))))
        return next((one for one in lines if one not in (None, self.last_line)), self.last_line)

    @property
    def first_nan(self) -> str:
        """What the learner's first step does that gives NaN; "" where that has no words."""
        mine = self.both[0]
        for at in np.flatnonzero(np.isnan(mine.value) & (mine.op >= 0))[:1].tolist():
            return "" if mine.words(at).startswith("computes") else mine.words(at)
        return ""

    @cached_property
    def _descent(self) -> Descent:
        return Descent(*self.both)

    @cached_property
    def found(self) -> DescentEnd | None:
        """Where the way back from the element ends; see `descent`."""
        return self._descent.found()

    def known(self, at: int) -> bool:
        """Whether the solution has the value of a step of the learner's, too."""
        return self._descent.known(at)

    @property
    def met(self) -> list[tuple[float, float]]:
        """The values that were passed on the way back, and what the solution has there; NaN for
        those that never came in."""
        lost, (mine, ours) = self.found.lost if self.found else (), self.both
        passed = [(float(mine.value[a]), float(ours.value[b])) for a, b in self._descent.met]
        return passed + [(math.nan, float(ours.value[one])) for one in lost]

    @property
    def verbs(self) -> tuple[str, str]:
        """What the last step does, and the one where the ways part, or that makes its wrong value;
        "" where none does."""
        mine, end, found = self.both[0], len(self.both[0]) - 1, self.found
        last = mine.verb(end) if end >= 0 and mine.sources(end) else ""
        parts = (found.bad, found.at) if found else ()
        made = (mine.verb(at) for at in parts if at is not None and mine.sources(at))
        return last, next(made, "")

    @cached_property
    def descended(self) -> Parting | None:
        """What is wrong there: a value of a step, or the step."""
        is_told = self.found and (self.found.bad is not None or not self.found.lost)
        mine, ours = self.both
        return parting(mine, ours, self.found) if self.found and is_told else None

    def parting_of_indices(self) -> Parting | None:
        """Where the ways part of whole numbers, small ones, which say little alone: a step is known
        if the solution comes to its value from the same ones in the same way."""
        mine, ours = self.both
        taken = {ours.taken(at) for at in range(len(ours))}
        known = [mine.taken(at) in taken for at in range(len(mine))]
        for at in range(len(mine)):
            other = partner(mine, ours, at) if all(known[one] for one in mine.sources(at)) else None
            if (
                not known[at]
                and other is not None
                and (mine.verb(at) == ours.verb(other) or mine.operands(at) == ours.operands(other))
                and mine.value[at] != ours.value[other]
            ):
                computed = [one for one in mine.sources(at) if mine.element(one) is None]
                alike = mine.verb(at) == ours.verb(other) and len(computed) == 1
                bad = (mine.said(computed[0]), mine.line(computed[0]), None) if alike else None
                before = [
                    ours.words(one)
                    for one in ours.sources(other)
                    if alike and mine.taken(computed[0]) in map(ours.taken, ours.sources(one))
                ]
                words = f"first {before[0]}" if before else ours.words(other)
                return replace(step(mine, at), ours=words, bad=bad)
        return None

    def joined(self, foreign: Container[Element], right: Collection[Element]) -> Parting | None:
        """The step in which elements that do not belong there join right ones; the last one that
        adds to all right ones and no other, else the first; the last step if there is none."""
        mine, held = self.both[0], list[int]()  # a bit for each right element, and one for others
        bits = {one: 2 << number for number, one in enumerate(right)}
        joins, late = [], []
        for at in range(len(mine)):
            one, inside = mine.element(at), [held[source] for source in mine.sources(at)]
            own = 0 if one is None else bits.get(one, int(one in foreign))
            held.append(reduce(or_, inside, own))
            if inside and held[at] & 1 and held[at] > 1:
                joins += [at] if not any(one & 1 and one > 1 for one in inside) else []
                late += [at] if sum(bits.values()) in inside and mine.verb(at) in ANY_ORDER else []
        is_made = len(mine) > 0 and mine.sources(len(mine) - 1)
        joined = [*joins[:1], *late] or ([len(mine) - 1] if is_made else [])
        return step(mine, joined[-1]) if joined else None

    def doubled(self, elements: Collection[Element]) -> Parting | None:
        """The first step two of whose values already use the same one of some elements, not only
        in a search for a maximum or minimum."""
        mine, held = self.both[0], list[int]()
        bits = {one: 1 << number for number, one in enumerate(elements)}
        for at in range(len(mine)):
            searches = mine.verb(at) in ("max", "min")
            inside = [] if searches else [held[source] for source in mine.sources(at)]
            own = mine.element(at)
            held.append(reduce(or_, inside, bits.get(own, 0) if own else 0))
            if mine.verb(at) in ANY_ORDER and sum(inside) != held[at]:
                is_new = mine.line(at) not in map(mine.line, mine.sources(at))
                return replace(step(mine, at), sides=self._brought(at), is_new=is_new)
        return None

    def _brought(self, at: int) -> tuple[str, str]:
        """The one other thread that brings a value to a step, which it made on a line before, and
        what to ask of it; "" where that is not known."""
        mine, place = self.both[0], self.both[0].place
        others = [one for one in mine.sources(at) if place(one).who != place(at).who]
        ways = [(*mine.ops[mine.op[one]].calls[::-1], mine.line(one)) for one in (*others, at)]
        made, used = next(
            (both for both in zip(*ways[:2], strict=False) if both[0] != both[-1]), (None, None)
        )
        first, warps = (
            place((*others, at)[0]),
            {(p.block, p.thread // 32) for p in map(place, (*others, at))},
        )
        return (
            (
                f"{capital(first.who)} brings a value from line {made}.",
                f"Which value should {first.who} bring to line {used}?",
            )
            if len(others) == len(warps) == 1 and made and used
            else ("", "")
        )


def index_step(mine: Made, ours: Made, named: Callable[[Element], str]) -> Message:
    """Where the index of an element that was handed on goes another way than the solution's."""
    one, other = copied(mine, ours) or (None, None)
    found = TwoTrails(mine.index, ours.index, named).parting_of_indices() if one != other else None
    if (
        not (found and found.ours)
        or _OF_THE_COMPILER.search(f"{found.mine};{found.ours};")
        or (found.mine == found.ours and min(found.place.values) >= 0)  # told alike by chance
    ):
        return Message()
    why, remedy = "This step makes the index wrong.", "What should this step compute?"
    if found.bad and found.ours.startswith("first "):
        why = "A step is missing before this one."
        remedy = f"What should happen to {found.bad[0]} before line {found.place.line} uses it?"
    elif found.bad:  # what it does is right
        made = f" (line {found.bad[1]})" if found.bad[1] not in (None, found.place.line) else ""
        why = f"This step should use another value than {found.bad[0]}{made}."
        remedy = f"Which value should line {found.place.line} use instead of {found.bad[0]}?"
    if found.mine == found.ours:  # of the same numbers: one of them should have no sign
        why, remedy = (
            "The right number is above 2,147,483,647, too large for an int.",
            f"Which variable on line {found.place.line} has this number? Which type can hold it?",
        )
    return replace(found.told, first="", why=f"{found.told.first} {why}", remedy=remedy)


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
        part[some] = len(known) + 2 + (trail.index[some] * len(names) + number[trail.buffer[some]])
    return parts
