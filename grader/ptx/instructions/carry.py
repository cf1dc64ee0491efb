"""Extended precision: additions that hand a carry on to the next one (PTX ISA, "Extended-Precision
Integer Arithmetic Instructions"). Every thread has one carry flag, CC.CF; a subtraction leaves its
borrow there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...machine.events import Step
from ...machine.lanes import Lanes
from ...machine.operands import read
from ...machine.wave import Wave
from ..forms.table import effect
from ..numeric.integers import high_product
from ..numeric.types import DTYPES
from ..ptx import Instruction

Pair = tuple[np.ndarray, np.ndarray]
_KINDS = "s32|u32|s64|u64"


@effect("add sub", f"cc {_KINDS} : d, a, b")
@effect("addc subc", f"cc? {_KINDS} : d, a, b")
@effect("mad", f"lo|hi cc {_KINDS} : d, a, b, c")
@effect("madc", f"lo|hi cc? {_KINDS} : d, a, b, c")
def with_carry(instruction: Instruction, at: int, wave: Wave) -> Step:
    """The names with a final c take the flag in, .cc leaves it."""
    target, *operands = instruction.operands
    kind = instruction.form.type
    sources = [read(operand, kind, wave) for operand in operands]
    out = wave.registers.write(target, kind)
    flag = wave.registers.storage("CC.CF")
    form = instruction.form
    takes, leaves = form.name.endswith("c"), form.has("cc")
    addends = _product_first(form.has("hi")) if len(sources) == 3 else lambda a, b: (a, b)
    combine = _subtract if form.name.startswith("sub") else _add

    def step(lanes: Lanes) -> None:
        a, b = (_unsigned(x) for x in addends(*[source[lanes] for source in sources]))
        carry = flag[lanes].astype(a.dtype) if takes else a.dtype.type(0)
        result, over = combine(a, b, carry)
        out[lanes] = result.view(DTYPES[kind])
        if leaves:
            flag[lanes] = over

    return step


def _unsigned(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x).view(f"u{x.itemsize}")


def _product_first(high: bool) -> Callable[..., Pair]:
    multiply = high_product if high else np.multiply
    return lambda a, b, c: (multiply(a, b), c)


def _add(a: np.ndarray, b: np.ndarray, carry: np.ndarray) -> Pair:
    total = a + b + carry
    return total, (total < a) | ((total == a) & (carry != 0))


def _subtract(a: np.ndarray, b: np.ndarray, borrow: np.ndarray) -> Pair:
    return a - b - borrow, (a < b) | ((a == b) & (borrow != 0))
