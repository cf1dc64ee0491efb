"""Counting, reversing, extracting and permuting bits."""

from __future__ import annotations

import numpy as np

from ..ptx import Instruction
from .registry import Elementwise, elementwise


@elementwise("popc")
def popc(instruction: Instruction):
    return Elementwise(np.bitwise_count, (instruction.type,), "u32")


@elementwise("brev")
def brev(instruction: Instruction):
    return Elementwise(_reverse_bits, (instruction.type,), instruction.type)


def _reverse_bits(a):
    octets = np.ascontiguousarray(a).view(np.uint8).reshape(-1, a.itemsize)
    bits = np.unpackbits(octets, axis=1, bitorder="little")[:, ::-1]
    return np.packbits(bits, axis=1, bitorder="little").reshape(-1).view(a.dtype)


@elementwise("clz")
def clz(instruction: Instruction):
    return Elementwise(_leading_zeros, (instruction.type,), "u32")


def _leading_zeros(a):
    filled = a.copy()
    shift = 1
    while shift < 8 * a.itemsize:
        filled |= filled >> filled.dtype.type(shift)
        shift *= 2
    return 8 * a.itemsize - np.bitwise_count(filled).astype(np.uint32)


@elementwise("bfind")
def bfind(instruction: Instruction):
    """bfind[.shiftamt].type: where the highest bit is that differs from the sign; -1 if none."""
    top = 8 * (4 if instruction.type.endswith("32") else 8) - 1
    shift_amount = "shiftamt" in instruction.mods

    def find(a):
        magnitude = np.where(a < 0, ~a, a) if a.dtype.kind == "i" else a
        zeros = _leading_zeros(magnitude.view(f"u{a.itemsize}")).astype(np.int64)
        return np.where(magnitude == 0, -1, zeros if shift_amount else top - zeros)

    return Elementwise(lambda a: find(a).astype(np.uint32), (instruction.type,), "u32")


@elementwise("bfe")
def bfe(instruction: Instruction):
    """bfe.type d, a, position, length: a field of bits, extended by its sign where signed."""
    kind = instruction.type

    def extract(a, position, length):
        bits = 8 * a.itemsize
        position = (position & 255).astype(np.int64)
        length = (length & 255).astype(np.int64)
        wide = a.astype(f"{a.dtype.kind}8")
        field = wide >> np.minimum(position, bits - 1 if a.dtype.kind == "i" else 63).astype(
            wide.dtype
        )
        if a.dtype.kind == "u":
            field = np.where(position >= bits, 0, field)
        unused = np.clip(64 - length, 0, 63).astype(wide.dtype)
        field = np.where(length == 0, 0, (field.astype(wide.dtype) << unused) >> unused)
        return field.astype(a.dtype)

    return Elementwise(extract, (kind, "u32", "u32"), kind)


@elementwise("bfi")
def bfi(instruction: Instruction):
    """bfi.type d, a, b, position, length: b with a field of bits replaced by a's low bits."""
    kind = instruction.type

    def insert(a, b, position, length):
        position = (position & 255).astype(np.uint64)
        length = np.minimum(length & 255, 64).astype(np.uint64)
        one, wide = np.uint64(1), a.astype(np.uint64)
        field = np.where(length == 64, ~np.uint64(0), (one << (length % np.uint64(64))) - one)
        mask = np.where(position > 63, np.uint64(0), field << np.minimum(position, np.uint64(63)))
        moved = wide << np.minimum(position, np.uint64(63))
        return ((b.astype(np.uint64) & ~mask) | (moved & mask)).astype(a.dtype)

    return Elementwise(insert, (kind, kind, "u32", "u32"), kind)


@elementwise("prmt")
def prmt(instruction: Instruction):
    """prmt.b32 d, a, b, selector: each byte of d is one of the eight of {b, a}, or its sign."""
    if instruction.mods != ("b32",):
        return None

    def permute(a, b, selector):
        pool = a.astype(np.uint64) | b.astype(np.uint64) << np.uint64(32)
        result = np.zeros(a.shape, np.uint32)
        for place in range(4):
            choice = selector >> np.uint32(4 * place) & np.uint32(15)
            octet = pool >> (choice & np.uint32(7)).astype(np.uint64) * np.uint64(8)
            octet = (octet & np.uint64(255)).astype(np.uint32)
            sign = np.where(octet >> np.uint32(7), np.uint32(255), np.uint32(0))
            result |= np.where(choice & np.uint32(8), sign, octet) << np.uint32(8 * place)
        return result

    return Elementwise(permute, ("b32", "b32", "b32"), "b32")


@elementwise("shf")
def funnel_shift(instruction: Instruction):
    """shf.{l,r}.{wrap,clamp}.b32 d, low, high, amount: 32 bits of the shifted 64."""
    left, wrap = instruction.mods[0] == "l", instruction.mods[1] == "wrap"

    def shift(low, high, amount):
        whole = low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)
        amount = amount & np.uint32(31) if wrap else np.minimum(amount, np.uint32(32))
        amount = amount.astype(np.uint64)
        moved = whole << amount >> np.uint64(32) if left else whole >> amount
        return moved.astype(np.uint32)

    return Elementwise(shift, ("b32", "b32", "u32"), "b32")
