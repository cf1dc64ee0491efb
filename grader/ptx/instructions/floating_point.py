"""Floating-point arithmetic in every format and rounding mode: what `add`, `fma`, `div` and the
like make of f16, bf16, f32, f64 and of pairs of halves (PTX ISA, "Floating Point Instructions",
"Half Precision ..." and "Mixed Precision ...").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .. import exact
from ..numbers import (
    flush,
    flushed,
    fma_directed,
    fma_single,
    fmax,
    fmin,
    from_bfloat,
    reaches_normal,
    relu,
    rounded,
    rounding,
    saturate,
    to_bfloat,
)
from ..program import Carries, Instruction
from ..table import Compute, Elementwise, elementwise

KINDS = ("f16", "bf16", "f32", "f64", "f16x2", "bf16x2")

_PLAIN = (  # what sums and products of floats may be
    "ROUND? ftz? sat? f32 : {0}",
    "ROUND? f64 : {0}",
    "rn? ftz? sat? f16|f16x2 : {0}",
    "rn? bf16|bf16x2 : {0}",
)

# By name: what NumPy rounds to nearest even by itself, and the exact result in float64.
_OPERATIONS: dict[str, tuple[Compute | None, Callable[..., Any]]] = {
    "add": (np.add, exact.add),
    "sub": (np.subtract, exact.subtract),
    "mul": (np.multiply, exact.multiply),
    "div": (np.divide, exact.divide),
    "rcp": (np.reciprocal, exact.reciprocal),
    "sqrt": (np.sqrt, exact.square_root),
    "fma": (None, exact.fma),
}
_ADDENDS: dict[
    str, Callable[..., tuple[Any, Any]]
] = {  # the two numbers that an operation adds up last
    "add": lambda a, b: (a, b),
    "sub": lambda a, b: (a, -b),
    "fma": lambda a, b, c: (a * b, c),
}


@elementwise("add sub mul", *[line.format("d, a, b") for line in _PLAIN])
@elementwise("div", "ROUND ftz? f32 : d, a, b", "ROUND f64 : d, a, b")
@elementwise("rcp sqrt", "ROUND ftz? f32 : d, a", "ROUND f64 : d, a")
@elementwise(
    "fma",
    *[line.format("d, a, b, c") for line in _PLAIN],
    "rn ftz? relu f16|f16x2 : d, a, b, c",
    "rn relu bf16|bf16x2 : d, a, b, c",
)
def rounded_once(instruction: Instruction) -> Elementwise:
    """The result rounded once, with what the modifiers add to it."""
    return form(instruction.form.name, instruction)


@elementwise("mad", *[line.format("d, a, b, c") for line in _PLAIN[:2]])
def fused(instruction: Instruction) -> Elementwise:
    """a * b + c, rounded once."""
    return form("fma", instruction)


def form(name: str, instruction: Instruction) -> Elementwise:
    """The operation `name`, rounded once, with what the modifiers add to it."""
    mods, mode = instruction.form.mods, rounding(instruction.form.mods)
    kind = instruction.form.type.removesuffix("x2")
    fn = _operation(name, kind, mode)
    if fn is fma_single and {"ftz", "sat"} & set(mods):
        fn = _narrowed_fma
    if "ftz" in mods:
        # A sum of normal numbers is exact where it is so small: nothing to look at again.
        fn = flushed(fn, None if name in ("add", "sub") else _is_normal(name, kind, mode))
    return elementwise_of(_clamped(fn, mods), instruction)


def elementwise_of(fn: Callable[..., Any], instruction: Instruction) -> Elementwise:
    """`fn`, which takes and gives arrays of floats, on the registers of an instruction."""
    kind, arity = instruction.form.type, len(instruction.operands) - 1
    return Elementwise(on_registers(fn, kind), (kind,) * arity, kind)


def on_registers(fn: Callable[..., Any], kind: str) -> Callable[..., Any]:
    """`fn` on what registers of `kind` hold: bits of bfloat16, or two halves in 32 bits."""
    if kind == "f16x2":
        return lambda *operands: fn(*[_halves(x, np.float16) for x in operands]).view(np.uint32)
    if kind == "bf16":
        return lambda *operands: to_bfloat(fn(*[from_bfloat(x) for x in operands]))
    if kind == "bf16x2":
        single = on_registers(fn, "bf16")
        return lambda *operands: single(*[_halves(x, np.uint16) for x in operands]).view(np.uint32)
    return fn


def _halves(pairs: np.ndarray, dtype: DTypeLike) -> np.ndarray:
    return np.ascontiguousarray(pairs).view(dtype)


def _operation(name: str, kind: str, mode: str) -> Callable[..., Any]:
    native = _OPERATIONS[name][0]
    if name == "fma" and kind == "f32":
        fn = fma_single if mode == "rn" else fma_directed(mode)
    elif native and mode == "rn" and kind != "bf16":
        return native
    else:
        fn = _rounding_once(_in_full(name, kind), kind, mode)
    if mode == "rm" and name in _ADDENDS:
        fn = _zero_downwards(fn, name, _in_full(name, kind))
    return fn


def _in_full(name: str, kind: str) -> Callable[..., Any]:
    """The exact result of float64 operands, which hold numbers of format `kind`."""
    return exact.fma_of_narrow if name == "fma" and kind != "f64" else _OPERATIONS[name][1]


def _rounding_once(in_full: Callable[..., Any], kind: str, mode: str) -> Callable[..., Any]:
    def compute(*operands: np.ndarray) -> np.ndarray:
        return rounded(in_full(*_doubles(operands)), kind, mode)

    return compute


def _doubles(operands: Iterable[np.ndarray]) -> list[np.ndarray]:
    return [x.astype(np.float64) for x in operands]


def _is_normal(name: str, kind: str, mode: str) -> Callable[..., Any]:
    """Of operands whose result is the smallest normal number: see `numbers.flush_result`."""
    in_full = _in_full(name, kind)
    return lambda *operands: reaches_normal(in_full(*_doubles(operands)), kind, mode)


def _zero_downwards(
    fn: Callable[..., Any], name: str, in_full: Callable[..., Any]
) -> Callable[..., Any]:
    """Rounding down, a sum that is exactly zero is -0, except for +0 + +0 (IEEE 754, 6.3); one
    that is a little more than zero is +0."""

    def signed(*operands: np.ndarray) -> np.ndarray:
        result = fn(*operands)
        at = (result == 0).nonzero()[0]
        if len(at):
            wide = _doubles([operand[at] for operand in operands])
            nearest, rest = in_full(*wide)
            first, second = _ADDENDS[name](*wide)
            minus = (nearest == 0) & (rest == 0) & (np.signbit(first) | np.signbit(second))
            result[at[minus]] = -0.0
        return result

    return signed


def _narrowed_fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    return fma_single(a, b, c).astype(np.float32)


def _clamped(fn: Callable[..., Any], mods: tuple[str, ...]) -> Callable[..., Any]:
    for mod, clamp in (("sat", saturate), ("relu", relu)):
        if mod in mods:
            fn = _then(fn, clamp)
    return fn


def _then(fn: Callable[..., Any], clamp: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *operands: clamp(fn(*operands))


_ONE_SIGN = ("ftz? f32|f16|f16x2 : d, a", "f64|bf16|bf16x2 : d, a")


@elementwise("neg", *_ONE_SIGN)
def negate(instruction: Instruction) -> Elementwise:
    return _sign_bit(np.negative, np.bitwise_xor, 0x8000, instruction)


@elementwise("abs", *_ONE_SIGN)
def absolute(instruction: Instruction) -> Elementwise:
    return _sign_bit(np.abs, np.bitwise_and, 0x7FFF, instruction)


def _sign_bit(
    fn: Callable[..., np.ndarray], on_bits: Compute, mask: int, instruction: Instruction
) -> Elementwise:
    """neg and abs: on halves a matter of one bit, and so it is on pairs of them."""
    kind = instruction.form.type
    if "ftz" in instruction.form.mods:
        return elementwise_of(flushed(fn), instruction)
    if kind in ("f32", "f64"):
        return Elementwise(fn, (kind,), kind)
    if kind.endswith("x2"):
        pair = np.uint32(mask << 16 | mask)
        return Elementwise(lambda a: on_bits(a, pair), ("b32",), "b32")
    return Elementwise(lambda a: on_bits(a, np.uint16(mask)), ("b16",), "b16")


@elementwise(
    "min max",
    "ftz? NaN? xorsign? abs? f32|f16|f16x2 : d, a, b",
    "NaN? xorsign? abs? bf16|bf16x2 : d, a, b",
    "f64 : d, a, b",
    carries=Carries.ONE_OF,
)
def extremum(instruction: Instruction) -> Elementwise:
    """Without .NaN a number wins over NaN; -0 < +0."""
    smallest, mods = instruction.form.name == "min", instruction.form.mods
    nan_wins = (np.minimum, np.maximum) if "NaN" in mods else (fmin, fmax)
    fn = _with_signed_zeros(nan_wins[0 if smallest else 1], smallest)
    if "xorsign" in mods:
        fn = _with_product_sign(fn)
    if "ftz" in mods:
        fn = flushed(fn)
    return elementwise_of(fn, instruction)


def _with_signed_zeros(fn: Callable[..., Any], smallest: bool) -> Callable[..., Any]:
    def ordered(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        result = fn(a, b)
        if result.all():
            return result
        at = np.flatnonzero((a == 0) & (b == 0))
        if len(at):
            first, second = np.signbit(a[at]), np.signbit(b[at])
            negative = first | second if smallest else first & second
            result[at] = np.where(negative, -0.0, 0.0)
        return result

    return ordered


def _with_product_sign(fn: Callable[..., Any]) -> Callable[..., Any]:
    def combine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        magnitude = fn(np.abs(a), np.abs(b))
        return np.where(np.signbit(a) ^ np.signbit(b), -magnitude, magnitude)

    return combine


def _reciprocal_root(x: np.ndarray) -> np.ndarray:
    return np.reciprocal(np.sqrt(x))


_FUNCTIONS: dict[str, Compute] = {
    "sqrt": np.sqrt,
    "rcp": np.reciprocal,
    "rsqrt": _reciprocal_root,
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
}


@elementwise("sqrt lg2 sin cos", "approx ftz? f32 : d, a")
@elementwise("rcp", "approx ftz? f32 : d, a", "approx ftz f64 : d, a")
@elementwise("rsqrt", "approx ftz? f32|f64 : d, a")
@elementwise("ex2", "approx ftz? f32|bf16|bf16x2 : d, a", "approx f16|f16x2 : d, a")
@elementwise("tanh", "approx f32|HALF : d, a")
def special_function(instruction: Instruction) -> Elementwise:
    name, mods = instruction.form.name, instruction.form.mods
    if instruction.form.type == "f64" and "ftz" in mods:
        return elementwise_of(_in_upper_halves(_FUNCTIONS[name]), instruction)
    fn = _FUNCTIONS[name]
    if "ftz" in mods:
        fn = _flushed_exponential if name == "ex2" else flushed(fn)
    return elementwise_of(fn, instruction)


def _flushed_exponential(x: np.ndarray) -> np.ndarray:
    """Subnormal operands need no flushing: 2 to their power is 1 anyway."""
    power = np.exp2(x)
    return power if np.minimum.reduce(x) >= -126 else flush(power)


def _in_upper_halves(fn: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 look at the upper 32 bits of their operand and
    give the upper 32 bits of the result; the lower ones are zero."""

    def compute(x: np.ndarray) -> np.ndarray:
        return _upper_half(flush(fn(flush(_upper_half(x)))))

    return compute


