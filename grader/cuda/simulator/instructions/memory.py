"""Loads and stores, in every state space and width."""

from __future__ import annotations

import numpy as np

from ..lanes import Lanes
from ..memory.access import Access, Hit, bits_of
from ..numeric.types import DTYPES
from ..program.ptx import Instruction, Symbol, components
from .registry import effect, read, unsupported

_SPINNING = {"volatile", "relaxed", "acquire"}  # what a thread that waits for another uses


@effect("ld", "ldu")
def load(instruction: Instruction, at: int, machine):
    target, address = instruction.operands[:2]
    if instruction.type not in DTYPES:
        raise unsupported(instruction, machine)
    if _is_call_parameter(address, machine):
        return machine.calls.load(instruction, target, address)
    access = Access(instruction, address, at, machine, "reads")
    dtype = DTYPES[instruction.type]
    outs = [
        machine.registers.write(item, instruction.type) if item.name != "_" else None
        for item in components(target)
    ]
    spinning = bool(_SPINNING & set(instruction.mods))
    unset = machine.unset and machine.unset.loaded(target)
    speculative = access.space == "local" and _only_selected(target, at, machine)

    def step(lanes: Lanes) -> None:
        machine.schedule.spins += spinning
        for hit in access.hits(lanes):
            if not speculative:
                access.check_written(hit)
            note(machine, access, hit, "load")
            for component, out in enumerate(outs):
                if out is not None:
                    out[hit.lanes] = access.read(hit, component, dtype)
            if unset:
                unset(access, hit)

    return step


def _only_selected(target, at: int, machine) -> bool:
    """Whether what is loaded only goes into `selp`: the compiler then loads it ahead of knowing
    that it is wanted, written or not, where the source has an `if`."""
    code = machine.kernel.instructions
    if not any(one.base == "selp" and target in one.operands for one in code[at + 1 : at + 8]):
        return False
    return all(one.base == "selp" for one in code if target in one.operands[1:])


@effect("st")
def store(instruction: Instruction, at: int, machine):
    address, source = instruction.operands[:2]
    if instruction.type not in DTYPES:
        raise unsupported(instruction, machine)
    if _is_call_parameter(address, machine):
        return machine.calls.store(instruction, address, source)
    access = Access(instruction, address, at, machine, "writes")
    sources = [read(item, instruction.type, machine) for item in components(source)]
    unset = machine.unset and machine.unset.stored(source)

    def step(lanes: Lanes) -> None:
        for hit in access.hits(lanes):
            put(machine, access, hit, [source[hit.lanes] for source in sources])
            if unset:
                unset(access, hit)

    return step


def put(machine, access: Access, hit: Hit, values: list[np.ndarray]) -> None:
    """Store `values`, an array for each component, where an access hits."""
    watched = machine.races is not None and machine.races.watches(access, hit)
    same = _unchanged(access, hit, values) if watched else None
    for component, value in enumerate(values):
        access.write(hit, component, value)
    note(machine, access, hit, "store", same, values)


def _is_call_parameter(address, machine) -> bool:
    base = address.base
    return isinstance(base, Symbol) and base.name in machine.calls.slots


def _unchanged(access: Access, hit: Hit, values: list[np.ndarray]) -> np.ndarray:
    """Per lane, whether memory holds the values already."""
    return np.logical_and.reduce(
        [bits_of(access.read(hit, n, v.dtype)) == bits_of(v) for n, v in enumerate(values)]
    )


def note(machine, access: Access, hit: Hit, kind: str, same=None, values=None) -> None:
    """Tell the race detector and the observer of an access that has just been made."""
    if machine.races is not None and machine.races.watches(access, hit):
        machine.races.check(access, hit, kind, same, values)
    if machine.observed:
        machine.watch.access(hit, access, kind)


@effect("prefetch", "prefetchu", "discard", "applypriority")
def hint(instruction: Instruction, at: int, machine):
    """Cache hints change no value."""
    return lambda lanes: None
