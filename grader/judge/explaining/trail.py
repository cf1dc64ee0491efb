"""The way to one element in single steps, and what each of them does: `Trail`.

A product that is added at once is two steps. An exponential is made by several instructions of one
line: the first ones stand for all of it, the others are `inner`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from ..protocol import Element, Op, SliceSteps, ThreadPlace

LOG2_E = 1.442695
PAIR = 31  # bits: of one of two numbers that are one
_SAY = {
    "add": "adds {0} and {1}",
    "sub": "subtracts {1} from {0}",
    "mul": "multiplies {0} by {1}",
    "div": "divides {0} by {1}",
    "rcp": "divides 1 by {0}",
    "rem": "takes the remainder of {0} divided by {1}",
    "neg": "changes the sign of {0}",
    "abs": "takes the absolute value of {0}",
    "max": "takes the larger of {0} and {1}",
    "min": "takes the smaller of {0} and {1}",
    "ex2": "takes 2 to the power of {0}",
    "lg2": "takes the logarithm of {0}",
    "sqrt": "takes the square root of {0}",
    "exp": "takes the exponential of {0}",
    "exp2": "takes 2 to the power of {0}",
    "cut": "rounds {0} to a whole number",
    "half": "rounds {0} to 16 bits",
    "single": "rounds {0} to 32 bits",
    "shl": "shifts {0} to the left by {1}",
    "shr": "shifts {0} to the right by {1}",
}
_WHOLE = re.compile(r"cvt\..*\.[su](8|16|32|64)\.f\d+|cvt\.r[mpnz]i\..*")
_HALF = re.compile(r"cvt\..*\.b?f16\.f(32|64)")
_SINGLE = re.compile(r"cvt\..*\.f32\.f64")

Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]


class Trail:
    """A slice in single steps. By step: `op`, the number of its operation (-1: it lay in memory),
    `value`, `constant`, whether it stands in the code, `inner`, and the number of the `buffer` that
    it lay in, -1 if in none, and the `index` there. By operation: `verbs`. `source`
    are the steps that those of `owner` were computed from, one after the other, `given` which of
    them are no constants. `named`: what an element is called; `digits`: of numbers, in words.
    Of a trail that has keys (`have_keys`) `keys` are all but those of constants, `in_code` the
    constants' values."""

    def __init__(self, behind: SliceSteps, named: Callable[[Element], str], digits: int):
        self.named, self._digits = named, digits
        self.behind = behind if behind.is_sound else SliceSteps()
        self._divide()
        self.verbs = [_verb(one.opcode) for one in self.ops]
        self.counts = np.diff(self._begin)
        self.owner = np.repeat(np.arange(len(self)), self.counts)
        self.constant = (self.op >= 0) & (self.counts == 0)
        self.given = ~self.constant[self.source]
        self._exponential: dict[int, str] = {}  # the first operations, and what kind they begin
        self._find_exponentials()

    def __len__(self) -> int:
        return len(self.op)

    def sources(self, at: int) -> list[int]:
        found: list[int] = self.source[self._begin[at] : self._begin[at + 1]].tolist()
        return found

    def constants(self, at: int) -> list[float]:
        """The numbers in a step that stand in the code; a thread's index does not."""
        fixed = [one for one in self.sources(at) if self.constant[one]]
        return [float(self.value[one]) for one in fixed if self.verbs[self.op[one]]]

    def line(self, at: int) -> int | None:
        """The line that a step was done on; None where it lay in memory, or that is not known."""
        return self.ops[self.op[at]].line if self.op[at] >= 0 else None

    def place(self, at: int) -> ThreadPlace:
        """Who did it."""
        return ThreadPlace(int(self._block[at]), int(self._thread[at]), self.line(at))

    def verb(self, at: int) -> str:
        """What a step does, nothing where a value lay in memory; of the first step of an
        exponential, all of that."""
        op = int(self.op[at])
        return self._exponential.get(op) or (self.verbs[op] if op >= 0 else "")

    def does(self, *verbs: str) -> Flags:
        """Which steps do one of these."""
        return _of_ops([one in verbs for one in self.verbs], self.op)

    def words(self, at: int) -> str:
        """What a step does, with its numbers."""
        verb, sources = self.verb(at), self.sources(at)
        if verb in ("exp", "exp2"):
            sources = [one for one in sources if not self.constant[one]] or sources
        values = [self._said(one) for one in sources]
        phrase = _SAY.get(verb, "")
        if not phrase or phrase.count("{") > len(values):
            return f"computes {self._said(at)} from {', '.join(values)}"
        return phrase.format(*values)

    def _said(self, at: int) -> str:
        said = f"{self.value[at]:.{self._digits}g}"
        if self.buffer[at] >= 0:
            element = Element(self.behind.buffers[self.buffer[at]], int(self.index[at]))
            return f"{said} ({self.named(element)})"
        return f"{said} (an exponential)" if self._is_power(at) else said

    def passed(self, verbs: tuple[str, ...]) -> int:
        """The most steps of some kinds on one way to the element."""
        most: list[int] = []
        for at, own in enumerate(self.does(*verbs).tolist()):
            most.append(own + max((most[one] for one in self.sources(at)), default=0))
        return most[-1] if most else 0

    def have_keys(self, keys: Numbers) -> None:
        """Each step has its key: a number that is the same for what is the same elsewhere."""
        self._keys = keys
        self.keys = set(keys[~self.constant].tolist())
        self.in_code = set(self.value[self.constant].tolist())
        self._users = np.unique((keys[self.source] << PAIR | self.owner)[self.given])

    def key(self, at: int) -> int:
        return int(self._keys[at])

    def users(self, key: int) -> list[int]:
        """The steps that use a value, in order."""
        first, last = np.searchsorted(self._users, [key << PAIR, (key + 1) << PAIR])
        found: list[int] = (self._users[first:last] - (key << PAIR)).tolist()
        return found

    def operands(self, at: int) -> set[int]:
        """The keys of what a step was computed from, but for constants."""
        return {self.key(one) for one in self.sources(at) if not self.constant[one]}

    def taken(self, at: int) -> tuple[object, ...]:
        """A step with the values that go in and come out; of a constant, that it is one."""
        if self.constant[at]:
            return ()
        sources = sorted(self.key(one) for one in self.sources(at))
        return self.verb(at), *sources, self.key(at)

    def known_in(self, other: Trail) -> Flags:
        """Which steps come to a value that the other way has too. A maximum is one of two, so that
        it must be a maximum there too, if anything is done with the two."""
        known: Flags = self.constant | np.isin(self._keys, list(other.keys))
        steps, pairs = self._of_two(known & self.does("max", "min"))
        users, others = other._of_two(np.ones(len(other), bool))
        some = np.isin(others, pairs)
        done = np.unique(np.stack([others[some], other.op[users[some]]]), axis=1)
        verbs: dict[int, set[str]] = {}
        for pair, op in done.T.tolist():
            verbs.setdefault(pair, set()).add(other.verbs[op])
        for at, pair in zip(steps.tolist(), pairs.tolist(), strict=True):
            known[at] = pair not in verbs or self.verb(at) in verbs[pair]
        return self._kept(known)

    def _of_two(self, some: Flags) -> tuple[Numbers, Numbers]:
        """Those steps that were computed from two values, and a number for the two."""
        counts = np.bincount(self.owner[self.given], minlength=len(self))
        steps = np.flatnonzero(some & (self.counts == 2) & (counts == 2))
        first = np.searchsorted(self.owner, steps)
        keys = np.sort([self._keys[self.source[first + k]] for k in (0, 1)], axis=0)
        differ = keys[0] != keys[1]
        return steps[differ], (keys[0] << PAIR | keys[1])[differ]

    def _kept(self, known: Flags) -> Flags:
        """The same with steps that leave a known value as it was, as adding 0 does."""
        same = self.value[self.source] == self.value[self.owner]
        keeps = np.bincount(self.owner[same], minlength=len(self)) > 0
        for at in np.flatnonzero(keeps & ~known & self.does("add", "sub", "mul")).tolist():
            sources = self.sources(at)
            known[at] = any(known[one] and self.value[one] == self.value[at] for one in sources)
        return known

    def _is_power(self, at: int) -> bool:
        """Whether a value is a power of 2, or one scaled by another on the same line."""
        powers = [one for one in self.sources(at) if self._is("ex2", one)]
        scaled = self._is("mul", at) and any(self.line(one) == self.line(at) for one in powers)
        return self._is("ex2", at) or scaled

    def _is(self, verb: str, at: int) -> bool:
        return bool(self.op[at] >= 0) and self.verbs[self.op[at]] == verb

    def _divide(self) -> None:
        """Products that are added at once come apart: the product takes a place before the sum."""
        behind = self.behind
        counts = np.diff(behind.first)
        fused = np.array([_verb(one.opcode) in ("fma", "mad") for one in behind.ops], bool)
        split = np.flatnonzero(_of_ops(fused, behind.op) & (counts == 3))
        now = np.arange(len(counts))
        now[split] += 1
        now += np.cumsum(np.bincount(split, minlength=len(counts))) - (now > np.arange(len(counts)))
        first = behind.first[split]
        a, b = (behind.value[behind.operands[first + k]] for k in (0, 1))
        counts[split] = 2
        self.ops = [*behind.ops]
        self.ops += [Op(verb, one.line) for verb in ("mul", "add") for one in behind.ops]
        op = behind.op.copy()
        op[split] += 2 * len(behind.ops)
        self.op = np.insert(op, split, behind.op[split] + len(behind.ops))
        with np.errstate(all="ignore"):
            self.value = np.insert(behind.value, split, a * b)
        self.source = np.insert(now[behind.operands], first + 2, now[split] - 1)
        self._begin = np.concatenate([[0], np.cumsum(np.insert(counts, split, 2))])
        was = np.insert(np.arange(len(counts)), split, split)
        elements, places = (behind.buffer, behind.index), (behind.block, behind.thread)
        self.buffer, self.index = (column[was] for column in elements)
        self._block, self._thread = (column[was] for column in places)

    def _find_exponentials(self) -> None:
        """An instruction has the same part in one each time, so that the last time is looked at."""
        inner: set[int] = set()
        powers = np.flatnonzero(self.does("ex2"))
        for power in dict(zip(self.op[powers].tolist(), powers.tolist(), strict=True)).values():
            inside, first, kind = self._gathered(power)
            self._exponential |= dict.fromkeys((int(self.op[one]) for one in first), kind)
            inner |= {int(self.op[one]) for one in inside - first}
        self.inner = _of_ops([one in inner for one in range(len(self.ops))], self.op)
        self.inner |= self._between()

    def _gathered(self, power: int) -> tuple[set[int], set[int], str]:
        """The steps of an exponential, the first of them, and whether it is one of e or of 2: what
        makes it of one value, on the same line by the same thread."""
        here = self.place(power)

        def is_alike(at: int) -> bool:
            return self.counts[at] > 0 and self.place(at) == here

        inside = self._reached(power, is_alike)
        while two := {at for at in inside - {power} if len(self._outside(at, inside)) > 1}:
            inside = self._reached(power, (inside - two).__contains__)
        numbers = [number for at in inside for number in self.constants(at)]
        kind = "exp" if _of_e(numbers) else "exp2"
        while first := {at for at in inside if self._outside(at, inside)}:
            scales = _of_e(number for at in first for number in self.constants(at))
            before = all(self.verb(at) in ("add", "sub", "neg") for at in first)
            if power in first or (scales if kind == "exp" else not before):
                break
            inside = self._reached(power, (inside - first).__contains__)
        return inside, first, kind

    def _reached(self, power: int, passes: Callable[[int], bool]) -> set[int]:
        """The steps from which a power is reached by such steps alone."""
        found, ahead = {power}, [power]
        while ahead:
            some = {one for one in self.sources(ahead.pop()) if one not in found and passes(one)}
            found |= some
            ahead += some
        return found

    def _outside(self, at: int, inside: set[int]) -> set[int]:
        """What a step takes from outside."""
        return {one for one in self.sources(at) if one not in inside and not self.constant[one]}

    def _between(self) -> Flags:
        """What stands between the steps of an exponential, and is made of one of them alone."""
        lines = np.array([one.line or 0 for one in self.ops])
        makes = self.inner[self.source] & ~self.does("ex2")[self.source] & self.given
        makes &= lines[self.op[self.source]] == lines[self.op[self.owner]]
        made = np.bincount(self.owner[makes], minlength=len(self)) > 0
        alone: Flags = made & (np.bincount(self.owner[self.given], minlength=len(self)) == 1)
        return alone


def _of_ops(flags: Iterable[bool], op: Numbers) -> Flags:
    """By step, what is so by operation; of what lay in memory it is not."""
    return np.array([*flags, False], bool)[op]


def _of_e(numbers: Iterable[float]) -> bool:
    return any(abs(one - LOG2_E) < 1e-4 for one in numbers)


def _verb(opcode: str) -> str:
    if _HALF.fullmatch(opcode):
        return "half"
    if _SINGLE.fullmatch(opcode):
        return "single"
    if _WHOLE.fullmatch(opcode):
        return "cut"
    return opcode.partition(".")[0]
