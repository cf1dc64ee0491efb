"""What instructions compute, on integers of unknown value.

A meaning is a function (arithmetic, form, operands) -> value for the first operand. An instruction
without one may leave anything in the registers that it writes, which is always safe to assume.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator

import z3

from ..ptx.program import Form
from .atoms import Formula, Polynomial, Scope, all_of, negated, term
from .values import ALIGNED, Arithmetic, Pointer, Value, bits_of

Meaning = Callable[[Arithmetic, Form, list[Value]], Value]
MOST_RUNS = 4  # of ones in a mask
POINTER = 64  # bits of an address that is whole
SMALLEST = 16  # bits of a register: of what is smaller, the instruction decides the rest
MEANINGS: dict[str, Meaning] = {}
_WITHIN_ALIGNMENT = {2**bits - 1 for bits in range(ALIGNED.bit_length())}


def meaning(*names: str) -> Callable[[Meaning], Meaning]:
    def register(function: Meaning) -> Meaning:
        MEANINGS.update(dict.fromkeys(names, function))
        return function

    return register


def computed(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    """What an instruction leaves in its first operand."""
    known = MEANINGS.get(form.name)
    if known is None or (form.type[:1] in ("f", "") and form.name not in ("setp", "mov", "selp")):
        return on.unknown()
    if form.type.startswith("bf") or form.type.endswith("x2"):
        return on.unknown()
    return known(on, form, operands)


@meaning("mov", "cvta")
def moved(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    return operands[0]


@meaning("add", "sub")
def added(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    a, b = operands
    adding = form.name == "add"
    if form.has("sat", "cc"):
        return on.unknown()
    if adding and isinstance(b, Pointer):
        a, b = b, a
    if isinstance(a, Pointer) and not isinstance(b, Pointer):
        step = on.integer(b, form.type)
        return Pointer(a.array, a.offset + step if adding else a.offset - step)
    x, y = on.integer(a, form.type), on.integer(b, form.type)
    return x + y if adding else x - y


@meaning("mul")
def multiplied(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    kind = form.type
    if form.has("hi"):
        a, b = (on.read_as(kind, one) for one in operands)
        return on.floor_quotient(on.product(a, b), 2 ** bits_of(kind))
    if form.has("wide"):
        a, b = (on.read_as(kind, one) for one in operands)
    else:
        a, b = (on.integer(one, kind) for one in operands)
    return on.product(a, b)


@meaning("mad")
def multiplied_and_added(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    if form.has("sat", "cc"):
        return on.unknown()
    product = multiplied(on, form, operands[:2])
    third = operands[2]
    assert isinstance(product, Polynomial)
    if isinstance(third, Pointer):
        return Pointer(third.array, third.offset + product)
    kind = form.type
    return product + on.integer(third, f"s{2 * bits_of(kind)}" if form.has("wide") else kind)


@meaning("div", "rem")
def divided(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    a, b = (on.read_as(form.type, one) for one in operands)
    quotient = on.quotient(a, b)
    return quotient if form.name == "div" else a - on.product(quotient, b)


@meaning("neg")
def opposite(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    return on.integer(operands[0], form.type) * -1


@meaning("abs")
def magnitude(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    value = on.read_as(form.type, operands[0])
    return on.chosen(
        _compared(on, operator.ge, value, Polynomial.of(0)), value, value * -1, form.type
    )


@meaning("min", "max")
def extreme(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    if form.has("relu"):
        return on.unknown()
    a, b = (on.read_as(form.type, one) for one in operands)
    compare = operator.le if form.name == "min" else operator.ge
    return on.chosen(_compared(on, compare, a, b), a, b, form.type)


@meaning("shl")
def shifted_left(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    amount = on.integer(operands[1], "u32").number
    bits = bits_of(form.type)
    if amount is None:
        return on.unknown()
    amount &= 2**32 - 1
    if amount >= bits:
        return Polynomial.of(0)
    return on.integer(operands[0], form.type) * 2**amount


@meaning("shr")
def shifted_right(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    amount = on.integer(operands[1], "u32").number
    bits, signed = bits_of(form.type), form.type[0] == "s"
    if amount is None:
        return on.unknown()
    amount = min(amount & (2**32 - 1), bits)
    value = on.read_as(form.type if signed else f"u{bits}", operands[0])
    return on.floor_quotient(value, 2**amount)


@meaning("and", "or", "xor", "not")
def logical(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    if form.type == "pred":
        return _on_predicates(form.name, [on.condition(one) for one in operands])
    if any(isinstance(one, Pointer) for one in operands) and form.name != "and":
        return on.unknown()
    if form.name == "not":
        return on.integer(operands[0], form.type) * -1 - 1
    return _on_bits(on, form, operands)


def _on_predicates(name: str, given: list[Formula]) -> Formula:
    if name == "not":
        return negated(given[0])
    if name == "and":
        return all_of(given)
    if name == "or":
        return negated(all_of(negated(one) for one in given))
    return z3.Xor(*given)


def _on_bits(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    """With a number."""
    bits = bits_of(form.type)
    value, number = operands if _number(operands[0]) is None else operands[::-1]
    mask = _number(number)
    if mask is None:
        return _bounded(on, form.name, operands, f"u{bits}")
    mask &= 2**bits - 1
    if isinstance(value, Pointer):
        known = mask in _WITHIN_ALIGNMENT
        return on.low_bits(value.offset, mask.bit_length()) if known else on.unknown()
    return _masked(on, form.name, on.integer(value, form.type), mask, bits)


def _number(value: Value) -> int | None:
    return value.number if isinstance(value, Polynomial) else None


def _masked(on: Arithmetic, name: str, value: Polynomial, mask: int, bits: int) -> Value:
    runs = list(_runs(mask, bits))
    if name == "and" and len(runs) <= MOST_RUNS:
        fields = [_field(on, value, low, high, bits) for low, high in runs]
        return sum(fields, Polynomial.of(0))
    if name == "or" and _apart(on, value, mask):
        return value + mask
    if name == "xor" and mask == 2**bits - 1:
        return value * -1 - 1
    return on.unknown()


def _runs(mask: int, bits: int) -> Iterator[tuple[int, int]]:
    """Where ones stand in a row: the first of them, and the first after them."""
    for low in range(bits):
        if mask >> low & 1 and not (low and mask >> (low - 1) & 1):
            zeros = ~(mask >> low)
            yield low, low + (zeros & -zeros).bit_length() - 1


def _field(on: Arithmetic, value: Polynomial, low: int, high: int, bits: int) -> Polynomial:
    """Its bits from `low` up to `high`, where they stand."""
    upper = on.low_bits(value, high) if high < bits else value
    return upper - on.low_bits(value, low)


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


@meaning("cvt")
def converted(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    kinds = [mod for mod in form.mods if mod[0] in "sub" and mod[1:].isdigit()]
    if len(kinds) != 2 or form.has("sat"):
        return on.unknown()
    target, source = kinds
    value = operands[0]
    if isinstance(value, Pointer) and bits_of(target) < POINTER:
        value = on.integer(value, source)
    if bits_of(target) < SMALLEST:
        return on.read_as(target, value)
    return on.read_as(source, value) if bits_of(target) > bits_of(source) else value


@meaning("selp")
def selected(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    return on.chosen(on.condition(operands[2]), operands[0], operands[1], form.type)


_COMPARISONS: dict[str, Callable[..., object]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "lo": operator.lt,  # this and those below go with unsigned types alone
    "ls": operator.le,
    "hi": operator.gt,
    "hs": operator.ge,
}


@meaning("setp")
def compared(on: Arithmetic, form: Form, operands: list[Value]) -> Value:
    a, b, *more = operands
    kind = form.type
    if kind[0] == "f":
        return on.atoms.boolean("comparison", Scope.THREAD)
    compare = _COMPARISONS[form.mods[0]]
    if isinstance(a, Pointer) and isinstance(b, Pointer) and a.array == b.array:
        result = _compared(on, compare, on.address(a), on.address(b))
    elif isinstance(a, Pointer) or isinstance(b, Pointer):
        result = on.atoms.boolean("comparison", Scope.THREAD)
    else:
        result = _compared(on, compare, on.read_as(kind, a), on.read_as(kind, b))
    if not more:
        return result
    joined_by = str(form.one_of(("and", "or", "xor")))
    return _on_predicates(joined_by, [result, on.condition(more[0])])


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
