"""Special functions: roots, reciprocals, exponentials, and what the SFU approximates (PTX ISA,
"Floating Point Instructions").

Approximate instructions are computed to the format's own precision, which lies within the maximum
errors that the PTX ISA documents for the hardware's.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..forms.steps import Compute, Elementwise
from ..forms.table import elementwise
from ..numeric.numbers import flush, flushed
from ..ptx import Instruction
from . import floating


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
        return floating.elementwise_of(_in_upper_halves(_FUNCTIONS[name]), instruction)
    fn = _FUNCTIONS[name]
    if "ftz" in mods:
        fn = _flushed_exponential if name == "ex2" else flushed(fn)
    return floating.elementwise_of(fn, instruction)


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
    return floating.elementwise_of(flushed(fn) if instruction.form.has("ftz") else fn, instruction)


def _times_reciprocal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    quotient = a / b
    magnitude = np.abs(b)
    if np.maximum.reduce(magnitude) <= 2.0**126:
        return quotient
    undefined = np.isinf(a) | np.isnan(quotient)
    nothing = np.where(undefined, np.nan, np.copysign(np.float32(0), quotient))
    return np.where(magnitude > 2.0**126, nothing, quotient).astype(np.float32)
