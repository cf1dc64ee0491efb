"""Products of small matrices, to the bit as an H200's tensor cores compute them.

Each product of two factors is exact, and its exponent is the sum of theirs (of a subnormal number,
that of the smallest normal one). The products of one element and its addend are lined up with the
one of the highest exponent, and what lies more than 25 bits below that is cut off each of them; the
sum of what is left is exact, and is cut off to float32 (or rounded to float16). The method to find
such rules is that of Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor
cores", PeerJ Computer Science 7:e330 (2021); these were found on an H200. With factors of 8 bits an
H100 keeps 13 bits in place of 25, and cuts the float32 off after as many.
"""

import numpy as np

from .numbers import FORMATS, from_bfloat

_KEPT_OF_TF32 = np.uint32(0xFFFFE000)  # the last 13 bits are not looked at
_KEPT_BELOW = 25  # bits that a sum keeps below the leading one: float32's 23 and 2 more
_KEPT_OF_BYTES = 13  # the same of factors of 8 bits; also of the result
_CUT_OF_BYTES = np.uint32(0xFFFFFC00)
_NONE = -(1 << 14)  # less than any exponent
_LEAST = -1000  # of a unit that float64 can still divide by
_TOGETHER = 16  # warps, so that their products fit into a cache


def multiply_add(
    a: np.ndarray,
    b: np.ndarray,
    c: np.ndarray,
    factors: tuple[str, str],
    clamps: bool = False,
) -> np.ndarray:
    """a @ b + c for matrices (warps, m, k), (warps, k, n) and (warps, m, n), in the dtype of `c`;
    the factors are stored elements of these PTX types. Integers wrap around, or, with `clamps`,
    stop at the ends of int32."""
    if c.dtype == np.int32:
        total = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64) + c  # exact
        limits = np.iinfo(np.int32)
        return (total.clip(limits.min, limits.max) if clamps else total).astype(np.int32)
    one, other = ((widened(x, kind), kind) for x, kind in zip((a, b), factors, strict=True))
    parts = [
        _cut_sum((one[0][at], one[1]), (other[0][at], other[1]), c[at].astype(np.float64))
        for at in (slice(first, first + _TOGETHER) for first in range(0, len(c), _TOGETHER))
    ]
    total = np.concatenate(parts)
    if c.dtype == np.float16:
        return total.astype(np.float16) + np.float16(0)
    cut = _cut(total)
    narrow = factors[0] in _OF_BYTES
    return (cut.view(np.uint32) & _CUT_OF_BYTES).view(np.float32) if narrow else cut


def widened(matrix: np.ndarray, kind: str) -> np.ndarray:
    """Stored elements of a PTX type as float64."""
    if kind == "bf16":
        matrix = from_bfloat(matrix)
    elif kind == "tf32":
        matrix = (matrix & _KEPT_OF_TF32).view(np.float32)
    elif kind in _OF_BYTES:
        matrix = _OF_BYTES[kind][matrix]
    return matrix.astype(np.float64)


def _of_bytes(mantissa: int, bias: int) -> np.ndarray:
    """The values of all 256 numbers of eight bits: float64."""
    bits = np.arange(256)
    exponent, fraction = bits >> mantissa & (1 << 7 - mantissa) - 1, bits & (1 << mantissa) - 1
    whole = np.where(exponent > 0, fraction + (1 << mantissa), fraction)
    values = np.ldexp(whole.astype(np.float64), np.maximum(exponent, 1) - bias - mantissa)
    return np.where(bits >> 7, -values, values)


_E4M3, _E5M2 = _of_bytes(3, 7), _of_bytes(2, 15)
_E4M3[[0x7F, 0xFF]] = np.nan
_E5M2[[0x7C, 0xFC]] = np.inf, -np.inf
_E5M2[[*range(0x7D, 0x80), *range(0xFD, 0x100)]] = np.nan
_OF_BYTES = {"e4m3": _E4M3, "e5m2": _E5M2}


def _cut_sum(a: tuple[np.ndarray, str], b: tuple[np.ndarray, str], c: np.ndarray) -> np.ndarray:
    """a @ b + c of float64, whose addends are cut off where the largest one's precision ends.
    Factors have the least exponent of their type or a higher one."""
    (one, kind), (other, other_kind) = a, b
    products = one[:, :, :, None] * other[:, None, :, :]  # (warps, m, k, n)
    of_a = np.maximum(_exponent(one), FORMATS[kind].least_exponent)
    of_b = np.maximum(_exponent(other), FORMATS[other_kind].least_exponent)
    exponents = np.where(products == 0, _NONE, of_a[:, :, :, None] + of_b[:, None, :, :])
    highest = np.maximum(exponents.max(axis=2), np.where(c == 0, _NONE, _exponent(c)))
    kept = _KEPT_OF_BYTES if kind in _OF_BYTES else _KEPT_BELOW
    unit = np.ldexp(1.0, np.maximum(highest - kept, _LEAST))
    total = np.trunc(products / unit[:, :, None, :]).sum(axis=2) + np.trunc(c / unit)
    plain = one @ other + c  # what infinities and NaN make of it
    return np.where(np.isfinite(plain), total * unit, plain)


def _exponent(x: np.ndarray) -> np.ndarray:
    return np.frexp(x)[1] - 1


def _cut(total: np.ndarray) -> np.ndarray:
    """float64 to float32, towards zero; what is too large is infinite."""
    nearest = total.astype(np.float32)
    beyond = (np.abs(nearest.astype(np.float64)) > np.abs(total)) & (np.abs(total) < 2.0**128)
    nearest[beyond] = np.nextafter(nearest[beyond], np.float32(0))
    return nearest
