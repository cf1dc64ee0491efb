"""Products of small matrices, to the bit as an H200's tensor cores compute them.

Each product of two factors is exact, and its exponent is the sum of theirs (of a subnormal number,
that of the smallest normal one). The products of one element and its addend are lined up with the
one of the highest exponent, and what lies more than 25 bits below that is cut off each of them; the
sum of what is left is exact, and is cut off to float32 (or rounded to float16). The method to find
such rules is that of Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor
cores", PeerJ Computer Science 7:e330 (2021); these were found on an H200.
"""

import numpy as np

from .numbers import FORMATS, from_bfloat

_KEPT_OF_TF32 = np.uint32(0xFFFFE000)  # the last 13 bits are not looked at
_KEPT_BELOW = 25  # bits that a sum keeps below the leading one: float32's 23 and 2 more
_NONE = -(1 << 14)  # less than any exponent
_LEAST = -1000  # of a unit that float64 can still divide by


def multiply_add(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, factor: str, clamps: bool = False
) -> np.ndarray:
    """a @ b + c for matrices (warps, m, k), (warps, k, n) and (warps, m, n), in the dtype of `c`;
    the factors are stored elements of PTX type `factor`. Integers wrap around, or, with `clamps`,
    stop at the ends of int32."""
    if c.dtype == np.int32:
        total = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64) + c  # exact
        limits = np.iinfo(np.int32)
        return (total.clip(limits.min, limits.max) if clamps else total).astype(np.int32)
    least = FORMATS[factor].least_exponent
    total = _cut_sum(_widened(a, factor), _widened(b, factor), c.astype(np.float64), least)
    return total.astype(np.float16) + np.float16(0) if c.dtype == np.float16 else _cut(total)


def _widened(matrix: np.ndarray, kind: str) -> np.ndarray:
    """Stored elements as float64."""
    if kind == "bf16":
        matrix = from_bfloat(matrix)
    elif kind == "tf32":
        matrix = (matrix & _KEPT_OF_TF32).view(np.float32)
    return matrix.astype(np.float64)


def _cut_sum(a: np.ndarray, b: np.ndarray, c: np.ndarray, least: int) -> np.ndarray:
    """a @ b + c of float64, whose addends are cut off where the largest one's precision ends.
    Factors have the exponent `least` or a higher one."""
    products = a[:, :, :, None] * b[:, None, :, :]  # (warps, m, k, n)
    of_a, of_b = (np.maximum(_exponent(x), least) for x in (a, b))
    exponents = np.where(products == 0, _NONE, of_a[:, :, :, None] + of_b[:, None, :, :])
    highest = np.maximum(exponents.max(axis=2), np.where(c == 0, _NONE, _exponent(c)))
    unit = np.ldexp(1.0, np.maximum(highest - _KEPT_BELOW, _LEAST))
    total = np.trunc(products / unit[:, :, None, :]).sum(axis=2) + np.trunc(c / unit)
    plain = a @ b + c  # what infinities and NaN make of it
    return np.where(np.isfinite(plain), total * unit, plain)


def _exponent(x: np.ndarray) -> np.ndarray:
    return np.frexp(x)[1] - 1


def _cut(total: np.ndarray) -> np.ndarray:
    """float64 to float32, towards zero; what is too large is infinite."""
    nearest = total.astype(np.float32)
    beyond = (np.abs(nearest.astype(np.float64)) > np.abs(total)) & (np.abs(total) < 2.0**128)
    nearest[beyond] = np.nextafter(nearest[beyond], np.float32(0))
    return nearest
