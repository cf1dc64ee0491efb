"""Logic and shifts (PTX ISA, "Logic and Shift Instructions")."""

from __future__ import annotations

import numpy as np

from ..numeric.types import size_of
from ..program.ptx import Immediate, Instruction
from .arithmetic import plain
from .registry import Elementwise, effect, elementwise, read, unsupported

_LOGIC = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


@elementwise(*_LOGIC)
def logic(instruction: Instruction):
    return plain(_LOGIC[instruction.base], instruction)


@elementwise("not")
def invert(instruction: Instruction):
    return plain(np.invert, instruction)


@elementwise("cnot")
def c_not(instruction: Instruction):
    """cnot: 1 where the operand is 0, else 0; C's `!`."""
    return plain(lambda a: a == 0, instruction)


@effect("lop3")
def lop3(instruction: Instruction, at: int, machine):
    """lop3.b32 d, a, b, c, table: any function of three bits, given by its eight values; with
    .and/.or also a predicate, d|p, ..., q: whether any bit of d is set, combined with q."""
    target, a, b, c, table, *rest = instruction.operands
    combine = next((_LOGIC[mod] for mod in instruction.mods if mod in ("and", "or")), None)
    if not isinstance(table, Immediate) or bool(rest) != bool(combine):
        raise unsupported(instruction, machine)
    target, flag = target.items if combine else (target, None)
    out = machine.registers.write(target, "b32") if target.name != "_" else None
    sources = [read(operand, "b32", machine) for operand in (a, b, c)]
    if combine:
        extra, flag = read(rest[0], "pred", machine), machine.registers.write(flag, "pred")

    def step(lanes) -> None:
        result = _look_up(table.value, *[source[lanes] for source in sources])
        if out is not None:
            out[lanes] = result
        if combine:
            flag[lanes] = combine(result != 0, extra[lanes])

    return step


def _look_up(table: int, a, b, c) -> np.ndarray:
    result = np.zeros(a.shape, np.uint32)
    for row in range(8):
        if table >> row & 1:
            result |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
    return result


@elementwise("shl", "shr")
def shift(instruction: Instruction):
    """Amounts beyond the width shift everything out; NumPy agrees, given operands of one type."""
    kind = instruction.type
    fn = np.left_shift if instruction.base == "shl" else np.right_shift
    amount = instruction.operands[2]
    bits = 8 * size_of(kind)
    if bits == 32 or (isinstance(amount, Immediate) and 0 <= amount.value < bits):
        return Elementwise(fn, (kind, kind), kind)
    limit = np.uint32(bits)
    return Elementwise(
        lambda a, b: fn(a, np.minimum(b, limit).astype(a.dtype)), (kind, "u32"), kind
    )


@elementwise("shf")
def funnel_shift(instruction: Instruction):
    """shf.{l,r}.{wrap,clamp}.b32 d, low, high, amount: 32 bits of the shifted 64."""
    left, wrap = "l" in instruction.mods, "wrap" in instruction.mods

    def shifted(low, high, amount):
        whole = low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)
        amount = amount & np.uint32(31) if wrap else np.minimum(amount, np.uint32(32))
        amount = amount.astype(np.uint64)
        moved = whole << amount >> np.uint64(32) if left else whole >> amount
        return moved.astype(np.uint32)

    return Elementwise(shifted, ("b32", "b32", "u32"), "b32")
