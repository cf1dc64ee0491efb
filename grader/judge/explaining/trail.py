"""The way to one element in single steps, and what each of them does: `Trail`.

A product that is added at once is two steps; a call of a function of the library is one, whose verb
is "powf()" or, of the best-known ones, a word.
"""

import re
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..protocol import Element, Op, SliceSteps, ThreadPlace

ANY_ORDER = ("add", "max", "min", "and", "or", "xor")  # verbs
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
    "lg2": "takes the logarithm to base 2 of {0}",
    "log": "takes the logarithm of {0}",
    "sqrt": "takes the square root of {0}",
    "rsqrt": "divides 1 by the square root of {0}",
    "exp": "takes the exponential of {0}",
    "exp2": "takes 2 to the power of {0}",
    "cut": "cuts off the digits of {0} after the point",
    "half": "rounds {0} to 16 bits",
    "single": "rounds {0} to 32 bits",
    "shl": "shifts {0} to the left by {1}",
    "shr": "shifts {0} to the right by {1}",
}
_CONVERSIONS = {
    "half": re.compile(r"cvt\..*\.b?f16\.f(32|64)"),
    "single": re.compile(r"cvt\..*\.f32\.f64"),
    "cut": re.compile(r"cvt\..*\.[su](8|16|32|64)\.f\d+|cvt\.r[mpnz]i\..*"),
}
_CALL = re.compile(r"call\.((?:__)?(exp2?|log)f?|\w+)")

_IN_FLOAT64: dict[tuple[str, int], Callable[..., float]] = {
    ("add", 2): np.add,
    ("sub", 2): np.subtract,
    ("mul", 2): np.multiply,
    ("div", 2): np.divide,
    ("rcp", 1): np.reciprocal,
    ("neg", 1): np.negative,
    ("abs", 1): np.abs,
    ("max", 2): np.fmax,
    ("min", 2): np.fmin,
    ("sqrt", 1): np.sqrt,
    ("rsqrt", 1): lambda of: 1 / np.sqrt(of),
    ("exp", 1): np.exp,
    ("log", 1): np.log,
}

NO_ELEMENT = "no element"  # a 0 in a place that an element of an array might have

Numbers = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]


