"""Atomic read-modify-write operations."""

from __future__ import annotations

import numpy as np

from ..lanes import Lanes
from ..memory.access import Access
from ..numeric.numbers import flush
from ..numeric.types import DTYPES
from ..program.ptx import Instruction, components
from .floating import KINDS, on_registers
from .memory import note
from .registry import effect, read, unsupported


def _increment(old, limit):
    return np.where(old >= limit, old.dtype.type(0), old + old.dtype.type(1))


def _decrement(old, limit):
    return np.where((old == 0) | (old > limit), limit, old - old.dtype.type(1))


def _compare_and_swap(old, expected, new):
    return np.where(old == expected, new, old)


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
    "cas": _compare_and_swap,
}


_ON_FLOATS = {"add": np.add, "min": np.fmin, "max": np.fmax}


@effect("atom", "red")
def atomic(instruction: Instruction, at: int, machine):
    """atom[.sem][.scope][.space].op[.noftz][.v2 | .v4].type d, [a], b[, c][, cache policy]; red is
    the same without d. On global memory, adding float32 flushes subnormal numbers."""
    operands = list(instruction.operands)
    if "L2::cache_hint" in instruction.mods:
        operands.pop()
    target = operands.pop(0) if instruction.base == "atom" else None
    address, *sources = operands
    kind = instruction.type
    operation = _operation(instruction)
    if operation is None:
        raise unsupported(instruction, machine)
    access = Access(instruction, address, at, machine, "atomically updates")
    sources = [[read(item, kind, machine) for item in components(s)] for s in sources]
    outs = [
        machine.registers.write(item, kind) if item.name != "_" else None
        for item in (components(target) if target else ())
    ]

    def step(lanes: Lanes) -> None:
        machine.schedule.spins += 1
        for hit in access.hits(lanes):
            access.check_written(hit)
            if access.constant or not hit.store.writable:
                access.refuse_write(hit)
            flushes = kind == "f32" and hit.space == "global"
            memory = hit.store.view(DTYPES[kind])
            for component in range(access.components):
                element = hit.element + component
                values = [source[component][hit.lanes] for source in sources]
                if flushes:
                    values = [flush(value) for value in values]
                    memory[element] = flush(memory[element])
                old = update(memory, element, operation, values)
                if flushes:
                    memory[element] = flush(memory[element])
                if outs and outs[component] is not None:
                    outs[component][hit.lanes] = old
            failed = None  # a comparison that fails writes nothing
            if access.compares:
                failed = old != sources[0][0][hit.lanes]
            note(machine, access, hit, "atomic", failed)

    return step


def _operation(instruction: Instruction):
    name = next((mod for mod in instruction.mods if mod in _OPERATIONS), None)
    kind = instruction.type
    if name is None or kind not in DTYPES or "async" in instruction.mods:
        return None
    if kind in KINDS:
        return on_registers(_ON_FLOATS[name], kind) if name in _ON_FLOATS else None
    return _OPERATIONS[name]


def update(memory: np.ndarray, element: np.ndarray, operation, values) -> np.ndarray:
    """Apply the operation once per lane, in order of lanes; the values found before. Lanes that
    meet at one address take turns, all addresses at once."""
    old = np.empty(len(element), memory.dtype)
    order = np.argsort(element, kind="stable")
    place = element[order]
    starts = np.flatnonzero(np.r_[True, place[1:] != place[:-1]])
    turns = np.diff(np.r_[starts, len(place)])
    if turns.max() > 64 and isinstance(operation, np.ufunc):
        return _update_crowded(memory, order, place, starts, turns, operation, values[0], old)
    if turns.max() > 4 and operation is _compare_and_swap:
        return _swap_crowded(memory, order, place, starts, turns, *values, old)
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


def _swap_crowded(memory, order, place, starts, turns, expected, new, old) -> np.ndarray:
    """Many lanes compare and swap at few addresses, say for a lock: from one that swaps to the
    next, all find the same value."""
    for start, number in zip(starts, turns, strict=True):
        lane, at = order[start : start + number], place[start]
        while len(lane):
            equal = expected[lane] == memory[at]
            last = int(np.argmax(equal))
            found = lane[: last + 1] if equal[last] else lane
            old[found] = memory[at]
            if equal[last]:
                memory[at] = new[lane[last]]
            lane = lane[len(found) :]
    return old
