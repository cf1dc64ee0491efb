"""Where a symbolic thread stands: every launch that a rule allows, as atoms and facts."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partialmethod

import z3

from ..course import rules
from ..course.model import Rule
from ..cuda.limits import BLOCK_LIMITS, GRID_LIMITS
from ..machine.lanes import WARP
from .atoms import Formula, Polynomial, Scope, term
from .values import Arithmetic

MOST_PARAMETER = 2**31 - 1
AXES = rules.AXES


@dataclass(frozen=True, eq=False)
class Size:
    """A polynomial in a rule's expression: has the operators that `rules.value` needs."""

    value: Polynomial
    on: Arithmetic

    def _other(self, other: Size | int) -> Polynomial:
        return other.value if isinstance(other, Size) else Polynomial.of(other)

    def __add__(self, other: Size | int) -> Size:
        return Size(self.value + self._other(other), self.on)

    __radd__ = __add__

    def __sub__(self, other: Size | int) -> Size:
        return Size(self.value - self._other(other), self.on)

    def __mul__(self, other: Size | int) -> Size:
        return Size(self.on.product(self.value, self._other(other)), self.on)

    __rmul__ = __mul__

    def __floordiv__(self, other: Size | int) -> Size:
        return Size(self.on.quotient(self.value, self._other(other)), self.on)

    def __mod__(self, other: Size | int) -> Size:
        by = self._other(other)
        return Size(self.value - self.on.product(self.on.quotient(self.value, by), by), self.on)

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
        self.rule, self.block, self.on = rule, shape.block, on
        self.given = shape.given
        self.parameters = rules.parameters(rule)
        self.numbers: dict[str, Polynomial] = {}
        self.special: dict[str, Polynomial] = {"WARP_SZ": Polynomial.of(WARP)}
        self._dimensions()
        whole = (one.name for one in self.parameters if rules.is_whole(one))
        self.numbers |= {name: self._number(name) for name in whole}
        self.names = {name: Size(value, on) for name, value in self.numbers.items()}
        self.lengths = {
            one.name: self.evaluated(one.length) * one.dtype.itemsize if one.length else None
            for one in self.parameters
            if one.length is not None
        }
        self.shared_mem = self.evaluated(rule.shared_mem)
        self._facts()

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
        factor = 1
        for condition in self.rule.where:
            words = condition.split()
            if words[:2] == [name, "%"] and words[3:] == ["==", "0"] and words[2].isdigit():
                factor = int(words[2])
        return self.on.atoms.integer(name, 0, MOST_PARAMETER // factor, Scope.GRID) * factor

    def _dimensions(self) -> None:
        atoms = self.on.atoms
        for number, axis in enumerate(AXES):
            if self.block is not None:
                size = Polynomial.of(self.block[number])
            elif number == 0:
                low, high, step = _widths(self.rule) or (1, 1, 1)
                size = atoms.integer("width", low // step, high // step, Scope.GRID) * step
            else:
                size = Polynomial.of(1)
            self._dimension("blockDim", "tid", "%ntid", axis, size, BLOCK_LIMITS[number])
            most = GRID_LIMITS[number]
            count = (
                atoms.integer(f"gridDim.{axis}", 1, most, Scope.GRID)
                if number < self.rule.grid
                else Polynomial.of(1)
            )
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

    def _facts(self) -> None:
        for condition in self.rule.where:
            formula = rules.value(condition, self.names)
            if isinstance(formula, z3.BoolRef):
                self._always(formula)
        for length in self.sizes():
            self._always(term(length) <= self.rule.most)

    def sizes(self) -> Iterator[Polynomial]:
        """What the rule says there are at most so many of: elements of each array, threads."""
        yield from (self.evaluated(one.length) for one in self.parameters if one.length)
        whole = self.threads
        for axis in AXES:
            whole = self.on.product(whole, self.special[f"%nctaid.{axis}"])
        yield whole

    def _always(self, formula: Formula) -> None:
        self.on.atoms.fact(self.on.atoms.names(formula), formula)


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
    low, high, step = widths[0], widths[-1], math.gcd(*widths)
    even = blocks == [(x, 1, 1) for x in range(low, high + 1, step)]
    return (low, high, step) if even else None


def _divisors(rule: Rule) -> list[dict[str, int]]:
    """The values of a parameter of which the rule says that it divides a number."""
    for condition in rule.where:
        words = condition.split()
        if words[0].isdigit() and words[1] == "%" and words[3:] == ["==", "0"]:
            number = int(words[0])
            return [{words[2]: d} for d in range(1, number + 1) if number % d == 0]
    return [{}]


FEW = 9  # shapes of a block that are looked at one by one
