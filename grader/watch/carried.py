"""Where values that never were set go from register to register, and what becomes of them there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..machine.lanes import Lanes
from ..ptx.program import Carries, Instruction, Operand, Vector

if TYPE_CHECKING:
    from ..machine.wave import Wave

# What is kept of a register in a lane: SET, UNTOUCHED (never set, and only copied since), or
# FIRST + the index of the first instruction that computed with what was never set.
SET, UNTOUCHED, FIRST = 0, 1, 2

# For what an operand of which every bit decides makes the other irrelevant: what makes it 0.
_DECIDED: dict[Carries, Callable[..., Any]] = {
    Carries.ALL_BITS: np.asarray,
    Carries.ALL_BITS_SET: np.invert,
}

Rule = Callable[[Lanes], Any]  # of a set of lanes, the origins of an instruction's results
Everywhere = Callable[[Operand], np.ndarray]  # the origins (lanes,) of any operand


def rule(at: int, ins: list[np.ndarray], everywhere: Everywhere, wave: Wave) -> Rule:
    """What the instruction at `at` makes of the origins `ins` of the registers that it reads, of
    which there is anything to be followed."""
    if not ins:
        return lambda lanes: SET
    instruction = wave.kernel.instructions[at]
    carries = instruction.form.carries
    if carries is Carries.CHOSEN:
        return _chosen(instruction, everywhere, wave)
    if carries is Carries.COPIED:
        return _packed(instruction.operands[1], everywhere) or _worst(ins)
    decides = carries in _DECIDED
    worst = _decided(instruction, everywhere, wave) if decides else _worst(ins)

    def computed(lanes: Lanes) -> np.ndarray:
        origin = worst(lanes)
        return np.where(origin == UNTOUCHED, at + FIRST, origin)

    return computed


def _packed(source: Operand, everywhere: Everywhere) -> Rule | None:
    """mov d, {a, b}: set if a part is, for who takes it apart again may want that one."""
    if not isinstance(source, Vector):
        return None
    parts = [everywhere(item) for item in source.items]
    return lambda lanes: np.minimum.reduce([part[lanes] for part in parts])


def _chosen(instruction: Instruction, everywhere: Everywhere, wave: Wave) -> Rule:
    """selp d, a, b, p: what is not chosen does not matter."""
    *sources, predicate = instruction.operands[1:]
    a, b = (everywhere(source) for source in sources)
    p, undecided = wave.read(predicate, "pred"), everywhere(predicate)
    return lambda lanes: np.maximum(np.where(p[lanes], a[lanes], b[lanes]), undecided[lanes])


def _decided(instruction: Instruction, everywhere: Everywhere, wave: Wave) -> Rule:
    """and, or: an operand of which every bit decides makes the other one irrelevant."""
    first, second = instruction.operands[1:]
    a, b = (wave.read(operand, instruction.form.type) for operand in (first, second))
    of_a, of_b = everywhere(first), everywhere(second)
    everything = _DECIDED[instruction.form.carries]

    def decided(lanes: Lanes) -> np.ndarray:
        decides = [
            (origin[lanes] == SET) & (everything(value[lanes]) == 0)
            for value, origin in ((a, of_a), (b, of_b))
        ]
        return np.where(decides[0] | decides[1], SET, np.maximum(of_a[lanes], of_b[lanes]))

    return decided


def _worst(ins: list[np.ndarray]) -> Rule:
    if len(ins) == 1:
        return lambda lanes: ins[0][lanes]
    return lambda lanes: np.maximum.reduce([origin[lanes] for origin in ins])
