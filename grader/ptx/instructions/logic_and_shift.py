"""Logic and shifts (PTX ISA, "Logic and Shift Instructions")."""

from dataclasses import replace

import numpy as np

from ..numbers import ON_ARRAYS, size_of
from ..program import Carries, Form, Immediate, Instruction, immediate_of
from ..table import Elementwise, elementwise, lanewise, means, meant
from .integer_arithmetic import bounded


@elementwise("and", "pred|BITS : d, a, b", carries=Carries.ALL_BITS)
@elementwise("or", "pred|BITS : d, a, b", carries=Carries.ALL_BITS_SET)
@elementwise("xor", "pred|BITS : d, a, b")
def logic(instruction: Instruction) -> Elementwise:
    return meant(lambda on: getattr(on, f"bitwise_{instruction.form.name}"), instruction)


means(("not", "pred|BITS : d, a", lambda on: on.invert))
lanewise("cnot", "BITS : d, a", types="t t")(lambda form, a: a == 0)  # C's `!`


@elementwise("lop3", "b32 : d, a, b, c, e", "and|or b32 : d, a, b, c, e, q")
def lop3(instruction: Instruction) -> Elementwise:
    """d, a, b, c, table: any function of three bits, given by its eight values; with .and or .or
    also a predicate, d|p, ..., q: whether any bit of d is set, combined with q."""
    _, a, b, c, table, *rest = instruction.operands
    rows = [row for row in range(8) if immediate_of(table) >> row & 1]

    def look_up(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        result = np.zeros(a.shape, np.uint32)
        for row in rows:
            result |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
        return result

    if not rest:
        return Elementwise(look_up, ("b32",) * 3, "b32", operands=(a, b, c))
    combine = ON_ARRAYS.bitwise_and if instruction.form.has("and") else ON_ARRAYS.bitwise_or

    def both(
        a: np.ndarray, b: np.ndarray, c: np.ndarray, q: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        result = look_up(a, b, c)
        return result, combine(result != 0, q)

    return Elementwise(
        both, ("b32", "b32", "b32", "pred"), ("b32", "pred"), operands=(a, b, c, *rest)
    )


@elementwise("shl", "BITS : d, a, b", scales=True)
@elementwise("shr", "BITS|INT : d, a, b")
def shift(instruction: Instruction) -> Elementwise:
    """Amounts beyond the width shift everything out; NumPy agrees, given operands of one type."""
    kind, amount = instruction.form.type, instruction.operands[2]
    left, bits = instruction.form.name == "shl", 8 * size_of(kind)
    form = meant(lambda on: on.left_shift if left else on.right_shift, instruction)
    if bits == 32 or (isinstance(amount, Immediate) and 0 <= amount.value < bits):
        return form
    fn, limit = form.fn, np.uint32(bits)
    return replace(
        form, fn=lambda a, b: fn(a, np.minimum(b, limit).astype(a.dtype)), sources=(kind, "u32")
    )


@lanewise("shf", "l|r clamp|wrap b32 : d, a, b, c", types="b32 b32 u32 b32")
def funnel_shift(form: Form, low: np.ndarray, high: np.ndarray, amount: np.ndarray) -> np.ndarray:
    """d, low, high, amount: 32 bits of the shifted 64."""
    whole = low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)
    amount = bounded(form, amount).astype(np.uint64)
    return (whole << amount >> np.uint64(32) if form.has("l") else whole >> amount).astype(
        np.uint32
    )
