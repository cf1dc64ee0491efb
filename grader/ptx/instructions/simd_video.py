"""Video instructions on several small integers in a register (PTX ISA, "SIMD Video
Instructions")."""

import numpy as np

from ..program import Instruction
from ..table import Compute, Elementwise, elementwise
from .integer_arithmetic import SMALL, small_parts

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
