"""Arithmetic of integers, also with the carry flag, and of several small ones in a register (PTX
ISA, "Integer Arithmetic Instructions", "Extended-Precision Integer Arithmetic Instructions" and
"SIMD Video Instructions"); then logic and shifts ("Logic and Shift Instructions"). What the same
names do with floating-point numbers stands in `floating_point`.

Every thread has one carry flag, CC.CF; a subtraction leaves its borrow there.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from ...cuda.errors import DivisionByZero
from ...machine.events import Undefined
from ...machine.lanes import Lanes, Step
from ...machine.wave import Wave
from ..numbers import DTYPES, ON_ARRAYS, high_product, size_of, widened
from ..program import Carries, Form, Immediate, Instruction, immediate_of
from ..table import (
    Compute,
    Elementwise,
    effect,
    elementwise,
    lanewise,
    means,
    meant,
    of_one_type,
)

_WIDER = {"s16": "s32", "u16": "u32", "s32": "s64", "u32": "u64"}
_PRODUCTS = {"lo": "multiply", "hi": "high_product", "wide": "wide_product"}
_KINDS = "s32|u32|s64|u64"
SMALL: dict[tuple[str, int], Any] = {  # by the type of a register and how many parts it has
    ("u32", 4): np.uint8,
    ("s32", 4): np.int8,
    ("u32", 2): np.uint16,
    ("s32", 2): np.int16,
}


def _saturating(fn: Compute) -> Compute:
    """Sums of int32 that stop at the ends of the range."""
    limits = np.iinfo(np.int32)
    return lambda a, b: np.clip(fn(a.astype(np.int64), b.astype(np.int64)), limits.min, limits.max)


@elementwise("add sub", "INT : d, a, b", "sat s32 : d, a, b", "s16x2|u16x2 : d, a, b")
def add(instruction: Instruction) -> Elementwise:
    adds, form = instruction.form.name == "add", instruction.form
    fn = np.add if adds else np.subtract
    if form.has("sat") or form.type.endswith("x2"):
        return of_one_type(_saturating(fn) if form.has("sat") else fn, instruction)
    return meant(lambda on: on.add if adds else on.subtract, instruction)


@elementwise("mul", "lo|hi INT : d, a, b", "wide s16|u16|s32|u32 : d, a, b", scales=True)
def mul(instruction: Instruction) -> Elementwise:
    product, kind = instruction.form.one_of(_PRODUCTS) or "lo", instruction.form.type
    form = meant(lambda on: getattr(on, _PRODUCTS[product]), instruction)
    return replace(form, result=_WIDER[kind]) if product == "wide" else form


@elementwise(
    "mad",
    "lo|hi INT : d, a, b, c",
    "hi sat s32 : d, a, b, c",
    "wide s16|u16|s32|u32 : d, a, b, c",
    scales=True,
)
def mad(instruction: Instruction) -> Elementwise:
    """a * b + c."""
    product, kind = instruction.form.one_of(_PRODUCTS) or "lo", instruction.form.type
    if instruction.form.has("sat"):
        join = _saturating(np.add)
        return of_one_type(lambda a, b, c: join(high_product(a, b), c), instruction)
    if product == "lo":
        return meant(lambda on: on.multiply_add, instruction)
    form = meant(
        lambda on: lambda a, b, c: on.add(getattr(on, _PRODUCTS[product])(a, b), c), instruction
    )
    wide = _WIDER[kind] if product == "wide" else kind
    return replace(form, sources=(kind, kind, wide), result=wide)


@lanewise("mul24", "lo|hi s32|u32 : d, a, b", types="t t t")
@lanewise("mad24", "lo|hi s32|u32 : d, a, b, c", "hi sat s32 : d, a, b, c", types="t t t t")
def product_of_24_bits(form: Form, a: np.ndarray, b: np.ndarray, *c: np.ndarray) -> np.ndarray:
    """The low or the high 32 of the 48 bits of a product of 24 bits each."""
    unused = a.dtype.type(8)
    low_bits = [(x << unused >> unused).astype(np.int64) for x in (a, b)]
    whole = low_bits[0] * low_bits[1]
    product = (whole >> 16 if form.has("hi") else whole).astype(a.dtype)
    join = _saturating(np.add) if form.has("sat") else np.add
    return np.asarray(join(product, *c)) if c else product


means(
    (
        "sad",  # c + |a - b|
        "INT : d, a, b, c",
        lambda on: (
            lambda a, b, c: on.add(
                c, on.select(on.less(a, b), on.subtract(b, a), on.subtract(a, b))
            )
        ),
    ),
    ("neg", "s16|s32|s64 : d, a", lambda on: on.negative),
    ("abs", "s16|s32|s64 : d, a", lambda on: on.absolute),
)


means(
    ("div", "INT : d, a, b", lambda on: on.quotient),
    (
        "rem",
        "INT : d, a, b",
        lambda on: lambda a, b: on.subtract(a, on.multiply(b, on.quotient(a, b))),
    ),
    undefined=Undefined(lambda a, b: b == 0, DivisionByZero, "division_by_zero"),
)


@elementwise(
    "min max",
    "INT|s16x2|u16x2 : d, a, b",
    "relu s32|s16x2 : d, a, b",
    carries=Carries.ONE_OF,
)
def extremum(instruction: Instruction) -> Elementwise:
    """With .relu the larger of the result and 0."""
    smallest, form = instruction.form.name == "min", instruction.form
    fn: Compute = np.minimum if smallest else np.maximum
    if form.has("relu"):
        return of_one_type(lambda a, b: np.maximum(fn(a, b), a.dtype.type(0)), instruction)
    return (
        of_one_type(fn, instruction)
        if form.type.endswith("x2")
        else meant(lambda on: on.minimum if smallest else on.maximum, instruction)
    )


@effect("add sub", f"cc {_KINDS} : d, a, b")
@effect("addc subc", f"cc? {_KINDS} : d, a, b")
@effect("mad", f"lo|hi cc {_KINDS} : d, a, b, c")
@effect("madc", f"lo|hi cc? {_KINDS} : d, a, b, c")
def with_carry(instruction: Instruction, at: int, wave: Wave) -> Step:
    """The names with a final c take the flag in, .cc leaves it."""
    target, *operands = instruction.operands
    form, kind = instruction.form, instruction.form.type
    sources = [wave.read(operand, kind) for operand in operands]
    out, flag = wave.registers.write(target, kind), wave.registers.storage("CC.CF")
    takes, leaves = form.name.endswith("c"), form.has("cc")
    subtracts, unsigned = form.name.startswith("sub"), DTYPES[f"u{kind[1:]}"]
    multiply = high_product if form.has("hi") else np.multiply

    def step(lanes: Lanes) -> None:
        *factors, last = [source[lanes] for source in sources]
        first = multiply(*factors) if len(factors) > 1 else factors[0]
        a, b = (np.ascontiguousarray(x).view(unsigned) for x in (first, last))
        carry = flag[lanes].astype(unsigned) if takes else unsigned.type(0)
        result = a - b - carry if subtracts else a + b + carry
        small, large = (a, b) if subtracts else (result, a)
        over = (small < large) | ((small == large) & (carry != 0))
        out[lanes] = result.view(DTYPES[kind])  # perhaps the register of an operand
        if leaves:
            flag[lanes] = over

    return step


@lanewise("brev", "b32|b64 : d, a", types="t t")
def reverse_bits(form: Form, a: np.ndarray) -> np.ndarray:
    bits = np.unpackbits(
        np.ascontiguousarray(a).view(np.uint8).reshape(-1, a.itemsize), axis=1, bitorder="little"
    )[:, ::-1]
    return np.packbits(bits, axis=1, bitorder="little").reshape(-1).view(a.dtype)


@elementwise("popc clz", "b32|b64 : d, a")
def count_bits(instruction: Instruction) -> Elementwise:
    """Those that are set, or those above the highest that is."""
    return Elementwise(
        np.bitwise_count if instruction.form.name == "popc" else _leading_zeros,
        (instruction.form.type,),
        "u32",
    )


def _leading_zeros(a: np.ndarray) -> np.ndarray:
    """Of unsigned integers: as many bits as are left when all below the highest one are set."""
    filled = a.copy()
    for distance in (1, 2, 4, 8, 16, 32):
        filled |= filled >> a.dtype.type(distance)
    return (8 * a.itemsize - np.bitwise_count(filled)).astype(np.uint32)


@lanewise("bfind", "shiftamt? s32|u32|s64|u64 : d, a", types="t u32")
def bfind(form: Form, a: np.ndarray) -> np.ndarray:
    """Where the highest bit is that differs from the sign; -1 if none."""
    magnitude = np.where(a < 0, ~a, a) if a.dtype.kind == "i" else a
    zeros = _leading_zeros(magnitude.view(f"u{a.itemsize}")).astype(np.int64)
    found = zeros if form.has("shiftamt") else 8 * a.itemsize - 1 - zeros
    return np.where(magnitude == 0, -1, found).astype(np.uint32)


@lanewise("fns", "b32 : d, a, b, c", types="b32 b32 s32 b32")
def find_nth_set(form: Form, mask: np.ndarray, base: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """d, mask, base, offset: the offset-th set bit of the mask from bit `base` on
    (upwards for positive offsets, downwards for negative ones); all ones if there is none."""
    place, down = np.arange(32), (offset < 0)[:, None]
    base, number = (x.astype(np.int64)[:, None] for x in (base, offset))
    distance = np.where(down, base - place, place - base)
    bits = mask[:, None] >> place.astype(np.uint32) & 1 == 1
    ahead = bits & np.where(number == 0, distance == 0, distance >= 0)
    rank = np.where(down, ahead[:, ::-1].cumsum(axis=1)[:, ::-1], ahead.cumsum(axis=1))
    hit = ahead & (rank == np.maximum(np.abs(number), 1))
    return np.where(hit.any(axis=1), hit.argmax(axis=1), 0xFFFFFFFF)


@lanewise("bfe", "s32|u32|s64|u64 : d, a, b, c", types="t u32 u32 t")
def bfe(form: Form, a: np.ndarray, position: np.ndarray, length: np.ndarray) -> np.ndarray:
    """d, a, position, length: a field of bits, extended by its sign where signed."""
    bits = a.dtype.type(8 * a.itemsize)
    position, length = (_in_range(x, a.dtype) for x in (position, length))
    unused = bits - np.minimum(length, bits)
    # Shifts by `bits` and more give zeros or, to the right, copies of the sign.
    return np.asarray(a >> position << unused >> unused)


def _in_range(amount: np.ndarray, field: np.dtype) -> np.ndarray:
    """What of a field's position or length counts: 8 bits if the field is one of 32 bits; all if
    it is one of 64, where whatever is above 64 lies as far beyond the top as 64 does. (What the
    PTX ISA says of the former, an H200 does not do with the latter.)"""
    amount = widened(amount, np.uint32)
    return (amount & 255 if field.itemsize == 4 else np.minimum(amount, 64)).astype(field)


@lanewise("bfi", "b32|b64 : d, a, b, c, e", types="t t u32 u32 t")
def bfi(
    form: Form, a: np.ndarray, b: np.ndarray, position: np.ndarray, length: np.ndarray
) -> np.ndarray:
    """d, a, b, position, length: b with a field of bits replaced by a's low bits."""
    one = a.dtype.type(1)
    position, length = (_in_range(x, a.dtype) for x in (position, length))
    mask = ((one << length) - one) << position  # shifts by all bits and more give 0
    return np.asarray(b & ~mask | a << position & mask)


