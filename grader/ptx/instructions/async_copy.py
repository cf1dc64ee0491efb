"""Asynchronous copies from global to shared memory (PTX ISA, "Data Movement and Conversion
Instructions: Asynchronous copy").

A copy reads its source when it is issued; what it brings appears in shared memory when the
issuing thread waits for the group that the copy was committed to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...counted import counted
from ...machine.events import Step
from ...machine.lanes import Lanes, compact
from ...machine.lanes import index as lane_index
from ...machine.memory.access import Access
from ...machine.memory.addressing import access_at
from ...machine.operands import read
from ...machine.wave import Wave
from ..forms.accesses import get, put
from ..forms.form import Transfer
from ..forms.table import effect
from ..ptx import Instruction, Malformed, Operand, Register, address_of, immediate_of
from .mbarrier import arrival_of_copies

_COPY = "async ca|cg shared|shared::cta global L2::64B|L2::128B|L2::256B?"
_SIZES = (4, 8, 16)  # bytes
_WHOLE = "writes.b32@shared[to], reads.b32@global[from], size"
_PART = "writes.b32@shared[to], reads.b8@global[from], size, part"


@effect("cp", f"{_COPY} : {_WHOLE} or {_PART}")
@effect("cp", f"{_COPY} L2::cache_hint : {_WHOLE}, policy or {_PART}, policy")
def copy(instruction: Instruction, at: int, wave: Wave) -> Step:
    """[dst], [src], size[, source size | ignore][, cache policy]: beyond the source size, and
    where the predicate says to ignore, zeros are copied."""
    target, source, number, *rest = instruction.operands
    if (size := immediate_of(number)) not in _SIZES:
        raise Malformed(f"{counted(size, 'byte')} cannot be copied at once")
    if instruction.form.has("L2::cache_hint"):
        rest.pop()
    writes, reads = (replace(t, size=4, components=size // 4) for t in _both(instruction))
    to = access_at(replace(writes, asynchronous=True), target, at, wave)
    whole = access_at(reads, source, at, wave)
    octets = _octets(reads, source, size, at, wave) if rest else []
    amount = _source_size(rest[0], size, wave) if rest else None

    def step(lanes: Lanes) -> None:
        index = lane_index(lanes)
        wanted = amount(lanes) if amount else np.full(len(index), size)
        words = _fetched(whole, octets, index, wanted)
        for hit in to.hits(lanes):
            own = words[np.searchsorted(index, lane_index(hit.lanes))]
            for tell in wave.events.copy:
                tell(to, hit, list(own.T))
            wave.copies.issue(to, hit, list(own.T))

    return step


def _both(instruction: Instruction) -> list[Transfer]:
    return [transfer for _, transfer in instruction.form.transfers]


def _source_size(operand: Operand, size: int, wave: Wave) -> Callable[[Lanes], np.ndarray]:
    """Bytes that each lane copies, from the operand that limits them."""
    predicate = isinstance(operand, Register) and wave.kernel.registers[operand.name] == "pred"
    limit = read(operand, "pred" if predicate else "u32", wave)
    if predicate:
        return lambda lanes: np.where(limit[lanes], 0, size)
    return lambda lanes: np.minimum(limit[lanes], size).astype(np.int64)


def _octets(reads: Transfer, source: Operand, size: int, at: int, wave: Wave) -> list[Access]:
    """Accesses to the single bytes of the source, for copies that stop in the middle."""
    start = address_of(source)
    places = [replace(start, offset=start.offset + place) for place in range(size)]
    return [access_at(replace(reads, size=1, components=1), p, at, wave) for p in places]


def _fetched(
    whole: Access, octets: list[Access], index: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """What lanes copy of which so many bytes are `wanted`: (lanes, words) uint32, zeros behind
    these bytes."""
    words = np.zeros((len(index), whole.components), np.uint32)
    _load(whole, index, np.asarray(wanted == whole.width), words)
    short = wanted * (wanted < whole.width)
    for place, octet in enumerate(octets[: int(short.max())]):
        _load(octet, index, short > place, words.view(np.uint8)[:, place : place + 1])
    return words


def _load(access: Access, index: np.ndarray, chosen: np.ndarray, into: np.ndarray) -> None:
    """Into the chosen rows of `into`, a column for each component."""
    if not chosen.any():
        return
    for hit in access.hits(compact(index[chosen])):
        get(access, hit)
        rows = np.searchsorted(index, lane_index(hit.lanes))
        for component in range(access.components):
            into[rows, component] = access.read(hit, component, into.dtype)


@effect("cp", "async commit_group :")
def commit(instruction: Instruction, at: int, wave: Wave) -> Step:
    def step(lanes: Lanes) -> None:
        wave.copies.committed[lanes] += 1

    return step


@effect("cp", "async wait_group : n", "async wait_all :")
def wait(instruction: Instruction, at: int, wave: Wave) -> Step:
    """For all groups but the n last ones, or for everything."""
    newest = immediate_of(instruction.operands[0]) if instruction.operands else -1
    return lambda lanes: _land(wave, lanes, newest)


def _land(wave: Wave, lanes: Lanes, newest: int) -> None:
    for access, hit, words in wave.copies.arrive(lanes, newest):
        put(access, hit, words)


@effect("cp", "async mbarrier arrive noinc? shared|shared::cta? b64 : updates[a]")
def signal(instruction: Instruction, at: int, wave: Wave) -> Step:
    """Arrives when the thread's copies have; here they arrive at once. Without .noinc the barrier
    first expects one arrival more."""
    arrive = arrival_of_copies(instruction, at, wave)

    def step(lanes: Lanes) -> None:
        _land(wave, lanes, -1)
        arrive(lanes)

    return step
