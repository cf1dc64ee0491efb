"""Sums, products, quotients and roots of float64 together with what rounding them lost.

Each function returns `(nearest, rest)`: the float64 nearest to the exact result, and an array
whose sign is that of exact - nearest (0, or NaN, where nothing was lost). That is all it takes
to round in any direction, or once more to a narrower format. The error-free transformations are
Knuth's TwoSum and Dekker's product (both in Handbook of Floating-Point Arithmetic, Muller et al.,
2010, chapter 4); where exponents are so extreme that these would themselves lose bits, a lane is
computed with rational numbers instead.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

Exact = tuple[np.ndarray, np.ndarray]

_SMALL, _LARGE = 2.0**-900, 2.0**900  # Dekker's product is exact well beyond these

# Arrays come and go with every operation here. glibc hands their memory back to the system each
# time, and pages it in again, until it has seen one large block freed; then it keeps as much.
np.empty(30 << 20, np.uint8)


def add(a: np.ndarray, b: np.ndarray) -> Exact:
    total, error = _two_sum(a, b)
    return total, _with_overflow(total, error, a, b)


def multiply(a: np.ndarray, b: np.ndarray) -> Exact:
    product = a * b
    rest = _with_overflow(product, _product_error(a, b, product), a, b)
    return _by_fractions(lambda x, y: x * y, product, rest, _extreme(a, b, product), a, b)


def divide(a: np.ndarray, b: np.ndarray) -> Exact:
    quotient = a / b
    back = quotient * b
    rest = ((a - back) - _product_error(quotient, b, back)) * np.sign(b)
    rest = _with_overflow(quotient, rest, a, np.where(b == 0, np.inf, b))
    return _by_fractions(lambda x, y: x / y, quotient, rest, _extreme(a, b, quotient), a, b)


def square_root(a: np.ndarray) -> Exact:
    magnitude = np.abs(a)
    scale = np.where(magnitude < _SMALL, 2.0**200, np.where(magnitude > _LARGE, 2.0**-200, 1.0))
    scaled = a * scale
    root = np.sqrt(scaled)
    back = root * root
    return root / np.sqrt(scale), (scaled - back) - _product_error(root, root, back)


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> Exact:
    """a * b + c, by the method of Boldo and Melquiond ("Emulation of FMA and correctly rounded
    sums", 2008): of the three parts of the sum, the two small ones are rounded to odd."""
    product = a * b
    high, low = _two_sum(c, _product_error(a, b, product))
    high, middle = _two_sum(product, high)
    tail, lost = _two_sum(middle, low)
    odd = round_to_odd(tail, lost)
    total, error = _two_sum(high, odd)
    overflow = np.isinf(product) & np.isinf(c) & np.isfinite(a) & np.isfinite(b)
    plain = np.where(overflow, c, product + c)  # where there are infinities, NaN or zeros
    total = np.where(np.isfinite(total) & (total != 0), total, plain)
    rest = _with_overflow(total, np.where(error != 0, error, (tail - odd) + lost), a, b, c)
    extreme = _extreme(a, b, product) | (np.isfinite(c) & (np.abs(c) > _LARGE))
    return _by_fractions(lambda x, y, z: x * y + z, total, rest, extreme, a, b, c)


def fma_of_narrow(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> Exact:
    """a * b + c of float64 that hold float32 or narrower values, whose product is exact."""
    return add(a * b, c)


def round_to_odd(nearest: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """The exact value rounded to float64 so that the last bit is 1 if anything was lost. Rounding
    that again to a format narrower by two bits or more is as good as rounding once."""
    bits = np.ascontiguousarray(nearest).view(np.int64)
    inexact = ((rest > 0) | (rest < 0)) & (bits & 1 == 0) & np.isfinite(nearest)
    away = (rest > 0) == (nearest > 0)
    return np.where(inexact, bits + np.where(away, 1, -1), bits).view(np.float64)


def _two_sum(a: np.ndarray, b: np.ndarray) -> Exact:
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


def _product_error(a: np.ndarray, b: np.ndarray, product: np.ndarray) -> np.ndarray:
    a_high, b_high = _upper_half(a), _upper_half(b)
    a_low, b_low = a - a_high, b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _upper_half(a: np.ndarray) -> np.ndarray:
    """The leading 26 bits of each value (Veltkamp's splitting)."""
    scaled = 134217729.0 * a
    return scaled - (scaled - a)


def _with_overflow(nearest: np.ndarray, rest: np.ndarray, *operands: np.ndarray) -> np.ndarray:
    """Where finite operands gave an infinity, the exact value lies below it in magnitude."""
    if np.isfinite(nearest).all():
        return rest
    finite = np.logical_and.reduce([np.isfinite(operand) for operand in operands])
    return np.where(np.isfinite(nearest), rest, np.where(finite, -nearest, 0.0))


def _extreme(a: np.ndarray, b: np.ndarray, result: np.ndarray) -> np.ndarray:
    """Where two operands, neither of them 0, or their result have extreme exponents."""
    extreme = np.logical_or.reduce(
        [(one < _SMALL) | (one > _LARGE) for one in map(np.abs, (a, b, result))]
    )
    return extreme & (a != 0) & (b != 0)


def _by_fractions(
    formula: Callable[..., Fraction],
    nearest: np.ndarray,
    rest: np.ndarray,
    extreme: np.ndarray,
    *operands: np.ndarray,
) -> Exact:
    """Overwrites the `extreme` lanes whose operands are finite with what rational arithmetic
    makes of `formula`."""
    if not extreme.any():
        return nearest, rest
    extreme = np.logical_and.reduce([extreme, *map(np.isfinite, operands)])
    nearest, rest = nearest.copy(), rest.copy()
    for at in np.flatnonzero(extreme):
        exact = formula(*[Fraction(float(operand[at])) for operand in operands])
        nearest[at] = _nearest(exact) if exact else nearest[at]  # with the sign of its zero
        given = float(nearest[at])
        lost = exact - Fraction(given) if np.isfinite(given) else -given
        rest[at] = (lost > 0) - (lost < 0) if exact else 0
    return nearest, rest


def _nearest(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return float("inf") if exact > 0 else float("-inf")
