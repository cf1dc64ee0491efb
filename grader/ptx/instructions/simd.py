"""Several small integers in a register: dot products (dp4a, dp2a) and the SIMD video instructions
(PTX ISA, "Integer Arithmetic Instructions" and "SIMD Video Instructions")."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..forms.steps import Compute, Elementwise
from ..forms.table import elementwise
from ..ptx import Instruction

_SMALL: dict[tuple[str, int], Any] = {
    ("u32", 4): np.uint8,
    ("s32", 4): np.int8,
    ("u32", 2): np.uint16,
    ("s32", 2): np.int16,
}


def _parts(register: np.ndarray, kind: str, number: int) -> np.ndarray:
    """The small integers (lanes, number) in each register, as int64."""
    parts = np.ascontiguousarray(register).view(_SMALL[kind, number])
    return parts.reshape(-1, number).astype(np.int64)


@elementwise("dp4a", "s32|u32 s32|u32 : d, a, b, c")
def dot_of_four(instruction: Instruction) -> Elementwise:
    """c + the dot product of four pairs of bytes."""
    first, second = instruction.form.mods
    result = "s32" if "s32" in (first, second) else "u32"

    def compute(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        return c + (_parts(a, first, 4) * _parts(b, second, 4)).sum(axis=1)

    return Elementwise(compute, ("b32", "b32", result), result)


@elementwise("dp2a", "lo|hi s32|u32 s32|u32 : d, a, b, c")
def dot_of_two(instruction: Instruction) -> Elementwise:
    """Both halves of a with the low or high bytes of b."""
    where, first, second = instruction.form.mods
    result = "s32" if "s32" in (first, second) else "u32"
    chosen = slice(0, 2) if where == "lo" else slice(2, 4)

    def compute(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        return c + (_parts(a, first, 2) * _parts(b, second, 4)[:, chosen]).sum(axis=1)

    return Elementwise(compute, ("b32", "b32", result), result)


_VIDEO: dict[str, Compute] = {
    "vadd": np.add,
    "vsub": np.subtract,
    "vabsdiff": lambda a, b: np.abs(a - b),
    "vmin": np.minimum,
    "vmax": np.maximum,
}


@elementwise(
    " ".join(f"{name}{number}" for name in _VIDEO for number in (2, 4)),
    "s32|u32 s32|u32 s32|u32 sat|add? : d, a, b, c",
)
def video(instruction: Instruction) -> Elementwise:
    """Without lane masks or selectors: d takes all the parts, or (.add) c plus their sum."""
    result, first, second = instruction.form.mods[:3]
    number = int(instruction.form.name[-1])
    operation, small = _VIDEO[instruction.form.name[:-1]], _SMALL[result, number]
    extra = instruction.form.mods[3:]

    def compute(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        parts = operation(_parts(a, first, number), _parts(b, second, number))
        if extra == ("add",):
            return (c.astype(np.int64) + parts.sum(axis=1)).astype(np.uint32)
        if extra == ("sat",):
            parts = parts.clip(np.iinfo(small).min, np.iinfo(small).max)
        return parts.astype(small).view(np.uint32).reshape(-1)

    return Elementwise(compute, ("b32", "b32", "b32"), "b32")
