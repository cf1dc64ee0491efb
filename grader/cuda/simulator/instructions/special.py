"""Special functions: roots, reciprocals, exponentials, and what the SFU approximates.

Approximate instructions are computed to float32's own precision, which lies within the maximum
errors that the PTX ISA documents for the hardware's.
"""

from __future__ import annotations

import numpy as np

from ..numbers import flushed
from ..ptx import Instruction
from .registry import Elementwise, elementwise

_FUNCTIONS = {
    "sqrt": np.sqrt,
    "rcp": np.reciprocal,
    "rsqrt": lambda x: np.reciprocal(np.sqrt(x)),
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
}


@elementwise(*_FUNCTIONS)
def special_function(instruction: Instruction):
    kind = instruction.type
    if kind not in ("f32", "f64") or {"rz", "rm", "rp"} & set(instruction.mods):
        return None
    fn = _FUNCTIONS[instruction.base]
    return Elementwise(flushed(fn) if "ftz" in instruction.mods else fn, (kind,), kind)
