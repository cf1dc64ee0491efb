"""What registers hold for a symbolic thread, and how integers are computed with.

Where a symbolic thread stands: every launch that a rule allows, as atoms and facts.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partialmethod, reduce, wraps
from math import gcd
from typing import Any, TypeAlias, TypeVar

import z3

from ..course import Rule, rules
from ..cuda.limits import BLOCK_LIMITS, GRID_LIMITS
from ..machine.lanes import WARP
from ..ptx.numbers import size_of
from .atoms import HUGE, Atoms, Formula, Polynomial, Scope, all_of, negated, term

ALIGNED = 256  # bytes: every array starts at a multiple of this


@dataclass(frozen=True)
class Pointer:
    """An address: an array's name (a parameter's or a variable's) and bytes from its start."""

    array: str
    offset: Polynomial


@dataclass(frozen=True)
class Unknown:
    """A value that nothing is known of: a float, what memory holds. `name` tells it from others."""

    name: str


Value: TypeAlias = "Polynomial | Pointer | Unknown | z3.BoolRef"


def bits_of(kind: str) -> int:
    return 8 * size_of(kind)


def limits(kind: str) -> tuple[int, int]:
    """The least and the largest integer of a PTX type such as "s32"; of "b32" as of "s32"."""
    bits = bits_of(kind)
    return (0, 2**bits - 1) if kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


@dataclass(frozen=True)
class Obligation:
    """That an integer fits its type where a thread comes to instruction `at` under the conditions
    `path`; what the analysis says rests on it."""

    path: tuple[Formula, ...]
    value: Polynomial
    low: int
    high: int
    at: int


Made = TypeVar("Made")


def named(compute: Callable[..., Made]) -> Callable[..., Made]:
    """A method of `Arithmetic` that names what it makes, once for the same arguments."""

    @wraps(compute)
    def once(self: Arithmetic, *arguments: object) -> Made:
        key = (compute.__name__, *arguments)
        if key not in self.made:
            self.made[key] = compute(self, *arguments)
        made: Made = self.made[key]
        return made

    return once


