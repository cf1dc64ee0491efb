"""Integer and floating-point arithmetic, logic and shifts."""

from __future__ import annotations

import numpy as np

from ..numbers import flushed, fma, rounded
from ..ptx import Instruction
from .registry import Elementwise, elementwise

_FLOATS = ("f16", "f32", "f64", "f16x2")
_WIDER = {"s16": "s32", "u16": "u32", "s32": "s64", "u32": "u64"}


def _float_form(fn, instruction: Instruction, arity: int) -> Elementwise:
    """Rounding and flushing as the modifiers say, around a plain NumPy operation."""
    kind = instruction.type
    fn = rounded(fn, instruction.mods)
    if "ftz" in instruction.mods:
        fn = flushed(fn)
    if "sat" in instruction.mods:
        fn = _saturated(fn)
    if kind == "f16x2":
        fn = _paired(fn)
    return Elementwise(fn, (kind,) * arity, kind)


def _paired(fn):
    """`fn` on both halves of each 32-bit register."""

    def on_halves(*operands):
        halves = [np.ascontiguousarray(operand).view(np.float16) for operand in operands]
        return fn(*halves).view(np.uint32)

    return on_halves


def _saturated(fn):
    def saturate(*operands):
        result = fn(*operands)
        return np.fmin(np.fmax(result, result.dtype.type(0)), result.dtype.type(1))

    return saturate


def _plain(fn, instruction: Instruction, arity: int) -> Elementwise:
    kind = instruction.type
    return Elementwise(fn, (kind,) * arity, kind)


@elementwise("add", "sub")
def add(instruction: Instruction):
    fn = np.add if instruction.base == "add" else np.subtract
    if instruction.type in _FLOATS:
        return _float_form(fn, instruction, 2)
    if instruction.mods[0] in ("cc", "sat") or instruction.type.endswith("x2"):
        return None
    return _plain(fn, instruction, 2)


@elementwise("mul")
def mul(instruction: Instruction):
    kind = instruction.type
    if kind in _FLOATS:
        return _float_form(np.multiply, instruction, 2)
    if instruction.mods[0] == "wide":
        return Elementwise(_wide_multiply(_WIDER[kind]), (kind, kind), _WIDER[kind])
    if instruction.mods[0] == "hi":
        return Elementwise(_high_multiply, (kind, kind), kind) if kind in _WIDER else None
    return _plain(np.multiply, instruction, 2)


def _wide_multiply(wide: str):
    dtype = np.dtype({"s32": "i4", "u32": "u4", "s64": "i8", "u64": "u8"}[wide])

    def multiply(a, b):
        return np.multiply(a, b, dtype=dtype)

    return multiply


def _high_multiply(a, b):
    bits = 8 * a.itemsize
    wide = np.dtype(f"{a.dtype.kind}{2 * a.itemsize}")
    return (np.multiply(a, b, dtype=wide) >> bits).astype(a.dtype)


@elementwise("mad")
def mad(instruction: Instruction):
    kind = instruction.type
    if kind in _FLOATS:
        return fused(instruction)
    if "cc" in instruction.mods:
        return None
    if instruction.mods[0] == "wide":
        multiply = _wide_multiply(_WIDER[kind])
        return Elementwise(
            lambda a, b, c: multiply(a, b) + c, (kind, kind, _WIDER[kind]), _WIDER[kind]
        )
    if instruction.mods[0] == "hi":
        return None
    return _plain(lambda a, b, c: a * b + c, instruction, 3)


@elementwise("fma")
def fused(instruction: Instruction):
    fn = fma(instruction.mods, instruction.type) if instruction.type in _FLOATS else None
    return fn and _float_form(fn, instruction, 3)


@elementwise("div")
def div(instruction: Instruction):
    kind = instruction.type
    if kind in _FLOATS:
        return _float_form(np.divide, instruction, 2)
    return _plain(_integer_divide, instruction, 2)


@elementwise("rem")
def rem(instruction: Instruction):
    return _plain(lambda a, b: a - b * _integer_divide(a, b), instruction, 2)


def _integer_divide(a, b):
    """C's division: towards zero. Division by zero gives all ones, as the hardware does."""
    if a.dtype.kind == "u":
        return np.where(b == 0, ~a.dtype.type(0), a // np.where(b == 0, a.dtype.type(1), b))
    divisor = np.where(b == 0, a.dtype.type(1), b)
    quotient = a // divisor
    quotient += (quotient < 0) & (quotient * divisor != a)
    return np.where(b == 0, a.dtype.type(-1), quotient)


@elementwise("neg")
def neg(instruction: Instruction):
    if instruction.type in _FLOATS:
        return _float_form(np.negative, instruction, 1)
    return _plain(np.negative, instruction, 1)


@elementwise("abs")
def absolute(instruction: Instruction):
    if instruction.type in _FLOATS:
        return _float_form(np.abs, instruction, 1)
    return _plain(np.abs, instruction, 1)


@elementwise("copysign")
def copysign(instruction: Instruction):
    """copysign d, a, b: the sign of a, the rest of b."""
    return _plain(lambda a, b: np.copysign(b, a), instruction, 2)


@elementwise("min", "max")
def extremum(instruction: Instruction):
    smallest = instruction.base == "min"
    if instruction.type in _FLOATS:
        nan_wins = "NaN" in instruction.mods
        kept = (np.minimum, np.maximum) if nan_wins else (np.fmin, np.fmax)
        return _float_form(_signed_zero(kept[0 if smallest else 1], smallest), instruction, 2)
    return _plain(np.minimum if smallest else np.maximum, instruction, 2)


def _signed_zero(fn, smallest: bool):
    """PTX orders -0 before +0; NumPy takes either."""

    def ordered(a, b):
        result = fn(a, b)
        zero = (a == 0) & (b == 0)
        if zero.any():
            negative = np.signbit(a) | np.signbit(b) if smallest else np.signbit(a) & np.signbit(b)
            signed = np.where(negative, -result.dtype.type(0), result.dtype.type(0))
            result = np.where(zero, signed, result)
        return result

    return ordered


@elementwise("and", "or", "xor")
def logic(instruction: Instruction):
    fn = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[instruction.base]
    return _plain(fn, instruction, 2)


@elementwise("not")
def invert(instruction: Instruction):
    return _plain(np.invert, instruction, 1)


@elementwise("shl", "shr")
def shift(instruction: Instruction):
    kind = instruction.type
    fn = np.left_shift if instruction.base == "shl" else np.right_shift
    return Elementwise(_clamped(fn), (kind, "u32"), kind)


def _clamped(fn):
    """PTX clamps shifts at the width; NumPy does so too, given operands of one type."""

    def shifted(a, b):
        bits = 8 * a.itemsize
        return fn(a, np.minimum(b, np.uint32(bits)).astype(a.dtype))

    return shifted
