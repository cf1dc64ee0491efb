"""Several small integers in a register: dot products (dp4a, dp2a) and the SIMD video instructions
(PTX ISA, "Integer Arithmetic Instructions" and "SIMD Video Instructions")."""

from __future__ import annotations

import numpy as np

from ..program.ptx import Instruction
from .registry import Elementwise, elementwise

_SMALL = {("u32", 4): np.uint8, ("s32", 4): np.int8, ("u32", 2): np.uint16, ("s32", 2): np.int16}


def _parts(register: np.ndarray, kind: str, number: int) -> np.ndarray:
    """The small integers (lanes, number) in each register, as int64."""
    parts = np.ascontiguousarray(register).view(_SMALL[kind, number])
    return parts.reshape(-1, number).astype(np.int64)


@elementwise("dp4a")
def dot_of_four(instruction: Instruction):
    """dp4a.atype.btype d, a, b, c: c + the dot product of four pairs of bytes."""
    first, second = instruction.mods
    result = "s32" if "s32" in (first, second) else "u32"

    def compute(a, b, c):
        return c + (_parts(a, first, 4) * _parts(b, second, 4)).sum(axis=1)

    return Elementwise(compute, ("b32", "b32", result), result)


@elementwise("dp2a")
def dot_of_two(instruction: Instruction):
    """dp2a.{lo,hi}.atype.btype d, a, b, c: both halves of a with the low or high bytes of b."""
    where, first, second = instruction.mods
    result = "s32" if "s32" in (first, second) else "u32"
    chosen = slice(0, 2) if where == "lo" else slice(2, 4)

    def compute(a, b, c):
        return c + (_parts(a, first, 2) * _parts(b, second, 4)[:, chosen]).sum(axis=1)

    return Elementwise(compute, ("b32", "b32", result), result)


_VIDEO = {
    "vadd": np.add,
    "vsub": np.subtract,
    "vabsdiff": lambda a, b: np.abs(a - b),
    "vmin": np.minimum,
    "vmax": np.maximum,
}


@elementwise(*[f"{name}{number}" for name in _VIDEO for number in (2, 4)])
def video(instruction: Instruction):
    """vNAME{2,4}.dtype.atype.btype[.sat | .add] d, a, b, c, without lane masks or selectors: d
    takes all the parts, or (.add) c plus their sum."""
    result, first, second = instruction.mods[:3]
    number = int(instruction.base[-1])
    operation, small = _VIDEO[instruction.base[:-1]], _SMALL[result, number]
    extra = instruction.mods[3:]
    if extra not in ((), ("sat",), ("add",)):
        return None

    def compute(a, b, c):
        parts = operation(_parts(a, first, number), _parts(b, second, number))
        if extra == ("add",):
            return (c.astype(np.int64) + parts.sum(axis=1)).astype(np.uint32)
        if extra == ("sat",):
            parts = parts.clip(np.iinfo(small).min, np.iinfo(small).max)
        return parts.astype(small).view(np.uint32).reshape(-1)

    return Elementwise(compute, ("b32", "b32", "b32"), "b32")
