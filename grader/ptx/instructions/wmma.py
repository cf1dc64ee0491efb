"""Matrix products of a warp with opaque fragments, which `nvcuda::wmma` is made of (PTX ISA, "Warp
Level Matrix Multiply-Accumulate Instructions: wmma")."""

from __future__ import annotations

import re

import numpy as np

from ...machine.events import Step
from ...machine.lanes import WARP, Lanes
from ...machine.lanes import index as lane_index
from ...machine.memory.access import Source
from ...machine.memory.addressing import access_at
from ...machine.operands import read
from ...machine.wave import Wave
from ..forms.accesses import get, put
from ..forms.form import Form
from ..forms.fragments import ELEMENTS, Fragment, spread
from ..forms.table import collective
from ..numeric.matrices import multiply_add
from ..numeric.types import DTYPES
from ..ptx import Instruction, several

_SHAPES = "m16n16k16|m8n32k16|m32n8k16"
_LAYOUT = "row|col"
_SUMS = ("c", "d")


def _fragment(part: str, form: Form, kind: str) -> Fragment:
    """The part "a", "b", "c" or "d" of a product."""
    shape = next(mod for mod in form.mods if re.fullmatch(r"m\d+n\d+k\d+", mod))
    m, n, k = map(int, re.findall(r"\d+", shape))
    rows, columns = {"a": (m, k), "b": (k, n)}.get(part, (m, n))
    elements = rows * columns // WARP
    if kind == "f16" and part not in _SUMS:
        elements = 16  # whatever the shape
    return spread(kind, (rows, columns), elements // ELEMENTS[kind])


def _steps_of(form: Form, layout: Fragment, stride: np.ndarray, size: int) -> np.ndarray:
    """How many bytes after the first the elements of a matrix lie that each lane has: (lanes,
    elements), for lanes of whole warps with a `stride` (lanes,) in elements."""
    warps = len(stride) // WARP
    rows, columns = (
        np.tile(x.reshape(WARP, -1), (warps, 1)) for x in (layout.rows, layout.columns)
    )
    major, minor = (columns, rows) if form.has("col") else (rows, columns)
    return (major * stride.astype(np.int64)[:, None] + minor) * size


def _stride(instruction: Instruction, layout: Fragment, wave: Wave) -> Source:
    """The distance of rows (or columns), which need not be given: then they are side by side."""
    if len(instruction.operands) > 2:
        return read(instruction.operands[2], "u32", wave)
    natural = layout.shape[0 if instruction.form.has("col") else 1]
    return np.broadcast_to(np.uint32(natural), wave.geometry.lanes)


@collective(
    "wmma",
    f"load a|b sync aligned {_LAYOUT} {_SHAPES} SPACE? f16|bf16|s8|u8 : d, reads[a], stride?",
    f"load a|b sync aligned {_LAYOUT} m16n16k8 SPACE? tf32 : d, reads[a], stride?",
    f"load c sync aligned {_LAYOUT} {_SHAPES} SPACE? f16|f32|s32 : d, reads[a], stride?",
    f"load c sync aligned {_LAYOUT} m16n16k8 SPACE? f32 : d, reads[a], stride?",
    whole_warp=True,
)
def load_fragment(instruction: Instruction, at: int, wave: Wave) -> Step:
    form, (target, address) = instruction.form, instruction.operands[:2]
    layout = _fragment(form.mods[1], form, form.type)
    access = access_at(form.transfer(1), address, at, wave)
    stride = _stride(instruction, layout, wave)
    outs = [wave.registers.write(item, "b32") for item in several(target, layout.count)]

    def combine(together: Lanes) -> None:
        index = lane_index(together)
        moved = _steps_of(form, layout, stride[together], access.size)
        elements = np.empty(moved.shape, DTYPES[form.type])
        for number in range(moved.shape[1]):
            for hit in access.hits(together, moved[:, number]):
                get(access, hit)
                rows = np.searchsorted(index, lane_index(hit.lanes))
                elements[rows, number] = access.read(hit, 0, elements.dtype)
        for out, words in zip(outs, layout.words(elements), strict=True):
            out[index] = words

    return combine


@collective(
    "wmma",
    f"store d sync aligned {_LAYOUT} {_SHAPES} SPACE? f16|f32|s32 : writes[a], b, stride?",
    f"store d sync aligned {_LAYOUT} m16n16k8 SPACE? f32 : writes[a], b, stride?",
    whole_warp=True,
)
def store_fragment(instruction: Instruction, at: int, wave: Wave) -> Step:
    form, (address, source) = instruction.form, instruction.operands[:2]
    layout = _fragment("d", form, form.type)
    access = access_at(form.transfer(0), address, at, wave)
    stride = _stride(instruction, layout, wave)
    sources = [read(item, "b32", wave) for item in several(source, layout.count)]

    def combine(together: Lanes) -> None:
        index = lane_index(together)
        moved = _steps_of(form, layout, stride[together], access.size)
        elements = layout.lanes([register[together] for register in sources])
        for number in range(moved.shape[1]):
            for hit in access.hits(together, moved[:, number]):
                rows = np.searchsorted(index, lane_index(hit.lanes))
                put(access, hit, [elements[rows, number]])

    return combine


@collective(
    "wmma",
    f"mma sync aligned {_LAYOUT} {_LAYOUT} {_SHAPES} f16|f32 f16|f32 : d, a, b, c",
    f"mma sync aligned {_LAYOUT} {_LAYOUT} {_SHAPES} f32 bf16 bf16 f32 : d, a, b, c",
    f"mma sync aligned {_LAYOUT} {_LAYOUT} m16n16k8 f32 tf32 tf32 f32 : d, a, b, c",
    f"mma sync aligned {_LAYOUT} {_LAYOUT} {_SHAPES} satfinite? s32 s8|u8 s8|u8 s32 : d, a, b, c",
    whole_warp=True,
)
def multiply_fragments(instruction: Instruction, at: int, wave: Wave) -> Step:
    """D = A * B + C; of halves, only the types of D and C are named."""
    form = instruction.form
    types = [mod for mod in form.mods if mod in ELEMENTS]
    d, a, b, c = types if len(types) == 4 else (types[0], "f16", "f16", types[1])
    layouts = [_fragment(*pair) for pair in (("d", form, d), ("a", form, a), ("b", form, b))]
    layouts.append(_fragment("c", form, c))
    targets, *given = (
        several(operand, layout.count)
        for operand, layout in zip(instruction.operands, layouts, strict=True)
    )
    sources = [[read(item, "b32", wave) for item in items] for items in given]
    outs = [wave.registers.write(item, "b32") for item in targets]

    def combine(together: Lanes) -> None:
        index = lane_index(together)
        left, right, added = (
            layout.matrix([register[together] for register in registers])
            for registers, layout in zip(sources, layouts[1:], strict=True)
        )
        total = multiply_add(left, right, added, a, form.has("satfinite")).astype(DTYPES[d])
        for out, words in zip(outs, layouts[0].registers(total), strict=True):
            out[index] = words

    return combine
