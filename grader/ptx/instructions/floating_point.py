"""Floating-point arithmetic in every format and rounding mode: what `add`, `fma`, `div` and the
like make of f16, bf16, f32, f64 and of pairs of halves (PTX ISA, "Floating Point Instructions",
"Half Precision ..." and "Mixed Precision ...").

Approximate instructions are computed to the format's own precision, which lies within the maximum
errors that the PTX ISA documents for the hardware's.
"""

import numpy as np

from .. import exact
from ..numbers import (
    flush,
    flushed,
    fma_directed,
    fma_single,
    fmax,
    fmin,
    on_registers,
    reaches_normal,
    relu,
    rounded,
    rounding,
    saturate,
)
from ..program import Carries, Form, Instruction
from ..table import Compute, Elementwise, elementwise, lanewise, of_one_type

KINDS = ("f16", "bf16", "f32", "f64", "f16x2", "bf16x2")

_PLAIN = (  # what sums and products of floats may be
    "ROUND? ftz? sat? f32 : {0}",
    "ROUND? f64 : {0}",
    "rn? ftz? sat? f16|f16x2 : {0}",
    "rn? bf16|bf16x2 : {0}",
)

# By name: what NumPy rounds to nearest even by itself, and the exact result in float64.
_OPERATIONS: dict[str, tuple[Compute | None, Compute]] = {
    "add": (np.add, exact.add),
    "sub": (np.subtract, lambda a, b: exact.add(a, -b)),
    "mul": (np.multiply, exact.multiply),
    "div": (np.divide, exact.divide),
    "rcp": (np.reciprocal, lambda a: exact.divide(np.ones_like(a), a)),
    "sqrt": (np.sqrt, exact.square_root),
    "fma": (None, exact.fma),
}
_ADDENDS: dict[str, Compute] = {  # the two numbers that an operation adds up last
    "add": lambda a, b: (a, b),
    "sub": lambda a, b: (a, -b),
    "fma": lambda a, b, c: (a * b, c),
}


@elementwise("add sub mul", *[line.format("d, a, b") for line in _PLAIN])
@elementwise("div", "ROUND ftz? f32 : d, a, b", "ROUND f64 : d, a, b")
@elementwise("rcp sqrt", "ROUND ftz? f32 : d, a", "ROUND f64 : d, a")
@elementwise("mad", *[line.format("d, a, b, c") for line in _PLAIN[:2]])
@elementwise(
    "fma",
    *[line.format("d, a, b, c") for line in _PLAIN],
    "rn ftz? relu f16|f16x2 : d, a, b, c",
    "rn relu bf16|bf16x2 : d, a, b, c",
)
def rounded_once(instruction: Instruction) -> Elementwise:
    """The result rounded once, with what the modifiers add to it."""
    form, name = instruction.form, instruction.form.name.replace("mad", "fma")
    mode, kind = rounding(form.mods), form.type.removesuffix("x2")
    native, exactly = _OPERATIONS[name]
    if name == "fma" and kind != "f64":
        exactly = exact.fma_of_narrow

    def in_full(*operands: np.ndarray) -> exact.Exact:
        return exactly(*[operand.astype(np.float64) for operand in operands])

    if name == "fma" and kind == "f32":
        fn = fma_single if mode == "rn" else fma_directed(mode)
    elif native and mode == "rn" and kind != "bf16":
        fn = native
    else:
        fn = _then(in_full, lambda result: rounded(result, kind, mode))
    fn = _zero_downwards(fn, name, in_full) if mode == "rm" and name in _ADDENDS else fn
    if fn is fma_single and form.has("ftz", "sat"):
        fn = _then(fn, lambda total: total.astype(np.float32))
    if form.has("ftz"):
        # A sum of normal numbers is exact where it is so small: nothing to look at again.
        fn = flushed(
            fn,
            None
            if name in ("add", "sub")
            else _then(in_full, lambda total: reaches_normal(total, kind, mode)),
        )
    for mod, clamp in (("sat", saturate), ("relu", relu)):
        fn = _then(fn, clamp) if form.has(mod) else fn
    return of_one_type(fn, instruction)


def _then(fn: Compute, change: Compute) -> Compute:
    return lambda *operands: change(fn(*operands))


def _zero_downwards(fn: Compute, name: str, in_full: Compute) -> Compute:
    """Rounding down, a sum that is exactly zero is -0, except for +0 + +0 (IEEE 754, 6.3); one
    that is a little more than zero is +0."""

    def signed(*operands: np.ndarray) -> np.ndarray:
        result = fn(*operands)
        if len(at := (result == 0).nonzero()[0]):
            some = [operand[at] for operand in operands]
            nearest, rest = in_full(*some)
            first, second = _ADDENDS[name](*[operand.astype(np.float64) for operand in some])
            minus = (nearest == 0) & (rest == 0) & (np.signbit(first) | np.signbit(second))
            result[at[minus]] = -0.0
        return result

    return signed


