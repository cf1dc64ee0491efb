"""Asynchronous copies from global to shared memory (PTX ISA, "Data Movement and Conversion
Instructions: Asynchronous copy").

A copy reads its source when it is issued; what it brings appears in shared memory when the
issuing thread waits for the group that the copy was committed to.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..lanes import Lanes, compact
from ..lanes import index as lane_index
from ..memory.access import Access
from ..program.ptx import Address, Instruction, Register
from .mbarrier import arrival_of_copies
from .memory import note, put
from .registry import effect, read, unsupported

_WORDS = {4: ("b32",), 8: ("v2", "b32"), 16: ("v4", "b32")}


@effect("cp")
def copy(instruction: Instruction, at: int, machine):
    """cp.async and what belongs to it; cp.async.bulk and other copies are not known."""
    if "bulk" in instruction.mods or instruction.mods[0] != "async":
        raise unsupported(instruction, machine)
    for name, build in _FORMS.items():
        if name in instruction.mods:
            return build(instruction, at, machine)
    raise unsupported(instruction, machine)


def _issue(instruction: Instruction, at: int, machine):
    """cp.async.{ca,cg}.shared.global [dst], [src], size[, source size | ignore][, cache policy]:
    beyond the source size, and where the predicate says to ignore, zeros are copied."""
    target, source, size, *rest = instruction.operands
    if "L2::cache_hint" in instruction.mods:
        rest.pop()
    form = _WORDS[size.value]
    to = Access(replace(instruction, base="st", mods=("shared", *form)), target, at, machine, _W)
    whole = Access(replace(instruction, base="ld", mods=("global", *form)), source, at, machine, _R)
    octets = _octets(instruction, source, size.value, at, machine) if rest else []
    amount = _source_size(rest[0], size.value, machine) if rest else None

    def fetch(lanes: Lanes) -> np.ndarray:
        index = lane_index(lanes)
        words = np.zeros((len(index), size.value // 4), np.uint32)
        wanted = amount(lanes) if amount else np.full(len(index), size.value)
        _load(whole, index, wanted == size.value, words, machine)
        short = wanted * (wanted < size.value)
        for place, octet in enumerate(octets[: int(short.max())]):
            _load(octet, index, short > place, words.view(np.uint8)[:, place : place + 1], machine)
        return words

    def step(lanes: Lanes) -> None:
        words = fetch(lanes)
        index = lane_index(lanes)
        for hit in to.hits(lanes):
            own = words[np.searchsorted(index, lane_index(hit.lanes))]
            _check_overwriting(machine, to, hit, list(own.T))
            machine.copies.issue(to, hit, list(own.T))

    return step


_R, _W = "reads", "writes"


def _source_size(operand, size: int, machine):
    """Bytes that each lane copies, from the operand that limits them."""
    predicate = isinstance(operand, Register) and machine.kernel.registers[operand.name] == "pred"
    limit = read(operand, "pred" if predicate else "u32", machine)
    if predicate:
        return lambda lanes: np.where(limit[lanes], 0, size)
    return lambda lanes: np.minimum(limit[lanes], size).astype(np.int64)


def _octets(instruction, source: Address, size: int, at: int, machine) -> list[Access]:
    """Accesses to the single bytes of the source, for copies that stop in the middle."""
    load = replace(instruction, base="ld", mods=("global", "b8"))
    places = [replace(source, offset=source.offset + place) for place in range(size)]
    return [Access(load, place, at, machine, _R) for place in places]


def _load(access: Access, index, chosen: np.ndarray, into: np.ndarray, machine) -> None:
    """Into the chosen rows of `into`, a column for each component."""
    if not chosen.any():
        return
    for hit in access.hits(compact(index[chosen])):
        access.check_written(hit)
        note(machine, access, hit, "load")
        rows = np.searchsorted(index, lane_index(hit.lanes))
        for component in range(access.components):
            into[rows, component] = access.read(hit, component, into.dtype)


def _check_overwriting(machine, access: Access, hit, words) -> None:
    """The copy may land at any moment from now on: whoever still reads the place races with it."""
    if machine.races is not None and machine.races.watches(access, hit):
        machine.races.check(access, hit, "store", np.zeros(len(hit.element), bool), words)


def _commit(instruction: Instruction, at: int, machine):
    def step(lanes: Lanes) -> None:
        machine.copies.committed[lanes] += 1

    return step


def _wait(instruction: Instruction, at: int, machine):
    """cp.async.wait_group n: all groups but the n last ones; cp.async.wait_all: everything."""
    newest = instruction.operands[0].value if instruction.operands else -1
    return lambda lanes: _land(machine, lanes, newest)


def _land(machine, lanes: Lanes, newest: int) -> None:
    for access, hit, words in machine.copies.arrive(lanes, newest):
        put(machine, access, hit, words)


def _signal(instruction: Instruction, at: int, machine):
    """cp.async.mbarrier.arrive[.noinc].shared.b64 [barrier]: arrives when the thread's copies
    have; here they arrive at once. Without .noinc the barrier first expects one arrival more."""
    arrive = arrival_of_copies(instruction, at, machine)

    def step(lanes: Lanes) -> None:
        _land(machine, lanes, -1)
        arrive(lanes)

    return step


_FORMS = {
    "commit_group": _commit,
    "wait_group": _wait,
    "wait_all": _wait,
    "mbarrier": _signal,
    "ca": _issue,
    "cg": _issue,
}
