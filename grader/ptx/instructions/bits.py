"""Counting, finding, reversing, extracting, inserting and permuting bits (PTX ISA, "Integer
Arithmetic Instructions" and "Data Movement: prmt")."""

from __future__ import annotations

import numpy as np

from ..forms.steps import Elementwise
from ..forms.table import elementwise
from ..numeric.numbers import constant
from ..numeric.types import size_of
from ..ptx import Instruction
from .arithmetic import plain


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


# Which byte of {b, a} goes to each place, for selectors 0 to 3 of prmt's special modes.
_MODES: dict[str, list[tuple[int, ...]]] = {
    "f4e": [(n, n + 1, n + 2, n + 3) for n in range(4)],
    "b4e": [tuple((n - k) % 8 for k in range(4)) for n in range(4)],
    "rc8": [(n, n, n, n) for n in range(4)],
    "ecl": [tuple(max(n, k) for k in range(4)) for n in range(4)],
    "ecr": [tuple(min(n, k) for k in range(4)) for n in range(4)],
    "rc16": [(0, 1, 0, 1), (2, 3, 2, 3), (0, 1, 0, 1), (2, 3, 2, 3)],
}


@elementwise("prmt", f"b32 {'|'.join(_MODES)}? : d, a, b, c")
def prmt(instruction: Instruction) -> Elementwise:
    """d, a, b, selector: each byte of d is one of the eight of {b, a}, or (bit 3
    of its selector) eight copies of that byte's sign."""
    mode = instruction.form.one_of(_MODES)
    if mode is None:
        return Elementwise(_permute, ("b32", "b32", "b32"), "b32")
    selectors = np.array(
        [sum(byte << 4 * place for place, byte in enumerate(row)) for row in _MODES[mode]],
        np.uint32,
    )
    return Elementwise(
        lambda a, b, c: _permute(a, b, selectors[c & np.uint32(3)]), ("b32", "b32", "b32"), "b32"
    )


def _permute(a: np.ndarray, b: np.ndarray, selector: np.ndarray) -> np.ndarray:
    fixed = constant(selector)
    if fixed is not None and not int(fixed) & 0x8888:
        return _permute_alike(a, b, int(fixed))
    pool = a.astype(np.uint64) | b.astype(np.uint64) << np.uint64(32)
    result = np.zeros(a.shape, np.uint32)
    for place in range(4):
        choice = selector >> np.uint32(4 * place) & np.uint32(15)
        octet = (pool >> ((choice & np.uint32(7)) * np.uint32(8)).astype(np.uint64)).astype(
            np.uint8
        )
        sign = (octet.view(np.int8) >> 7).view(np.uint8)
        octet = np.where(choice & np.uint32(8), sign, octet)
        result |= octet.astype(np.uint32) << np.uint32(8 * place)
    return result


def _permute_alike(a: np.ndarray, b: np.ndarray, selector: int) -> np.ndarray:
    """All lanes with one selector: four bytes are moved."""
    result = np.zeros(a.shape, np.uint32)
    for place in range(4):
        byte = selector >> 4 * place & 7
        source, distance = (a, b)[byte // 4], 8 * (byte % 4 - place)
        moved = source >> np.uint32(distance) if distance > 0 else source << np.uint32(-distance)
        result |= moved & np.uint32(0xFF << 8 * place)
    return result
