"""Miscellaneous instructions, and the SIMD video instructions, which compute with several small
integers in a register (PTX ISA, "Miscellaneous Instructions" and "SIMD Video Instructions")."""

import numpy as np

from ...cuda.errors import CudaError
from ...machine.events import Step
from ...machine.lanes import Lanes, lane_index
from ...machine.wave import Wave
from ..program import Flow, Instruction
from ..table import Compute, Elementwise, control, effect, elementwise
from .integer_arithmetic import SMALL, small_parts

_VIDEO: dict[str, Compute] = {
    "vadd": np.add,
    "vsub": np.subtract,
    "vabsdiff": lambda a, b: np.abs(a - b),
    "vmin": np.minimum,
    "vmax": np.maximum,
}
_COMPARISONS: dict[str, Compute] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@elementwise(
    " ".join(f"{name}{number}" for name in _VIDEO for number in (2, 4)),
    "s32|u32 s32|u32 s32|u32 sat|add? : d, a, b, c",
)
def video(instruction: Instruction) -> Elementwise:
    """Without lane masks or selectors: d takes all the parts, or (.add) c plus their sum."""
    result, first, second = instruction.form.mods[:3]
    number = int(instruction.form.name[-1])
    operation, small = _VIDEO[instruction.form.name[:-1]], SMALL[result, number]
    extra = instruction.form.mods[3:]

    def compute(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        parts = operation(small_parts(a, first, number), small_parts(b, second, number))
        if extra == ("add",):
            return (c.astype(np.int64) + parts.sum(axis=1)).astype(np.uint32)
        if extra == ("sat",):
            parts = parts.clip(np.iinfo(small).min, np.iinfo(small).max)
        return parts.astype(small).view(np.uint32).reshape(-1)

    return Elementwise(compute, ("b32", "b32", "b32"), "b32")


@elementwise("vset2 vset4", f"s32|u32 s32|u32 {'|'.join(_COMPARISONS)} add? : d, a, b, c")
def video_comparison(instruction: Instruction) -> Elementwise:
    """d takes 1 for every part of a that compares so with b's, or (.add) c plus how many do."""
    first, second, comparison = instruction.form.mods[:3]
    number, adds = int(instruction.form.name[-1]), instruction.form.has("add")

    def compute(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        held = _COMPARISONS[comparison](
            small_parts(a, first, number), small_parts(b, second, number)
        )
        if adds:
            return (c.astype(np.int64) + held.sum(axis=1)).astype(np.uint32)
        return held.astype(SMALL["u32", number]).view(np.uint32).reshape(-1)

    return Elementwise(compute, ("b32", "b32", "b32"), "b32")


_MADE_BY_THE_COMPILER = (
    " It stands on no line: the compiler puts one where it sees that what is written cannot be"
    " done, such as an atomic on a variable of the thread's own."
)


@effect("nanosleep", "u32 : a")
def nanosleep(instruction: Instruction, at: int, wave: Wave) -> Step:
    return lambda lanes: wave.spin()


@control("trap", ":", flow=Flow.TRAP)
def trap(instruction: Instruction, at: int, wave: Wave) -> Step:
    def step(lanes: Lanes) -> None:
        lane = int(lane_index(lanes)[0])
        what = "stops the kernel with a trap."
        if not wave.kernel.instructions[at].line:
            what += _MADE_BY_THE_COMPILER
        raise wave.report.error(CudaError, at, lane, what)

    return step
