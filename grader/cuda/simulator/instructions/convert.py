"""Moves and conversions between types."""

from __future__ import annotations

import numpy as np

from ..memory import LOCAL_WINDOW, SHARED_WINDOW
from ..numbers import flush, round_to_single
from ..ptx import Instruction, Vector
from ..types import DTYPES, size_of
from .registry import Elementwise, effect, elementwise, read

_TO_INTEGER = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
_FLOATS = ("f16", "f32", "f64")


@effect("mov")
def mov(instruction: Instruction, at: int, machine):
    """mov d, a; also packs `{a, b}` into a register and unpacks a register into `{d, e}`."""
    target, source = instruction.operands
    kind = instruction.type
    if isinstance(source, Vector):
        return _pack(target, source.items, kind, machine)
    if isinstance(target, Vector):
        return _unpack(target.items, source, kind, machine)
    out, value = machine.registers.write(target, kind), read(source, kind, machine)

    def step(lanes):
        out[lanes] = value[lanes]

    return step


def _part_kind(kind: str, parts: int) -> str:
    return f"b{8 * size_of(kind) // parts}"


def _pack(target, items, kind: str, machine):
    part = _part_kind(kind, len(items))
    sources = [read(item, part, machine) for item in items]
    out = machine.registers.write(target, f"b{8 * size_of(kind)}")
    bits = 8 * size_of(part)

    def step(lanes):
        total = sources[0][lanes].astype(out.dtype)
        for place, source in enumerate(sources[1:], start=1):
            total |= source[lanes].astype(out.dtype) << out.dtype.type(place * bits)
        out[lanes] = total

    return step


def _unpack(items, source, kind: str, machine):
    part = _part_kind(kind, len(items))
    value = read(source, f"b{8 * size_of(kind)}", machine)
    bits = 8 * size_of(part)
    outs = [
        (place, machine.registers.write(item, part))
        for place, item in enumerate(items)
        if item.name != "_"
    ]

    def step(lanes):
        whole = value[lanes]
        for place, out in outs:
            out[lanes] = (whole >> whole.dtype.type(place * bits)).astype(DTYPES[part])

    return step


@elementwise("cvta")
def cvta(instruction: Instruction):
    """Between an address in a state space and a generic address."""
    space = next(mod for mod in instruction.mods if mod not in ("to", "u64"))
    window = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW}.get(space.partition("::")[0], 0)
    shift = np.uint64(window)
    if instruction.mods[0] == "to":
        return Elementwise(lambda a: a - shift, ("u64",), "u64")
    return Elementwise(lambda a: a + shift, ("u64",), "u64")


@elementwise("cvt")
def cvt(instruction: Instruction):
    """cvt[.rounding][.ftz][.sat].result.source"""
    result, source = instruction.mods[-2:]
    mods = instruction.mods[:-2]
    if result == "bf16" and source == "f32":
        return Elementwise(_to_bfloat, ("f32",), "bf16")
    if source == "bf16" and result == "f32":
        return Elementwise(_from_bfloat, ("bf16",), "f32")
    if not {result, source} <= set(_FLOATS) | {f"{s}{b}" for s in "su" for b in (8, 16, 32, 64)}:
        return None
    if source in _FLOATS:
        fn = (
            _float_to_float(mods, result, source)
            if result in _FLOATS
            else _float_to_int(mods, result)
        )
    else:
        fn = _int_to_float(mods, result) if result in _FLOATS else _int_to_int(mods, result)
    return fn and Elementwise(fn, (source,), result)


def _int_to_int(mods, result: str):
    dtype = DTYPES[result]
    if "sat" not in mods:
        return lambda a: a.astype(dtype)
    limits = np.iinfo(dtype)

    def saturate(a):
        low = max(limits.min, np.iinfo(a.dtype).min)
        high = min(limits.max, np.iinfo(a.dtype).max)
        return np.clip(a, low, high).astype(dtype)

    return saturate


def _int_to_float(mods, result: str):
    mode = next((mod for mod in mods if mod in ("rz", "rm", "rp")), None)
    if mode is None:
        return lambda a: a.astype(DTYPES[result])
    if result != "f32":
        return None
    return lambda a: round_to_single(a.astype(np.float64), np.zeros(a.shape), mode)


def _float_to_int(mods, result: str):
    rounding = next((_TO_INTEGER[mod] for mod in mods if mod in _TO_INTEGER), np.trunc)
    dtype, limits = DTYPES[result], np.iinfo(DTYPES[result])

    def convert(a):
        whole = rounding(a.astype(np.float64))
        inside = (whole > limits.min) & (whole < limits.max)
        ends = np.where(whole > 0, limits.max, limits.min).astype(dtype)
        ends = np.where(np.isnan(whole), dtype.type(0), ends)
        return np.where(inside, np.where(inside, whole, 0).astype(dtype), ends)

    return convert


def _float_to_float(mods, result: str, source: str):
    dtype = DTYPES[result]
    mode = next((mod for mod in mods if mod in ("rz", "rm", "rp")), None)
    rounding = next((_TO_INTEGER[mod] for mod in mods if mod in _TO_INTEGER), None)
    if mode and (source, result) != ("f64", "f32"):
        return None

    def convert(a):
        if "ftz" in mods and source == "f32":
            a = flush(a)
        if mode:
            a = round_to_single(a, np.zeros_like(a), mode)
        if rounding:
            a = rounding(a)
        a = a.astype(dtype)
        if "sat" in mods:
            a = np.fmin(np.fmax(a, dtype.type(0)), dtype.type(1))
        return flush(a) if "ftz" in mods and result == "f32" else a

    return convert


def _to_bfloat(a):
    """float32 to bfloat16 bits, to nearest even."""
    bits = a.view(np.uint32)
    nearest = (bits + 0x7FFF + (bits >> np.uint32(16) & 1)) >> np.uint32(16)
    return np.where(np.isnan(a), 0x7FFF, nearest).astype(np.uint16)


def _from_bfloat(a):
    return (a.astype(np.uint32) << np.uint32(16)).view(np.float32)
