"""Logic and shifts (PTX ISA, "Logic and Shift Instructions")."""

from __future__ import annotations

import numpy as np

from ...machine.events import Step
from ...machine.lanes import Lanes
from ...machine.wave import Wave
from ..numbers import size_of
from ..program import Carries, Immediate, Instruction, is_sink, several
from ..table import Elementwise, effect, elementwise, unsupported
from .integer_arithmetic import plain

_LOGIC = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


@elementwise("and", "pred|BITS : d, a, b", carries=Carries.ALL_BITS)
@elementwise("or", "pred|BITS : d, a, b", carries=Carries.ALL_BITS_SET)
@elementwise("xor", "pred|BITS : d, a, b")
def logic(instruction: Instruction) -> Elementwise:
    return plain(_LOGIC[instruction.form.name], instruction)


@elementwise("not", "pred|BITS : d, a")
def invert(instruction: Instruction) -> Elementwise:
    return plain(np.invert, instruction)


@elementwise("cnot", "BITS : d, a")
def c_not(instruction: Instruction) -> Elementwise:
    """1 where the operand is 0, else 0; C's `!`."""
    return plain(lambda a: a == 0, instruction)


@effect("lop3", "b32 : d, a, b, c, e", "and|or b32 : d, a, b, c, e, q")
def lop3(instruction: Instruction, at: int, wave: Wave) -> Step:
    """d, a, b, c, table: any function of three bits, given by its eight values; with .and or .or
    also a predicate, d|p, ..., q: whether any bit of d is set, combined with q."""
    target, a, b, c, table, *rest = instruction.operands
    combine = _LOGIC.get(instruction.form.one_of(_LOGIC) or "")
    if not isinstance(table, Immediate):
        raise unsupported(instruction, wave)
    target, *flags = several(target, 2 if combine else 1)
    out = wave.registers.write(target, "b32") if not is_sink(target) else None
    sources = [wave.read(operand, "b32") for operand in (a, b, c)]
    if combine:
        extra, flag = wave.read(rest[0], "pred"), wave.registers.write(flags[0], "pred")

    def step(lanes: Lanes) -> None:
        result = _look_up(table.value, *[source[lanes] for source in sources])
        if out is not None:
            out[lanes] = result
        if combine:
            flag[lanes] = combine(result != 0, extra[lanes])

    return step


def _look_up(table: int, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    result = np.zeros(a.shape, np.uint32)
    for row in range(8):
        if table >> row & 1:
            result |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
    return result


@elementwise("shl", "BITS : d, a, b", scales=True)
@elementwise("shr", "BITS|INT : d, a, b")
def shift(instruction: Instruction) -> Elementwise:
    """Amounts beyond the width shift everything out; NumPy agrees, given operands of one type."""
    kind = instruction.form.type
    fn = np.left_shift if instruction.form.name == "shl" else np.right_shift
    amount = instruction.operands[2]
    bits = 8 * size_of(kind)
    if bits == 32 or (isinstance(amount, Immediate) and 0 <= amount.value < bits):
        return Elementwise(fn, (kind, kind), kind)
    limit = np.uint32(bits)
    return Elementwise(
        lambda a, b: fn(a, np.minimum(b, limit).astype(a.dtype)), (kind, "u32"), kind
    )


@elementwise("shf", "l|r clamp|wrap b32 : d, a, b, c")
def funnel_shift(instruction: Instruction) -> Elementwise:
    """d, low, high, amount: 32 bits of the shifted 64."""
    left, wrap = "l" in instruction.form.mods, "wrap" in instruction.form.mods

    def shifted(low: np.ndarray, high: np.ndarray, amount: np.ndarray) -> np.ndarray:
        whole = low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)
        amount = amount & np.uint32(31) if wrap else np.minimum(amount, np.uint32(32))
        amount = amount.astype(np.uint64)
        moved = whole << amount >> np.uint64(32) if left else whole >> amount
        return moved.astype(np.uint32)

    return Elementwise(shifted, ("b32", "b32", "u32"), "b32")
