"""From an operand that names an address to an `Access`."""

from __future__ import annotations

import numpy as np

from ...ptx.forms.form import Transfer
from ...ptx.ptx import Address, Operand, Register, Symbol, address_of
from ..lanes import Lanes
from ..operands import address_of_symbol
from ..state import WaveState
from .access import Access, Source


def access_at(
    transfer: Transfer, operand: Operand, at: int, wave: WaveState, verb: str = ""
) -> Access:
    """The access that the instruction at index `at` makes at the address which `operand` names."""
    access = Access(transfer, at, _start(address_of(operand), wave), wave.memory, verb)
    reached = wave.program.memory_use.targets.get(at)
    access.constant = reached is not None and bool(reached) and reached <= wave.constants
    return access


def _start(operand: Address, wave: WaveState) -> tuple[Source, int]:
    """The address's base for each lane, and its offset in bytes."""
    if isinstance(operand.base, Register):
        narrow = wave.registers.storage(operand.base.name).itemsize == 4
        base = wave.registers.read(operand.base, "u32" if narrow else "s64")
        return (_Narrow(base, operand.offset), 0) if narrow else (base, operand.offset)
    if isinstance(operand.base, Symbol) and operand.base.name in wave.frames.offsets:
        return wave.frames.framed(operand.base.name), operand.offset
    base = operand.base
    start = address_of_symbol(base.name, wave) if isinstance(base, Symbol) else 0
    fixed = np.array(start + operand.offset, np.int64)
    return np.broadcast_to(fixed, wave.geometry.lanes), 0


class _Narrow:
    """A 32-bit address register plus an offset, as int64 whenever it is indexed. The sum wraps at
    32 bits, as the hardware's does; its upper half is what lies before address 0."""

    def __init__(self, base: np.ndarray, offset: int):
        self.base, self.offset = base, np.uint32(offset & 0xFFFFFFFF)

    def __getitem__(self, lanes: Lanes) -> np.ndarray:
        return (self.base[lanes] + self.offset).view(np.int32).astype(np.int64)
