"""Arithmetic of integers (PTX ISA, "Integer Arithmetic Instructions"). What the same names do with
floating-point numbers stands in `floating`, with the carry flag in `carry`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...cuda.errors import DivisionByZero
from ...machine.events import Step, Undefined
from ...machine.lanes import Lanes
from ...machine.wave import Wave
from ..numbers import DTYPES, constant, high_product, integer_quotient, size_of, widened
from ..program import Carries, Instruction
from ..table import Compute, Elementwise, effect, elementwise

_WIDER = {"s16": "s32", "u16": "u32", "s32": "s64", "u32": "u64"}
_PAIRS = {"s16x2": np.int16, "u16x2": np.uint16}


def plain(fn: Callable[..., np.ndarray], instruction: Instruction) -> Elementwise:
    """`fn`, whose operands and result all have the instruction's type."""
    kind = instruction.form.type
    return Elementwise(fn, (kind,) * (len(instruction.operands) - 1), kind)


def _on_pairs(fn: Callable[..., np.ndarray], kind: str) -> Callable[..., np.ndarray]:
    """`fn` on the two 16-bit integers of each 32-bit register."""
    dtype = _PAIRS[kind]
    return lambda *xs: fn(*[np.ascontiguousarray(x).view(dtype) for x in xs]).view(np.uint32)


@elementwise("add sub", "INT : d, a, b", "sat s32 : d, a, b", "s16x2|u16x2 : d, a, b")
def add(instruction: Instruction) -> Elementwise:
    fn: Compute = np.add if instruction.form.name == "add" else np.subtract
    if "sat" in instruction.form.mods:
        fn = _saturating(fn)
    if instruction.form.type in _PAIRS:
        fn = _on_pairs(fn, instruction.form.type)
    return plain(fn, instruction)


