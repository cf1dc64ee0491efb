"""What an instruction's operands hold, lane by lane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..engine.lanes import Lanes
from ..numeric.types import DTYPES, size_of
from ..program.ptx import Malformed, Negated, Operand, Symbol
from .special_registers import Clock

if TYPE_CHECKING:
    from ..engine.machine import Machine


def read(operand: Operand, kind: str, machine: Machine) -> Source:
    """An operand as an array (lanes,) of PTX type `kind`. Malformed if it cannot be that."""
    if isinstance(operand, Negated):
        if kind != "pred":
            raise Malformed(f"`!` makes no value of type .{kind}")
        return _Inverted(machine.registers.read(operand.register, "pred"))
    if isinstance(operand, Symbol) and DTYPES[kind].kind not in "ui":
        raise Malformed(f"{operand.name} is no value of type .{kind}")
    if isinstance(operand, Symbol) and operand.name in machine.calls.frame_offsets:
        return machine.calls.framed(operand.name)
    if isinstance(operand, Symbol):
        special = machine.special.read(operand.name)
        if isinstance(special, Clock):
            return special.of_size(size_of(kind))
        if special is not None:
            return (
                special.view(np.int32)
                if kind == "s32"
                else special.astype(f"u{size_of(kind)}", copy=False)
            )
        value = np.array(address_of_symbol(operand.name, machine), np.uint64)
        return np.broadcast_to(value.astype(f"u{size_of(kind)}"), machine.geometry.lanes)
    return machine.registers.read(operand, kind)


def address_of_symbol(name: str, machine: Machine) -> int:
    """Where a variable, a parameter or a function lies; Malformed if there is none of this name."""
    if name not in machine.symbols:
        raise Malformed(f"there is nothing called {name} that has an address")
    return machine.symbols[name]


class Source(Protocol):
    """What an operand holds: an array (lanes,), or what is worked out whenever it is read."""

    def __getitem__(self, lanes: Lanes, /) -> Any: ...


class _Inverted:
    """`!p`, read when indexed."""

    def __init__(self, predicate: np.ndarray):
        self.predicate = predicate

    def __getitem__(self, lanes: Lanes) -> np.ndarray:
        return ~self.predicate[lanes]
