"""What an instruction's operands hold, lane by lane."""

from __future__ import annotations

import numpy as np

from ..ptx.numeric.types import DTYPES, size_of
from ..ptx.ptx import Malformed, Negated, Operand, Register, Symbol
from .lanes import Lanes
from .memory.access import Source
from .special_registers import Clock
from .state import WaveState


def read(operand: Operand, kind: str, wave: WaveState) -> Source:
    """An operand as an array (lanes,) of PTX type `kind`. Malformed if it cannot be that."""
    if isinstance(operand, Register):  # as most are
        return wave.registers.read(operand, kind)
    if isinstance(operand, Negated):
        if kind != "pred":
            raise Malformed(f"`!` makes no value of type .{kind}")
        return _Inverted(wave.registers.read(operand.register, "pred"))
    if isinstance(operand, Symbol) and DTYPES[kind].kind not in "ui":
        raise Malformed(f"{operand.name} is no value of type .{kind}")
    if isinstance(operand, Symbol) and operand.name in wave.frames.offsets:
        return wave.frames.framed(operand.name)
    if isinstance(operand, Symbol):
        special = wave.special.read(operand.name)
        if isinstance(special, Clock):
            return special.of_size(size_of(kind))
        if special is not None:
            return (
                special.view(np.int32)
                if kind == "s32"
                else special.astype(f"u{size_of(kind)}", copy=False)
            )
        value = np.array(address_of_symbol(operand.name, wave), np.uint64)
        return np.broadcast_to(value.astype(f"u{size_of(kind)}"), wave.geometry.lanes)
    return wave.registers.read(operand, kind)


def address_of_symbol(name: str, wave: WaveState) -> int:
    """Where a variable, a parameter or a function lies; Malformed if there is none of this name."""
    if name not in wave.symbols:
        raise Malformed(f"there is nothing called {name} that has an address")
    return wave.symbols[name]


class _Inverted:
    """`!p`, read when indexed."""

    def __init__(self, predicate: np.ndarray):
        self.predicate = predicate

    def __getitem__(self, lanes: Lanes) -> np.ndarray:
        return ~self.predicate[lanes]
