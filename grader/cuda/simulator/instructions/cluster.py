"""Thread-block clusters: barriers across blocks, addresses in a neighbour's shared memory."""

from __future__ import annotations

import numpy as np

from ..lanes import Lanes
from ..memory.spaces import SHARED_WINDOW
from ..program.ptx import Instruction
from ..waiting.clusters import RANK_SHIFT, map_to_rank
from .registry import effect, read


def cluster_barrier(instruction: Instruction, at: int, machine):
    """barrier.cluster.arrive does not wait, barrier.cluster.wait does."""
    if "wait" in instruction.mods:
        return lambda lanes: machine.clusters.wait(lanes, at)

    def arrive(lanes: Lanes):
        return (*machine.clusters.arrive(lanes), (at + 1, lanes))

    return arrive


@effect("mapa")
def mapa(instruction: Instruction, at: int, machine):
    """mapa[.shared::cluster].type d, a, rank: the same variable in another block."""
    target, address, rank = instruction.operands
    kind = instruction.type
    out = machine.registers.write(target, kind)
    address, rank = read(address, kind, machine), read(rank, "u32", machine)
    window = 0 if "shared::cluster" in instruction.mods else SHARED_WINDOW

    def step(lanes: Lanes) -> None:
        local = address[lanes].astype(np.int64) - window
        out[lanes] = map_to_rank(local, rank[lanes].astype(np.int64)) + window

    return step


@effect("getctarank")
def getctarank(instruction: Instruction, at: int, machine):
    """The rank of the block in whose shared memory an address lies."""
    target, address = instruction.operands
    out = machine.registers.write(target, "u32")
    address = read(address, instruction.type, machine)
    window = 0 if "shared::cluster" in instruction.mods else SHARED_WINDOW
    own = machine.special.read("%cluster_ctarank")

    def step(lanes: Lanes) -> None:
        rank = (address[lanes].astype(np.int64) - window) >> RANK_SHIFT
        out[lanes] = np.where(rank == 0, own[lanes], rank - 1)

    return step
