"""Branches, exits and barriers: where lanes part, end, or wait for each other."""

from __future__ import annotations

import numpy as np

from ...errors import CudaError
from ..lanes import Lanes, compact, merge
from ..lanes import index as lane_index
from ..ptx import Immediate, Instruction
from .registry import control, effect, guard_mask, read, unsupported


@control("bra")
def branch(instruction: Instruction, at: int, machine):
    target = machine.kernel.labels[instruction.operands[0].name]
    if instruction.guard is None:
        return lambda lanes: ((target, lanes),)
    guard, negated = guard_mask(instruction, machine), instruction.guard_negated

    def step(lanes: Lanes):
        taken = guard[lanes] ^ negated
        number = int(np.count_nonzero(taken))
        if machine.observed:
            machine.watch.branch(lanes, at, taken)
        if number == len(taken):
            return ((target, lanes),)
        if number == 0:
            return ((at + 1, lanes),)
        index = lane_index(lanes)
        return ((target, compact(index[taken])), (at + 1, compact(index[~taken])))

    return step


@control("brx")
def branch_by_index(instruction: Instruction, at: int, machine):
    """brx.idx index, table: a jump through a list of labels."""
    index, table = instruction.operands
    targets = [machine.kernel.labels[name] for name in machine.kernel.tables[table.name]]
    chosen = read(index, "u32", machine)

    def step(lanes: Lanes):
        lane, which = lane_index(lanes), chosen[lanes]
        parts = {}
        for number in np.unique(which):
            parts.setdefault(targets[int(number)], []).append(compact(lane[which == number]))
        return tuple((target, merge(groups)) for target, groups in parts.items())

    return step


@control("bar", "barrier")
def block_barrier(instruction: Instruction, at: int, machine):
    """bar.sync id[, threads]; barrier.sync likewise. `bar.warp.sync` is `__syncwarp`."""
    if "warp" in instruction.mods:
        return _warp_barrier(instruction, at, machine)
    numbers = [o.value for o in instruction.operands if isinstance(o, Immediate)]
    if "sync" not in instruction.mods or len(numbers) != len(instruction.operands):
        raise unsupported(instruction, machine)
    barrier, threads = numbers[0], numbers[1] if len(numbers) > 1 else None
    if threads == machine.geometry.stride:
        threads = None
    return lambda lanes: machine.barriers.arrive(lanes, at, barrier, threads)


def _warp_barrier(instruction: Instruction, at: int, machine):
    masks = read(instruction.operands[0], "u32", machine)

    def step(lanes: Lanes):
        together = machine.collectives.gather(lanes, at, masks)
        if together is None:
            return ()
        if machine.races:
            machine.races.synchronize(together, machine.tick(at), warp_only=True)
        return ((at + 1, together),)

    return step


@effect("membar", "fence")
def fence(instruction: Instruction, at: int, machine):
    """Every access takes effect at once here, so a fence has nothing left to do."""
    return lambda lanes: None


@effect("nanosleep")
def nanosleep(instruction: Instruction, at: int, machine):
    def step(lanes: Lanes) -> None:
        machine.spins += 1

    return step


@control("trap")
def trap(instruction: Instruction, at: int, machine):
    def step(lanes: Lanes):
        lane = int(lane_index(lanes)[0])
        raise machine.report.error(CudaError, at, lane, "stops the kernel with a trap.")

    return step