@elementwise("neg abs", "ftz? f32|f16|f16x2 : d, a", "f64|bf16|bf16x2 : d, a")
def sign(instruction: Instruction) -> Elementwise:
    """A matter of one bit, which a bfloat16 has in the same place as a float16."""
    kind = instruction.form.type.replace("bf16", "f16")
    fn: Compute = np.negative if instruction.form.name == "neg" else np.abs
    fn = flushed(fn) if instruction.form.has("ftz") else fn
    return Elementwise(on_registers(fn, kind), (kind,), kind)


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
    fn = _with_product_sign(fn) if "xorsign" in mods else fn
    return of_one_type(flushed(fn) if "ftz" in mods else fn, instruction)


def _with_signed_zeros(fn: Compute, smallest: bool) -> Compute:
    def ordered(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        result = fn(a, b)
        if result.all():
            return result
        if len(at := np.flatnonzero((a == 0) & (b == 0))):
            first, second = np.signbit(a[at]), np.signbit(b[at])
            result[at] = np.where(first | second if smallest else first & second, -0.0, 0.0)
        return result

    return ordered


def _with_product_sign(fn: Compute) -> Compute:
    def combine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        magnitude = fn(np.abs(a), np.abs(b))
        return np.where(np.signbit(a) ^ np.signbit(b), -magnitude, magnitude)

    return combine


@elementwise("sqrt lg2 sin cos", "approx ftz? f32 : d, a")
@elementwise("rcp", "approx ftz? f32 : d, a", "approx ftz f64 : d, a")
@elementwise("rsqrt", "approx ftz? f32|f64 : d, a")
@elementwise("ex2", "approx ftz? f32|bf16|bf16x2 : d, a", "approx f16|f16x2 : d, a")
@elementwise("tanh", "approx f32|HALF : d, a")
@elementwise("div", "approx|full ftz? f32 : d, a, b")
def special_function(instruction: Instruction) -> Elementwise:
    """rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 look at the upper 32 bits of their operand and
    give the upper 32 bits of the result; the lower ones are zero. div.approx.f32 takes a
    reciprocal, which is flushed where the divisor exceeds 2**126; div.full.f32 scales its operands
    first."""
    form = instruction.form
    fn: Compute = np.divide if form.has("full") else _FUNCTIONS[form.name]
    if form.type == "f64" and form.has("ftz"):
        return of_one_type(lambda x: _upper_half(flush(fn(flush(_upper_half(x))))), instruction)
    if form.has("ftz"):
        fn = _flushed_exponential if form.name == "ex2" else flushed(fn)
    return of_one_type(fn, instruction)


def _flushed_exponential(x: np.ndarray) -> np.ndarray:
    """Subnormal operands need no flushing: 2 to their power is 1 anyway."""
    power = _FUNCTIONS["ex2"](x)
    return power if np.minimum.reduce(x) >= -126 else flush(power)


def _upper_half(x: np.ndarray) -> np.ndarray:
    return (np.ascontiguousarray(x).view(np.uint64) >> np.uint64(32) << np.uint64(32)).view(
        np.float64
    )


def _times_reciprocal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    quotient, magnitude = a / b, np.abs(b)
    if np.maximum.reduce(magnitude) <= 2.0**126:
        return quotient
    undefined = np.isinf(a) | np.isnan(quotient)
    nothing = np.where(undefined, np.nan, np.copysign(np.float32(0), quotient))
    return np.where(magnitude > 2.0**126, nothing, quotient).astype(np.float32)


def _rounded_from_double(fn: np.ufunc) -> Compute:
    """A function that NumPy computes in float64. In float32, NumPy's last digits depend on which
    vector instructions the processor has."""
    return lambda x: fn(x.astype(np.float64)).astype(x.dtype)


_FUNCTIONS: dict[str, Compute] = {
    "sqrt": np.sqrt,
    "rcp": np.reciprocal,
    "rsqrt": lambda x: np.reciprocal(np.sqrt(x)),
    "ex2": _rounded_from_double(np.exp2),
    "lg2": _rounded_from_double(np.log2),
    "sin": _rounded_from_double(np.sin),
    "cos": _rounded_from_double(np.cos),
    "tanh": _rounded_from_double(np.tanh),
    "div": _times_reciprocal,
}


lanewise("copysign", "f32|f64 : d, a, b", types="t t t")(lambda form, a, b: np.copysign(b, a))


_KINDS_OF_NUMBER: dict[str, Compute] = {
    "finite": np.isfinite,
    "infinite": np.isinf,
    "number": lambda a: a == a,
    "notanumber": lambda a: a != a,
    "normal": lambda a: np.isfinite(a) & ((a == 0) | (np.abs(a) >= np.finfo(a.dtype).tiny)),
    "subnormal": lambda a: (a != 0) & (np.abs(a) < np.finfo(a.dtype).tiny),
}


@lanewise("testp", f"{'|'.join(_KINDS_OF_NUMBER)} f32|f64 : d, a", types="t pred")
def testp(form: Form, a: np.ndarray) -> np.ndarray:
    """Whether a is a number of that kind; hardware calls zero normal."""
    return np.asarray(_KINDS_OF_NUMBER[form.mods[0]](a))
