"""Numbers as PTX has them: types and the dtypes that hold them, floating-point formats and how
results are rounded to them, and the arithmetic of integers and floats that NumPy does not have.

float16, float32 and float64 are NumPy's. bfloat16 is kept as its 16 bits and computed with as
float32, which has the same exponents; tf32 is a float32 with a shorter significand.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .exact import Exact, fma_of_narrow, round_to_odd

DTYPES = {
    "pred": np.dtype(np.bool_),
    **{f"{kind}8": np.dtype(np.uint8) for kind in "bu"},
    **{f"{kind}16": np.dtype(np.uint16) for kind in "bu"},
    **{f"{kind}32": np.dtype(np.uint32) for kind in "bu"},
    **{f"{kind}64": np.dtype(np.uint64) for kind in "bu"},
    **{f"s{8 * size}": np.dtype(f"i{size}") for size in (1, 2, 4, 8)},
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "tf32": np.dtype(np.uint32),
    "e4m3": np.dtype(np.uint8),
    "e5m2": np.dtype(np.uint8),
    "f16x2": np.dtype(np.uint32),
    "bf16": np.dtype(np.uint16),
    "bf16x2": np.dtype(np.uint32),
    "s16x2": np.dtype(np.uint32),
    "u16x2": np.dtype(np.uint32),
}


def size_of(kind: str) -> int:
    """Bytes of one value of a PTX type, e.g. 4 for "f32"."""
    return 16 if kind == "b128" else DTYPES[kind].itemsize


@cache
def unsigned(size: int) -> np.dtype:
    """The unsigned integer dtype of `size` bytes."""
    return np.dtype(f"u{size}")


def stored(kind: str) -> np.dtype:
    """What a register of a PTX type is stored as."""
    return DTYPES["pred"] if kind == "pred" else unsigned(size_of(kind))


@dataclass(frozen=True)
class Format:
    """`precision` bits of significand (the hidden one included), the exponent of the smallest
    normal number, the largest finite number, and the dtype that values are computed in."""

    precision: int
    least_exponent: int
    largest: float
    dtype: type


FORMATS = {
    "f16": Format(11, -14, 65504.0, np.float16),
    "bf16": Format(8, -126, 255.0 * 2.0**120, np.float32),
    "e4m3": Format(4, -6, 448.0, np.float32),
    "e5m2": Format(3, -14, 57344.0, np.float32),
    "tf32": Format(11, -126, 2047.0 * 2.0**117, np.float32),
    "f32": Format(24, -126, (2.0**24 - 1) * 2.0**104, np.float32),
    "f64": Format(53, -1022, np.finfo(np.float64).max, np.float64),
}


def rounding(mods: tuple[str, ...]) -> str:
    """The rounding mode among an instruction's modifiers; to nearest even without one."""
    return next((mod for mod in mods if mod in ("rz", "rm", "rp", "rna")), "rn")


def constant(x: np.ndarray) -> Any:
    """The one value that all lanes see of an immediate operand; None for a register."""
    return x[0] if x.strides == (0,) else None


_DOUBLE = np.dtype(np.float64)


def widened(x: np.ndarray, dtype: DTypeLike) -> np.ndarray:
    """`x` converted; of an immediate, one element, which broadcasts."""
    return (x[:1] if x.strides == (0,) else x).astype(dtype)


@cache
def _smallest(dtype: np.dtype) -> Any:
    """The smallest positive normal number."""
    return np.finfo(dtype).tiny


def flush(
    x: np.ndarray,
    is_normal: Callable[..., Any] | None = None,
    operands: Sequence[np.ndarray] = (),
) -> np.ndarray:
    """Subnormal numbers replaced by zero of their sign (`.ftz`). Hardware flushes results that are
    below the smallest normal number when rounded to their precision with no limit to the exponent.
    Some of those are the smallest normal number in `x`: of what came from these operands,
    `is_normal(*operands)` says whether it is more; without it, that is taken for granted."""
    smallest = _smallest(x.dtype)
    magnitude = np.abs(x[:1] if x.strides == (0,) else x)
    if np.minimum.reduce(magnitude) > smallest:
        return x
    keep = ~(magnitude < smallest)
    if is_normal and len(at := (magnitude == smallest).nonzero()[0]):
        keep[at] = is_normal(*[operand[at] for operand in operands])
    return x * keep


