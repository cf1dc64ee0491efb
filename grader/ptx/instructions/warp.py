"""Warp-wide operations: shuffles, votes and who is active."""

from __future__ import annotations

import numpy as np

from ...machine.events import Step
from ...machine.lanes import WARP, Lanes, warp_masks
from ...machine.lanes import index as lane_index
from ...machine.operands import read
from ...machine.wave import Wave
from ..forms.form import Carries
from ..forms.table import collective, effect
from ..ptx import Instruction, several


@collective("shfl", "sync up|down|bfly|idx b32 : d, a, b, c, mask", carries=Carries.ACROSS)
def shuffle(instruction: Instruction, at: int, wave: Wave) -> Step:
    """d[|p], a, distance, clamp and segment, mask"""
    target, *operands = instruction.operands
    target, *valid_of = several(target, 1, 2)
    mode = instruction.form.mods[1]
    out = wave.registers.write(target, "b32")
    valid = wave.registers.write(valid_of[0], "pred") if valid_of else None
    value, delta, clamp = (read(operand, "b32", wave) for operand in operands[:3])
    events = wave.events

    def combine(together: Lanes) -> None:
        lane = lane_index(together)
        source, inside = _source_lane(mode, lane % WARP, delta[together], clamp[together])
        source += lane - lane % WARP
        for tell in events.shuffle:
            tell(at, together, source)
        result = value[source]
        out[together] = result
        if valid is not None:
            valid[together] = inside
        for told in events.shuffled:
            told(at, together, source)

    return combine


def _source_lane(
    mode: str, lane: np.ndarray, delta: np.ndarray, clamp: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which lane of its warp each lane reads, and whether that lies in its segment; as the PTX
    ISA defines it."""
    delta, clamp = delta.astype(np.int64), clamp.astype(np.int64)
    segment = clamp >> 8 & 31
    clamp = clamp & 31
    low = lane & segment
    high = low | (clamp & ~segment)
    if mode == "up":
        source = lane - (delta & 31)
        inside = source >= high
    else:
        source = {
            "down": lambda: lane + (delta & 31),
            "bfly": lambda: lane ^ (delta & 31),
            "idx": lambda: low | (delta & 31 & ~segment),
        }[mode]()
        inside = source <= high
    return np.where(inside, source, lane), inside


@collective("vote", "sync all|any|uni pred : d, a, mask", "sync ballot b32 : d, a, mask")
def vote(instruction: Instruction, at: int, wave: Wave) -> Step:
    mode = instruction.form.mods[1]
    target, predicate, mask = instruction.operands
    out = wave.registers.write(target, "b32" if mode == "ballot" else "pred")
    predicate, masks = read(predicate, "pred", wave), read(mask, "b32", wave)

    def combine(together: Lanes) -> None:
        index = lane_index(together)
        ballot = _ballot(index[predicate[index]], wave)[index // WARP] & masks[index]
        everyone = _ballot(index, wave)[index // WARP] & masks[index]
        out[together] = {
            "ballot": lambda: ballot,
            "any": lambda: ballot != 0,
            "all": lambda: ballot == everyone,
            "uni": lambda: (ballot == 0) | (ballot == everyone),
        }[mode]()

    return combine


@effect("activemask", "b32 : d")
def activemask(instruction: Instruction, at: int, wave: Wave) -> Step:
    out = wave.registers.write(instruction.operands[0], "b32")

    def step(lanes: Lanes) -> None:
        index = lane_index(lanes)
        out[lanes] = _ballot(index, wave)[index // WARP]

    return step


def _ballot(index: np.ndarray, wave: Wave) -> np.ndarray:
    return warp_masks(index, wave.geometry.warps)
