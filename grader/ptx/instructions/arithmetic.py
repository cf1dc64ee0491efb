"""Arithmetic of integers (PTX ISA, "Integer Arithmetic Instructions"). What the same names do with
floating-point numbers stands in `floating`, with the carry flag in `carry`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...cuda.errors import DivisionByZero
from ...machine.events import Undefined
from ..forms.form import Carries
from ..forms.steps import Compute, Elementwise
from ..forms.table import elementwise
from ..numeric.integers import high_product, integer_quotient
from ..numeric.numbers import widened
from ..numeric.types import DTYPES
from ..ptx import Instruction

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


@elementwise("copysign", "f32|f64 : d, a, b")
def copysign(instruction: Instruction) -> Elementwise:
    """The sign of a, the rest of b."""
    return plain(lambda a, b: np.copysign(b, a), instruction)


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
