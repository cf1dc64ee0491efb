"""Comparisons and selection."""

from __future__ import annotations

import numpy as np

from ..ptx import Instruction, Vector
from ..types import DTYPES
from .registry import Elementwise, effect, elementwise, read, unsupported

_COMPARE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}
_COMBINE = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}


def _comparison(name: str, kind: str):
    """The comparison called `name`; on floats `ne` is false and the `..u` forms are true where
    an operand is NaN."""
    isnan = np.isnan
    if DTYPES[kind].kind != "f":
        return _COMPARE.get(name)
    if name == "num":
        return lambda a, b: ~(isnan(a) | isnan(b))
    if name == "nan":
        return lambda a, b: isnan(a) | isnan(b)
    if name == "ne":
        return lambda a, b: (a != b) & ~(isnan(a) | isnan(b))
    if name.endswith("u") and name[:-1] in _COMPARE:
        ordered = _COMPARE[name[:-1]]
        return lambda a, b: ordered(a, b) | isnan(a) | isnan(b)
    return _COMPARE.get(name)


@effect("setp")
def setp(instruction: Instruction, at: int, machine):
    """setp.CMP[.BOOL][.ftz].type p[|q], a, b[, c]"""
    target, a, b, *rest = instruction.operands
    kind = instruction.type
    compare = _comparison(instruction.mods[0], kind)
    combine = next((_COMBINE[mod] for mod in instruction.mods if mod in _COMBINE), None)
    if compare is None or bool(rest) != bool(combine):
        raise unsupported(instruction, machine)
    outs = [
        machine.registers.write(register, "pred")
        for register in (target.items if isinstance(target, Vector) else (target,))
    ]
    a, b = read(a, kind, machine), read(b, kind, machine)
    extra = read(rest[0], "pred", machine) if rest else None

    def step(lanes):
        result = compare(a[lanes], b[lanes])
        for out, value in zip(outs, (result, ~result), strict=False):
            out[lanes] = value if combine is None else combine(value, extra[lanes])

    return step


@elementwise("set")
def set_(instruction: Instruction):
    """set.CMP.result.source d, a, b: all ones or 1.0 where true."""
    result, source = instruction.mods[-2], instruction.mods[-1]
    compare = _comparison(instruction.mods[0], source)
    if compare is None or instruction.mods[1] in _COMBINE:
        return None
    dtype = DTYPES[result]
    true = dtype.type(1) if dtype.kind == "f" else np.array(-1).astype(dtype)
    return Elementwise(
        lambda a, b: np.where(compare(a, b), true, dtype.type(0)), (source, source), result
    )


@elementwise("selp")
def selp(instruction: Instruction):
    kind = instruction.type
    return Elementwise(lambda a, b, p: np.where(p, a, b), (kind, kind, "pred"), kind)
