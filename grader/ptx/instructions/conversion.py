"""Conversions between types (PTX ISA, "Data Movement and Conversion Instructions: cvt")."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from .. import exact
from ..numbers import (
    DTYPES,
    FORMATS,
    flush,
    from_bfloat,
    narrowed,
    reaches_normal,
    relu,
    rounded,
    rounding,
    saturate,
    size_of,
    to_bfloat,
)
from ..program import Form, Instruction
from ..table import Elementwise, elementwise, lanewise

_TO_INTEGRAL = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
_INTEGERS = {f"{sign}{bits}" for sign in "su" for bits in (8, 16, 32, 64)}
_TYPES = "s8|u8|INT|FLOAT"


@elementwise(
    "cvt",
    f"ROUND|rni|rzi|rmi|rpi? ftz? sat? relu? {_TYPES} {_TYPES} : d, a",
    "rn|rz|rna relu? tf32 f32 : d, a",
    "rn|rz relu? f16x2|bf16x2 f32 : d, a, b",
    converts=True,
)
def cvt(instruction: Instruction) -> Elementwise:
    """d, a; into a pair of halves d, a, b, where a becomes the upper one."""
    *mods, result, source = instruction.form.mods
    scalar = result.removesuffix("x2")
    fn = _conversion(tuple(mods), scalar, source)
    if result == scalar:
        return Elementwise(fn, (source,), "f32" if result == "tf32" else result)

    def both(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
        high, low = (fn(x).view(np.uint16).astype(np.uint32) for x in (upper, lower))
        return high << np.uint32(16) | low

    return Elementwise(both, (source, source), "b32")


def _conversion(mods: tuple[str, ...], result: str, source: str) -> Callable[..., Any]:
    if source in _INTEGERS and result in _INTEGERS:
        dtype = DTYPES[result]
        return _clamp_to(dtype) if "sat" in mods else lambda a: a.astype(dtype)
    if source in _INTEGERS:
        return _int_to_float(mods, result)
    fn = (_float_to_float if result in FORMATS else _float_to_int)(mods, result, source)
    return fn if source != "bf16" else lambda a: fn(from_bfloat(a))


def _clamp_to(dtype: np.dtype) -> Callable[..., Any]:
    limits = np.iinfo(dtype)

    def saturate_integer(a: np.ndarray) -> np.ndarray:
        own = np.iinfo(a.dtype)
        return a.clip(max(limits.min, own.min), min(limits.max, own.max)).astype(dtype)

    return saturate_integer


def _int_to_float(mods: tuple[str, ...], result: str) -> Callable[..., Any]:
    mode, dtype = rounding(mods), FORMATS[result].dtype
    finish = _finish(mods, result)
    if mode == "rn" and result != "bf16":
        return lambda a: finish(a.astype(dtype))

    def convert(a: np.ndarray) -> np.ndarray:
        wide = a.astype(f"{a.dtype.kind}8")  # two parts that float64 holds exactly
        upper, lower = (wide >> 32).astype(np.float64), (wide & 0xFFFFFFFF).astype(np.float64)
        parts = exact.add(upper * 2.0**32, lower)
        return finish(rounded(parts, result, mode))

    return convert


def _float_to_int(mods: tuple[str, ...], result: str, source: str) -> Callable[..., Any]:
    """Out of range becomes the nearest end; NaN 0, or where 64 bits are involved the top bit."""
    to_integral = next((_TO_INTEGRAL[mod] for mod in mods if mod in _TO_INTEGRAL), np.trunc)
    dtype, bits = DTYPES[result], 8 * size_of(result)
    lowest, beyond = float(np.iinfo(dtype).min), float(int(np.iinfo(dtype).max) + 1)
    highest, least = (dtype.type(end) for end in (np.iinfo(dtype).max, np.iinfo(dtype).min))
    wide = source == "f64" or bits == 64
    of_nan = np.array(1 << bits - 1 if wide else 0, f"u{bits // 8}").view(dtype)

    def convert(a: np.ndarray) -> np.ndarray:
        if source in ("f16", "bf16"):
            a = a.astype(np.float64)
        whole = to_integral(flush(a) if "ftz" in mods and source == "f32" else a)
        if lowest <= np.minimum.reduce(whole) and np.maximum.reduce(whole) < beyond:
            return whole.astype(dtype)
        whole = whole.astype(np.float64)
        inside = (whole >= lowest) & (whole < beyond)
        ends = np.where(whole > 0, highest, least)
        ends = np.where(whole != whole, of_nan, ends)
        return np.where(inside, np.where(inside, whole, 0).astype(dtype), ends)

    return convert


def _float_to_float(mods: tuple[str, ...], result: str, source: str) -> Callable[..., Any]:
    mode = rounding(mods)
    to_integral = next((_TO_INTEGRAL[mod] for mod in mods if mod in _TO_INTEGRAL), np.asarray)
    change, finish = _change_of_format(result, source, mode), _finish(mods, result)
    flushes = "ftz" in mods and source == "f32"
    flushes_result = "ftz" in mods and result == "f32"

    def is_normal(a: np.ndarray) -> np.ndarray:
        return reaches_normal((a.astype(np.float64), np.zeros(a.shape)), result, mode)

    def convert(a: np.ndarray) -> np.ndarray:
        a = to_integral(flush(a) if flushes else a)
        changed = change(a)
        return finish(flush(changed, is_normal, (a,)) if flushes_result else changed)

    return convert


def _change_of_format(result: str, source: str, mode: str) -> Callable[..., Any]:
    """Floats of one format to floats of another (bf16 and tf32 as float32)."""
    if result == source:
        return np.asarray
    dtype = FORMATS[result].dtype
    exact_anyway = FORMATS[result].precision >= FORMATS[source].precision and source != "f16"
    exact_anyway |= result in ("f32", "f64") and source in ("f16", "bf16")
    rounds_to_nearest = result in ("f16", "f32") or (result == "bf16" and source in ("f16", "f32"))
    if exact_anyway or (mode == "rn" and rounds_to_nearest):  # of bf16, by its encoding
        return lambda a: a.astype(dtype)
    return lambda a: narrowed(a.astype(np.float64), result, mode)


def _finish(mods: tuple[str, ...], result: str) -> Callable[..., Any]:
    """Clamping of the result, and the bits of a bfloat16."""
    steps = [fn for mod, fn in (("sat", saturate), ("relu", relu)) if mod in mods]
    steps += [to_bfloat] if result == "bf16" else []
    return (lambda x: reduce(lambda y, step: step(y), steps, x)) if steps else np.asarray


@lanewise("cvt", "pack sat u16|s16 s32 : d, a, b", types="s32 s32 b32", converts=True)
@lanewise("cvt", "pack sat u8|s8 s32 b32 : d, a, b, c", types="s32 s32 b32 b32", converts=True)
def pack(form: Form, a: np.ndarray, b: np.ndarray, *c: np.ndarray) -> np.ndarray:
    """a and b clamped, a as the upper half; of bytes two, and the low half of c above them."""
    clamp, size = _clamp_to(DTYPES[form.mods[2]]), size_of(form.mods[2])
    high, low = (clamp(x).view(f"u{size}").astype(np.uint32) for x in (a, b))
    packed = high << np.uint32(8 * size) | low
    return c[0] << np.uint32(16) | packed if c else packed
