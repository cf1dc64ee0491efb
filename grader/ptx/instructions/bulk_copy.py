"""Copies of many bytes by one thread, between global and shared memory (PTX ISA, "Data Movement and
Conversion Instructions: cp.async.bulk").

A copy reads its source when it is issued. What it brings into shared memory appears there when
somebody asks the barrier that it tells; what it takes to global memory is there at once.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...counted import counted
from ...cuda.errors import Misaligned, OutOfBounds
from ...machine.events import Step
from ...machine.lanes import Lanes
from ...machine.lanes import index as lane_index
from ...machine.memory.access import Access, Hit
from ...machine.memory.addressing import access_at
from ...machine.operands import read
from ...machine.wave import Wave
from ..forms.accesses import get, put
from ..forms.table import effect
from ..ptx import Instruction

_UNIT, _WORDS = 16, 4  # bytes that are moved together, and their words
_SHARED = "shared::cluster|shared::cta|shared"


@effect(
    "cp",
    f"async bulk {_SHARED} global mbarrier::complete_tx::bytes : writes.b32@shared[to], "
    "reads.b32@global[from], size, updates.b64@shared[barrier]",
    f"async bulk {_SHARED} global mbarrier::complete_tx::bytes L2::cache_hint : "
    "writes.b32@shared[to], reads.b32@global[from], size, updates.b64@shared[barrier], policy",
    "async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes : "
    "writes.b32@shared[to], reads.b32@shared[from], size, updates.b64@shared[barrier]",
)
def bring(instruction: Instruction, at: int, wave: Wave) -> Step:
    """[to], [from], bytes, [barrier]: the barrier is told when so many bytes have come."""
    size, barrier = instruction.operands[2:4]
    to, taken = _access(instruction, 0, at, wave), _access(instruction, 1, at, wave)
    told = access_at(instruction.form.transfer(3), barrier, at, wave)
    sizes = read(size, "u32", wave)

    def step(lanes: Lanes) -> None:
        for lane in lane_index(lanes).tolist():
            (place,) = told.hits(np.array([lane]))
            told.about_to_read(place)
            size = int(sizes[lane])
            words = _taken(taken, lane, size, at, wave)
            for hit in _parts(to, lane, size, at, wave):
                own = list(words.T)
                for tell in wave.events.copy:
                    tell(to, hit, own)
                landing = wave.copies.announce(to, hit, own, place)
                for send in wave.events.sent:
                    send(at, landing)

    return step


@effect(
    "cp",
    "async bulk global shared|shared::cta bulk_group : "
    "writes.b32@global[to], reads.b32@shared[from], size",
    "async bulk global shared|shared::cta bulk_group L2::cache_hint : "
    "writes.b32@global[to], reads.b32@shared[from], size, policy",
)
def take_away(instruction: Instruction, at: int, wave: Wave) -> Step:
    """[to], [from], bytes"""
    to, taken = _access(instruction, 0, at, wave), _access(instruction, 1, at, wave)
    sizes = read(instruction.operands[2], "u32", wave)

    def step(lanes: Lanes) -> None:
        for lane in lane_index(lanes).tolist():
            size = int(sizes[lane])
            words = _taken(taken, lane, size, at, wave)
            for hit in _parts(to, lane, size, at, wave):
                put(to, hit, list(words.T))

    return step


@effect("cp", "async bulk commit_group :", "async bulk wait_group read? : n")
def nothing(instruction: Instruction, at: int, wave: Wave) -> Step:
    """What was taken away is there already."""
    return lambda lanes: None


def _access(instruction: Instruction, position: int, at: int, wave: Wave) -> Access:
    transfer = replace(instruction.form.transfer(position), components=_WORDS, bulk=True)
    transfer = replace(transfer, asynchronous=True)
    return access_at(transfer, instruction.operands[position], at, wave)


def _parts(access: Access, lane: int, size: int, at: int, wave: Wave) -> list[Hit]:
    """Where a copy of `size` bytes goes that one lane makes: to one buffer, or nowhere."""
    moved = np.arange(0, size, _UNIT)
    hits = access.hits(np.full(len(moved), lane), moved) if size else []
    if len(hits) > 1:  # one that happens to lie behind another in memory
        why = (
            f"{access.verb} {counted(size, 'byte')} that {hits[0].store.name} does not have all of."
        )
        raise wave.report.error(OutOfBounds, at, lane, why)
    return hits


def _taken(access: Access, lane: int, size: int, at: int, wave: Wave) -> np.ndarray:
    """What lies at the source: (parts, words) uint32."""
    if size % _UNIT:
        moved = counted(size, "byte")
        why = f"copies {moved} at once; a bulk copy moves a multiple of {_UNIT} bytes."
        raise wave.report.error(Misaligned, at, lane, why)
    words = np.empty((size // _UNIT, _WORDS), np.uint32)
    for hit in _parts(access, lane, size, at, wave):
        get(access, hit)
        for word in range(_WORDS):
            words[:, word] = access.read(hit, word, words.dtype)
    return words
