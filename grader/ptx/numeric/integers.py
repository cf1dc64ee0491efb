"""Integer arithmetic that NumPy does not have: the upper half of a product, C's division."""

from __future__ import annotations

import numpy as np

from .numbers import widened


def high_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The upper half of the product of two integers of one type."""
    if a.itemsize == 8:
        return _high_product_of_64(a, b)
    wide = np.dtype(f"{a.dtype.kind}{2 * a.itemsize}")
    return (a.astype(wide) * b.astype(wide) >> (8 * a.itemsize)).astype(a.dtype)


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
        if zero.any():
            quotient = np.where(zero, -1.0, quotient)
        return quotient.astype(np.int64).astype(a.dtype)
    divisor = np.where(zero, a.dtype.type(1), b)
    quotient = a // divisor
    if a.dtype.kind == "i":
        quotient += (quotient < 0) & (quotient * divisor != a)
    return np.where(zero, ~a.dtype.type(0), quotient)
