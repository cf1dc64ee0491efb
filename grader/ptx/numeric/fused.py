"""The fused multiply-add of float32, which every inner loop is made of.

The product of two float32 is exact in float64; the sum is not. Rounding that sum a second time
goes wrong only where it lies half-way between two float32 (or, for directed modes, on one), or
where the result is subnormal. Only those few lanes are summed again, to odd (see `exact`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .exact import fma_of_narrow, round_to_odd
from .numbers import narrowed, widened

_EXTRA = 0x1FFFFFFF  # the 29 bits that a float64's significand has beyond a float32's
_HALF_WAY = -(1 << 63)  # what 100...0 in those bits is after a shift by 35
_TINY = 2.0**-126


def fma_single(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c of float32 as a float64 whose nearest float32 is the correctly rounded result."""
    total = _product_and_sum(a, b, c)
    extra = total.view(np.int64) << 35
    if np.minimum.reduce(extra) == _HALF_WAY:
        _sum_again(total, extra == _HALF_WAY, a, b, c)
    magnitude = np.abs(total)
    if not np.minimum.reduce(magnitude) >= _TINY:
        _sum_again(total, (magnitude < _TINY) & (magnitude != 0), a, b, c)
    return total


def fma_directed(mode: str) -> Callable[..., np.ndarray]:
    """a * b + c of float32, rounded as "rz", "rm" or "rp" says."""

    def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        total = _product_and_sum(a, b, c)
        magnitude = np.abs(total)
        if not _TINY <= np.minimum.reduce(magnitude) <= np.maximum.reduce(magnitude) < 2.0**127:
            wide = [operand.astype(np.float64) for operand in (a, b, c)]
            return narrowed(round_to_odd(*fma_of_narrow(*wide)), "f32", mode)
        representable = total.view(np.int64) << 35 == 0
        if np.count_nonzero(representable):
            _sum_again(total, representable, a, b, c)
        return _cut(total, mode)

    return fma


def _product_and_sum(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    return widened(a, np.float64) * widened(b, np.float64) + widened(c, np.float64)


def _sum_again(
    total: np.ndarray, doubtful: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray
) -> None:
    at = doubtful.nonzero()[0]
    if not len(at):
        return
    nearest, rest = fma_of_narrow(*[operand[at].astype(np.float64) for operand in (a, b, c)])
    if np.count_nonzero(rest):  # else the sum was exact, and is what it should be
        total[at] = round_to_odd(nearest, rest)


def _cut(total: np.ndarray, mode: str) -> np.ndarray:
    """float64 in float32's normal range cut to a float32's significand."""
    bits = total.view(np.int64)
    if mode == "rm":
        bits += bits >> 63 & _EXTRA  # negative numbers grow to the next one
    elif mode == "rp":
        bits += ~(bits >> 63) & _EXTRA
    bits &= ~_EXTRA
    return total
