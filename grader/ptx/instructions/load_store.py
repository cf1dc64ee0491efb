"""Loads and stores, in every state space and width."""

from __future__ import annotations

from ...machine.events import Step
from ...machine.lanes import Lanes
from ...machine.memory.addressing import access_at
from ...machine.operands import read
from ...machine.wave import Wave
from ..forms.accesses import get, put
from ..forms.form import Carries
from ..forms.table import effect
from ..numeric.types import DTYPES
from ..ptx import Instruction, Operand, Symbol, address_of, is_sink, several

_SPINNING = ("volatile", "relaxed", "acquire")  # what a thread that waits for another uses
_ANYWHERE = "SPACE|local|const|param|param::entry|param::func"
_HINTS = "EVICTIONS? EVICTIONS? L2::cache_hint? L2::64B|L2::128B|L2::256B?"


@effect(
    "ld",
    f"weak|volatile|relaxed|acquire? mmio? SCOPE? {_ANYWHERE}? CACHE? nc? {_HINTS} "
    "v2|v4|v8? SCALAR : d, reads[a], policy?",
    carries=Carries.LOADED,
)
@effect("ldu", "global? v2|v4? SCALAR : d, reads[a]", carries=Carries.LOADED)
def load(instruction: Instruction, at: int, wave: Wave) -> Step:
    target, address = instruction.operands[:2]
    if _is_call_parameter(address, wave):
        return wave.calls.load(instruction, target, address)
    transfer = instruction.form.transfer(1)
    access = access_at(transfer, address, at, wave)
    dtype = DTYPES[instruction.form.type]
    outs = [
        wave.registers.write(item, instruction.form.type) if not is_sink(item) else None
        for item in several(target, transfer.components)
    ]
    spinning = instruction.form.has(*_SPINNING)

    def step(lanes: Lanes) -> None:
        wave.schedule.spins += spinning
        for hit in access.hits(lanes):
            get(access, hit)
            for component, out in enumerate(outs):
                if out is not None:
                    out[hit.lanes] = access.read(hit, component, dtype)

    return step


@effect(
    "st",
    f"weak|volatile|relaxed|release? mmio? SCOPE? {_ANYWHERE}? CACHE? {_HINTS} "
    "v2|v4|v8? SCALAR : writes[a], b, policy?",
    carries=Carries.STORED,
)
def store(instruction: Instruction, at: int, wave: Wave) -> Step:
    address, source = instruction.operands[:2]
    if _is_call_parameter(address, wave):
        return wave.calls.store(instruction, address, source)
    transfer = instruction.form.transfer(0)
    access = access_at(transfer, address, at, wave)
    items = several(source, transfer.components)
    sources = [read(item, instruction.form.type, wave) for item in items]

    def step(lanes: Lanes) -> None:
        for hit in access.hits(lanes):
            put(access, hit, [source[hit.lanes] for source in sources])

    return step


def _is_call_parameter(address: Operand, wave: Wave) -> bool:
    base = address_of(address).base
    return isinstance(base, Symbol) and base.name in wave.calls.slots
