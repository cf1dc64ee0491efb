"""Floating-point arithmetic as the GPU does it, where NumPy's own is not the same.

NumPy's add, multiply, divide and sqrt round to nearest even, as `.rn` does. Missing are the
fused multiply-add, the directed roundings, and flushing of subnormals (`.ftz`).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

_DIRECTED = ("rz", "rm", "rp")


def flushed(fn: Callable) -> Callable:
    """`fn` with subnormal operands and results replaced by zero of their sign."""

    def flush_around(*operands):
        return flush(fn(*[flush(operand) for operand in operands]))

    return flush_around


def flush(x: np.ndarray) -> np.ndarray:
    if x.dtype.kind != "f":
        return x
    tiny = np.abs(x) < np.finfo(x.dtype).tiny
    return np.where(tiny, np.copysign(x.dtype.type(0), x), x) if tiny.any() else x


def rounded(fn: Callable, mods: tuple[str, ...]) -> Callable:
    """The ufunc `fn` in the rounding mode that the modifiers name. Directed modes are for f32,
    whose sums and products float64 holds well enough to see where the nearest value fell; a
    fused multiply-add comes rounded already."""
    mode = next((mod for mod in mods if mod in _DIRECTED), None)
    if mode is None or not isinstance(fn, np.ufunc):
        return fn

    def directed(*operands):
        wide = fn(*[operand.astype(np.float64) for operand in operands])
        return round_to_single(wide, np.zeros_like(wide), mode)

    return directed


def fma(mods: tuple[str, ...], kind: str) -> Callable | None:
    """a * b + c, rounded once; None where the form is not known."""
    mode = next((mod for mod in mods if mod in _DIRECTED), "rn")
    if mode == "rn":
        return {"f16": fma_half, "f16x2": fma_half, "f32": fma_single, "f64": fma_double}[kind]
    if kind != "f32":
        return None

    def directed(a, b, c):
        return round_to_single(*_exact_sum(a, b, c), mode)

    return directed


def fma_half(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The float16 nearest to a * b + c."""
    return _round_to_odd(*_exact_sum(a, b, c)).astype(np.float16)


def fma_single(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The float32 nearest to a * b + c.

    The product is exact in float64, the sum is not; rounding it again to float32 goes wrong only
    where the float64 sum lies exactly half-way between two floats (or is subnormal as a float).
    There the lost part of the sum decides (round to odd, Boldo and Melquiond, 2008).
    """
    total = np.multiply(a, b, dtype=np.float64)
    total += c
    bits = total.view(np.int64)
    doubtful = (bits & 0x1FFFFFFF) == 0x10000000
    tiny = np.abs(total) < 1.2e-38
    if doubtful.any() or tiny.any():
        at = np.flatnonzero(doubtful | tiny)
        part, error = _exact_sum(a[at], b[at], c[at])
        total[at] = _round_to_odd(part, error)
    return total.astype(np.float32)


def _exact_sum(a, b, c) -> tuple[np.ndarray, np.ndarray]:
    """a * b + c of float32 or float16 as an unevaluated sum of two float64 (Knuth's TwoSum)."""
    product = np.multiply(a, b, dtype=np.float64)
    c = c.astype(np.float64)
    total = product + c
    back = total - product
    error = (product - (total - back)) + (c - back)
    return total, np.where(np.isfinite(error), error, 0.0)


def _round_to_odd(total: np.ndarray, error: np.ndarray) -> np.ndarray:
    bits = np.atleast_1d(total).view(np.int64).copy()
    away = (error > 0) == (total > 0)
    nudge = np.where(away, 1, -1)
    inexact = (error != 0) & (bits & 1 == 0) & np.isfinite(total)
    bits[inexact] += nudge[inexact]
    return bits.view(np.float64)


def round_to_single(total: np.ndarray, error: np.ndarray, mode: str) -> np.ndarray:
    """total + error rounded to float32 towards zero ("rz"), down ("rm") or up ("rp")."""
    nearest = total.astype(np.float32)
    exact = nearest.astype(np.float64)
    above = (exact > total) | ((exact == total) & (error < 0))
    below = (exact < total) | ((exact == total) & (error > 0))
    down = above if mode == "rm" else above & (total > 0) if mode == "rz" else above & False
    up = below if mode == "rp" else below & (total < 0) if mode == "rz" else below & False
    infinity = np.float32(np.inf)
    result = np.where(down, np.nextafter(nearest, -infinity), nearest)
    return np.where(up, np.nextafter(nearest, infinity), result)


def fma_double(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c of float64, rounded once: exact rational arithmetic, lane by lane."""
    result = a * b + c
    for at in np.flatnonzero(np.isfinite(result)):
        exact = Fraction(float(a[at])) * Fraction(float(b[at])) + Fraction(float(c[at]))
        if exact:
            result[at] = float(exact)
    return result
