"""What the lanes of a warp do together: shuffles, votes, matches, reductions, who is active (PTX
ISA, "Parallel Synchronization and Communication Instructions")."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...machine.lanes import WARP, Lanes, Step, lane_index, put
from ...machine.memory.access import LaneValues
from ...machine.wave import Wave
from ..numbers import DTYPES
from ..program import Carries, Instruction, several
from ..table import collective, effect, results_of
from .synchronization import OPERATIONS


@collective("shfl", "sync up|down|bfly|idx b32 : d, a, b, c, mask", carries=Carries.ACROSS)
def shuffle(instruction: Instruction, at: int, wave: Wave) -> Step:
    """d[|p], a, distance, clamp and segment, mask"""
    target, *operands = instruction.operands
    mode, outs = instruction.form.mods[1], results_of(target, ("b32", "pred"), wave)
    value, delta, clamp = (wave.read(operand, "b32") for operand in operands[:3])
    events = wave.events

    def combine(together: Lanes) -> None:
        index = lane_index(together)
        lane = index & WARP - 1  # NumPy takes ten times as long for the remainder
        source, inside = _source_lane(mode, lane, delta[together], clamp[together])
        source += index - lane
        events.shuffle(at, together, source)
        put(outs, together, (value[source], inside))
        events.shuffled(at, together, source)

    return combine


def _alike(values: np.ndarray) -> np.ndarray:
    """The one value that all lanes have, which broadcasts; or the values."""
    return values if np.count_nonzero(values != values[0]) else values[:1]


# By mode, which lane each reads: of `lane`, `delta` from 0 to 31 and the bits of the segment.
_SOURCES: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]] = {
    "up": lambda lane, delta, segment: lane - delta,
    "down": lambda lane, delta, segment: lane + delta,
    "bfly": lambda lane, delta, segment: lane ^ delta,
    "idx": lambda lane, delta, segment: lane & segment | (delta & ~segment),
}


def _source_lane(
    mode: str, lane: np.ndarray, delta: np.ndarray, clamp: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which lane of its warp each lane reads, and whether that lies in its segment; as the PTX
    ISA defines it."""
    delta, clamp = _alike(delta), _alike(clamp).astype(np.int64)
    segment = clamp >> 8 & 31
    end = lane & segment | (clamp & 31 & ~segment)
    source = _SOURCES[mode](lane, delta.astype(np.int64) & 31, segment)
    inside = source >= end if mode == "up" else source <= end
    return np.where(inside, source, lane), inside


@collective("vote", "sync all|any|uni pred : d, a, mask", "sync ballot b32 : d, a, mask")
def vote(instruction: Instruction, at: int, wave: Wave) -> Step:
    mode = instruction.form.mods[1]
    target, predicate, mask = instruction.operands
    out = wave.registers.write(target, "b32" if mode == "ballot" else "pred")
    predicate, masks = wave.read(predicate, "pred"), wave.read(mask, "b32")

    def combine(together: Lanes) -> None:
        index = lane_index(together)
        ballot = wave.present(index[predicate[index]])[index // WARP] & masks[index]
        everyone = wave.present(index)[index // WARP] & masks[index]
        out[together] = {
            "ballot": lambda: ballot,
            "any": lambda: ballot != 0,
            "all": lambda: ballot == everyone,
            "uni": lambda: (ballot == 0) | (ballot == everyone),
        }[mode]()

    return combine


@effect("activemask", "b32 : d", by_chance=True)
def activemask(instruction: Instruction, at: int, wave: Wave) -> Step:
    out = wave.registers.write(instruction.operands[0], "b32")

    def step(lanes: Lanes) -> None:
        index = lane_index(lanes)
        out[lanes] = wave.present(index)[index // WARP]

    return step


@collective("redux", "sync add|min|max s32|u32 : d, a, mask", "sync and|or|xor b32 : d, a, mask")
def redux(instruction: Instruction, at: int, wave: Wave) -> Step:
    """Every lane gets the group's sum, minimum, ..."""
    operation: Any = OPERATIONS[instruction.form.mods[1]]  # one of NumPy's own
    kind = instruction.form.type
    target, value, mask = instruction.operands
    out, value = wave.registers.write(target, kind), wave.read(value, kind)
    masks = wave.read(mask, "b32")

    def combine(together: Lanes) -> None:
        lanes, starts, sizes = _groups(lane_index(together), masks)
        out[lanes] = np.repeat(operation.reduceat(value[lanes], starts, dtype=DTYPES[kind]), sizes)

    return combine


@collective("match", "any|all sync b32|b64 : d, a, mask")
def match(instruction: Instruction, at: int, wave: Wave) -> Step:
    """any: which lanes of the group hold the same value; all, d[|p]: the whole group if all do,
    else 0."""
    kind = instruction.form.type
    target, value, mask = instruction.operands
    outs, value = results_of(target, ("b32", "pred"), wave), wave.read(value, kind)
    masks = wave.read(mask, "b32")

    def combine(together: Lanes) -> None:
        lanes, starts, sizes = _groups(lane_index(together), masks, value)
        alike = np.repeat(_members(lanes, starts), sizes)
        if "all" in instruction.form.mods:
            lanes, starts, sizes = _groups(lanes, masks)  # in the same order
            alike = np.where(
                alike == np.repeat(_members(lanes, starts), sizes), alike, np.uint32(0)
            )
        put(outs, lanes, (alike, alike != 0))

    return combine


@collective("elect", "sync : d, mask")
def elect(instruction: Instruction, at: int, wave: Wave) -> Step:
    """d|p: d is the group's lowest lane, p is true there."""
    target, mask = instruction.operands
    leader, flag = several(target, 2)
    leader, flag = wave.registers.write(leader, "b32"), wave.registers.write(flag, "pred")
    masks = wave.read(mask, "b32")

    def combine(together: Lanes) -> None:
        lanes, starts, sizes = _groups(lane_index(together), masks)
        chosen = np.repeat(lanes[starts], sizes)
        flag[lanes] = chosen == lanes
        leader[lanes] = chosen % WARP

    return combine


def _groups(
    index: np.ndarray, masks: LaneValues, value: LaneValues | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The lanes in an order that puts groups (of one warp, one mask and, if given, one value) side
    by side, lowest lane first; where each group starts, and how many lanes it has."""
    key = (index // WARP << 32) | masks[index].astype(np.int64)
    values = np.zeros(len(index), bool) if value is None else value[index]
    order = np.lexsort((values, key))
    key, values = key[order], values[order]
    starts = np.flatnonzero(np.r_[True, (key[1:] != key[:-1]) | (values[1:] != values[:-1])])
    return index[order], starts, np.diff(np.r_[starts, len(index)])


def _members(lanes: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Per group, the mask of its lanes: uint32."""
    return np.bitwise_or.reduceat(
        np.left_shift(np.uint32(1), (lanes & WARP - 1).astype(np.uint32)), starts
    )
