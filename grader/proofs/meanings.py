"""What instructions compute, on integers of unknown value.

What an instruction means is said once, in `ptx.instructions`, over the operations of
`numbers.ON_ARRAYS`; `OnIntegers` has these operations on a `Value`. An instruction whose meaning is
not said in this way may leave anything in the registers that it writes, which is always safe to
assume.
"""

import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partialmethod

import z3

from ..ptx.numbers import size_of
from ..ptx.program import Carries, Form, Instruction
from .atoms import Formula, Polynomial, Scope, all_of, negated, term
from .values import ALIGNED, Arithmetic, Pointer, Value, bits_of

MOST_RUNS = 4  # of ones in a mask
POINTER = 64  # bits of an address that is whole
SMALLEST = 16  # bits of a register: of what is smaller, the instruction decides the rest
_ON_CONDITIONS: dict[str, Callable[[Formula, Formula], Formula]] = {
    "and": lambda a, b: all_of((a, b)),
    "or": lambda a, b: negated(all_of((negated(a), negated(b)))),
    "xor": z3.Xor,
}
_WITHIN_ALIGNMENT = {2**bits - 1 for bits in range(ALIGNED.bit_length())}


def computed(on: Arithmetic, instruction: Instruction, operands: list[Value]) -> Value:
    """What an instruction leaves in its first operand, of values of its other ones."""
    form = instruction.form
    if form.carries is Carries.COPIED or form.of_address:
        return operands[0]
    if form.name == "cvt":
        return _converted(on, form, operands[0])
    if form.select is None:
        return on.unknown()
    selected = instruction.selected
    if selected.meaning is None:
        return (
            on.atoms.boolean("comparison", Scope.THREAD)
            if selected.result == "pred"
            else on.unknown()
        )
    # A type such as b32 says less than the instruction's own of the same width.
    kinds = [form.type if size_of(k) == size_of(form.type) else k for k in selected.sources]
    result: Typed = selected.meaning(OnIntegers(on))(*map(Typed, operands, kinds))
    return result.value


def _converted(on: Arithmetic, form: Form, value: Value) -> Value:
    kinds = [mod for mod in form.mods if mod[0] in "sub" and mod[1:].isdigit()]
    if len(kinds) != 2 or form.has("sat"):
        return on.unknown()
    target, source = kinds
    if isinstance(value, Pointer) and bits_of(target) < POINTER:
        value = on.integer(value, source)
    if bits_of(target) < SMALLEST:
        return on.read_as(target, value)
    return on.read_as(source, value) if bits_of(target) > bits_of(source) else value


@dataclass
class Typed:
    """An operand or a result of an operation."""

    value: Value
    kind: str = "b64"  # the PTX type that it is read as; no integer among results is cut to one


class OnIntegers:
    """The operations of `numbers.ON_ARRAYS`, on values that a symbolic thread may hold."""

    def __init__(self, on: Arithmetic):
        self.on = on

    def _integer(self, one: Typed) -> Polynomial:
        """Some integer that is equal to it modulo its width."""
        return self.on.integer(one.value, one.kind)

    def _read(self, one: Typed) -> Polynomial:
        """The integer of its type that it is, also for the operations that follow."""
        one.value = value = self.on.read_as(one.kind, one.value)
        return value

    def add(self, a: Typed, b: Typed) -> Typed:
        if isinstance(b.value, Pointer):
            a, b = b, a
        if isinstance(a.value, Pointer) and not isinstance(b.value, Pointer):
            return Typed(Pointer(a.value.array, a.value.offset + self._integer(b)))
        return Typed(self._integer(a) + self._integer(b))

    def subtract(self, a: Typed, b: Typed) -> Typed:
        if isinstance(a.value, Pointer) and not isinstance(b.value, Pointer):
            return Typed(Pointer(a.value.array, a.value.offset - self._integer(b)))
        return Typed(self._integer(a) - self._integer(b))

    def multiply(self, a: Typed, b: Typed) -> Typed:
        return Typed(self.on.product(self._integer(a), self._integer(b)))

    def multiply_add(self, a: Typed, b: Typed, c: Typed) -> Typed:
        return self.add(self.multiply(a, b), c)

    def wide_product(self, a: Typed, b: Typed) -> Typed:
        return Typed(self.on.product(self._read(a), self._read(b)))

    def high_product(self, a: Typed, b: Typed) -> Typed:
        return Typed(
            self.on.floor_quotient(
                self.on.product(self._read(a), self._read(b)), 2 ** bits_of(a.kind)
            )
        )

    def quotient(self, a: Typed, b: Typed) -> Typed:
        return Typed(self.on.quotient(self._read(a), self._read(b)))

    def negative(self, a: Typed) -> Typed:
        return Typed(self._integer(a) * -1)

    def absolute(self, a: Typed) -> Typed:
        value = self._read(a)
        positive = _compared(self.on, operator.ge, value, Polynomial.of(0))
        return Typed(self.on.chosen(positive, value, value * -1, a.kind))

    def _extreme(self, compare: Callable[..., object], a: Typed, b: Typed) -> Typed:
        first, second = self._read(a), self._read(b)
        return Typed(
            self.on.chosen(_compared(self.on, compare, first, second), first, second, a.kind)
        )

    minimum = partialmethod(_extreme, operator.le)
    maximum = partialmethod(_extreme, operator.ge)

    def left_shift(self, a: Typed, amount: Typed) -> Typed:
        number, bits = _number(amount.value), bits_of(a.kind)
        if number is None:
            return Typed(self.on.unknown())
        number &= 2**32 - 1
        return Typed(self._integer(a) * (2**number if number < bits else 0))

    def right_shift(self, a: Typed, amount: Typed) -> Typed:
        number, bits = _number(amount.value), bits_of(a.kind)
        if number is None:
            return Typed(self.on.unknown())
        number = min(number & (2**32 - 1), bits)
        value = self.on.read_as(a.kind if a.kind[0] == "s" else f"u{bits}", a.value)
        return Typed(self.on.floor_quotient(value, 2**number))

    def _bitwise(self, name: str, a: Typed, b: Typed) -> Typed:
        if a.kind != "pred":
            return Typed(_on_bits(self.on, name, a.kind, [a.value, b.value]))
        first, second = (self.on.condition(one.value) for one in (a, b))
        return Typed(_ON_CONDITIONS[name](first, second))

    bitwise_and = partialmethod(_bitwise, "and")
    bitwise_or = partialmethod(_bitwise, "or")
    bitwise_xor = partialmethod(_bitwise, "xor")

    def invert(self, a: Typed) -> Typed:
        if a.kind == "pred":
            return Typed(negated(self.on.condition(a.value)))
        return Typed(
            self.on.unknown() if isinstance(a.value, Pointer) else self._integer(a) * -1 - 1
        )

    def _comparison(self, compare: Callable[..., object], a: Typed, b: Typed) -> Typed:
        on, x, y = self.on, a.value, b.value
        if isinstance(x, Pointer) and isinstance(y, Pointer) and x.array == y.array:
            return Typed(_compared(on, compare, on.address(x), on.address(y)), "pred")
        return Typed(
            on.atoms.boolean("comparison", Scope.THREAD)
            if isinstance(x, Pointer) or isinstance(y, Pointer)
            else _compared(on, compare, self._read(a), self._read(b)),
            "pred",
        )

    equal = partialmethod(_comparison, operator.eq)
    not_equal = partialmethod(_comparison, operator.ne)
    less = partialmethod(_comparison, operator.lt)
    less_equal = partialmethod(_comparison, operator.le)
    greater = partialmethod(_comparison, operator.gt)
    greater_equal = partialmethod(_comparison, operator.ge)

    def select(self, p: Typed, a: Typed, b: Typed) -> Typed:
        return Typed(self.on.chosen(self.on.condition(p.value), a.value, b.value, a.kind))