def bounded(form: Form, amount: np.ndarray) -> np.ndarray:
    """A number of 32 bits: what is more wraps around, or is as good as 32."""
    return amount & np.uint32(31) if form.has("wrap") else np.minimum(amount, np.uint32(32))


@lanewise("bmsk", "clamp|wrap b32 : d, a, b", types="u32 u32 b32")
def bit_mask(form: Form, position: np.ndarray, length: np.ndarray) -> np.ndarray:
    """d, position, length: ones in a field, zeros elsewhere."""
    start, width, one = position.astype(np.uint64), bounded(form, length), np.uint64(1)
    start = start & np.uint64(31) if form.has("wrap") else start
    return ((one << width.astype(np.uint64)) - one << start).astype(np.uint32)


@lanewise("szext", "clamp|wrap s32|u32 : d, a, b", types="t u32 t")
def extend(form: Form, a: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """d, a, bits: the low bits of a, extended by their sign or by zeros."""
    bits = bounded(form, bits)
    unused = (32 - bits.astype(np.int64)).astype(a.dtype)
    return np.asarray((a << unused >> unused) * (bits > 0))


def small_parts(register: np.ndarray, kind: str, number: int) -> np.ndarray:
    """The small integers (lanes, number) in each register, as int64."""
    return (
        np.ascontiguousarray(register)
        .view(SMALL[kind, number])
        .reshape(-1, number)
        .astype(np.int64)
    )


@lanewise("dp4a", "s32|u32 s32|u32 : d, a, b, c", types="b32 b32 b32 b32")
@lanewise("dp2a", "lo|hi s32|u32 s32|u32 : d, a, b, c", types="b32 b32 b32 b32")
def dot_product(form: Form, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """c + the dot product of four pairs of bytes, or of both halves of a with the low or the high
    bytes of b."""
    (first, second), number = form.mods[-2:], int(form.name[2])
    chosen = slice(2, 4) if form.has("hi") else slice(number)
    products = small_parts(a, first, number) * small_parts(b, second, 4)[:, chosen]
    return (c + products.sum(axis=1)).astype(np.uint32)


_VIDEO: dict[str, Compute] = {
    "vadd": np.add,
    "vsub": np.subtract,
    "vabsdiff": lambda a, b: np.abs(a - b),
    "vmin": np.minimum,
    "vmax": np.maximum,
}


@lanewise(
    " ".join(f"{name}{number}" for name in _VIDEO for number in (2, 4)),
    "s32|u32 s32|u32 s32|u32 sat|add? : d, a, b, c",
    types="b32 b32 b32 b32",
)
def video(form: Form, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Without lane masks or selectors: d takes all the parts, or (.add) c plus their sum."""
    (result, first, second), number = form.mods[:3], int(form.name[-1])
    operation, small = _VIDEO[form.name[:-1]], SMALL[result, number]
    parts = operation(small_parts(a, first, number), small_parts(b, second, number))
    if form.has("add"):
        return np.asarray(c.astype(np.int64) + parts.sum(axis=1)).astype(np.uint32)
    parts = parts.clip(np.iinfo(small).min, np.iinfo(small).max) if form.has("sat") else parts
    return np.asarray(parts.astype(small).view(np.uint32).reshape(-1))


# ---- logic and shifts ----


@elementwise("and", "pred|BITS : d, a, b", carries=Carries.ALL_BITS)
@elementwise("or", "pred|BITS : d, a, b", carries=Carries.ALL_BITS_SET)
@elementwise("xor", "pred|BITS : d, a, b")
def logic(instruction: Instruction) -> Elementwise:
    return meant(lambda on: getattr(on, f"bitwise_{instruction.form.name}"), instruction)


means(("not", "pred|BITS : d, a", lambda on: on.invert))
lanewise("cnot", "BITS : d, a", types="t t")(lambda form, a: a == 0)  # C's `!`


@elementwise("lop3", "b32 : d, a, b, c, e", "and|or b32 : d, a, b, c, e, q")
def lop3(instruction: Instruction) -> Elementwise:
    """d, a, b, c, table: any function of three bits, given by its eight values; with .and or .or
    also a predicate, d|p, ..., q: whether any bit of d is set, combined with q."""
    _, a, b, c, table, *rest = instruction.operands
    rows = [row for row in range(8) if immediate_of(table) >> row & 1]

    def look_up(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        result = np.zeros(a.shape, np.uint32)
        for row in rows:
            result |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
        return result

    if not rest:
        return Elementwise(look_up, ("b32",) * 3, "b32", operands=(a, b, c))
    combine = ON_ARRAYS.bitwise_and if instruction.form.has("and") else ON_ARRAYS.bitwise_or

    def both(
        a: np.ndarray, b: np.ndarray, c: np.ndarray, q: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        result = look_up(a, b, c)
        return result, combine(result != 0, q)

    return Elementwise(
        both, ("b32", "b32", "b32", "pred"), ("b32", "pred"), operands=(a, b, c, *rest)
    )


@elementwise("shl", "BITS : d, a, b", scales=True)
@elementwise("shr", "BITS|INT : d, a, b")
def shift(instruction: Instruction) -> Elementwise:
    """Amounts beyond the width shift everything out; NumPy agrees, given operands of one type."""
    kind, amount = instruction.form.type, instruction.operands[2]
    left, bits = instruction.form.name == "shl", 8 * size_of(kind)
    form = meant(lambda on: on.left_shift if left else on.right_shift, instruction)
    if bits == 32 or (isinstance(amount, Immediate) and 0 <= amount.value < bits):
        return form
    fn, limit = form.fn, np.uint32(bits)
    return replace(
        form, fn=lambda a, b: fn(a, np.minimum(b, limit).astype(a.dtype)), sources=(kind, "u32")
    )


@lanewise("shf", "l|r clamp|wrap b32 : d, a, b, c", types="b32 b32 u32 b32")
def funnel_shift(form: Form, low: np.ndarray, high: np.ndarray, amount: np.ndarray) -> np.ndarray:
    """d, low, high, amount: 32 bits of the shifted 64."""
    whole = low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)
    amount = bounded(form, amount).astype(np.uint64)
    return (whole << amount >> np.uint64(32) if form.has("l") else whole >> amount).astype(
        np.uint32
    )
