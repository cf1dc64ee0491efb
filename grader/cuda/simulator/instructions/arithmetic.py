"""Arithmetic. Integers are computed here; what the same names do with floating-point numbers
stands in `floating`, with the carry flag in `carry` (PTX ISA, "Integer Arithmetic Instructions").
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...errors import DivisionByZero
from ..numeric.integers import high_product, integer_quotient
from ..numeric.numbers import widened
from ..numeric.types import DTYPES
from ..program.ptx import Instruction
from . import carry, floating
from .registry import Elementwise, Undefined, elementwise
from .special import approximate_division

_WIDER = {"s16": "s32", "u16": "u32", "s32": "s64", "u32": "u64"}
_PAIRS = {"s16x2": np.int16, "u16x2": np.uint16}


def plain(fn, instruction: Instruction) -> Elementwise:
    """`fn`, whose operands and result all have the instruction's type."""
    kind = instruction.type
    return Elementwise(fn, (kind,) * (len(instruction.operands) - 1), kind)


def _is_float(instruction: Instruction) -> bool:
    return instruction.type in floating.KINDS


def _on_pairs(fn, kind: str):
    """`fn` on the two 16-bit integers of each 32-bit register."""
    dtype = _PAIRS[kind]
    return lambda *xs: fn(*[np.ascontiguousarray(x).view(dtype) for x in xs]).view(np.uint32)


@elementwise("add", "sub")
def add(instruction: Instruction):
    if _is_float(instruction):
        return floating.form(instruction.base, instruction)
    if "cc" in instruction.mods:
        return carry.with_carry
    fn = np.add if instruction.base == "add" else np.subtract
    if "sat" in instruction.mods:
        fn = _saturating(fn)
    if instruction.type in _PAIRS:
        fn = _on_pairs(fn, instruction.type)
    return plain(fn, instruction)


def _saturating(fn):
    """Sums of int32 that stop at the ends of the range."""
    limits = np.iinfo(np.int32)

    def compute(a, b):
        return np.clip(fn(a.astype(np.int64), b.astype(np.int64)), limits.min, limits.max)

    return compute


@elementwise("mul")
def mul(instruction: Instruction):
    if _is_float(instruction):
        return floating.form("mul", instruction)
    kind = instruction.type
    if "wide" in instruction.mods:
        return Elementwise(_wide_product(_WIDER[kind]), (kind, kind), _WIDER[kind])
    return plain(high_product if "hi" in instruction.mods else np.multiply, instruction)


@elementwise("mad")
def mad(instruction: Instruction):
    """mad.{lo,hi,wide}[.sat].type d, a, b, c: a * b + c."""
    if _is_float(instruction):
        return floating.form("fma", instruction)
    if "cc" in instruction.mods:
        return carry.with_carry
    kind = instruction.type
    if "wide" in instruction.mods:
        multiply, wide = _wide_product(_WIDER[kind]), _WIDER[kind]
        return Elementwise(lambda a, b, c: multiply(a, b) + c, (kind, kind, wide), wide)
    if "hi" in instruction.mods:
        join = _saturating(np.add) if "sat" in instruction.mods else np.add
        return plain(lambda a, b, c: join(high_product(a, b), c), instruction)
    return plain(_multiply_add, instruction)


@elementwise("fma")
def fma(instruction: Instruction):
    return floating.form("fma", instruction) if _is_float(instruction) else None


def _multiply_add(a, b, c):
    product = a * b
    product += c
    return product


def _wide_product(kind: str):
    dtype = DTYPES[kind]
    return lambda a, b: widened(a, dtype) * widened(b, dtype)


@elementwise("mul24", "mad24")
def product_of_24_bits(instruction: Instruction):
    """mul24/mad24.{lo,hi}: the low or the high 32 of the 48 bits of a product."""
    signed, high = instruction.type == "s32", "hi" in instruction.mods
    join = _saturating(np.add) if "sat" in instruction.mods else np.add
    unused = np.uint32(8)

    def low_bits(a):
        return (
            (a << a.dtype.type(8) >> a.dtype.type(8)) if signed else a & (~np.uint32(0) >> unused)
        )

    def compute(a, b, c=None):
        whole = low_bits(a).astype(np.int64) * low_bits(b).astype(np.int64)
        product = (whole >> 16 if high else whole).astype(a.dtype)
        return product if c is None else join(product, c)

    return plain(compute, instruction)


@elementwise("sad")
def sum_of_absolute_difference(instruction: Instruction):
    """sad d, a, b, c: c + |a - b|."""
    return plain(lambda a, b, c: c + np.where(a < b, b - a, a - b), instruction)


_BY_ZERO = Undefined(
    lambda a, b: b == 0, DivisionByZero, "divides an integer by zero; the result is undefined."
)


@elementwise("div")
def div(instruction: Instruction):
    if not _is_float(instruction):
        return replace(plain(integer_quotient, instruction), undefined=_BY_ZERO)
    if {"approx", "full"} & set(instruction.mods):
        return approximate_division(instruction)
    return floating.form("div", instruction)


@elementwise("rem")
def rem(instruction: Instruction):
    form = plain(lambda a, b: a - b * integer_quotient(a, b), instruction)
    return replace(form, undefined=_BY_ZERO)


@elementwise("neg")
def neg(instruction: Instruction):
    return (
        floating.negate(instruction) if _is_float(instruction) else plain(np.negative, instruction)
    )


@elementwise("abs")
def absolute(instruction: Instruction):
    return floating.absolute(instruction) if _is_float(instruction) else plain(np.abs, instruction)


@elementwise("copysign")
def copysign(instruction: Instruction):
    """copysign d, a, b: the sign of a, the rest of b."""
    return plain(lambda a, b: np.copysign(b, a), instruction)


@elementwise("min", "max")
def extremum(instruction: Instruction):
    """min and max; .relu takes the larger of the result and 0."""
    if _is_float(instruction):
        return floating.extremum(instruction)
    fn = np.minimum if instruction.base == "min" else np.maximum
    if "relu" in instruction.mods:
        fn = _not_negative(fn)
    if instruction.type in _PAIRS:
        fn = _on_pairs(fn, instruction.type)
    return plain(fn, instruction)


def _not_negative(fn):
    return lambda a, b: np.maximum(fn(a, b), a.dtype.type(0))