def flushed(
    fn: Callable[..., Any], is_normal: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """`fn` with subnormal operands and results replaced by zero of their sign (see `flush`)."""

    def flush_around(*operands: np.ndarray) -> np.ndarray:
        clean = [flush(operand) for operand in operands]
        return flush(fn(*clean), is_normal, clean)

    return flush_around


def reaches_normal(exact: Exact, kind: str, mode: str) -> np.ndarray:
    """Whether exact results near the smallest normal number of format `kind` reach it when they
    are rounded with no limit to the exponent: four times as large, they are clear of it."""
    quadruple = narrowed(4.0 * round_to_odd(*exact), kind, mode)
    return np.abs(quadruple) >= 4.0 * 2.0 ** FORMATS[kind].least_exponent


def saturate(x: np.ndarray) -> np.ndarray:
    """`x` clamped to [0, 1], NaN and -0 to +0 (`.sat`)."""
    inside = np.minimum(x, x.dtype.type(1))
    inside = np.maximum(inside, x.dtype.type(0), out=inside)
    if np.count_nonzero(nan := inside != inside):
        inside[nan] = 0
    inside += x.dtype.type(0)  # -0 + 0 is +0
    return inside


def relu(x: np.ndarray) -> np.ndarray:
    """Negative numbers replaced by +0; NaN stays (`.relu`)."""
    return np.where(x > 0, x, np.where(x != x, x, x.dtype.type(0)))


def from_bfloat(bits: np.ndarray) -> np.ndarray:
    """uint16 bits of bfloat16 to float32."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def on_registers(fn: Callable[..., Any], kind: str) -> Callable[..., Any]:
    """`fn`, which takes and gives arrays of numbers, on what registers of `kind` hold: bits of
    bfloat16, or two numbers of 16 bits each."""
    if kind == "bf16":
        return lambda *operands: to_bfloat(fn(*[from_bfloat(x) for x in operands]))
    if not kind.endswith("x2"):
        return fn
    single, dtype = on_registers(fn, kind.removesuffix("x2")), DTYPES[kind.removesuffix("x2")]
    return lambda *operands: single(*[np.ascontiguousarray(x).view(dtype) for x in operands]).view(
        np.uint32
    )


def to_bfloat(x: np.ndarray) -> np.ndarray:
    """float32 to the bits of the nearest bfloat16, ties to even; NaN to the canonical one."""
    bits = np.ascontiguousarray(x).view(np.uint32)
    nearest = bits >> np.uint32(16)
    nearest &= np.uint32(1)
    nearest += bits
    nearest += np.uint32(0x7FFF)
    nearest >>= np.uint32(16)
    odd = x != x
    if odd.any():
        nearest[odd] = 0x7FFF
    return nearest.astype(np.uint16)


def rounded(exact: Exact, kind: str, mode: str) -> np.ndarray:
    """An exact result in format `kind` (bf16 and tf32 as float32), rounded once."""
    nearest, rest = exact
    if kind != "f64":
        return narrowed(round_to_odd(nearest, rest), kind, mode)
    if mode == "rn":
        return nearest
    beyond, towards = {  # where the nearest number is not what is asked for, the next one is
        "rz": (rest * np.sign(nearest) < 0, 0.0),
        "rm": (rest < 0, -np.inf),
        "rp": (rest > 0, np.inf),
    }[mode]
    return np.where(beyond, np.nextafter(nearest, towards), nearest)


def narrowed(x: np.ndarray, kind: str, mode: str) -> np.ndarray:
    """float64 rounded to format `kind` and returned in its dtype."""
    form = FORMATS[kind]
    if mode == "rn" and kind in ("f16", "f32"):
        return x.astype(form.dtype)
    exponent = (np.ascontiguousarray(x).view(np.int64) >> 52 & 0x7FF) - 1023
    exponent = np.maximum(exponent, form.least_exponent) - (form.precision - 1)
    quantum = (exponent + 1023 << 52).view(np.float64)
    to_integer, upward, downward = _ROUNDINGS[mode]
    grid = to_integer(x / quantum) * quantum
    over = (np.abs(grid) > form.largest) & np.isfinite(x)
    if over.any():
        largest = np.where(grid > 0, upward * form.largest, -downward * form.largest)
        grid = np.where(over, largest, grid)
    return grid.astype(form.dtype)


# By mode: the integer that a number becomes, and what is beyond the largest number of a format: so
# many times that number, upward and downward.
_ROUNDINGS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], float, float]] = {
    "rn": (np.rint, np.inf, np.inf),
    # Ties away from zero.
    "rna": (lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), np.inf, np.inf),
    "rz": (np.trunc, 1, 1),
    "rm": (np.floor, 1, np.inf),
    "rp": (np.ceil, np.inf, 1),
}


_WIDER = {np.dtype(f"{sign}{n}"): np.dtype(f"{sign}{2 * n}") for sign in "iu" for n in (1, 2, 4)}


def wide_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product of two integers of one type, in the type of twice their width."""
    wide = _WIDER[a.dtype]
    return widened(a, wide) * widened(b, wide)


def high_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The upper half of the product of two integers of one type."""
    if a.itemsize == 8:
        return _high_product_of_64(a, b)
    wide = _WIDER[a.dtype]
    return (a.astype(wide) * b.astype(wide) >> (8 * a.itemsize)).astype(a.dtype)


def multiply_add(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The sum takes the place of the product."""
    product = a * b
    product += c
    return product


def _high_product_of_64(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Long multiplication with 32-bit digits; then signs are put right."""
    x, y = a.view(np.uint64), b.view(np.uint64)
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    x0, x1, y0, y1 = x & low, x >> half, y & low, y >> half
    middle = x1 * y0 + (x0 * y0 >> half)
    high = x1 * y1 + (middle >> half) + ((x0 * y1 + (middle & low)) >> half)
    if a.dtype.kind == "i":
        high -= np.where(a < 0, y, np.uint64(0)) + np.where(b < 0, x, np.uint64(0))
    return high.view(a.dtype)


def integer_quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """C's division: towards zero. Division by zero gives all ones, as the hardware does."""
    zero = b == 0
    if a.itemsize < 8:  # exact in float64: no two quotients of 32-bit integers lie that close
        quotient = np.trunc(a / widened(b, np.float64))
        quotient = np.where(zero, -1.0, quotient) if zero.any() else quotient
        return quotient.astype(np.int64).astype(a.dtype)
    divisor = np.where(zero, a.dtype.type(1), b)
    quotient = a // divisor
    if a.dtype.kind == "i":
        quotient += (quotient < 0) & (quotient * divisor != a)
    return np.where(zero, ~a.dtype.type(0), quotient)


# What elementwise meanings are written with, on arrays (lanes,) of integers of one type or of
# predicates. Whoever computes with something else gives operations of the same names.
ON_ARRAYS = SimpleNamespace(
    add=np.add,
    subtract=np.subtract,
    multiply=np.multiply,
    multiply_add=multiply_add,
    wide_product=wide_product,
    high_product=high_product,
    quotient=integer_quotient,
    negative=np.negative,
    absolute=np.abs,
    minimum=np.minimum,
    maximum=np.maximum,
    bitwise_and=np.bitwise_and,
    bitwise_or=np.bitwise_or,
    bitwise_xor=np.bitwise_xor,
    invert=np.invert,
    left_shift=np.left_shift,
    right_shift=np.right_shift,
    equal=np.equal,
    not_equal=np.not_equal,
    less=np.less,
    less_equal=np.less_equal,
    greater=np.greater,
    greater_equal=np.greater_equal,
    select=np.where,
)


with np.errstate(invalid="ignore"):  # of signalling NaN: vectors, and what is left over
    _MAY_WIN = bool(
        np.isnan(np.fmin(np.full(33, 0x7FA00000, np.uint32).view(np.float32), np.float32(1))).any()
    )


def fmin(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return _number(np.fmin(a, b), a, b)


def fmax(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return _number(np.fmax(a, b), a, b)


def _number(found: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (
        np.where(np.isnan(found), np.where(np.isnan(a), b, a), found)
        if _MAY_WIN and np.count_nonzero(found != found)
        else found
    )


_EXTRA = np.array(0x1FFFFFFF)  # the 29 bits that a float64's significand has beyond a float32's
# Arrays are what NumPy takes fastest. What 100...0 in those bits is after a shift by 35.
_EXTRA_AT, _HALF_WAY, _TINY = np.array(35), np.array(-(1 << 63)), np.array(2.0**-126)
_ZERO, _ONE, _SIGN_AT = np.array(0), np.array(1, np.uint64), np.array(63)
# What can be cut to a float32 and is not too near to its ends: from where on, and how many.
_NORMAL = np.diff(np.array([0.0, 2.0**-126, 2.0**127]).view(np.uint64) << _ONE)


def fma_single(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c of float32 as a float64 whose nearest float32 is the correctly rounded result."""
    total = _product_and_sum(a, b, c)
    half_way = np.left_shift(total.view(np.int64), _EXTRA_AT) == _HALF_WAY
    if np.count_nonzero(half_way):
        _sum_again(total, half_way, a, b, c)
    magnitude = np.abs(total)
    if np.count_nonzero(small := magnitude < _TINY):
        _sum_again(total, small & (magnitude != 0), a, b, c)
    return total


def fma_directed(mode: str) -> Callable[..., np.ndarray]:
    """a * b + c of float32, rounded as "rz", "rm" or "rp" says."""

    def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        total = _product_and_sum(a, b, c)
        magnitude = total.view(np.uint64) << _ONE  # as an integer, without its sign
        magnitude -= _NORMAL[0]
        if np.count_nonzero(magnitude >= _NORMAL[1]):
            wide = [operand.astype(np.float64) for operand in (a, b, c)]
            return narrowed(round_to_odd(*fma_of_narrow(*wide)), "f32", mode)
        representable = np.left_shift(total.view(np.int64), _EXTRA_AT) == _ZERO
        if np.count_nonzero(representable):
            _sum_again(total, representable, a, b, c)
        bits = total.view(np.int64)  # cut to a float32's significand
        if mode == "rm":
            bits += bits >> _SIGN_AT & _EXTRA  # negative numbers grow to the next one
        elif mode == "rp":
            bits += ~(bits >> _SIGN_AT) & _EXTRA
        bits &= ~_EXTRA
        return total

    return fma


def _product_and_sum(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    # Not in place: of two NaN another one would come out where lanes are few.
    return widened(a, _DOUBLE) * widened(b, _DOUBLE) + widened(c, _DOUBLE)


def _sum_again(
    total: np.ndarray, doubtful: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray
) -> None:
    if len(at := doubtful.nonzero()[0]):
        nearest, rest = fma_of_narrow(*[operand[at].astype(np.float64) for operand in (a, b, c)])
        if np.count_nonzero(rest):  # else the sum was exact, and is what it should be
            total[at] = round_to_odd(nearest, rest)