@dataclass(eq=False)
class Arithmetic:
    """Integers whose exact value may need new atoms. `wraps`: the instructions at which a value
    may lie outside its type, so that it must be reduced; elsewhere that is an obligation."""

    atoms: Atoms
    wraps: frozenset[int]
    obligations: list[Obligation] = field(default_factory=list)
    at: int = 0
    path: tuple[Formula, ...] = ()
    # What methods that are `named` have made.
    made: dict[object, Any] = field(default_factory=dict)
    # Comparisons of integers for (in)equality: whether for equality, and their difference.
    equations: dict[Formula, tuple[bool, Polynomial]] = field(default_factory=dict)
    _unknowns: int = 0

    def forget(self, number: int) -> None:
        """Keep the first `number` atoms only, and nothing that speaks of others."""
        gone = self.atoms.forget(number)
        self.made = {
            key: value
            for key, value in self.made.items()
            if self.atoms.names(value).isdisjoint(gone)
        }

    def read_as(self, kind: str, value: Value) -> Polynomial:
        """The integer of PTX type `kind` that a register's value is."""
        low, high = limits(kind)
        exact = self.integer(value, kind)
        least, most = self.atoms.interval(exact)
        if low <= least and most <= high:
            return exact
        if exact.number is not None or self.at in self.wraps:
            return self.wrapped(exact, kind)
        self._owe(exact, low, high)
        return exact

    def address(self, pointer: Pointer) -> Polynomial:
        """The offset of a pointer that is compared with another into the same array."""
        self._owe(pointer.offset, -(2**31), 2**60)
        return pointer.offset

    def _owe(self, value: Polynomial, low: int, high: int) -> None:
        """That a value lies within bounds."""
        self.obligations.append(Obligation(self.path, value, low, high, self.at))

    def integer(self, value: Value, kind: str) -> Polynomial:
        """Some integer that is equal to a register's value modulo its width."""
        if isinstance(value, Polynomial):
            return value
        if isinstance(value, Pointer):
            return self._start(value.array) * ALIGNED + value.offset
        assert isinstance(value, Unknown)
        return self._anything(value, kind)

    @named
    def _anything(self, value: Unknown, kind: str) -> Polynomial:
        return self.fresh(value.name, kind)

    @named
    def _start(self, array: str) -> Polynomial:
        """Where an array begins, in multiples of `ALIGNED`."""
        return self.atoms.integer("start", 0, HUGE, Scope.GRID)

    def fresh(self, name: str, kind: str) -> Polynomial:
        """Any integer of that type."""
        return self.atoms.integer(name, *limits(kind), Scope.THREAD)

    @named
    def wrapped(self, value: Polynomial, kind: str) -> Polynomial:
        """It reduced to the range of its type."""
        if value.number is not None:
            low, high = limits(kind)
            return Polynomial.of((value.number - low) % (high - low + 1) + low)
        made = self._derived("wrapped", *limits(kind), value)
        times = self._derived("times", -HUGE, HUGE, value)
        self.atoms.fact(made, term(made) == term(value) - term(times) * 2 ** bits_of(kind))
        return made

    def product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """Their exact product; sums that are not numbers get a name first."""
        if a.number is None and b.number is None:
            a, b = self.named_sum(a), self.named_sum(b)
        return a * b

    def named_sum(self, value: Polynomial) -> Polynomial:
        """It as at most one product and a number."""
        rest = value.rest
        return value if len(rest.terms) <= 1 else self._sum(rest) + value.terms.get((), 0)

    @named
    def _sum(self, rest: Polynomial) -> Polynomial:
        made = self._derived("sum", *self.atoms.interval(rest), rest)
        self.atoms.fact(made, term(made) == term(rest))
        return made

    @named
    def floor_quotient(self, a: Polynomial, b: int) -> Polynomial:
        """a // b, rounded down, for a positive number b."""
        if a.number is not None:
            return Polynomial.of(a.number // b)
        if a.divisible(b):
            return a.divided(b)
        low, high = self.atoms.interval(a)
        made = self._derived("quotient", low // b, high // b, a)
        rest = term(a) - term(made) * b
        self.atoms.fact(made, z3.And(rest >= 0, rest < b))
        return made

    @named
    def quotient(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """a / b, rounded towards 0; anything where b is 0."""
        low, high = self.atoms.interval(a)
        if b.number and b.number > 0 and low >= 0:
            return self.floor_quotient(a, b.number)
        most = max(abs(low), abs(high))
        made = self._derived("quotient", -most, most, a, b)
        if low >= 0 and self.atoms.interval(b)[0] >= 0:
            self.atoms.by_name[min(made.atoms)].low = 0
        x, y = term(a), term(b)
        rest = x - term(self.product(made, b))
        near = z3.If(x >= 0, z3.And(rest >= 0, rest < y), z3.And(rest <= 0, rest > -y))
        away = z3.If(x >= 0, z3.And(rest >= 0, rest < -y), z3.And(rest <= 0, rest > y))
        sign = z3.If(x >= 0, term(made) >= 0, term(made) <= 0)
        self.atoms.fact(made, z3.Implies(y > 0, z3.And(near, sign)))
        self.atoms.fact(made, z3.Implies(y < 0, away))
        return made

    @named
    def low_bits(self, value: Polynomial, bits: int) -> Polynomial:
        """Its remainder modulo 2**bits."""
        if not bits:
            return Polynomial.of(0)
        by = gcd(value.content, 2**bits)
        if by > 1:
            return self.low_bits(self.floor_quotient(value, by), bits + 1 - by.bit_length()) * by
        low, high = self.atoms.interval(value)
        if value.number is not None or (low >= 0 and high < 2**bits):
            return value if value.number is None else Polynomial.of(value.number % 2**bits)
        made = self._derived("rest", 0, 2**bits - 1, value)
        whole = self.floor_quotient(value, 2**bits) * 2**bits
        self.atoms.fact(made, term(made) == term(value - whole))
        if value.terms == {tuple(value.atoms): 1}:
            self.atoms.by_name[min(value.atoms)].parts.append((whole, made))
        return made

    def chosen(self, which: Formula, a: Value, b: Value, kind: str) -> Value:
        """a where `which` holds, else b."""
        return self.merged([((which,), a), ((negated(which),), b)], kind)

    def merged(self, choices: Sequence[tuple[tuple[Formula, ...], Value]], kind: str) -> Value:
        """The value that goes with the conditions that hold; some of them do."""
        values = [value for _, value in choices]
        if all(same(value, values[0]) for value in values):
            return values[0]
        if any(isinstance(value, z3.BoolRef) for value in values):
            return self._merged_conditions(choices)
        arrays = {value.array for value in values if isinstance(value, Pointer)}
        if len(arrays) == 1 and all(isinstance(value, Pointer) for value in values):
            offset = self.merged(
                [(path, one.offset) for path, one in choices if isinstance(one, Pointer)], "s64"
            )
            assert isinstance(offset, Polynomial)
            return Pointer(min(arrays), offset)
        return (
            self.unknown()
            if arrays or kind[0] == "f" or all(isinstance(value, Unknown) for value in values)
            else self._merged_integers(choices, kind)
        )

    def unknown(self) -> Unknown:
        self._unknowns += 1
        return Unknown(f"unknown{self._unknowns}")

    def _merged_conditions(self, choices: Sequence[tuple[tuple[Formula, ...], Value]]) -> Formula:
        result = self.condition(choices[-1][1])
        for path, value in reversed(choices[:-1]):
            which, chosen = all_of(path), self.condition(value)
            result = (
                all_of((which, chosen)) if z3.is_false(result) else z3.If(which, chosen, result)
            )
        return result

    def condition(self, value: Value) -> Formula:
        """A predicate's value; anything where nothing is known of it."""
        if isinstance(value, z3.BoolRef):
            return value
        if isinstance(value, Polynomial):  # as `mov.pred %p1, -1` says that it holds
            return term(value) != 0 if value.number is None else z3.BoolVal(value.number != 0)
        assert isinstance(value, Unknown)
        return self._any_condition(value)

    @named
    def _any_condition(self, value: Unknown) -> Formula:
        return self.atoms.boolean("condition", Scope.THREAD)

    def _merged_integers(
        self, choices: Sequence[tuple[tuple[Formula, ...], Value]], kind: str
    ) -> Polynomial:
        integers = [(all_of(path), self.integer(value, kind)) for path, value in choices]
        by = gcd(*(value.content for _, value in integers))
        integers = [(path, value.divided(by)) for path, value in integers]
        ends = [self.atoms.interval(value) for _, value in integers]
        made = self._derived(
            "either",
            min(end[0] for end in ends),
            max(end[1] for end in ends),
            *[thing for pair in integers for thing in pair],
        )
        for which, value in integers:
            self.atoms.fact(made, z3.Implies(which, term(made) == term(value)))
        return made * by

    def _derived(
        self, name: str, low: int, high: int, *origins: Polynomial | Formula
    ) -> Polynomial:
        """A new atom that follows from others, so that who agrees on those agrees on it."""
        return self.atoms.integer(name, low, high, self.atoms.scope(*origins))


def same(a: Value, b: Value) -> bool:
    """Whether two registers are sure to hold the same."""
    if isinstance(a, z3.BoolRef) or isinstance(b, z3.BoolRef):
        return isinstance(a, z3.BoolRef) and isinstance(b, z3.BoolRef) and a.eq(b)
    return bool(a == b)


MOST_PARAMETER = 2**31 - 1
AXES = rules.AXES


@dataclass(frozen=True, eq=False)
class Size:
    """A polynomial in a rule's expression: has the operators that `rules.value` needs."""

    value: Polynomial
    on: Arithmetic

    def _other(self, other: Size | int) -> Polynomial:
        return other.value if isinstance(other, Size) else Polynomial.of(other)

    def _computed(
        self, compute: Callable[[Arithmetic, Polynomial, Polynomial], Polynomial], other: Size | int
    ) -> Size:
        return Size(compute(self.on, self.value, self._other(other)), self.on)

    __add__ = __radd__ = partialmethod(_computed, lambda on, a, b: a + b)
    __sub__ = partialmethod(_computed, lambda on, a, b: a - b)
    __mul__ = __rmul__ = partialmethod(_computed, Arithmetic.product)
    __floordiv__ = partialmethod(_computed, Arithmetic.quotient)
    __mod__ = partialmethod(_computed, lambda on, a, b: a - on.product(on.quotient(a, b), b))

    def __rmod__(self, other: int) -> Size:
        return Size(Polynomial.of(other), self.on) % self

    def _compared(self, compare: Callable[[object, object], Formula], other: Size | int) -> Formula:
        return compare(term(self.value), term(self._other(other)))

    __lt__ = partialmethod(_compared, operator.lt)
    __le__ = partialmethod(_compared, operator.le)
    __gt__ = partialmethod(_compared, operator.gt)
    __ge__ = partialmethod(_compared, operator.ge)
    __eq__ = partialmethod(_compared, operator.eq)


class Setting:
    """The launches of `rule` with blocks of one shape, or of any width where `block` is None.

    `numbers` are the kernel's whole-number parameters and the dimensions by name, `lengths` the
    bytes of its arrays (None: unknown), `special` PTX's special registers."""

    def __init__(self, rule: Rule, shape: Shape, on: Arithmetic):
        self.rule, self.block, self.given, self.on = rule, shape.block, shape.given, on
        self.parameters = rules.parameters(rule)
        self.numbers: dict[str, Polynomial] = {}
        self.special: dict[str, Polynomial] = {"WARP_SZ": Polynomial.of(WARP)}
        self._dimensions()
        self.numbers |= {
            one.name: self._number(one.name) for one in self.parameters if rules.is_whole(one)
        }
        self.names = {name: Size(value, on) for name, value in self.numbers.items()}
        self.lengths = {
            one.name: self.evaluated(one.length) * one.dtype.itemsize if one.length else None
            for one in self.parameters
            if one.length is not None
        }
        self.shared_mem = self.evaluated(rule.shared_mem)
        conditions = (rules.value(one, self.names) for one in rule.where)
        for formula in (*conditions, *(term(length) <= rule.most for length in self.sizes())):
            if isinstance(formula, z3.BoolRef):
                on.atoms.fact(formula, formula)

    def evaluated(self, expression: str) -> Polynomial:
        found = rules.value(expression, self.names)
        return found.value if isinstance(found, Size) else Polynomial.of(found)

    @property
    def threads(self) -> Polynomial:
        """Of a block."""
        x, y, z = (self.special[f"%ntid.{axis}"] for axis in AXES)
        return x * y * z

    @property
    def thread_number(self) -> Polynomial:
        """A thread's place within its block."""
        x, y, z = (self.special[f"%tid.{axis}"] for axis in AXES)
        wide, tall, _ = (self.special[f"%ntid.{axis}"] for axis in AXES)
        return x + wide * y + wide * tall * z

    def _number(self, name: str) -> Polynomial:
        """A parameter; a multiple of 4, say, where the rule says `name % 4 == 0`."""
        if name in self.given:
            return Polynomial.of(self.given[name])
        factors = [
            int(words[2])
            for words in map(str.split, self.rule.where)
            if words[:2] == [name, "%"] and words[3:] == ["==", "0"] and words[2].isdigit()
        ]
        factor = factors[-1] if factors else 1
        return self.on.atoms.integer(name, 0, MOST_PARAMETER // factor, Scope.GRID) * factor

    def _dimensions(self) -> None:
        atoms = self.on.atoms
        for number, axis in enumerate(AXES):
            size = Polynomial.of(self.block[number] if self.block else 1)
            if self.block is None and number == 0:
                low, high, step = _widths(self.rule) or (1, 1, 1)
                size = atoms.integer("width", low // step, high // step, Scope.GRID) * step
            self._dimension("blockDim", "tid", "%ntid", axis, size, BLOCK_LIMITS[number])
            count, most = Polynomial.of(1), GRID_LIMITS[number]
            if number < self.rule.grid:
                count = atoms.integer(f"gridDim.{axis}", 1, most, Scope.GRID)
            self._dimension("gridDim", "ctaid", "%nctaid", axis, count, most)

    def _dimension(
        self, name: str, index: str, register: str, axis: str, size: Polynomial, most: int
    ) -> None:
        scope = Scope.THREAD if index == "tid" else Scope.BLOCK
        self.numbers[f"{name}.{axis}"] = self.special[f"{register}.{axis}"] = size
        if size.number == 1:
            self.special[f"%{index}.{axis}"] = Polynomial.of(0)
            return
        most = min(most, self.on.atoms.interval(size)[1])
        made = self.on.atoms.integer(f"{index}.{axis}", 0, most - 1, scope)
        self.on.atoms.fact(made, term(made) < term(size))
        self.special[f"%{index}.{axis}"] = made

    def sizes(self) -> Iterator[Polynomial]:
        """What the rule says there are at most so many of: elements of each array, threads."""
        yield from (self.evaluated(one.length) for one in self.parameters if one.length)
        yield reduce(
            self.on.product, (self.special[f"%nctaid.{axis}"] for axis in AXES), self.threads
        )


@dataclass(frozen=True)
class Shape:
    """What is looked at at a time: blocks of one shape (None: of any width that the rule allows),
    and parameters that may have a few values only."""

    block: tuple[int, int, int] | None
    given: Mapping[str, int] = field(default_factory=dict)


def shapes(rule: Rule) -> list[Shape]:
    """All that a rule allows, one after the other."""
    blocks = [rules.dimensions(one) for one in rule.blocks]
    chosen = [None] if len(blocks) > FEW and _widths(rule) else blocks
    return [Shape(block, given) for given in _divisors(rule) for block in chosen]


def _widths(rule: Rule) -> tuple[int, int, int] | None:
    """The least and the largest of its blocks, and the step from one to the next, which divides
    them; None where they are of more dimensions or not so even."""
    blocks = sorted(map(rules.dimensions, rule.blocks))
    widths = [x for x, *_ in blocks]
    low, high, step = widths[0], widths[-1], gcd(*widths)
    return (low, high, step) if blocks == [(x, 1, 1) for x in range(low, high + 1, step)] else None


def _divisors(rule: Rule) -> list[dict[str, int]]:
    """The values of a parameter of which the rule says that it divides a number."""
    for condition in rule.where:
        words = condition.split()
        if words[0].isdigit() and words[1] == "%" and words[3:] == ["==", "0"]:
            number = int(words[0])
            return [{words[2]: d} for d in range(1, number + 1) if number % d == 0]
    return [{}]


FEW = 9  # shapes of a block that are looked at one by one