def _upper_half(x: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(x).view(np.uint64) >> np.uint64(32) << np.uint64(32)
    return bits.view(np.float64)


@elementwise("div", "approx|full ftz? f32 : d, a, b")
def approximate_division(instruction: Instruction) -> Elementwise:
    """div.approx.f32 takes a reciprocal, which is flushed where the divisor exceeds 2**126;
    div.full.f32 scales its operands first."""
    fn = np.divide if "full" in instruction.form.mods else _times_reciprocal
    return elementwise_of(flushed(fn) if instruction.form.has("ftz") else fn, instruction)


def _times_reciprocal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    quotient = a / b
    magnitude = np.abs(b)
    if np.maximum.reduce(magnitude) <= 2.0**126:
        return quotient
    undefined = np.isinf(a) | np.isnan(quotient)
    nothing = np.where(undefined, np.nan, np.copysign(np.float32(0), quotient))
    return np.where(magnitude > 2.0**126, nothing, quotient).astype(np.float32)


@elementwise("copysign", "f32|f64 : d, a, b")
def copysign(instruction: Instruction) -> Elementwise:
    """The sign of a, the rest of b."""
    return elementwise_of(lambda a, b: np.copysign(b, a), instruction)


_KINDS_OF_NUMBER: dict[str, Compute] = {
    "finite": np.isfinite,
    "infinite": np.isinf,
    "number": lambda a: a == a,
    "notanumber": lambda a: a != a,
    "normal": lambda a: np.isfinite(a) & ((a == 0) | (np.abs(a) >= np.finfo(a.dtype).tiny)),
    "subnormal": lambda a: (a != 0) & (np.abs(a) < np.finfo(a.dtype).tiny),
}


@elementwise("testp", f"{'|'.join(_KINDS_OF_NUMBER)} f32|f64 : d, a")
def testp(instruction: Instruction) -> Elementwise:
    """Whether a is a number of that kind; hardware calls zero normal."""
    return Elementwise(_KINDS_OF_NUMBER[instruction.form.mods[0]], (instruction.form.type,), "pred")
