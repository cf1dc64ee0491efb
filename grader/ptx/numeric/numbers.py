"""The floating-point formats of PTX: what holds them, and how results are rounded to them.

float16, float32 and float64 are NumPy's. bfloat16 is kept as its 16 bits and computed with as
float32, which has the same exponents; tf32 is a float32 with a shorter significand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .exact import Exact, round_to_odd

DIRECTED = ("rz", "rm", "rp")


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
    "tf32": Format(11, -126, 2047.0 * 2.0**117, np.float32),
    "f32": Format(24, -126, (2.0**24 - 1) * 2.0**104, np.float32),
    "f64": Format(53, -1022, np.finfo(np.float64).max, np.float64),
}


def rounding(mods: tuple[str, ...]) -> str:
    """The rounding mode among an instruction's modifiers; to nearest even without one."""
    return next((mod for mod in mods if mod in (*DIRECTED, "rna")), "rn")


def constant(x: np.ndarray) -> Any:
    """The one value that all lanes see of an immediate operand; None for a register."""
    return x[0] if x.strides == (0,) else None


def widened(x: np.ndarray, dtype: DTypeLike) -> np.ndarray:
    """`x` converted; of an immediate, one element, which broadcasts."""
    return (x[:1] if x.strides == (0,) else x).astype(dtype)


def flush(x: np.ndarray) -> np.ndarray:
    """Subnormal numbers replaced by zero of their sign (`.ftz`)."""
    smallest = np.finfo(x.dtype).tiny
    magnitude = np.abs(x[:1] if x.strides == (0,) else x)
    if np.minimum.reduce(magnitude) >= smallest:
        return x
    normal = magnitude >= smallest
    return x * (normal | (magnitude != magnitude))


def flushed(
    fn: Callable[..., Any], is_normal: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """`fn` with subnormal operands and results replaced by zero of their sign. Where a result is
    the smallest normal number, `is_normal(*operands)` says whether rounding got it there from
    above; without it, that is taken for granted."""

    def flush_around(*operands: np.ndarray) -> np.ndarray:
        clean = [flush(operand) for operand in operands]
        result = fn(*clean)
        return flush_result(result, is_normal, clean) if is_normal else flush(result)

    return flush_around


def flush_result(
    x: np.ndarray, is_normal: Callable[..., Any], operands: Sequence[np.ndarray]
) -> np.ndarray:
    """`x`, which came from `operands`, with zeros for what hardware flushes: results that are
    below the smallest normal number when rounded to their precision with no limit to the
    exponent. Some of those are the smallest normal number in `x`."""
    smallest = np.finfo(x.dtype).tiny
    magnitude = np.abs(x)
    if np.minimum.reduce(magnitude) > smallest:
        return x
    keep = ~(magnitude < smallest)
    at = (magnitude == smallest).nonzero()[0]
    if len(at):
        keep[at] = is_normal(*[operand[at] for operand in operands])
    return x * keep


def reaches_normal(exact: Exact, kind: str, mode: str) -> np.ndarray:
    """Whether exact results near the smallest normal number of format `kind` reach it when they
    are rounded with no limit to the exponent: four times as large, they are clear of it."""
    quadruple = narrowed(4.0 * round_to_odd(*exact), kind, mode)
    return np.abs(quadruple) >= 4.0 * 2.0 ** FORMATS[kind].least_exponent


def saturate(x: np.ndarray) -> np.ndarray:
    """`x` clamped to [0, 1], NaN and -0 to +0 (`.sat`)."""
    inside = x.clip(x.dtype.type(0), x.dtype.type(1))
    lowest = np.minimum.reduce(inside)
    if lowest != lowest:
        inside[inside != inside] = 0
    inside += x.dtype.type(0)  # -0 + 0 is +0
    return inside


def relu(x: np.ndarray) -> np.ndarray:
    """Negative numbers replaced by +0; NaN stays (`.relu`)."""
    return np.where(x > 0, x, np.where(x != x, x, x.dtype.type(0)))


def from_bfloat(bits: np.ndarray) -> np.ndarray:
    """uint16 bits of bfloat16 to float32."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


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
    return _step_double(nearest, rest, mode)


def _step_double(nearest: np.ndarray, rest: np.ndarray, mode: str) -> np.ndarray:
    down, up = rest < 0, rest > 0
    if mode == "rz":
        down, up = down & (nearest > 0), up & (nearest < 0)
    if mode != "rp":
        nearest = np.where(down, np.nextafter(nearest, -np.inf), nearest)
    return np.where(up, np.nextafter(nearest, np.inf), nearest) if mode != "rm" else nearest


def narrowed(x: np.ndarray, kind: str, mode: str) -> np.ndarray:
    """float64 rounded to format `kind` and returned in its dtype."""
    form = FORMATS[kind]
    if mode == "rn" and kind in ("f16", "f32"):
        return x.astype(form.dtype)
    exponent = (np.ascontiguousarray(x).view(np.int64) >> 52 & 0x7FF) - 1023
    exponent = np.maximum(exponent, form.least_exponent) - (form.precision - 1)
    quantum = (exponent + 1023 << 52).view(np.float64)
    grid = _TO_INTEGER[mode](x / quantum) * quantum
    over = (np.abs(grid) > form.largest) & np.isfinite(x)
    if over.any():
        grid = np.where(over, _overflow(grid, form.largest, mode), grid)
    return grid.astype(form.dtype)


def _away_from_ties(x: np.ndarray) -> np.ndarray:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


_TO_INTEGER: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "rn": np.rint,
    "rna": _away_from_ties,
    "rz": np.trunc,
    "rm": np.floor,
    "rp": np.ceil,
}


def _overflow(x: np.ndarray, largest: float, mode: str) -> np.ndarray:
    """What a number beyond the largest becomes."""
    upward = mode in ("rn", "rna", "rp")
    downward = mode in ("rn", "rna", "rm")
    return np.where(x > 0, np.inf if upward else largest, -np.inf if downward else -largest)
