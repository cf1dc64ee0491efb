"""Thread-block clusters: barriers across blocks, addresses in a neighbour's shared memory."""

from __future__ import annotations

import numpy as np

from ...machine.cluster_barrier import map_to_rank
from ...machine.events import Step, Successors
from ...machine.lanes import Lanes
from ...machine.memory.spaces import RANK_SHIFT, SHARED_WINDOW
from ...machine.operands import read
from ...machine.wave import Wave
from ..forms.table import control, effect
from ..ptx import Instruction, Symbol


@control(
    "barrier", "cluster arrive release|relaxed? aligned? :", "cluster wait acquire? aligned? :"
)
def cluster_barrier(instruction: Instruction, at: int, wave: Wave) -> Step:
    """To arrive is not to wait."""
    if "wait" in instruction.form.mods:
        return lambda lanes: wave.clusters.wait(lanes, at)

    def arrive(lanes: Lanes) -> Successors:
        return (*wave.clusters.arrive(lanes), (at + 1, lanes))

    return arrive


@effect("mapa", "shared::cluster? u32|u64 : d, a, b")
def mapa(instruction: Instruction, at: int, wave: Wave) -> Step:
    """d, a, rank: the same variable in another block."""
    target, address, rank = instruction.operands
    kind = instruction.form.type
    out = wave.registers.write(target, kind)
    address, rank = read(address, kind, wave), read(rank, "u32", wave)
    window = 0 if "shared::cluster" in instruction.form.mods else SHARED_WINDOW

    def step(lanes: Lanes) -> None:
        local = address[lanes].astype(np.int64) - window
        out[lanes] = map_to_rank(local, rank[lanes].astype(np.int64)) + window

    return step


@effect("getctarank", "shared::cluster? u32|u64 : d, a")
def getctarank(instruction: Instruction, at: int, wave: Wave) -> Step:
    """The rank of the block in whose shared memory an address lies."""
    target, address = instruction.operands
    out = wave.registers.write(target, "u32")
    address = read(address, instruction.form.type, wave)
    window = 0 if "shared::cluster" in instruction.form.mods else SHARED_WINDOW
    own = read(Symbol("%cluster_ctarank"), "u32", wave)

    def step(lanes: Lanes) -> None:
        rank = (address[lanes].astype(np.int64) - window) >> RANK_SHIFT
        out[lanes] = np.where(rank == 0, own[lanes], rank - 1)

    return step