def _saturating(fn: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """Sums of int32 that stop at the ends of the range."""
    limits = np.iinfo(np.int32)

    def compute(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.clip(fn(a.astype(np.int64), b.astype(np.int64)), limits.min, limits.max)

    return compute


@elementwise("mul", "lo|hi INT : d, a, b", "wide s16|u16|s32|u32 : d, a, b", scales=True)
def mul(instruction: Instruction) -> Elementwise:
    kind = instruction.form.type
    if "wide" in instruction.form.mods:
        return Elementwise(_wide_product(_WIDER[kind]), (kind, kind), _WIDER[kind])
    return plain(high_product if "hi" in instruction.form.mods else np.multiply, instruction)


@elementwise(
    "mad",
    "lo|hi INT : d, a, b, c",
    "hi sat s32 : d, a, b, c",
    "wide s16|u16|s32|u32 : d, a, b, c",
    scales=True,
)
def mad(instruction: Instruction) -> Elementwise:
    """a * b + c."""
    kind = instruction.form.type
    if "wide" in instruction.form.mods:
        multiply, wide = _wide_product(_WIDER[kind]), _WIDER[kind]
        return Elementwise(lambda a, b, c: multiply(a, b) + c, (kind, kind, wide), wide)
    if "hi" in instruction.form.mods:
        join = _saturating(np.add) if "sat" in instruction.form.mods else np.add
        return plain(lambda a, b, c: join(high_product(a, b), c), instruction)
    return plain(_multiply_add, instruction)


def _multiply_add(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    product = a * b
    product += c
    return product


def _wide_product(kind: str) -> Callable[..., np.ndarray]:
    dtype = DTYPES[kind]
    return lambda a, b: widened(a, dtype) * widened(b, dtype)


@elementwise("mul24", "lo|hi s32|u32 : d, a, b")
@elementwise("mad24", "lo|hi s32|u32 : d, a, b, c", "hi sat s32 : d, a, b, c")
def product_of_24_bits(instruction: Instruction) -> Elementwise:
    """The low or the high 32 of the 48 bits of a product of 24 bits each."""
    signed, high = instruction.form.type == "s32", "hi" in instruction.form.mods
    join = _saturating(np.add) if "sat" in instruction.form.mods else np.add
    unused = np.uint32(8)

    def low_bits(a: np.ndarray) -> np.ndarray:
        return (
            (a << a.dtype.type(8) >> a.dtype.type(8)) if signed else a & (~np.uint32(0) >> unused)
        )

    def compute(a: np.ndarray, b: np.ndarray, c: np.ndarray | None = None) -> np.ndarray:
        whole = low_bits(a).astype(np.int64) * low_bits(b).astype(np.int64)
        product = (whole >> 16 if high else whole).astype(a.dtype)
        return product if c is None else join(product, c)

    return plain(compute, instruction)


@elementwise("sad", "INT : d, a, b, c")
def sum_of_absolute_difference(instruction: Instruction) -> Elementwise:
    """c + |a - b|."""
    return plain(lambda a, b, c: c + np.where(a < b, b - a, a - b), instruction)


_BY_ZERO = Undefined(
    lambda a, b: b == 0, DivisionByZero, "divides an integer by zero; the result is undefined."
)


@elementwise("div", "INT : d, a, b")
def div(instruction: Instruction) -> Elementwise:
    return replace(plain(integer_quotient, instruction), undefined=_BY_ZERO)


@elementwise("rem", "INT : d, a, b")
def rem(instruction: Instruction) -> Elementwise:
    form = plain(lambda a, b: a - b * integer_quotient(a, b), instruction)
    return replace(form, undefined=_BY_ZERO)


@elementwise("neg", "s16|s32|s64 : d, a")
def neg(instruction: Instruction) -> Elementwise:
    return plain(np.negative, instruction)


@elementwise("abs", "s16|s32|s64 : d, a")
def absolute(instruction: Instruction) -> Elementwise:
    return plain(np.abs, instruction)


@elementwise(
    "min max",
    "INT|s16x2|u16x2 : d, a, b",
    "relu s32|s16x2 : d, a, b",
    carries=Carries.ONE_OF,
)
def extremum(instruction: Instruction) -> Elementwise:
    """With .relu the larger of the result and 0."""
    fn: Compute = np.minimum if instruction.form.name == "min" else np.maximum
    if "relu" in instruction.form.mods:
        fn = _not_negative(fn)
    if instruction.form.type in _PAIRS:
        fn = _on_pairs(fn, instruction.form.type)
    return plain(fn, instruction)


def _not_negative(fn: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    return lambda a, b: np.maximum(fn(a, b), a.dtype.type(0))


Pair = tuple[np.ndarray, np.ndarray]
_KINDS = "s32|u32|s64|u64"


@effect("add sub", f"cc {_KINDS} : d, a, b")
@effect("addc subc", f"cc? {_KINDS} : d, a, b")
@effect("mad", f"lo|hi cc {_KINDS} : d, a, b, c")
@effect("madc", f"lo|hi cc? {_KINDS} : d, a, b, c")
def with_carry(instruction: Instruction, at: int, wave: Wave) -> Step:
    """The names with a final c take the flag in, .cc leaves it."""
    target, *operands = instruction.operands
    kind = instruction.form.type
    sources = [wave.read(operand, kind) for operand in operands]
    out = wave.registers.write(target, kind)
    flag = wave.registers.storage("CC.CF")
    form = instruction.form
    takes, leaves = form.name.endswith("c"), form.has("cc")
    addends = _product_first(form.has("hi")) if len(sources) == 3 else lambda a, b: (a, b)
    combine = _subtract if form.name.startswith("sub") else _add

    def step(lanes: Lanes) -> None:
        a, b = (_unsigned(x) for x in addends(*[source[lanes] for source in sources]))
        carry = flag[lanes].astype(a.dtype) if takes else a.dtype.type(0)
        result, over = combine(a, b, carry)
        out[lanes] = result.view(DTYPES[kind])
        if leaves:
            flag[lanes] = over

    return step


def _unsigned(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x).view(f"u{x.itemsize}")


def _product_first(high: bool) -> Callable[..., Pair]:
    multiply = high_product if high else np.multiply
    return lambda a, b, c: (multiply(a, b), c)


def _add(a: np.ndarray, b: np.ndarray, carry: np.ndarray) -> Pair:
    total = a + b + carry
    return total, (total < a) | ((total == a) & (carry != 0))


def _subtract(a: np.ndarray, b: np.ndarray, borrow: np.ndarray) -> Pair:
    return a - b - borrow, (a < b) | ((a == b) & (borrow != 0))


@elementwise("popc", "b32|b64 : d, a")
def popc(instruction: Instruction) -> Elementwise:
    return Elementwise(np.bitwise_count, (instruction.form.type,), "u32")


@elementwise("brev", "b32|b64 : d, a")
def brev(instruction: Instruction) -> Elementwise:
    return plain(_reverse_bits, instruction)


def _reverse_bits(a: np.ndarray) -> np.ndarray:
    octets = np.ascontiguousarray(a).view(np.uint8).reshape(-1, a.itemsize)
    bits = np.unpackbits(octets, axis=1, bitorder="little")[:, ::-1]
    return np.packbits(bits, axis=1, bitorder="little").reshape(-1).view(a.dtype)


@elementwise("clz", "b32|b64 : d, a")
def clz(instruction: Instruction) -> Elementwise:
    return Elementwise(_leading_zeros, (instruction.form.type,), "u32")


def _leading_zeros(a: np.ndarray) -> np.ndarray:
    """Of 32 bits, from the exponent of the number as a float64; 64 are two times 32."""
    if a.itemsize == 4:
        exponent = (a.view(np.uint32).astype(np.float64).view(np.int64) >> 52) - 1023
        return (31 - np.maximum(exponent, -1)).astype(np.uint32)
    upper = _leading_zeros((a >> np.uint64(32)).astype(np.uint32))
    return np.where(upper == 32, 32 + _leading_zeros(a.astype(np.uint32)), upper)


@elementwise("bfind", "shiftamt? s32|u32|s64|u64 : d, a")
def bfind(instruction: Instruction) -> Elementwise:
    """Where the highest bit is that differs from the sign; -1 if none."""
    top = 8 * size_of(instruction.form.type) - 1
    shift_amount = "shiftamt" in instruction.form.mods

    def find(a: np.ndarray) -> np.ndarray:
        magnitude = np.where(a < 0, ~a, a) if a.dtype.kind == "i" else a
        zeros = _leading_zeros(magnitude.view(f"u{a.itemsize}")).astype(np.int64)
        found = zeros if shift_amount else top - zeros
        return np.where(magnitude == 0, -1, found).astype(np.uint32)

    return Elementwise(find, (instruction.form.type,), "u32")


@elementwise("fns", "b32 : d, a, b, c")
def find_nth_set(instruction: Instruction) -> Elementwise:
    """d, mask, base, offset: the offset-th set bit of the mask from bit `base` on
    (upwards for positive offsets, downwards for negative ones); all ones if there is none."""

    def find(mask: np.ndarray, base: np.ndarray, offset: np.ndarray) -> np.ndarray:
        place, result = np.arange(32), np.full(mask.shape, 0xFFFFFFFF, np.uint32)
        bits = mask[:, None] >> place.astype(np.uint32) & 1 == 1
        base = base.astype(np.int64)[:, None]
        for sign in (1, -1):
            ahead = bits & (sign * (place - base) >= 0)
            rank = ahead.cumsum(axis=1)
            if sign < 0:
                rank = rank[:, -1:] - rank + ahead
            hit = ahead & (rank == np.abs(offset.astype(np.int64))[:, None])
            wanted = hit.any(axis=1) & (np.sign(offset) == sign)
            result[wanted] = hit.argmax(axis=1)[wanted]
        start = np.minimum(base[:, 0], 31)
        own = (offset == 0) & bits[np.arange(len(mask)), start] & (base[:, 0] < 32)
        return np.where(own, base[:, 0], result)

    return Elementwise(find, ("b32", "b32", "s32"), "b32")


@elementwise("bfe", "s32|u32|s64|u64 : d, a, b, c")
def bfe(instruction: Instruction) -> Elementwise:
    """d, a, position, length: a field of bits, extended by its sign where signed."""
    kind = instruction.form.type
    bits = 8 * size_of(kind)

    def extract(a: np.ndarray, position: np.ndarray, length: np.ndarray) -> np.ndarray:
        start, width = (_fixed(x, bits) for x in (position, length))
        if start is not None and width and start + width <= bits:
            unused = a.dtype.type(bits - width)
            return a << (unused - a.dtype.type(start)) >> unused
        return _extract(a, position, length)

    return Elementwise(extract, (kind, "u32", "u32"), kind)


def _in_range(amount: np.ndarray, bits: int) -> np.ndarray:
    """What of a field's position or length counts: 8 bits if the field is one of 32 bits; all if
    it is one of 64, where whatever is above 64 lies as far beyond the top as 64 does. (What the
    PTX ISA says of the former, an H200 does not do with the latter.)"""
    if bits == 32:
        return amount & np.uint32(255)
    return np.minimum(amount, np.uint32(64))


def _fixed(amount: np.ndarray, bits: int) -> int | None:
    """The position or length that is the same for all lanes; None if it is in a register."""
    value = constant(amount)
    return None if value is None else int(_in_range(value, bits))


def _extract(a: np.ndarray, position: np.ndarray, length: np.ndarray) -> np.ndarray:
    bits = 8 * a.itemsize
    wide = a.astype(f"{a.dtype.kind}8")
    position, length = _in_range(position, bits), _in_range(length, bits)
    limit = bits - 1 if a.dtype.kind == "i" else 64  # beyond the top: copies of the sign, or 0
    field = wide >> np.minimum(position, np.uint32(limit)).astype(wide.dtype)
    unused = (64 - np.minimum(length, np.uint32(64)).astype(np.int64)).astype(wide.dtype)
    return (field << unused >> unused).astype(a.dtype) * (length > 0)


@elementwise("bfi", "b32|b64 : d, a, b, c, e")
def bfi(instruction: Instruction) -> Elementwise:
    """d, a, b, position, length: b with a field of bits replaced by a's low bits."""
    kind = instruction.form.type

    def insert(
        a: np.ndarray, b: np.ndarray, position: np.ndarray, length: np.ndarray
    ) -> np.ndarray:
        start, width = (_fixed(x, 8 * a.itemsize) for x in (position, length))
        if start is None or width is None:
            return _insert(a, b, position, length)
        everything = (1 << 8 * a.itemsize) - 1
        mask = ((1 << width) - 1 << start) & everything
        if not mask:
            return b
        dtype = a.dtype.type
        return b & dtype(everything ^ mask) | a << dtype(start) & dtype(mask)

    return Elementwise(insert, (kind, kind, "u32", "u32"), kind)


def _insert(a: np.ndarray, b: np.ndarray, position: np.ndarray, length: np.ndarray) -> np.ndarray:
    one = np.uint64(1)
    bits = 8 * a.itemsize
    position, length = (_in_range(x, bits).astype(np.uint64) for x in (position, length))
    # Shifts by 64 and more give 0.
    mask = ((one << length) - one) << position
    moved = a.astype(np.uint64) << position
    return (b.astype(np.uint64) & ~mask | moved & mask).astype(a.dtype)


@elementwise("bmsk", "clamp|wrap b32 : d, a, b")
def bit_mask(instruction: Instruction) -> Elementwise:
    """d, position, length: ones in a field, zeros elsewhere."""
    wrap = "wrap" in instruction.form.mods

    def make(position: np.ndarray, length: np.ndarray) -> np.ndarray:
        position, length = position.astype(np.uint64), length.astype(np.uint64)
        if wrap:
            position, length = position & np.uint64(31), length & np.uint64(31)
        one = np.uint64(1)
        return ((one << np.minimum(length, np.uint64(32))) - one << position).astype(np.uint32)

    return Elementwise(make, ("u32", "u32"), "b32")


@elementwise("szext", "clamp|wrap s32|u32 : d, a, b")
def extend(instruction: Instruction) -> Elementwise:
    """d, a, bits: the low bits of a, extended by their sign or by zeros."""
    kind, wrap = instruction.form.type, "wrap" in instruction.form.mods

    def keep(a: np.ndarray, bits: np.ndarray) -> np.ndarray:
        bits = bits & np.uint32(31) if wrap else np.minimum(bits, np.uint32(32))
        unused = (32 - bits.astype(np.int64)).astype(a.dtype)
        return (a << unused >> unused) * (bits > 0)

    return Elementwise(keep, (kind, "u32"), kind)


SMALL: dict[tuple[str, int], Any] = {
    ("u32", 4): np.uint8,
    ("s32", 4): np.int8,
    ("u32", 2): np.uint16,
    ("s32", 2): np.int16,
}


def small_parts(register: np.ndarray, kind: str, number: int) -> np.ndarray:
    """The small integers (lanes, number) in each register, as int64."""
    parts = np.ascontiguousarray(register).view(SMALL[kind, number])
    return parts.reshape(-1, number).astype(np.int64)


@elementwise("dp4a", "s32|u32 s32|u32 : d, a, b, c")
def dot_of_four(instruction: Instruction) -> Elementwise:
    """c + the dot product of four pairs of bytes."""
    first, second = instruction.form.mods
    result = "s32" if "s32" in (first, second) else "u32"

    def compute(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        return c + (small_parts(a, first, 4) * small_parts(b, second, 4)).sum(axis=1)

    return Elementwise(compute, ("b32", "b32", result), result)


@elementwise("dp2a", "lo|hi s32|u32 s32|u32 : d, a, b, c")
def dot_of_two(instruction: Instruction) -> Elementwise:
    """Both halves of a with the low or high bytes of b."""
    where, first, second = instruction.form.mods
    result = "s32" if "s32" in (first, second) else "u32"
    chosen = slice(0, 2) if where == "lo" else slice(2, 4)

    def compute(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        return c + (small_parts(a, first, 2) * small_parts(b, second, 4)[:, chosen]).sum(axis=1)

    return Elementwise(compute, ("b32", "b32", result), result)
