"""Atomic read-modify-write operations."""

from __future__ import annotations

import numpy as np

from ..access import Access
from ..lanes import Lanes
from ..ptx import Instruction
from ..types import DTYPES
from .registry import effect, read, unsupported


def _increment(old, limit):
    return np.where(old >= limit, old.dtype.type(0), old + old.dtype.type(1))


def _decrement(old, limit):
    return np.where((old == 0) | (old > limit), limit, old - old.dtype.type(1))


_OPERATIONS = {
    "add": np.add,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "min": np.minimum,
    "max": np.maximum,
    "exch": lambda old, new: new,
    "inc": _increment,
    "dec": _decrement,
    "cas": lambda old, expected, new: np.where(old == expected, new, old),
}


@effect("atom", "red")
def atomic(instruction: Instruction, at: int, machine):
    """atom[.sem][.scope][.space].op.type d, [a], b[, c]; red is the same without d."""
    operands = list(instruction.operands)
    target = operands.pop(0) if instruction.base == "atom" else None
    address, *sources = operands
    kind = instruction.type
    operation = next((_OPERATIONS[mod] for mod in instruction.mods if mod in _OPERATIONS), None)
    if operation is None or kind not in DTYPES or kind.endswith("x2") or kind == "bf16":
        raise unsupported(instruction, machine)
    access = Access(instruction, address, at, machine, "atomically updates")
    sources = [read(source, kind, machine) for source in sources]
    wanted = target is not None and target.name != "_"
    out = machine.registers.write(target, kind) if wanted else None

    def step(lanes: Lanes) -> None:
        machine.schedule.spins += 1
        for hit in access.hits(lanes):
            access.check_written(hit)
            if access.constant or not hit.store.writable:
                access.refuse_write(hit)
            values = [source[hit.lanes] for source in sources]
            old = _update(hit.store.view(DTYPES[kind]), hit.element, operation, values)
            if machine.races is not None and machine.races.watches(access, hit):
                machine.races.check(access, hit, "atomic")
            if machine.observed:
                machine.watch.access(hit, access, "atomic")
            if out is not None:
                out[hit.lanes] = old

    return step


def _update(memory: np.ndarray, element: np.ndarray, operation, values) -> np.ndarray:
    """Apply the operation once per lane, in order of lanes; the values found before. Lanes that
    meet at one address take turns, all addresses at once."""
    old = np.empty(len(element), memory.dtype)
    order = np.argsort(element, kind="stable")
    place = element[order]
    starts = np.flatnonzero(np.r_[True, place[1:] != place[:-1]])
    turns = np.diff(np.r_[starts, len(place)])
    if turns.max() > 64 and isinstance(operation, np.ufunc):
        return _update_crowded(memory, order, place, starts, turns, operation, values[0], old)
    for turn in range(int(turns.max())):
        lane = order[starts[turns > turn] + turn]
        old[lane] = memory[element[lane]]
        memory[element[lane]] = operation(old[lane], *[value[lane] for value in values])
    return old


def _update_crowded(memory, order, place, starts, turns, operation, value, old) -> np.ndarray:
    """Many lanes at few addresses: a running total per address gives every lane's turn."""
    for start, number in zip(starts, turns, strict=True):
        lane = order[start : start + number]
        at = place[start]
        running = operation.accumulate(np.r_[memory[at], value[lane]], dtype=memory.dtype)
        old[lane] = running[:-1]
        memory[at] = running[-1]
    return old
