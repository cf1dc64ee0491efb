"""Matrix products of a warp (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions: mma").

The warp holds A (m x k), B (k x n) and C, D (m x n) in pieces: which lane has which element in
which register is what the figures of the PTX ISA show, and `Fragment` in numbers.
"""

from __future__ import annotations

from ...machine.events import Step
from ...machine.lanes import Lanes
from ...machine.lanes import index as lane_index
from ...machine.memory.access import Source
from ...machine.operands import read
from ...machine.wave import Wave
from ..forms.fragments import Fragment, factor_a, factor_b, result
from ..forms.table import collective
from ..numeric.matrices import multiply_add
from ..ptx import Instruction, Operand, several

_EQUAL_SHAPES = "sync aligned {} row col {} : d, a, b, c"
_LINES = (
    ("m16n8k8|m16n8k16", "f16 f16 f16 f16"),
    ("m16n8k8|m16n8k16", "f32 f16 f16 f32"),
    ("m16n8k8|m16n8k16", "f32 bf16 bf16 f32"),
    ("m16n8k4|m16n8k8", "f32 tf32 tf32 f32"),
    ("m16n8k16|m16n8k32", "satfinite? s32 s8|u8 s8|u8 s32"),
)


@collective("mma", *[_EQUAL_SHAPES.format(*line) for line in _LINES], whole_warp=True)
def matrix_product(instruction: Instruction, at: int, wave: Wave) -> Step:
    """D = A * B + C"""
    form = instruction.form
    kinds = form.mods[-4:]
    k = int(form.mods[2].partition("k")[2])
    layouts = [result(kinds[0]), factor_a(kinds[1], k), factor_b(kinds[2], k), result(kinds[3])]
    pairs = zip(instruction.operands[1:], layouts[1:], strict=True)
    sources = [_registers(operand, layout, wave) for operand, layout in pairs]
    targets = several(instruction.operands[0], layouts[0].count)
    outs = [wave.registers.write(item, "b32") for item in targets]
    clamps = form.has("satfinite")

    def combine(together: Lanes) -> None:
        index = lane_index(together)
        a, b, c = (
            layout.matrix([register[together] for register in registers])
            for registers, layout in zip(sources, layouts[1:], strict=True)
        )
        d = multiply_add(a, b, c, kinds[1], clamps)
        for out, words in zip(outs, layouts[0].registers(d), strict=True):
            out[index] = words

    return combine


def _registers(operand: Operand, layout: Fragment, wave: Wave) -> list[Source]:
    """The registers of an operand, each (lanes,) uint32."""
    return [read(item, "b32", wave) for item in several(operand, layout.count)]
