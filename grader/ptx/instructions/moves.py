"""Moves between registers, and addresses between state spaces (PTX ISA, "Data Movement and
Conversion Instructions")."""

from __future__ import annotations

import numpy as np

from ...machine.events import Step
from ...machine.lanes import Lanes
from ...machine.memory.spaces import LOCAL_WINDOW, SHARED_WINDOW, WINDOW_SIZE
from ...machine.operands import read
from ...machine.wave import Wave
from ..forms.form import Carries
from ..forms.steps import Elementwise
from ..forms.table import effect, elementwise
from ..numeric.types import DTYPES, size_of
from ..ptx import Instruction, Malformed, Operand, Vector, is_sink


@effect("mov", "pred|BITS|INT|FLOAT : d, a", carries=Carries.COPIED)
def mov(instruction: Instruction, at: int, wave: Wave) -> Step:
    """Also packs `{a, b}` into a register and unpacks a register into `{d, e}`."""
    target, source = instruction.operands
    kind = instruction.form.type
    if isinstance(source, Vector):
        return _pack(target, source.items, kind, wave)
    if isinstance(target, Vector):
        return _unpack(target.items, source, kind, wave)
    out, value = wave.registers.write(target, kind), read(source, kind, wave)

    def step(lanes: Lanes) -> None:
        out[lanes] = value[lanes]

    return step


def _part_kind(kind: str, parts: int) -> str:
    """The type of each of so many parts; Malformed where there is none."""
    if parts not in (1, 2, 4, 8) or size_of(kind) < parts:
        raise Malformed(f"a value of type .{kind} has no {parts} parts")
    return f"b{8 * size_of(kind) // parts}"


def _pack(target: Operand, items: tuple[Operand, ...], kind: str, wave: Wave) -> Step:
    part = _part_kind(kind, len(items))
    sources = [read(item, part, wave) for item in items]
    out = wave.registers.write(target, f"b{8 * size_of(kind)}")
    bits = 8 * size_of(part)

    def step(lanes: Lanes) -> None:
        total = sources[0][lanes].astype(out.dtype)
        for place, source in enumerate(sources[1:], start=1):
            total |= source[lanes].astype(out.dtype) << out.dtype.type(place * bits)
        out[lanes] = total

    return step


def _unpack(items: tuple[Operand, ...], source: Operand, kind: str, wave: Wave) -> Step:
    part = _part_kind(kind, len(items))
    value = read(source, f"b{8 * size_of(kind)}", wave)
    bits = 8 * size_of(part)
    outs = [
        (place, wave.registers.write(item, part))
        for place, item in enumerate(items)
        if not is_sink(item)
    ]

    def step(lanes: Lanes) -> None:
        whole = value[lanes]
        for place, out in outs:
            out[lanes] = (whole >> whole.dtype.type(place * bits)).astype(DTYPES[part])

    return step


@elementwise(
    "cvta",
    "to? global|local|const|param|param::entry|shared|shared::cta|shared::cluster u64 : d, a",
    converts=True,
    of_address=True,
)
def cvta(instruction: Instruction) -> Elementwise:
    """Between an address in a state space and a generic address."""
    space = next(mod for mod in instruction.form.mods if mod not in ("to", "u64"))
    window = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW}.get(space.partition("::")[0], 0)
    shift = np.uint64(window)
    if instruction.form.mods[0] == "to":
        return Elementwise(lambda a: a - shift, ("u64",), "u64")
    return Elementwise(lambda a: a + shift, ("u64",), "u64")


@elementwise("isspacep", "global|local|shared|shared::cta|shared::cluster : d, a")
def isspacep(instruction: Instruction) -> Elementwise:
    """Whether a generic address lies in a state space."""
    space = instruction.form.mods[0].partition("::")[0]
    windows = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW}
    if space == "global":
        return Elementwise(
            lambda a: ~(_within(a, SHARED_WINDOW) | _within(a, LOCAL_WINDOW)), ("u64",), "pred"
        )
    return Elementwise(lambda a: _within(a, windows[space]), ("u64",), "pred")


def _within(address: np.ndarray, window: int) -> np.ndarray:
    return address - np.uint64(window) < np.uint64(WINDOW_SIZE)