def _compared(
    on: Arithmetic, compare: Callable[..., object], a: Polynomial, b: Polynomial
) -> Formula:
    difference = a - b
    if difference.number is not None:
        return z3.BoolVal(bool(compare(difference.number, 0)))
    found = compare(term(a), term(b))
    assert isinstance(found, z3.BoolRef)
    if compare in (operator.eq, operator.ne):
        on.equations[found] = (compare is operator.eq, difference)
    return found


def _number(value: Value) -> int | None:
    return value.number if isinstance(value, Polynomial) else None


def _on_bits(on: Arithmetic, name: str, kind: str, operands: list[Value]) -> Value:
    """ "and", "or" or "xor" of two values, of which one is a number, or no bit is known."""
    if name != "and" and any(isinstance(one, Pointer) for one in operands):
        return on.unknown()
    bits = bits_of(kind)
    value, number = operands if _number(operands[0]) is None else operands[::-1]
    mask = _number(number)
    if mask is None:
        return _bounded(on, name, operands, f"u{bits}")
    mask &= 2**bits - 1
    if isinstance(value, Pointer):
        return (
            on.low_bits(value.offset, mask.bit_length())
            if mask in _WITHIN_ALIGNMENT
            else on.unknown()
        )
    return _masked(on, name, on.integer(value, kind), mask, bits)


def _masked(on: Arithmetic, name: str, value: Polynomial, mask: int, bits: int) -> Value:
    runs = list(_runs(mask, bits))
    if name == "and" and len(runs) <= MOST_RUNS:
        return sum((_field(on, value, *run, bits) for run in runs), Polynomial.of(0))
    if name == "or" and _apart(on, value, mask):
        return value + mask
    return value * -1 - 1 if name == "xor" and mask == 2**bits - 1 else on.unknown()


def _runs(mask: int, bits: int) -> Iterator[tuple[int, int]]:
    """Where ones stand in a row: the first of them, and the first after them."""
    return (run.span() for run in re.finditer("1+", f"{mask:0{bits}b}"[::-1]))


def _field(on: Arithmetic, value: Polynomial, low: int, high: int, bits: int) -> Polynomial:
    """Its bits from `low` up to `high`, where they stand."""
    return (on.low_bits(value, high) if high < bits else value) - on.low_bits(value, low)


def _bounded(on: Arithmetic, name: str, operands: list[Value], kind: str) -> Value:
    """Of two values of which no bit is known: how large the result may be."""
    if any(isinstance(one, Pointer) for one in operands):
        return on.unknown()
    a, b = (term(on.read_as(kind, one)) for one in operands)
    made = on.fresh(name, kind)
    result = term(made)
    facts = {
        "and": (result <= a, result <= b, a + b - result < 2 ** bits_of(kind)),
        "or": (result >= a, result >= b, result <= a + b),
        "xor": (result <= a + b, result >= a - b, result >= b - a),
    }
    on.atoms.fact(made, z3.And(facts[name]))
    return made


def _apart(on: Arithmetic, value: Polynomial, mask: int) -> bool:
    """Whether they have no bit in common for certain."""
    low, high = on.atoms.interval(value)
    below = low >= 0 and mask % 2 ** high.bit_length() == 0
    return below or value.divisible(2 ** mask.bit_length())