class Trail:
    """A slice in single steps. By step: `op`, the number of its operation (-1: it lay in memory),
    `value`, `constant`, whether it is in the code, and the number of the `buffer` that it lay
    in, -1 if in none, and the `index` there. By operation: `ops` and `verbs`; the last operation
    does nothing, so that -1 needs no rule of its own. `source` are the steps that those of `owner`
    were computed from, one after the other, `given` which of them are no constants. `named`: what
    an element is called; `digits`: of numbers, in words; `written`: the line on which a verb is
    written that a compiler gave a line. Of a trail that has keys (`have_keys`) `keys` are all but
    those of constants.
    """

    def __init__(
        self,
        behind: SliceSteps,
        named: Callable[[Element], str],
        digits: int,
        written: Callable[[str, int | None], int | None] = lambda _, line: line,
    ):
        self.named, self._digits = named, digits
        self.behind = behind if behind.is_sound else SliceSteps()
        self._divide(written)
        self.verbs = [_verb(one.opcode) for one in self.ops]
        self.counts = np.diff(self._begin)
        self.owner = np.repeat(np.arange(len(self)), self.counts)
        self.constant = (self.op >= 0) & (self.counts == 0)
        self.given = ~self.constant[self.source]

    def __len__(self) -> int:
        return len(self.op)

    def sources(self, at: int) -> list[int]:
        found: list[int] = self.source[self._begin[at] : self._begin[at + 1]].tolist()
        return found

    def line(self, at: int) -> int | None:
        """The line that a step was done on; None where it lay in memory, or that is not known."""
        return self.ops[int(self.op[at])].line

    def place(self, at: int) -> ThreadPlace:
        """Who did it."""
        return ThreadPlace(int(self._block[at]), int(self._thread[at]), self.line(at))

    def verb(self, at: int) -> str:
        """What a step does, nothing where a value lay in memory."""
        return self.verbs[int(self.op[at])]

    def calls(self, at: int) -> bool:
        """Whether a step is a function of the library."""
        return self.ops[int(self.op[at])].opcode.startswith("call.")

    def does(self, *verbs: str) -> npt.NDArray[np.bool_]:
        """Which steps do one of these."""
        return np.array([one in verbs for one in self.verbs])[self.op]

    def words(self, at: int) -> str:
        """What a step does, with its numbers."""
        verb, sources = self.verb(at), self.sources(at)
        said = [self.said(one) for one in sources]
        print_alike = len(set(said)) < len({float(self.value[one]) for one in sources})
        said = [self.said(one, 9) for one in sources] if print_alike else said
        values = [one.replace(f" ({NO_ELEMENT})", "") if verb == "div" else one for one in said]
        if verb.endswith("()"):
            return f"computes {verb[:-1]}{', '.join(values)})"
        phrase = _SAY.get(verb, "")
        return (
            f"computes {self.said(at)}"
            if len(values) > 4
            else f"computes {self.said(at)} from {', '.join(values)}"
            if not phrase or phrase.count("{") > len(values)
            else phrase.format(*values)
        )

    def element(self, at: int) -> Element | None:
        """What a step is that lay in memory."""
        buffer = self.buffer[at]
        return Element(self.behind.buffers[buffer], int(self.index[at])) if buffer >= 0 else None

    def said(self, at: int, digits: int = 0) -> str:
        """A step's value, and what it is."""
        value, is_int = self.value[at], ".f" not in self.ops[self.op[at]].opcode
        is_long = is_int and value == np.trunc(value) and 1e6 <= abs(value) < 1 << 53
        said = f"{value:.0f}" if is_long else f"{value:.{max(digits, self._digits)}g}"
        what = "an exponential" if self.verb(at).startswith("exp") else self.built_in(at)
        what = self.named(element) if (element := self.element(at)) else what
        is_zero = self.value[at] == 0 and self.stands(at)
        what = NO_ELEMENT if is_zero and "f" in self.ops[self.op[at]].opcode else what
        return f"{said} ({what})" if what else said

    def stands(self, at: int) -> bool:
        """Whether a value stands in the code."""
        return bool(self.constant[at]) and not self.ops[self.op[at]].opcode.startswith("@")

    def built_in(self, at: int) -> str:
        """ "threadIdx.x" of a step that only brings that."""
        opcode = self.ops[self.op[at]].opcode
        return opcode[1:] if opcode.startswith("@") else ""

    def in_float64(self) -> Values:
        """What the same steps give, by step, if each rounds to a float64; what is not known of an
        operation stays as it was."""
        exact = self.value.copy()
        with np.errstate(all="ignore"):
            for at in np.flatnonzero((self.op >= 0) & ~self.constant).tolist():
                sources = self.sources(at)
                known = _IN_FLOAT64.get((self.verb(at), len(sources)))
                if known and np.isclose(known(*self.value[sources]), self.value[at], 1e-3, 0):
                    exact[at] = known(*exact[sources])
        return exact

    def have_keys(self, keys: Numbers) -> None:
        """Each step has its key: a number that is the same for what is the same elsewhere."""
        self._keys, self.keys = keys, set(keys[~self.constant].tolist())
        self._users = np.unique((keys[self.source] << PAIR | self.owner)[self.given])

    def key(self, at: int) -> int:
        return int(self._keys[at])

    def made(self, key: int) -> int:
        """The first step that makes a value."""
        return int(np.argmax(self._keys == key))

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
        used = sorted(map(self.key, self.sources(at)))
        return () if self.constant[at] else (self.verb(at), *used, self.key(at))

    def shown(self, at: int) -> tuple[int, float]:
        """What tells a step apart where it is used; of a constant its value."""
        return self.key(at), float(self.value[at]) if self.constant[at] else 0.0

    def _divide(self, written: Callable[[str, int | None], int | None]) -> None:
        """Products that are added at once come apart: the product takes a place before the sum."""
        behind = self.behind
        counts = np.diff(behind.first)
        fused = np.array([*(_verb(one.opcode) in ("fma", "mad") for one in behind.ops), False])
        split = np.flatnonzero(fused[behind.op] & (counts == 3))
        now = np.arange(len(counts))
        now[split] += 1
        now += np.cumsum(np.bincount(split, minlength=len(counts))) - (now > np.arange(len(counts)))
        first = behind.first[split]
        a, b = (behind.value[behind.operands[first + k]] for k in (0, 1))
        counts[split] = 2
        self.ops = [
            Op(one.opcode, written(_verb(one.opcode), one.line), one.calls)
            if one.opcode.startswith("add.f")
            else one
            for one in behind.ops
        ]
        self.ops += [Op("mul", written("mul", one.line), one.calls) for one in behind.ops]
        self.ops += [Op("add", one.line, one.calls) for one in behind.ops]
        self.ops.append(Op("", None))
        op = behind.op.copy()
        op[split] += 2 * len(behind.ops)
        self.op: Numbers = np.insert(op, split, behind.op[split] + len(behind.ops))
        with np.errstate(all="ignore"):
            self.value = np.insert(behind.value, split, a * b)
        self.source = np.insert(now[behind.operands], first + 2, now[split] - 1)
        self._begin = np.concatenate([[0], np.cumsum(np.insert(counts, split, 2))])
        was = np.insert(np.arange(len(counts)), split, split)
        elements, places = (behind.buffer, behind.index), (behind.block, behind.thread)
        self.buffer, self.index = (column[was] for column in elements)
        self._block, self._thread = (column[was] for column in places)


def _verb(opcode: str) -> str:
    if call := _CALL.fullmatch(opcode):
        return call[2] or f"{call[1]}()"
    return next(
        (verb for verb, form in _CONVERSIONS.items() if form.fullmatch(opcode)),
        opcode.partition(".")[0],
    )
